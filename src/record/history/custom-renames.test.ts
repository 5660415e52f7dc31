/** A custom field, or a choice of it, that is renamed: in the history, in the past, and in undos. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Change } from './api.ts'

describe.each(engines())('a renamed custom field on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
    await admin.api.networks.create({ name: 'n', subnet: '10.0.0.0/24' })
  })
  afterAll(() => app.close())

  const newest = async (): Promise<Change> => {
    const [change] = await admin.api.history.list({ limit: 1 })
    if (!change) throw new Error('there is no change')
    return change
  }
  const send = async (http: string, body?: object): Promise<{ status: number; body: unknown }> => {
    const [method = '', path = ''] = http.split(' ')
    const response = await admin.request(method, path, body)
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const undo = (id: string) => send(`POST /api/history/${id}/undo`)
  const names = (body: unknown): string[] => (body as { name: string }[]).map(({ name }) => name)
  const define = (field: { resource?: string; name: string; type?: string; choices?: string[]; multiple?: boolean }) =>
    admin.api.customFields.create({ resource: 'devices', type: 'text', ...field } as never)
  const customOf = async (id: string) => (await admin.api.devices.get({ id })).custom

  test('is a change of each object with a value, with an event for each', async () => {
    const { id } = await define({ name: 'old_a' })
    const holder = await admin.api.devices.create({ name: 'holder', custom: { old_a: 'x' } })
    const other = await admin.api.devices.create({ name: 'other' })
    const hook = await admin.api.webhooks.create({ name: 'h', url: 'http://h.invalid/', events: ['device.updated'] })
    await admin.api.customFields.update({ id, name: 'new_a' })
    const { id: changeId, summary } = await newest()
    expect(summary).toBe('changes 1 custom field and 1 device')
    const items = await admin.api.history.items({ id: changeId, kind: 'device' })
    const fields = { custom: { from: { old_a: 'x' }, to: { new_a: 'x' } } }
    expect(items).toMatchObject([{ id: holder.id, change: 'update', fields }])
    const [delivery, ...more] = await admin.api.webhooks.deliveries({ id: hook.id })
    expect(more).toEqual([])
    expect(delivery).toMatchObject({ event: 'device.updated' })
    expect((await admin.api.devices.get({ id: other.id })).updated_at).toBe(other.updated_at)
    expect((await admin.api.histories.device({ id: other.id })).length).toBe(1)
  })

  test('has its old name in the past, where filters and orders use it', async () => {
    const { id } = await define({ name: 'old_b' })
    const { id: first } = await admin.api.devices.create({ name: 'p1', custom: { old_b: 'Kept' } })
    await admin.api.devices.create({ name: 'p2', custom: { old_b: 'other' } })
    const before = (await newest()).id
    await admin.api.customFields.update({ id, name: 'new_b' })
    expect((await send(`GET /api/devices/${first}?as_of=${before}`)).body).toMatchObject({ custom: { old_b: 'Kept' } })
    expect(names((await send(`GET /api/devices?custom.old_b=kept&as_of=${before}`)).body)).toEqual(['p1'])
    expect((await send(`GET /api/devices?custom.new_b=kept&as_of=${before}`)).status).toBe(400)
    expect(names((await send(`GET /api/devices?sort=-custom.old_b&as_of=${before}&limit=2`)).body)).toEqual([
      'p2',
      'p1',
    ])
    expect(names((await send('GET /api/devices?custom.new_b=kept')).body)).toEqual(['p1'])
  })

  test('stands in its own change alone, not in the change of an object before or after', async () => {
    const { id } = await define({ name: 'old_c' })
    const device = await admin.api.devices.create({ name: 'c', custom: { old_c: 'x' } })
    await admin.api.devices.update({ id: device.id, description: 'before' })
    await admin.api.customFields.update({ id, name: 'new_c' })
    await admin.api.devices.update({ id: device.id, description: 'after' })
    const history = await admin.api.histories.device({ id: device.id })
    expect(history.map(({ fields }) => Object.keys(fields)).slice(0, 3)).toEqual([
      ['description'],
      ['custom'],
      ['description'],
    ])
  })

  test('is named by the refusal of the undo of an older change', async () => {
    const { id } = await define({ name: 'old_d' })
    const device = await admin.api.devices.create({ name: 'd' })
    await admin.api.devices.update({ id: device.id, custom: { old_d: 'x' } })
    const given = await newest()
    await admin.api.customFields.update({ id, name: 'new_d' })
    const renamed = await newest()
    const { status, body } = await undo(given.id)
    expect(status).toBe(409)
    expect(body).toMatchObject({
      details: [{ field: `device ${device.id} custom`, message: expect.stringContaining(renamed.id) }],
    })
  })

  test('gets its old name by an undo, also in objects that changed or came since', async () => {
    const { id } = await define({ name: 'old_e' })
    await define({ name: 'beside_e' })
    const [kept, changed] = await Promise.all(
      ['e1', 'e2'].map((name) => admin.api.devices.create({ name, custom: { old_e: name } })),
    )
    await admin.api.customFields.update({ id, name: 'new_e' })
    const { id: renamed } = await newest()
    await admin.api.devices.update({ id: changed?.id ?? '', description: 'since', custom: { beside_e: 'b' } })
    const late = await admin.api.devices.create({ name: 'e3', custom: { new_e: 'late' } })
    const undone = await undo(renamed)
    expect(undone.status).toBe(200)
    expect(await customOf(kept?.id ?? '')).toEqual({ old_e: 'e1' })
    expect(await customOf(changed?.id ?? '')).toEqual({ beside_e: 'b', old_e: 'e2' })
    expect(await customOf(late.id)).toEqual({ old_e: 'late' })
    expect((await undo((undone.body as Change).id)).status).toBe(200)
    expect(await customOf(late.id)).toEqual({ new_e: 'late' })
  })

  test('of addresses is renamed in devices and reservations, and back', async () => {
    const { id } = await define({ resource: 'addresses', name: 'old_f' })
    const pool = await admin.api.pools.create({
      ...{ network_id: (await admin.api.networks.list({}))[0]?.id ?? '', name: 'p' },
      ...{ start_ip: '10.0.0.10', end_ip: '10.0.0.20' },
    })
    const device = await admin.api.devices.create({
      name: 'f',
      addresses: [{ ip: '10.0.0.9', custom: { old_f: 'd' } }],
    })
    const reservation = await admin.api.reservations.create({
      ...{ pool_id: pool.id, ip_address: '10.0.0.10', custom: { old_f: 'r' } },
    })
    const shown = async () => [
      (await admin.api.devices.get({ id: device.id })).addresses[0]?.custom,
      (await admin.api.reservations.get({ id: reservation.id })).custom,
    ]
    await admin.api.customFields.update({ id, name: 'new_f' })
    expect(await shown()).toEqual([{ new_f: 'd' }, { new_f: 'r' }])
    expect((await undo((await newest()).id)).status).toBe(200)
    expect(await shown()).toEqual([{ old_f: 'd' }, { old_f: 'r' }])
  })

  test('renames choices in all objects, in the default and in searches, and back', async () => {
    const { id } = await define({ name: 'tier', type: 'choice', choices: ['gold', 'silver', 'tin'], multiple: true })
    await admin.api.customFields.update({ id, default: ['gold', 'tin'] })
    const both = await admin.api.devices.create({ name: 'g1', custom: { tier: ['gold', 'silver'] } })
    const none = await admin.api.devices.create({ name: 'g2', custom: { tier: ['tin'] } })
    const renamed = await send(`PUT /api/custom-fields/${id}`, { rename_choices: { gold: 'silver', silver: 'gold' } })
    expect(renamed.body).toMatchObject({ choices: ['silver', 'gold', 'tin'], default: ['silver', 'tin'] })
    expect(await customOf(both.id)).toEqual({ tier: ['silver', 'gold'] })
    const more = await send(`PUT /api/custom-fields/${id}`, { name: 'class', rename_choices: { gold: 'platinum' } })
    expect(more.body).toMatchObject({ name: 'class', choices: ['silver', 'platinum', 'tin'] })
    const { id: changeId } = await newest()
    expect(await admin.api.history.items({ id: changeId, kind: 'device' })).toMatchObject([
      {
        id: both.id,
        fields: { custom: { from: { tier: ['silver', 'gold'] }, to: { class: ['silver', 'platinum'] } } },
      },
      { id: none.id, fields: { custom: { from: { tier: ['tin'] }, to: { class: ['tin'] } } } },
    ])
    expect(names((await send('GET /api/devices?custom.class=platinum')).body)).toEqual(['g1'])
    expect((await send('GET /api/devices?custom.class=gold')).status).toBe(400)
    const late = await admin.api.devices.create({ name: 'g3', custom: { class: ['platinum'] } })
    expect((await undo(changeId)).status).toBe(200)
    expect(await customOf(late.id)).toEqual({ tier: ['gold'] })
    expect(await customOf(both.id)).toEqual({ tier: ['silver', 'gold'] })
    expect(names((await send('GET /api/devices?custom.tier=gold')).body)).toEqual(['g1', 'g3'])
    expect((await send('GET /api/devices?custom.tier=platinum')).status).toBe(400)
  })

  test('keeps the values of others if choices were replaced that no object had', async () => {
    const { id } = await define({ name: 'plain', type: 'choice', choices: ['a', 'b'] })
    await admin.api.customFields.update({ id, choices: ['a', 'c'] })
    const replaced = await newest()
    await admin.api.devices.create({ name: 'h', custom: { plain: 'c' } })
    const { status, body } = await undo(replaced.id)
    expect([status, (body as { code: string }).code]).toEqual([409, 'UNDO_CONFLICT'])
  })

  test.each([
    [{ rename_choices: { x: 'y' } }, 'rename_choices', '"x" is no choice'],
    [{ rename_choices: { a: 'b' } }, 'rename_choices', '"b" is a choice already'],
    [{ rename_choices: { a: 'B' } }, 'choices', '"B" and "b" differ in case alone'],
    [{ rename_choices: { b: 'z' }, choices: ['a', 'c'] }, 'choices', 'lacks "z", the new name of "b"'],
    [{ rename_choices: { b: ' ' } }, 'rename_choices.b', 'must not be blank'],
    [{ rename_choices: { b: 'z' }, type: 'text' }, 'rename_choices', 'is for fields of type "choice"'],
  ])('refuses %j and names the field', async (body, field, message) => {
    const [known] = await admin.api.customFields.list({}).then((all) => all.filter(({ name }) => name === 'refused'))
    const { id } = known ?? (await define({ name: 'refused', type: 'choice', choices: ['a', 'b'] }))
    const answer = await send(`PUT /api/custom-fields/${id}`, body)
    expect([answer.status, (answer.body as { details: unknown[] }).details]).toEqual([400, [{ field, message }]])
  })

  test('of 100 objects is one change of each', async () => {
    const { id } = await define({ name: 'many', type: 'choice', choices: ['a', 'b'] })
    const operations = Array.from({ length: 100 }, (_, i) => ({
      ...{ op: 'create', device: { name: `m${i}`, custom: { many: 'a' } } },
    }))
    expect((await send('POST /api/devices/bulk', { operations })).status).toBe(200)
    await send(`PUT /api/custom-fields/${id}`, { rename_choices: { a: 'c' } })
    expect((await newest()).counts).toEqual({ update: { 'custom field': 1, device: 100 } })
  })
})
