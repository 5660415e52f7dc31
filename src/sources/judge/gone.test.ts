// Objects of rows that are missing: due, decommissioned, deleted, kept, held, and back.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { contains, port, vm } from '../testing/said-rows.ts'

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

  test('a port goes at once, and a device is decommissioned when it is due, and is back with its status', async () => {
    const id = await j.source()
    const rows = [vm('t/1'), vm('t/2'), port('t/2', 'eth0')]
    await j.say(id, rows)
    await j.apply(id)
    await j.say(id, [vm('t/2')])
    expect((await j.apply(id)).counts).toMatchObject({ ports: { deleted: 1 } })
    expect(await j.find(id, 't/1')).toMatchObject({ state: 'gone', action: 'decommission' })
    expect((await j.getDevice(id, 't/1')).status).toBe('active')
    j.advance(25)
    expect((await j.apply(id)).counts).toMatchObject({ devices: { updated: 1 } })
    expect((await j.getDevice(id, 't/1')).status).toBe('decommissioned')
    expect(await j.find(id, 't/1')).toMatchObject({ state: 'gone', action: 'none' })
    await j.say(id, rows)
    await j.apply(id)
    expect(await j.find(id, 't/1')).toMatchObject({ state: 'synced' })
    expect((await j.getDevice(id, 't/1')).status).toBe('active')
  })

  test('a machine that moves to another host changes what contains it, and goes with its relationship', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0, max_gone_percent: 100 })
    const hosts = [vm('ta/h1', {}, { type: 'host' }), vm('ta/h2', {}, { type: 'host' })]
    await j.say(id, [...hosts, vm('ta/1'), contains('ta/h1', 'ta/1')])
    await j.apply(id)
    const [first = '', second = '', child = ''] = await Promise.all(
      ['ta/h1', 'ta/h2', 'ta/1'].map((key) => j.findId(id, key)),
    )
    const find = async () =>
      (await j.api.relationships.list({ device_id: child }))
        .filter(({ child_id }) => child_id === child)
        .map(({ parent_id }) => parent_id)
    expect(await find()).toEqual([first])
    await j.say(id, [...hosts, vm('ta/1'), contains('ta/h2', 'ta/1')])
    await j.apply(id)
    expect(await find()).toEqual([second])
    await j.say(id, hosts)
    expect((await j.apply(id)).counts).toMatchObject({ devices: { deleted: 1 }, relationships: { deleted: 1 } })
    expect(await j.api.sources.objects({ source_id: id })).toHaveLength(2)
  })

  test.each(['keep', 'delete'] as const)('a source that is deleted with "%s" leaves no owner', async (objects) => {
    const id = await j.source({ ref: `ref-${objects}` })
    const rows = [vm('tb/h', {}, { type: 'host' }), vm('tb/1'), port('tb/1', 'eth0'), contains('tb/h', 'tb/1')]
    const own = rows.map(({ row, ...one }) => ({
      ...{ ...one, key: `${objects}-${one.key}` },
      row: JSON.parse(JSON.stringify(row).replaceAll('proxmox', `ref-${objects}`).replaceAll('tb', `${objects}-tb`)),
    }))
    await j.say(id, own)
    expect((await j.apply(id)).failed).toEqual([])
    const ids = await Promise.all([`${objects}-tb/h`, `${objects}-tb/1`].map((key) => j.findId(id, key)))
    await j.api.sources.delete({ id, objects })
    const left = (await j.api.devices.list({})).filter((one) => ids.includes(one.id))
    expect(left.map(({ managed_by }) => managed_by)).toEqual(objects === 'keep' ? ['', ''] : [])
    expect(await j.api.devices.list({ managed_by: `source:${id}` })).toEqual([])
  })

  test('a status that a person set is kept', async () => {
    const id = await j.source({ gone_after_hours: 0 })
    await j.say(id, [vm('u/1'), vm('u/2')])
    await j.apply(id)
    const object = await j.findId(id, 'u/1')
    await j.api.devices.update({ id: object, status: 'planned' })
    await j.say(id, [vm('u/2')])
    expect(await j.find(id, 'u/1')).toMatchObject({
      state: 'gone',
      action: 'none',
      kept: { status: { here: 'planned' } },
    })
    await j.apply(id)
    expect((await j.api.devices.get({ id: object })).status).toBe('planned')
  })

  test('a device is deleted with its ports if the source has made all that goes along, and only then', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0, ref: 'docker', kind: 'docker' })
    const container = (key: string): Said => ({ key, type: 'container', row: { name: key, refs: { docker: key } } })
    await j.say(id, [container('v1'), container('v2'), container('v3')])
    await j.apply(id)
    const [first, second] = [await j.findId(id, 'v1'), await j.findId(id, 'v2')]
    await j.api.ports.create({ device_id: second, name: 'mine' })
    await j.say(id, [container('v3')])
    const done = await j.apply(id)
    expect(done.counts).toMatchObject({ devices: { deleted: 1 } })
    expect(done.failed).toMatchObject([{ key: 'v2' }])
    expect((await j.find(id, 'v2')).message).toContain('"mine" would be deleted along')
    await expect(j.api.devices.get({ id: first })).rejects.toThrow('No device')
    expect((await j.api.devices.get({ id: second })).name).toBe('v2')
  })

  test('an object that the source has not made, or that has no owner any more, is not deleted', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0 })
    const { id: known } = await j.api.devices.create({ name: 'w-known', refs: { proxmox: 'w/1' } })
    await j.say(id, [vm('w/1'), vm('w/2'), vm('w/3')])
    await j.apply(id)
    await j.api.devices.update({ id: await j.findId(id, 'w/2'), managed_by: '' })
    await j.say(id, [vm('w/3')])
    expect((await j.apply(id)).changes).toEqual([])
    for (const key of ['w/1', 'w/2']) expect(await j.find(id, key)).toMatchObject({ state: 'gone', action: 'none' })
    expect((await j.api.devices.get({ id: known })).name).toBe('w-known')
  })

  test('too many missing objects hold everything, until force', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0 })
    const rows = Array.from({ length: 10 }, (_, i) => vm(`x/${i}`))
    await j.say(id, rows)
    await j.apply(id)
    const held = await j.say(id, [...rows.slice(4), vm('x/new')])
    expect(held).toMatchObject({ result: 'held' })
    expect(held.message).toContain('4 of 10 devices are gone')
    await expect(j.apply(id)).rejects.toMatchObject({ code: 'SOURCE_HELD' })
    expect(await j.api.devices.list({ managed_by: `source:${id}` })).toHaveLength(10)
    const done = await j.apply(id, { force: true })
    expect(done.counts).toMatchObject({ devices: { deleted: 4, created: 1 } })
  })

  test('a machine that another source says too is left, and follows its first source again when it is back', async () => {
    const one = await j.source({ gone_after_hours: 0 })
    const two = await j.source({ kind: 'docker', ref: 'docker' })
    const host: Said = {
      key: 'ab-engine',
      type: 'host',
      row: { name: 'ab-1', refs: { docker: 'ab', proxmox: 'ab/1' } },
    }
    await j.say(one, [vm('ab/1', { os: 'Debian 12', tags: ['vm', 'prod'] }), vm('ab/2')])
    await j.apply(one)
    const id = await j.findId(one, 'ab/1')
    await j.say(two, [host])
    await j.apply(two)
    expect(await j.findId(two, 'ab-engine')).toBe(id)
    await j.api.devices.update({ id, remove_tags: ['prod'] })
    await j.say(one, [vm('ab/2')])
    expect((await j.apply(one)).changes).toEqual([])
    expect(await j.find(one, 'ab/1')).toMatchObject({ state: 'gone', action: 'none', object_id: id })
    await j.say(one, [vm('ab/1', { os: 'Debian 13', tags: ['vm', 'prod'] }), vm('ab/2')])
    await j.apply(one)
    expect(await j.api.devices.get({ id })).toMatchObject({ os: 'Debian 13', tags: ['vm'], status: 'active' })
  })

  test('a machine of two sources is decommissioned once neither says it', async () => {
    const one = await j.source({ gone_after_hours: 0 })
    const two = await j.source({ kind: 'docker', ref: 'docker', when_gone: 'keep' })
    const host: Said = {
      key: 'ac-engine',
      type: 'host',
      row: { name: 'ac-1', refs: { docker: 'ac', proxmox: 'ac/1' } },
    }
    await j.say(one, [vm('ac/1'), vm('ac/2')])
    await j.apply(one)
    await j.say(two, [host])
    await j.apply(two)
    await j.say(one, [vm('ac/2')])
    await j.apply(one)
    await j.say(two, [])
    await j.apply(two)
    await j.say(one, [vm('ac/2')])
    await j.apply(one)
    expect((await j.getDevice(one, 'ac/1')).status).toBe('decommissioned')
  })
})
