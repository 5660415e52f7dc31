// Rows of sources and the objects that they mean: adopted, made, edited by people, moved, gone and back.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../testing/judging.ts'
import { engines } from '../../../testing/servers/servers.ts'

let macs = 0
/** A MAC of Proxmox that no other machine of the tests has. */
const newMac = (): string => {
  macs++
  return `bc:24:11:00:${Math.floor(macs / 256)
    .toString(16)
    .padStart(2, '0')}:${(macs % 256).toString(16).padStart(2, '0')}`
}

const vm = (key: string, row: Said['row'] = {}, more: Partial<Said> = {}): Said => ({
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
  const device = async (source: string, key: string) => j.api.devices.get({ id: await idOf(source, key) })

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
    const made = await device(id, 'a/1')
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
    const object = await idOf(id, 'b/1')
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
    await j.api.devices.update({ id: await idOf(id, 'c/1'), os: 'mine' })
    await j.say(id, [vm('c/1', { os: 'Debian' })])
    expect(await j.find(id, 'c/1')).toMatchObject({ state: 'kept', kept: { os: { here: 'mine', source: 'Debian' } } })
    await j.api.devices.update({ id: await idOf(id, 'c/1'), os: 'Debian' })
    await j.say(id, [vm('c/1', { os: 'Debian' })])
    expect((await j.find(id, 'c/1')).state).toBe('synced')
  })

  test('a locked field is not written, even when overwriting', async () => {
    const id = await j.source()
    await j.say(id, [vm('d/1', { os: 'Debian 12' })])
    await j.apply(id)
    const object = await idOf(id, 'd/1')
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
    const object = await idOf(id, 'e/1')
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
    expect((await device(id, 'g/1')).os).toBe('Debian 12')
  })

  describe('matching', () => {
    test('a documented device is found by its ref, its MAC, its serial number, and its name with an address', async () => {
      const id = await j.source({ custom: JSON.stringify({ uuid: 'serial' }) })
      const [mac, atPort] = [newMac(), newMac()]
      const make = async (fields: object) => (await j.api.devices.create({ name: 'h', ...fields })).id
      const ids = [
        await make({ name: 'h-ref', refs: { proxmox: 'h/1' } }),
        await make({ name: 'h-mac', addresses: [{ ip: '10.2.0.2', mac_address: mac }] }),
        await make({ name: 'h-port' }),
        await make({ name: 'h-serial', serial: 'SN-7' }),
        await make({ name: 'h-fact', serial: 'SN-8' }),
        await make({ name: 'H-Name.example.com', addresses: [{ ip: '10.2.0.6' }] }),
      ]
      await j.api.ports.create({ device_id: ids[2] ?? '', name: 'eth0', mac_address: atPort })
      const rows = [
        vm('h/1', { name: 'x1' }),
        vm('h/2', { name: 'x2' }, { macs: [mac] }),
        vm('h/3', { name: 'x3' }, { macs: [atPort] }),
        vm('h/4', { name: 'x4', serial: 'sn-7' }),
        vm('h/5', { name: 'x5' }, { facts: { uuid: 'SN-8' } }),
        vm('h/6', { name: 'h-name', addresses: [{ ip: '10.2.0.6' }] }),
      ]
      await j.say(id, rows)
      const found = await Promise.all(rows.map(({ key }) => j.find(id, key)))
      expect(found.map(({ object_id }) => object_id)).toEqual(ids)
      expect(found.map(({ because }) => because)).toEqual([
        ...['ref proxmox:h/1', `MAC ${mac}`, `MAC ${atPort}`, 'serial number', 'serial number', 'name and address'],
      ])
      await j.apply(id)
      const adopted = await j.api.devices.get({ id: ids[1] ?? '' })
      // The name was there, and the ref was not.
      expect(adopted).toMatchObject({ name: 'h-mac', managed_by: '', refs: { proxmox: 'h/2' }, tags: ['vm'] })
    })

    test('a device with the same name or address only is unclear with its ports, until a person links it', async () => {
      const id = await j.source()
      const { id: named } = await j.api.devices.create({ name: 'i-1' })
      const rows = [vm('i/1'), port('i/1', 'eth0'), vm('i/host', {}, { type: 'host' }), contains('i/host', 'i/1')]
      await j.say(id, rows)
      expect(await j.find(id, 'i/1')).toMatchObject({ state: 'unclear', object_id: null })
      expect((await j.find(id, 'i/1')).message).toContain('"i-1" has its name')
      for (const key of ['i/1 eth0', 'i/host contains i/1']) expect((await j.find(id, key)).state).toBe('unclear')
      expect((await j.apply(id)).counts).toMatchObject({ devices: { created: 1 } })
      await j.api.sources.link({ id, objects: [{ resource: 'devices', key: 'i/1', object_id: named }] })
      await j.say(id, rows)
      await j.apply(id)
      expect(await j.find(id, 'i/1')).toMatchObject({ object_id: named, because: 'a person', state: 'synced' })
      expect(await j.api.ports.list({ device_id: named })).toMatchObject([{ name: 'eth0' }])
    })

    test('rows that name an unclear device wait with it', async () => {
      const id = await j.source({ kind: 'document', ref: 'plan' })
      await j.api.devices.create({ name: 'ib-1' })
      const named = (key: string): Said => ({ key, row: { name: key, refs: { plan: key } } })
      const relation = {
        ...{ resource: 'relationships' as const, key: 'r', type: 'relationship' },
        row: { parent: 'ib-host', type: 'contains', child: 'IB-1' },
      }
      await j.say(id, [named('ib-host'), named('ib-1'), relation])
      expect((await j.apply(id)).counts).toMatchObject({ devices: { created: 1 } })
      expect(await j.find(id, 'r')).toMatchObject({ state: 'unclear', message: 'waits: the device ib-1 is not clear' })
    })

    test('a person calls an unclear device an object of its own', async () => {
      const id = await j.source()
      await j.api.devices.create({ name: 'k-1' })
      await j.say(id, [vm('k/1')])
      await j.api.sources.link({ id, objects: [{ resource: 'devices', key: 'k/1', object_id: '' }] })
      await j.say(id, [vm('k/1')])
      expect((await j.apply(id)).counts).toMatchObject({ devices: { created: 1 } })
      expect(await j.api.devices.list({ q: 'k-1' })).toHaveLength(2)
    })

    test('bad links name their field', async () => {
      const id = await j.source()
      const { id: object } = await j.api.devices.create({ name: 'l-own' })
      await j.say(id, [vm('l/1'), vm('l/2')])
      const link = (...objects: { key: string; object_id: string }[]) =>
        j.admin.request('POST', `/api/sources/${id}/link`, {
          objects: objects.map((one) => ({ resource: 'devices', ...one })),
        })
      const fields = async (answer: Promise<Response>) =>
        ((await (await answer).json()) as { details: { field: string }[] }).details.map(({ field }) => field)
      expect(await fields(link({ key: 'l/9', object_id: '' }))).toEqual(['objects[0].key'])
      expect(await fields(link({ key: 'l/1', object_id: 'none' }))).toEqual(['objects[0].object_id'])
      expect(await fields(link({ key: 'l/1', object_id: object }, { key: 'l/2', object_id: object }))).toEqual([
        'objects[1].object_id',
      ])
    })

    test('two rows of one device are unclear, and a clone of a linked one gets an object of its own', async () => {
      const id = await j.source()
      const [mac, other] = [newMac(), newMac()]
      await j.api.devices.create({ name: 'm-known', addresses: [{ ip: '10.3.0.1', mac_address: mac }] })
      await j.say(id, [vm('m/1', {}, { macs: [mac] }), vm('m/2', {}, { macs: [mac] })])
      for (const key of ['m/1', 'm/2']) expect((await j.find(id, key)).state).toBe('unclear')
      const cloned = await j.source()
      const first = vm('n/1', { addresses: [{ ip: '10.3.0.2', mac_address: other }] }, { macs: [other] })
      await j.say(cloned, [first])
      await j.apply(cloned)
      const clone = vm('n/2', { name: 'n-1', addresses: [{ ip: '10.3.0.2', mac_address: other }] }, { macs: [other] })
      await j.say(cloned, [first, clone])
      expect((await j.apply(cloned)).counts).toMatchObject({ devices: { created: 1 } })
      expect(await idOf(cloned, 'n/2')).not.toBe(await idOf(cloned, 'n/1'))
    })

    test.each(['there first', 'here first'])(
      'a machine that moves to another source keeps its object: seen %s',
      async (order) => {
        const [from, to] = [await j.source({ kind: 'vcenter' }), await j.source({ kind: 'vcenter' })]
        const mac = newMac()
        const key = `${order}/1`
        const row = vm(key, { name: `moved ${order}` }, { macs: [mac] })
        await j.say(from, [row, vm(`${order}/2`)])
        await j.apply(from)
        const object = await idOf(from, key)
        if (order === 'there first') await j.say(from, [vm(`${order}/2`)])
        await j.say(to, [row])
        if (order === 'here first') {
          expect(await j.find(to, key)).toMatchObject({ state: 'unclear' })
          await j.say(from, [vm(`${order}/2`)])
          await j.say(to, [row])
        }
        await j.apply(to)
        expect(await idOf(to, key)).toBe(object)
        expect(await j.api.sources.objects({ source_id: from })).toHaveLength(1)
      },
    )

    test('a clone in another source is a new object without the ref, once the first source has said both', async () => {
      const [one, two] = [await j.source({ kind: 'vcenter' }), await j.source({ kind: 'vcenter' })]
      const row = vm('o/1', {}, { macs: [newMac()] })
      await j.say(one, [row])
      await j.apply(one)
      await j.say(two, [row])
      expect(await j.find(two, 'o/1')).toMatchObject({ state: 'unclear' })
      await j.say(one, [row])
      await j.say(two, [row])
      expect((await j.apply(two)).failed).toEqual([])
      expect(await idOf(two, 'o/1')).not.toBe(await idOf(one, 'o/1'))
      expect((await device(two, 'o/1')).refs).toEqual({})
    })

    test('two sources of different kinds say one machine, and the first keeps the fields that both say', async () => {
      const [one, two] = [await j.source({ kind: 'proxmox' }), await j.source({ kind: 'docker', ref: 'docker' })]
      const mac = newMac()
      await j.say(one, [vm('p/1', { os: 'Debian' }, { macs: [mac] }), port('p/1', 'eth0', { mac_address: mac })])
      await j.apply(one)
      const host = {
        key: 'engine',
        type: 'host',
        macs: [mac],
        row: { name: 'p-1', os: 'Debian 12', make_model: 'x', refs: { docker: 'engine' } },
      }
      await j.say(two, [host])
      await j.apply(two)
      expect(await j.find(two, 'engine')).toMatchObject({ because: `MAC ${mac}`, state: 'kept' })
      expect(await idOf(two, 'engine')).toBe(await idOf(one, 'p/1'))
      expect(await device(one, 'p/1')).toMatchObject({
        os: 'Debian',
        make_model: 'x',
        refs: { proxmox: 'p/1', docker: 'engine' },
      })
    })

    test('an engine is the device that the options of its source name', async () => {
      const { id: object } = await j.api.devices.create({ name: 'q-host' })
      const id = await j.source({ kind: 'docker', ref: 'docker', options: JSON.stringify({ host: object }) })
      await j.say(id, [{ key: 'engine', type: 'host', row: { name: 'other', refs: { docker: 'engine' } } }])
      expect(await j.find(id, 'engine')).toMatchObject({ object_id: object, because: 'options.host' })
    })

    test('a network is found by its subnet and space, of several by the datacenter', async () => {
      const id = await j.source({ ref: 'aws', kind: 'aws' })
      const { id: site } = await j.api.datacenters.create({ name: 'r-site' })
      const network = async (fields: object) =>
        (await j.api.networks.create({ name: 'r', subnet: '10.4.0.0/24', ...fields })).id
      const known = await network({ name: 'r-known', datacenter_id: site })
      const row = (key: string, fields: object): Said => ({
        ...{ resource: 'networks', key, type: 'network' },
        row: { name: key, refs: { aws: key }, ...fields },
      })
      await j.say(id, [row('net-1', { subnet: '10.4.0.0/24' }), row('net-2', { subnet: '10.4.1.0/24' })])
      expect(await j.find(id, 'net-1')).toMatchObject({ object_id: known, because: 'subnet' })
      expect((await j.apply(id)).counts).toMatchObject({ networks: { created: 1, updated: 1 } })
      expect(await j.api.networks.get({ id: known })).toMatchObject({ name: 'r-known', refs: { aws: 'net-1' } })
    })
  })

  describe('gone', () => {
    test('a port goes at once, and a device is decommissioned when it is due, and is back with its status', async () => {
      const id = await j.source()
      const rows = [vm('t/1'), vm('t/2'), port('t/2', 'eth0')]
      await j.say(id, rows)
      await j.apply(id)
      await j.say(id, [vm('t/2')])
      expect((await j.apply(id)).counts).toMatchObject({ ports: { deleted: 1 } })
      expect(await j.find(id, 't/1')).toMatchObject({ state: 'gone', action: 'decommission' })
      expect((await device(id, 't/1')).status).toBe('active')
      j.advance(25)
      expect((await j.apply(id)).counts).toMatchObject({ devices: { updated: 1 } })
      expect((await device(id, 't/1')).status).toBe('decommissioned')
      expect(await j.find(id, 't/1')).toMatchObject({ state: 'gone', action: 'none' })
      await j.say(id, rows)
      await j.apply(id)
      expect(await j.find(id, 't/1')).toMatchObject({ state: 'synced' })
      expect((await device(id, 't/1')).status).toBe('active')
    })

    test('a machine that moves to another host changes what contains it, and goes with its relationship', async () => {
      const id = await j.source({ when_gone: 'delete', gone_after_hours: 0, max_gone_percent: 100 })
      const hosts = [vm('ta/h1', {}, { type: 'host' }), vm('ta/h2', {}, { type: 'host' })]
      await j.say(id, [...hosts, vm('ta/1'), contains('ta/h1', 'ta/1')])
      await j.apply(id)
      const [first = '', second = '', child = ''] = await Promise.all(
        ['ta/h1', 'ta/h2', 'ta/1'].map((key) => idOf(id, key)),
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
      const ids = await Promise.all([`${objects}-tb/h`, `${objects}-tb/1`].map((key) => idOf(id, key)))
      await j.api.sources.delete({ id, objects })
      const left = (await j.api.devices.list({})).filter((one) => ids.includes(one.id))
      expect(left.map(({ managed_by }) => managed_by)).toEqual(objects === 'keep' ? ['', ''] : [])
      expect(await j.api.devices.list({ managed_by: `source:${id}` })).toEqual([])
    })

    test('a status that a person set is kept', async () => {
      const id = await j.source({ gone_after_hours: 0 })
      await j.say(id, [vm('u/1'), vm('u/2')])
      await j.apply(id)
      const object = await idOf(id, 'u/1')
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
      const [first, second] = [await idOf(id, 'v1'), await idOf(id, 'v2')]
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
      await j.api.devices.update({ id: await idOf(id, 'w/2'), managed_by: '' })
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

  describe('a run that applies', () => {
    test('stores links and bases with its changes, and then finds nothing', async () => {
      const id = await j.source()
      const rows = [vm('zc/1'), vm('zc/2')]
      const outcome = await j.say(id, rows, { applies: true })
      expect(outcome).toMatchObject({ result: 'applied', counts: { devices: { created: 2 } } })
      expect(outcome.changeId).not.toBe('')
      expect(await j.find(id, 'zc/1')).toMatchObject({ state: 'synced', kept: {} })
      expect(await j.say(id, rows, { applies: true })).toEqual({
        ...{ result: 'unchanged', counts: {}, changeId: '', message: '' },
      })
    })

    test('is whole or absent: one that ends in its transaction leaves nothing, and the next one does all', async () => {
      const id = await j.source()
      const rows = [vm('zd/1'), vm('zd/2')]
      const ended = new AbortController()
      // The transaction has begun, and has written all when it ends.
      const confirm = async () => ended.abort(new Error('the server ends'))
      await expect(j.say(id, rows, { applies: true, signal: ended.signal, confirm })).rejects.toThrow('the server ends')
      expect(await j.api.devices.list({ managed_by: `source:${id}` })).toEqual([])
      expect(await j.find(id, 'zd/1')).toMatchObject({ state: 'changed', object_id: null })
      expect(await j.say(id, rows, { applies: true })).toMatchObject({ counts: { devices: { created: 2 } } })
      expect(await j.api.devices.list({ managed_by: `source:${id}` })).toHaveLength(2)
    })

    test('judges again in its transaction what has changed since', async () => {
      const id = await j.source()
      await j.say(id, [vm('ze/1', { os: 'Debian 12' })], { applies: true })
      const object = await idOf(id, 'ze/1')
      let isFirst = true
      // Before the transaction, a person edits the device.
      const confirm = async () => {
        if (isFirst && dialect === 'postgres') await j.api.devices.update({ id: object, os: 'mine' })
        isFirst = false
      }
      if (dialect === 'sqlite') await j.api.devices.update({ id: object, os: 'mine' })
      await j.say(id, [vm('ze/1', { os: 'Debian 13' })], { applies: true, confirm })
      expect((await j.api.devices.get({ id: object })).os).toBe('mine')
    })

    test('is held in each run until force', async () => {
      const id = await j.source({ gone_after_hours: 0 })
      const rows = Array.from({ length: 10 }, (_, i) => vm(`zf/${i}`))
      await j.say(id, rows, { applies: true })
      for (const _ of [1, 2])
        expect(await j.say(id, rows.slice(5), { applies: true })).toMatchObject({ result: 'held', changeId: '' })
      expect(await j.say(id, rows.slice(5), { applies: true, force: true })).toMatchObject({
        ...{ result: 'applied', counts: { devices: { gone: 5 } } },
      })
      // Decommissioned devices count no more.
      expect(await j.say(id, rows.slice(5), { applies: true })).toMatchObject({ result: 'unchanged' })
    })
  })
})
