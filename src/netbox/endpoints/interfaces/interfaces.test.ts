// Interfaces, MAC addresses and cables as NetBox has them: read and filtered.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Row = z.looseObject({ id: z.number(), display: z.string() })
const List = z.object({ count: z.number(), results: z.array(Row) })

describe.each(engines())('interfaces of the NetBox API on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const site = await api.datacenters.create({ name: 'Zürich' })
    const room = await api.datacenters.create({ name: 'room', parent_id: site.id })
    await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', datacenter_id: site.id, vlan_id: 20 })
    await api.vlans.create({ vlan_id: 10, name: 'users', datacenter_id: site.id })
    const addresses = [
      { ip: '10.0.0.5', interface: 'Gi0/1', mac_address: 'aa:bb:cc:00:00:03' },
      { ip: '10.0.0.6', interface: 'VLAN10', mac_address: 'aa:bb:cc:00:00:01' },
      { ip: '10.0.0.7' },
      { ip: '10.0.0.8', interface: 'console' },
    ]
    const left = await api.devices.create({ name: 'left', datacenter_id: room.id, addresses })
    await api.devices.create({ name: 'right' })
    const panel = await api.devices.create({ name: 'panel' })
    await api.devices.create({ name: 'machine', tags: ['vm'], addresses: [{ ip: '10.0.0.9', interface: 'ens3' }] })
    const lag = await api.ports.create({ device_id: left.id, name: 'Po1', type: 'lag' })
    const uplink = await api.ports.create({
      ...{ device_id: left.id, name: 'Gi0/1', type: '1000BASE-T', speed_mbps: 1000, parent_id: lag.id, vlan_id: 10 },
      ...{ mac_address: 'aa:bb:cc:00:00:02', tagged_vlan_ids: [20, 30], description: 'up', enabled: false },
    })
    await api.ports.create({ device_id: left.id, name: 'Po1.7', type: 'virtual', parent_id: lag.id, vlan_id: 10 })
    await api.ports.create({ device_id: left.id, name: 'console', kind: 'console' })
    const through = await api.ports.create({ device_id: panel.id, name: 'p1', pass_through: true })
    const open = await api.ports.create({ device_id: panel.id, name: 'p2', pass_through: true })
    await api.cables.create({
      ...{ a: { port_id: uplink.id }, b: { port_id: through.id }, label: 'c1', type: 'cat6', length_m: 2.5 },
    })
    const right = await api.devices.list({ q: 'right' })
    const [{ id = '' } = {}] = right
    await api.cables.create({ a: { device_id: id, port: 'eth9' }, b: { port_id: through.id, side: 'rear' } })
    await api.cables.create({
      ...{ a: { device_id: id, port: 'eth10' }, b: { port_id: open.id }, status: 'planned', color: '#FF0000' },
    })
  })
  afterAll(() => door.close())

  const list = async (path: string) => List.parse((await door.get(path)).body)
  const names = async (path: string) => (await list(path)).results.map(({ display }) => display)
  const one = async (query: string) => (await list(`dcim/interfaces/?${query}`)).results[0]

  test('ports and the names of addresses are interfaces, by device and name', async () => {
    const all = ['console', 'Gi0/1', 'Po1', 'Po1.7', 'unnamed', 'VLAN10', 'eth9', 'eth10']
    expect(await list('dcim/interfaces/')).toMatchObject({ count: 8, results: all.map((display) => ({ display })) })
    expect(await names('dcim/interfaces/?limit=0')).toEqual(all)
    expect(await names('dcim/interfaces/?limit=2&offset=5')).toEqual(['VLAN10', 'eth9'])
    expect(await list('virtualization/interfaces/')).toMatchObject({ count: 1, results: [{ display: 'ens3' }] })
  })

  test('the interfaces of a device are as many as the device says', async () => {
    const { results } = await list('dcim/devices/?limit=0')
    for (const { id, interface_count } of results)
      expect((await list(`dcim/interfaces/?device_id=${id}`)).count).toBe(Number(interface_count))
  })

  test('an interface has the fields of NetBox', async () => {
    const uplink = await one('name=Gi0/1')
    expect(uplink).toMatchObject({
      device: { name: 'left' },
      type: { value: '1000base-t', label: '1000BASE-T (1GE)' },
      enabled: false,
      parent: null,
      lag: { name: 'Po1', device: { name: 'left' }, cable: null, _occupied: false },
      mac_address: 'AA:BB:CC:00:00:02',
      primary_mac_address: { mac_address: 'AA:BB:CC:00:00:02' },
      mac_addresses: [{ display: 'AA:BB:CC:00:00:02' }, { display: 'AA:BB:CC:00:00:03' }],
      speed: 1_000_000,
      description: 'up',
      mode: { value: 'tagged', label: 'Tagged' },
      untagged_vlan: { vid: 10, name: 'users' },
      tagged_vlans: [{ vid: 20 }, { vid: 30, name: 'VLAN 30' }],
      cable: { label: 'c1', display: 'c1' },
      cable_end: 'A',
      // A panel is no interface.
      link_peers: [],
      link_peers_type: null,
      connected_endpoints: [{ name: 'eth9', device: { name: 'right' }, _occupied: true }],
      connected_endpoints_type: 'dcim.interface',
      connected_endpoints_reachable: true,
      count_ipaddresses: 1,
      _occupied: true,
    })
    expect((await door.get(`dcim/interfaces/${uplink?.id}/`)).body).toEqual(uplink)
    expect(await one('name=Po1.7')).toMatchObject({ parent: { name: 'Po1' }, lag: null, mode: { value: 'access' } })
    expect(await one('name=eth10')).toMatchObject({ connected_endpoints: null, connected_endpoints_reachable: false })
  })

  test('an interface that only an address names has the usual values', async () => {
    const found = await one('name=VLAN10')
    expect(found).toMatchObject({
      ...{ type: { value: 'other' }, enabled: true, mac_address: 'AA:BB:CC:00:00:01', mode: null, created: null },
      ...{ count_ipaddresses: 1, cable: null, _occupied: false },
    })
    expect((await door.get(`dcim/interfaces/${found?.id}/`)).body).toEqual(found)
    expect((await door.get('dcim/interfaces/7/')).body).toEqual({ detail: 'No Interface matches the given query.' })
  })

  test('the VLAN of a number is that of the network above the device', async () => {
    const { tagged_vlans: tagged } = z
      .looseObject({ tagged_vlans: z.array(Row) })
      .parse((await door.get(`dcim/interfaces/${(await one('name=Gi0/1'))?.id}/`)).body)
    expect(await names(`dcim/interfaces/?vlan_id=${tagged[0]?.id}`)).toEqual(['Gi0/1'])
  })

  test.each([
    ['name=gi0/1', []],
    ['name__ie=gi0/1', ['Gi0/1']],
    ['name__n=Gi0/1&device=right', ['eth9', 'eth10']],
    ['name__isw=eth&name__iew=9', ['eth9']],
    ['device=LEFT&type=lag', ['Po1']],
    ['device=left&form_factor=lag', ['Po1']],
    ['device__n=left', ['eth9', 'eth10']],
    ['site=room&type=virtual', ['Po1.7']],
    ['site=unassigned', ['eth9', 'eth10']],
    ['kind=virtual', ['Po1', 'Po1.7']],
    ['kind=physical&site=room', ['console', 'Gi0/1', 'unnamed', 'VLAN10']],
    ['enabled=false', ['Gi0/1']],
    ['enabled=true&site=room', ['console', 'Po1', 'Po1.7', 'unnamed', 'VLAN10']],
    ['mac_address=AABB.CC00.0003', ['Gi0/1']],
    ['mac_address=aa:bb:cc:00:00:03&mac_address=aa:bb:cc:00:00:01', ['Gi0/1', 'VLAN10']],
    ['mac_address__n=aa:bb:cc:00:00:03&name=Gi0/1', []],
    ['cabled=true', ['Gi0/1', 'eth9', 'eth10']],
    ['cabled=false', ['console', 'Po1', 'Po1.7', 'unnamed', 'VLAN10']],
    ['connected=true', ['Gi0/1', 'eth9']],
    ['connected=false&device=right', ['eth10']],
    ['mode=tagged', ['Gi0/1']],
    ['mode=access', ['Po1.7']],
    ['vlan=10', ['Gi0/1', 'Po1.7']],
    ['description=up', ['Gi0/1']],
    ['q=vlan', ['VLAN10']],
    ['q=cc:00:00:02', ['Gi0/1']],
    ['created__gte=2020-01-01&device=right', ['eth9', 'eth10']],
    ['name=', ['console', 'Gi0/1', 'Po1', 'Po1.7', 'unnamed', 'VLAN10', 'eth9', 'eth10']],
  ])('%s finds the interfaces that NetBox finds, on a page and whole', async (query, wanted) => {
    expect(await names(`dcim/interfaces/?${query}`)).toEqual(wanted)
    expect(await list(`dcim/interfaces/?limit=0&${query}`)).toMatchObject({ count: wanted.length })
  })

  test('interfaces are found by the numbers of other objects', async () => {
    const [lag, sub] = [await one('name=Po1'), await one('name=Po1.7')]
    const [device] = (await list('dcim/devices/?name=right')).results
    expect(await names(`dcim/interfaces/?lag_id=${lag?.id}`)).toEqual(['Gi0/1'])
    expect(await names(`dcim/interfaces/?parent_id=${lag?.id}`)).toEqual(['Po1.7'])
    expect(await names(`dcim/interfaces/?id=${lag?.id}&id=${sub?.id}`)).toEqual(['Po1', 'Po1.7'])
    expect(await names(`dcim/interfaces/?virtual_chassis_member_id=${device?.id}`)).toEqual(['eth9', 'eth10'])
    expect(await names('dcim/interfaces/?virtual_chassis_member_id=7')).toEqual([])
    expect(await names(`dcim/interfaces/?ordering=-id&device_id=${device?.id}`)).toHaveLength(2)
    const [machine] = (await list('virtualization/interfaces/?virtual_machine=machine')).results
    expect(machine).toMatchObject({ virtual_machine: { name: 'machine' }, count_ipaddresses: 1 })
  })

  test.each([
    ['device=nowhere', { device: [expect.stringContaining('Select a valid choice')] }],
    ['device_id=7', { device_id: [expect.stringContaining('Select a valid choice')] }],
    ['type=odd', { type: [expect.stringContaining('Select a valid choice')] }],
    ['kind=odd', { kind: [expect.stringContaining('Select a valid choice')] }],
    ['mac_address=odd', { mac_address: ['Enter a valid MAC address.'] }],
    ['enabled=perhaps', { enabled: ['Enter true or false.'] }],
    ['speed=1', { speed: [expect.stringContaining('is no filter of this list in Plat')] }],
  ])('%s is refused on the parameter', async (query, body) => {
    expect(await door.get(`dcim/interfaces/?${query}`)).toMatchObject({ status: 400, body })
  })

  test('MAC addresses have their interfaces', async () => {
    const own = ['AA:BB:CC:00:00:02', 'AA:BB:CC:00:00:03', 'AA:BB:CC:00:00:01']
    expect(await names('dcim/mac-addresses/')).toEqual(own)
    const uplink = await one('name=Gi0/1')
    const { results } = await list('dcim/mac-addresses/?mac_address=aabb.cc00.0002')
    expect(results).toMatchObject([
      {
        ...{ mac_address: 'AA:BB:CC:00:00:02', assigned_object_type: 'dcim.interface', assigned_object_id: uplink?.id },
        assigned_object: { id: uplink?.id, name: 'Gi0/1', cable: { label: 'c1' } },
      },
    ])
    expect((await door.get(`dcim/mac-addresses/${results[0]?.id}/`)).body).toEqual(results[0])
    expect(await names(`dcim/mac-addresses/?interface_id=${uplink?.id}`)).toEqual(own.slice(0, 2))
    expect(await names('dcim/mac-addresses/?device=right')).toEqual([])
    expect((await door.post('dcim/mac-addresses/', {})).status).toBe(405)
  })

  test('cables have the interfaces at their ends', async () => {
    const { results } = await list('dcim/cables/')
    const [uplink, cable] = [await one('name=Gi0/1'), results.find(({ label }) => label === 'c1')]
    expect(cable).toMatchObject({
      ...{ display: 'c1', type: 'cat6', length: 2.5, length_unit: { value: 'm', label: 'Meters' }, color: '' },
      a_terminations: [{ object_type: 'dcim.interface', object_id: uplink?.id, object: { name: 'Gi0/1' } }],
      b_terminations: [],
      status: { value: 'connected' },
    })
    expect((await door.get(`dcim/cables/${cable?.id}/`)).body).toEqual(cable)
    const [planned] = (await list('dcim/cables/?status=planned')).results
    expect(planned).toMatchObject({ display: `#${planned?.id}`, color: 'ff0000', status: { label: 'Planned' } })
    expect(await names('dcim/cables/?label=c1&type=cat6')).toEqual(['c1'])
    expect(await names('dcim/cables/?device=left&q=c1')).toEqual(['c1'])
    expect((await list('dcim/cables/?device=right')).count).toBe(2)
  })
})
