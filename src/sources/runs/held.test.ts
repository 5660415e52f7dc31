// Sources of which too many objects are gone.
import { describe, expect, test } from 'bun:test'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { pushingApp } from '../../../testing/sources/pushing.ts'

const device = (ref: string, i: number) => ({ name: `${ref}-${i}`, refs: { [ref]: `${i}` } })
/** A field of the call, which the types of inputs leave out. */
const PROPOSED = { proposal: 'open' }
const listDevices = (ref: string) => Array.from({ length: 10 }, (_, i) => device(ref, i))

describe.each(onSqlite())('on %s', (dialect) => {
  const p = pushingApp(dialect)

  test('a source stays held while objects are missing that are not due, until it is less', async () => {
    const devices = listDevices('held')
    const id = await p.source({ mode: 'auto', ref: 'held', gone_after_hours: 24 })
    expect(await p.run(id, { devices })).toMatchObject({ result: 'applied' })
    for (const _ of ['another snapshot', 'the same one']) {
      const { result, message } = await p.run(id, { devices: devices.slice(5) })
      expect([result, message]).toEqual(['held', expect.stringContaining('5 of 10 devices are gone')])
      expect(await p.api.sources.get({ id })).toMatchObject({ status: 'held', status_message: message })
    }
    expect(await p.run(id, { devices: devices.slice(2) })).toMatchObject({ result: 'unchanged' })
    expect(await p.api.sources.get({ id })).toMatchObject({ status: 'ok', status_message: '' })
  })

  test('what was missing at a forced run holds no later run, and what is missed since does', async () => {
    const devices = listDevices('forced')
    const id = await p.source({ name: 'forced', mode: 'auto', ref: 'forced', gone_after_hours: 24 })
    await p.run(id, { devices })
    expect(await p.run(id, { devices: devices.slice(4) })).toMatchObject({ result: 'held' })
    expect(await p.run(id, { devices: devices.slice(4) }, { force: true })).toMatchObject({ result: 'unchanged' })
    expect(await p.api.sources.get({ id })).toMatchObject({ status: 'ok', counts: { gone: 4 } })
    const more = device('forced', 10)
    expect(await p.run(id, { devices: [...devices.slice(4), more] })).toMatchObject({ result: 'applied' })
    const { result, message } = await p.run(id, { devices: [...devices.slice(8), more] })
    expect([result, message]).toEqual(['held', expect.stringContaining('4 of 11 devices are gone')])
  })

  test('a run that would change protected objects is held, also with force, until the policy is gone', async () => {
    const devices = listDevices('guarded')
    const id = await p.source({ name: 'guarded', mode: 'auto', ref: 'guarded' })
    expect(await p.run(id, { devices })).toMatchObject({ result: 'applied' })
    const draft = { name: 'Two people', permissions: ['devices:create' as const], min_objects: 2, protect: true }
    const policy = await p.api.policies.create(draft)
    const one = [...devices, device('guarded', 10)]
    expect(await p.run(id, { devices: one })).toMatchObject({ result: 'applied' })
    const more = [...one, device('guarded', 11), device('guarded', 12)]
    for (const force of [false, true]) {
      const { result, message, change_id } = await p.run(id, { devices: more }, { force })
      expect([result, change_id, message]).toEqual(['held', '', expect.stringContaining('"Two people"')])
      expect(await p.api.sources.get({ id })).toMatchObject({ status: 'held', status_message: message })
    }
    const made = await p.api.devices.list({ managed_by: `source:${id}` })
    expect(made.length).toBe(11)
    await p.api.policies.delete({ id: policy.id })
    expect(await p.run(id, { devices: more })).toMatchObject({ result: 'applied' })
    expect(await p.api.sources.get({ id })).toMatchObject({ status: 'ok', status_message: '' })
  })

  test('changes that a policy holds are applied by a proposal, and not by hand', async () => {
    const devices = listDevices('asked')
    const id = await p.source({ name: 'asked', mode: 'auto', ref: 'asked' })
    const { id: policy } = await p.api.policies.create({ name: 'CI', approvals: 0, checks: ['ci'], protect: true })
    expect(await p.run(id, { devices })).toMatchObject({ result: 'held' })
    const refused: unknown = await p.api.sources.apply({ id, force: true }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'APPROVAL_REQUIRED', details: [{ field: 'CI' }] })
    expect(await p.api.sources.apply({ id, ...PROPOSED })).toMatchObject({ applied: false })
    const [proposal] = await p.api.proposals.list({ state: 'open' })
    const { id: proposed = '', fingerprint = '' } = proposal ?? {}
    expect(proposal).toMatchObject({ summary: 'creates 10 devices' })
    await p.api.proposals.check({ id: proposed, name: 'ci', state: 'success', fingerprint })
    expect(await p.api.proposals.merge({ id: proposed })).toMatchObject({ state: 'merged' })
    expect((await p.api.devices.list({ managed_by: `source:${id}` })).length).toBe(10)
    expect(await p.run(id, { devices })).toMatchObject({ result: 'unchanged' })
    expect(await p.api.sources.get({ id })).toMatchObject({ status: 'ok', status_message: '' })
    await p.api.policies.delete({ id: policy })
  })
})
