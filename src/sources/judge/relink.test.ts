// Links that people and moves change: the old object, its ports and the values that were applied to it.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'

const machine = (key: string, row: Said['row'] = {}, more: Partial<Said> = {}): Said => ({
  key,
  row: { name: key.replace('/', '-'), status: 'active', tags: ['vm'], refs: { proxmox: key }, ...row },
  ...more,
})
const port = (device: string, name: string, row: Said['row'] = {}): Said => ({
  ...{ resource: 'ports', key: `${device} ${name}`, type: 'port' },
  row: { device: { ref: `proxmox:${device}` }, name, ...row },
})
const contains = (parent: string, child: string): Said => ({
  ...{ resource: 'relationships', key: `${parent} contains ${child}`, type: 'relationship' },
  row: { parent: { ref: `proxmox:${parent}` }, type: 'contains', child: { ref: `proxmox:${child}` } },
})

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)
  const idOf = async (source: string, key: string): Promise<string> => (await j.find(source, key)).object_id ?? ''
  const link = (id: string, key: string, object_id: string | null) =>
    j.api.sources.link({ id, objects: [{ resource: 'devices', key, object_id }] })
  const listPorts = async (device_id: string) => (await j.api.ports.list({ device_id })).map(({ name }) => name)
  const listParents = async (device_id: string) =>
    (await j.api.relationships.list({ device_id })).flatMap(({ child_id, parent_id }) =>
      child_id === device_id ? [parent_id] : [],
    )

  test('a device that a person links to another one leaves nothing that the source made on the first one', async () => {
    const id = await j.source()
    const { id: first } = await j.api.devices.create({ name: 'a-first', refs: { proxmox: 'a/1' } })
    const { id: second } = await j.api.devices.create({ name: 'a-1' })
    const { id: cabled } = await j.api.ports.create({ device_id: first, name: 'mine' })
    const host = machine('a/host', {}, { type: 'host' })
    const rows = [host, machine('a/1'), port('a/1', 'eth0'), port('a/1', 'mine'), contains('a/host', 'a/1')]
    await j.say(id, rows, { applies: true })
    expect(await listPorts(first)).toEqual(['eth0', 'mine'])
    await link(id, 'a/1', second)
    // Nothing of the inventory is written before an apply.
    expect([await listPorts(first), await listPorts(second)]).toEqual([['eth0', 'mine'], []])
    await j.say(id, rows, { applies: true })
    expect([await listPorts(first), await listPorts(second)]).toEqual([['mine'], ['eth0', 'mine']])
    expect((await j.api.ports.get({ id: cabled })).managed_by).toBe('')
    expect([await listParents(first), await listParents(second)]).toEqual([[], [await idOf(id, 'a/host')]])
    const objects = await j.api.sources.objects({ source_id: id })
    expect(objects.map(({ key, state }) => [key, state]).sort()).toEqual(rows.map(({ key }) => [key, 'synced']).sort())
    // The ref is still that of the first device, until it is deleted.
    expect((await j.api.devices.get({ id: second })).refs).toEqual({})
    await j.api.devices.delete({ id: first })
    await j.api.devices.update({ id: second, description: 'mine' })
    await j.say(id, rows, { applies: true })
    expect((await j.api.devices.get({ id: second })).refs).toEqual({ proxmox: 'a/1' })
  })

  test('a device that the source made by mistake is gone once its row is linked to another one', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 24 })
    const rows = [machine('b/1'), port('b/1', 'eth0')]
    await j.say(id, rows, { applies: true })
    const mistake = await idOf(id, 'b/1')
    const { id: right } = await j.api.devices.create({ name: 'b-right' })
    await link(id, 'b/1', right)
    await j.say(id, rows, { applies: true })
    expect(await idOf(id, 'b/1')).toBe(right)
    expect([await listPorts(mistake), await listPorts(right)]).toEqual([[], ['eth0']])
    expect(await j.find(id, `b/1 ${mistake}`)).toMatchObject({ state: 'gone', action: 'delete', object_id: mistake })
    j.advance(25)
    await j.say(id, rows, { applies: true })
    await expect(j.api.devices.get({ id: mistake })).rejects.toThrow('No device')
    expect(await j.api.sources.objects({ source_id: id })).toHaveLength(2)
  })

  test('a row that is matched again with its device keeps its ports and the values of before', async () => {
    const id = await j.source()
    const row = (os: string) => [machine('c/1', { os }), port('c/1', 'eth0')]
    await j.say(id, row('Debian 12'), { applies: true })
    const object = await idOf(id, 'c/1')
    const [before] = await j.api.ports.list({ device_id: object })
    await link(id, 'c/1', null)
    await j.say(id, row('Debian 13'), { applies: true })
    expect(await j.find(id, 'c/1')).toMatchObject({ object_id: object, state: 'synced', because: 'ref proxmox:c/1' })
    expect((await j.api.devices.get({ id: object })).os).toBe('Debian 13')
    expect((await j.api.ports.list({ device_id: object })).map((one) => one.id)).toEqual([before?.id ?? ''])
    expect(await j.api.sources.objects({ source_id: id })).toHaveLength(2)
  })

  test('a link that a person confirms keeps the values of before', async () => {
    const id = await j.source()
    await j.say(id, [machine('d/1', { os: 'Debian 12' })], { applies: true })
    await link(id, 'd/1', await idOf(id, 'd/1'))
    await j.say(id, [machine('d/1', { os: 'Debian 13' })], { applies: true })
    expect(await j.find(id, 'd/1')).toMatchObject({ state: 'synced', because: 'a person' })
  })

  test('two rows exchange their devices, and neither device is gone', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0 })
    const rows = [machine('e/1'), machine('e/2'), port('e/1', 'eth0'), port('e/2', 'eth1')]
    await j.say(id, rows, { applies: true })
    const [one, two] = [await idOf(id, 'e/1'), await idOf(id, 'e/2')]
    await link(id, 'e/1', '')
    await link(id, 'e/2', one)
    await link(id, 'e/1', two)
    await j.say(id, rows, { applies: true })
    expect([await idOf(id, 'e/1'), await idOf(id, 'e/2')]).toEqual([two, one])
    expect([await listPorts(one), await listPorts(two)]).toEqual([['eth1'], ['eth0']])
    expect(await j.api.sources.objects({ source_id: id })).toHaveLength(4)
  })

  test('a machine with a new id is found by its MAC before its old row takes the device along', async () => {
    const id = await j.source({ when_gone: 'delete', gone_after_hours: 0 })
    const mac = 'bc:24:11:00:00:f1'
    const rows = (key: string, os: string) => [
      machine(key, { name: 'f', os }, { macs: [mac] }),
      port(key, 'eth0', { mac_address: mac }),
      machine('f/other'),
    ]
    await j.say(id, rows('f/1', 'Debian 12'), { applies: true })
    const object = await idOf(id, 'f/1')
    await j.say(id, rows('f/2', 'Debian 13'), { applies: true })
    expect(await idOf(id, 'f/2')).toBe(object)
    expect((await j.api.devices.get({ id: object })).os).toBe('Debian 13')
    expect(await listPorts(object)).toEqual(['eth0'])
    expect(await j.api.sources.objects({ source_id: id })).toHaveLength(3)
  })

  test('a clone without its ref follows its source, and gets the ref once it is free', async () => {
    const [one, two] = [await j.source({ kind: 'vcenter' }), await j.source({ kind: 'vcenter' })]
    const row = (os: string) => machine('g/1', { os }, { macs: ['bc:24:11:00:00:f2'] })
    const other = machine('g/other')
    for (const id of [one, two, one, two])
      await j.say(id, id === one ? [row('Debian 12'), other] : [row('Debian 12')], { applies: true })
    const clone = await idOf(two, 'g/1')
    expect(clone).not.toBe(await idOf(one, 'g/1'))
    await j.say(two, [row('Debian 13')], { applies: true })
    expect(await j.find(two, 'g/1')).toMatchObject({ state: 'synced', kept: {} })
    expect(await j.api.devices.get({ id: clone })).toMatchObject({ os: 'Debian 13', refs: {} })
    await j.api.devices.delete({ id: await idOf(one, 'g/1') })
    await j.say(two, [row('Debian 14')], { applies: true })
    expect(await j.api.devices.get({ id: clone })).toMatchObject({ os: 'Debian 14', refs: { proxmox: 'g/1' } })
  })

  test('an object that the source has made is not called matched when it is judged again', async () => {
    const id = await j.source()
    const { id: known } = await j.api.devices.create({ name: 'h-known', refs: { proxmox: 'h/2' } })
    await j.api.ports.create({ device_id: known, name: 'eth0' })
    const rows = [machine('h/1'), machine('h/2'), port('h/2', 'eth0')]
    await j.say(id, rows, { applies: true })
    await j.api.devices.update({ id: await idOf(id, 'h/1'), description: 'mine' })
    await j.say(id, rows, { applies: true })
    const because = await Promise.all(rows.map(async ({ key }) => (await j.find(id, key)).because))
    expect(because).toEqual(['', 'ref proxmox:h/2', 'natural key'])
  })
})
