// The fields and objects that an apply writes, and those that people have changed.
import { describe, expect, test } from 'bun:test'
import { judgedApp } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { contains, newMac, port, vm } from '../testing/said-rows.ts'

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

  test('a first apply makes hosts, guests, ports and what contains them, and a second one nothing', async () => {
    const id = await j.source({ ref: 'proxmox' })
    const mac = newMac()
    const rows = [
      vm('a/host', { tags: ['hypervisor'] }, { type: 'host' }),
      vm('a/1', { addresses: [{ ip: '10.1.0.1', interface: 'eth0', mac_address: mac }] }, { macs: [mac] }),
      port('a/1', 'eth0', { mac_address: mac }),
      contains('a/host', 'a/1'),
    ]
    expect(await j.say(id, rows)).toMatchObject({
      result: 'read',
      counts: { devices: { created: 2 }, ports: { created: 1 } },
    })
    const planned = await j.apply(id, { dry_run: true })
    expect([planned.applied, planned.change_id]).toEqual([false, ''])
    expect((await j.find(id, 'a/1')).state).toBe('changed')
    const done = await j.apply(id)
    expect(done.failed).toEqual([])
    expect(done.counts).toMatchObject({ devices: { created: 2 }, ports: { created: 1 }, relationships: { created: 1 } })
    const made = await j.getDevice(id, 'a/1')
    expect(made).toMatchObject({ managed_by: `source:${id}`, refs: { proxmox: 'a/1' }, tags: ['vm'] })
    expect(made.addresses).toMatchObject([{ ip: '10.1.0.1', interface: 'eth0', mac_address: mac }])
    for (const { key } of rows) expect((await j.find(id, key)).state).toBe('synced')
    expect(await j.say(id, rows)).toMatchObject({ result: 'unchanged', counts: {} })
    expect(await j.apply(id)).toMatchObject({ change_id: '', changes: [], failed: [] })
  })

  test('an edited field, an added tag and a renamed device stay, and other fields follow the source', async () => {
    const id = await j.source()
    await j.say(id, [vm('b/1', { os: 'Debian 12', tags: ['vm', 'old'] })])
    await j.apply(id)
    const object = await j.findId(id, 'b/1')
    await j.api.devices.update({ id: object, name: 'mail', add_tags: ['mine'] })
    await j.say(id, [vm('b/1', { os: 'Debian 13', tags: ['vm', 'new'], name: 'b-renamed' })])
    expect(await j.find(id, 'b/1')).toMatchObject({
      ...{ state: 'changed', action: 'update' },
      kept: { name: { here: 'mail', source: 'b-renamed', why: 'edited' } },
      fields: { os: { from: 'Debian 12', to: 'Debian 13' } },
    })
    await j.apply(id)
    expect(await j.api.devices.get({ id: object })).toMatchObject({
      name: 'mail',
      os: 'Debian 13',
      tags: ['vm', 'mine', 'new'],
    })
    expect((await j.find(id, 'b/1')).state).toBe('kept')
    expect(await j.say(id, [vm('b/1', { os: 'Debian 13', tags: ['vm', 'new'], name: 'b-renamed' })])).toMatchObject({
      result: 'unchanged',
    })
    await j.apply(id, { objects: [{ resource: 'devices', key: 'b/1' }], overwrite: true })
    expect(await j.api.devices.get({ id: object })).toMatchObject({ name: 'b-renamed', tags: ['vm', 'mine', 'new'] })
  })

  test('an edit of a linked object shows in its row once it is judged again', async () => {
    const id = await j.source()
    await j.say(id, [vm('c/1', { os: 'Debian' })])
    await j.apply(id)
    await j.api.devices.update({ id: await j.findId(id, 'c/1'), os: 'mine' })
    await j.say(id, [vm('c/1', { os: 'Debian' })])
    expect(await j.find(id, 'c/1')).toMatchObject({ state: 'kept', kept: { os: { here: 'mine', source: 'Debian' } } })
    await j.api.devices.update({ id: await j.findId(id, 'c/1'), os: 'Debian' })
    await j.say(id, [vm('c/1', { os: 'Debian' })])
    expect((await j.find(id, 'c/1')).state).toBe('synced')
  })

  test('a locked field is not written, even when overwriting', async () => {
    const id = await j.source()
    await j.say(id, [vm('d/1', { os: 'Debian 12' })])
    await j.apply(id)
    const object = await j.findId(id, 'd/1')
    await j.api.discoveryLocks.create({ device_id: object, field: 'os' })
    await j.say(id, [vm('d/1', { os: 'Debian 13' })])
    await j.apply(id, { objects: [{ resource: 'devices', key: 'd/1' }], overwrite: true })
    expect(await j.api.devices.get({ id: object })).toMatchObject({ os: 'Debian 12' })
    expect((await j.find(id, 'd/1')).kept).toEqual({ os: { here: 'Debian 12', source: 'Debian 13', why: 'locked' } })
  })

  test('a device that a person deletes stays deleted with its ports, until it is overwritten', async () => {
    const id = await j.source()
    const rows = [vm('e/1'), port('e/1', 'eth0')]
    await j.say(id, rows)
    await j.apply(id)
    const object = await j.findId(id, 'e/1')
    await j.api.devices.delete({ id: object })
    await j.say(id, [...rows, port('e/1', 'eth1')])
    for (const key of ['e/1', 'e/1 eth0', 'e/1 eth1'])
      expect(await j.find(id, key)).toMatchObject({ state: 'kept', why: 'deleted' })
    expect(await j.apply(id)).toMatchObject({ changes: [], failed: [] })
    await j.apply(id, { objects: [{ resource: 'devices', key: 'e/1' }], overwrite: true })
    expect(await j.api.devices.get({ id: object })).toMatchObject({ name: 'e-1' })
  })

  test('an undone first apply leaves the inventory as before, and is not repeated', async () => {
    const id = await j.source()
    const rows = [vm('f/1'), vm('f/2'), port('f/1', 'eth0')]
    await j.say(id, rows)
    await j.apply(id)
    expect(await j.undo()).toBe(200)
    await j.say(id, rows)
    for (const { key } of rows) expect(await j.find(id, key)).toMatchObject({ state: 'kept', why: 'deleted' })
    expect((await j.apply(id)).changes).toEqual([])
  })

  test('an undone update is an edit: its result stays', async () => {
    const id = await j.source()
    await j.say(id, [vm('g/1', { os: 'Debian 12' })])
    await j.apply(id)
    await j.say(id, [vm('g/1', { os: 'Debian 13' })])
    await j.apply(id)
    expect(await j.undo()).toBe(200)
    await j.say(id, [vm('g/1', { os: 'Debian 13' })])
    expect(await j.find(id, 'g/1')).toMatchObject({ state: 'kept', kept: { os: { here: 'Debian 12' } } })
    expect((await j.getDevice(id, 'g/1')).os).toBe('Debian 12')
  })

  test('a refused row has no effect, and the others go on', async () => {
    const id = await j.source()
    await j.say(id, [vm('y/1', { datacenter: 'nowhere' }), vm('y/2'), port('y/1', 'eth0')])
    expect(await j.find(id, 'y/1')).toMatchObject({ state: 'failed' })
    expect((await j.find(id, 'y/1')).message).toContain('there is no datacenter called "nowhere"')
    expect((await j.apply(id)).counts).toMatchObject({ devices: { created: 1 } })
  })

  test('an apply of some rows takes the ports of their devices along, and leaves the others', async () => {
    const id = await j.source()
    await j.say(id, [vm('z/1'), port('z/1', 'eth0'), vm('z/2'), port('z/2', 'eth0'), contains('z/1', 'z/2')])
    const done = await j.apply(id, { objects: [{ resource: 'devices', key: 'z/1' }] })
    expect([done.failed, done.counts]).toEqual([
      [],
      expect.objectContaining({
        devices: expect.objectContaining({ created: 1 }),
        ports: expect.objectContaining({ created: 1 }),
      }),
    ])
    for (const key of ['z/2', 'z/2 eth0', 'z/1 contains z/2']) expect((await j.find(id, key)).state).toBe('changed')
  })

  test('an apply needs the rights of its changes, and names the missing one', async () => {
    const id = await j.source()
    await j.say(id, [vm('za/1')])
    const caller = await j.app.as(['sources:run', 'devices:update', 'devices:delete'])
    await expect(caller.api.sources.apply({ id })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringContaining('devices:create'),
    })
  })

  test('an object with another owner is kept as a whole', async () => {
    const id = await j.source()
    const { id: object } = await j.api.devices.create({ name: 'zb', managed_by: 'git', refs: { proxmox: 'zb/1' } })
    await j.say(id, [vm('zb/1', { os: 'Debian' })])
    expect(await j.find(id, 'zb/1')).toMatchObject({ state: 'kept', why: 'owner', object_id: object })
    expect((await j.apply(id)).changes).toEqual([])
  })
})
