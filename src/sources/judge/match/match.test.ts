// The objects that rows mean: found by ref, MAC, serial number and name, unclear, linked by a person, moved.
import { describe, expect, test } from 'bun:test'
import { judgedApp, type Said } from '../../../../testing/judging.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { contains, newMac, port, vm } from '../../testing/said-rows.ts'

describe.each(engines())('on %s', (dialect) => {
  const j = judgedApp(dialect)

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

  test('two rows of one device are unclear, and a clone of a linked one gets another object', async () => {
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
    expect(await j.findId(cloned, 'n/2')).not.toBe(await j.findId(cloned, 'n/1'))
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
      const object = await j.findId(from, key)
      if (order === 'there first') await j.say(from, [vm(`${order}/2`)])
      await j.say(to, [row])
      if (order === 'here first') {
        expect(await j.find(to, key)).toMatchObject({ state: 'unclear' })
        await j.say(from, [vm(`${order}/2`)])
        await j.say(to, [row])
      }
      await j.apply(to)
      expect(await j.findId(to, key)).toBe(object)
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
    expect(await j.findId(two, 'o/1')).not.toBe(await j.findId(one, 'o/1'))
    expect((await j.getDevice(two, 'o/1')).refs).toEqual({})
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
    expect(await j.findId(two, 'engine')).toBe(await j.findId(one, 'p/1'))
    expect(await j.getDevice(one, 'p/1')).toMatchObject({
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
