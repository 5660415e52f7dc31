// The writes of interfaces: each field is read back as it was sent, or refused; numbers stay.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Row = z.looseObject({ id: z.number() })
const List = z.object({ count: z.number(), results: z.array(Row) })

describe.each(engines())('writes of interfaces on %s', (dialect) => {
  let door: Door
  let device = 0
  let site = ''
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    site = (await api.datacenters.create({ name: 'Zürich' })).id
    const other = await api.datacenters.create({ name: 'Bern' })
    await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', datacenter_id: site, vlan_id: 20 })
    await api.vlans.create({ vlan_id: 10, name: 'users', datacenter_id: site })
    await api.vlans.create({ vlan_id: 11, name: 'elsewhere', datacenter_id: other.id })
    await api.devices.create({ name: 'switch', datacenter_id: site })
    await api.devices.create({ name: 'machine', datacenter_id: site, tags: ['vm'] })
    device = await find('dcim/devices/?name=switch')
  })
  afterAll(() => door.close())

  const list = async (path: string) => List.parse((await door.get(path)).body)
  const find = async (path: string): Promise<number> => {
    const [row] = (await list(path)).results
    return row?.id ?? 0
  }
  const make = async (body: object, path = 'dcim/interfaces/') => {
    const made = await door.post(path, { ...(path.startsWith('dcim') ? { device, type: 'other' } : {}), ...body })
    expect(made).toMatchObject({ status: 201 })
    return Row.parse(made.body)
  }
  const addressed = (name: string, addresses: readonly object[]) =>
    door.api.devices.create({ name, datacenter_id: site, addresses: addresses as [] })
  const countChanges = async () => (await door.api.history.list({ limit: 200 })).length

  test('a new interface has what was sent, and is a port', async () => {
    const lag = await make({ name: 'Po1', type: 'lag' })
    const made = await door.post('dcim/interfaces/', {
      ...{ device: { name: 'switch' }, name: ' Gi0/1 ', type: '1000base-t', enabled: false, speed: 1_000_000 },
      ...{ mac_address: 'AABB.CC00.0001', lag: lag.id, mtu: null, description: 'uplink', mode: 'tagged' },
      ...{ untagged_vlan: { vid: 10 }, tagged_vlans: [{ vid: 20 }, { name: 'users' }], tags: [], foreign: 1 },
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{
          device: { name: 'switch' },
          name: 'Gi0/1',
          type: { value: '1000base-t' },
          enabled: false,
          speed: 1_000_000,
        },
        ...{ mac_address: 'AA:BB:CC:00:00:01', lag: { name: 'Po1' }, parent: null, description: 'uplink' },
        ...{ mode: { value: 'tagged' }, untagged_vlan: { vid: 10 }, tagged_vlans: [{ vid: 10 }, { vid: 20 }] },
      },
    })
    const { id } = Row.parse(made.body)
    expect((await door.get(`dcim/interfaces/${id}/`)).body).toEqual(made.body)
    const [port] = await door.api.ports.list({ mac: 'aa:bb:cc:00:00:01' })
    expect(port).toMatchObject({ name: 'Gi0/1', vlan_id: 10, tagged_vlan_ids: [10, 20], speed_mbps: 1000 })
    // What was read is what a declarative client sends again.
    const before = await countChanges()
    const {
      lag: above,
      untagged_vlan: untagged,
      tagged_vlans: tagged,
      primary_mac_address: mac,
    } = z
      .looseObject({ lag: Row, untagged_vlan: Row, tagged_vlans: z.array(Row), primary_mac_address: z.unknown() })
      .parse(made.body)
    const again = { ...(made.body as object), device, type: '1000base-t', mode: 'tagged', primary_mac_address: mac }
    expect(
      await door.put(`dcim/interfaces/${id}/`, {
        ...{ ...again, lag: above.id, untagged_vlan: untagged.id, tagged_vlans: tagged.map((one) => one.id) },
      }),
    ).toEqual({ status: 200, body: made.body })
    expect(await countChanges()).toBe(before)
  })

  test.each([
    [{ enabled: false }, { enabled: false }],
    [{ description: 'text' }, { description: 'text' }],
    [{ type: '10gbase-t' }, { type: { value: '10gbase-t', label: '10GBASE-T (10GE)' } }],
    [{ speed: 10_000_000 }, { speed: 10_000_000 }],
    [{ speed: null }, { speed: null }],
    [{ mac_address: '02-00-00-00-00-07' }, { mac_address: '02:00:00:00:00:07' }],
    [{ primary_mac_address: { mac_address: '02:00:00:00:00:07' } }, { mac_address: '02:00:00:00:00:07' }],
    [{ mac_address: null }, { mac_address: null, primary_mac_address: null, mac_addresses: [] }],
    [{ lag: { device: { name: 'switch' }, name: 'Po1' } }, { lag: { name: 'Po1' }, parent: null }],
    [{ lag: null }, { lag: null, parent: null }],
    [
      { type: 'virtual', parent: { device: { name: 'switch' }, name: 'Po1' } },
      { parent: { name: 'Po1' }, lag: null },
    ],
    [{ parent: null }, { parent: null }],
    [
      { mode: 'access', untagged_vlan: { name: 'users' } },
      { mode: { value: 'access' }, untagged_vlan: { vid: 10 } },
    ],
    [
      { tagged_vlans: [{ vid: 20 }], mode: 'tagged' },
      { mode: { value: 'tagged' }, tagged_vlans: [{ vid: 20 }] },
    ],
    [
      { tagged_vlans: [], mode: { value: 'access', label: 'Access' } },
      { mode: { value: 'access' }, tagged_vlans: [] },
    ],
    [
      { untagged_vlan: null, mode: null },
      { mode: null, untagged_vlan: null },
    ],
    [{ name: 'renamed' }, { name: 'renamed' }],
    [{ name: 'field' }, { name: 'field', display: 'field' }],
  ])('%j is read back', async (sent, wanted) => {
    const id = (await find('dcim/interfaces/?name=field')) || (await find('dcim/interfaces/?name=renamed'))
    const path = `dcim/interfaces/${id || (await make({ name: 'field' })).id}/`
    expect(await door.patch(path, sent)).toMatchObject({ status: 200, body: wanted })
    expect((await door.get(path)).body).toMatchObject(wanted)
  })

  test.each([
    [{ device: null }, { device: ['This field may not be null.'] }],
    [{ device: 7 }, { device: ['Related object not found using the provided numeric ID: 7'] }],
    [{ name: '' }, { name: ['This field may not be blank.'] }],
    [{ name: 'PO1' }, { name: ['The device has an interface of this name already.'] }],
    [{ type: '' }, { type: ['This field may not be blank.'] }],
    [{ type: 'odd' }, { type: ['"odd" is not a valid choice.'] }],
    [{ enabled: 'perhaps' }, { enabled: ['Must be a valid boolean.'] }],
    [{ speed: 1500 }, { speed: [expect.stringContaining('multiple of 1000')] }],
    [{ speed: 'fast' }, { speed: ['A valid integer is required.'] }],
    [{ mac_address: 'odd' }, { mac_address: ['Enter a valid MAC address.'] }],
    [{ primary_mac_address: 7 }, { primary_mac_address: [expect.stringContaining('is no MAC address')] }],
    [{ lag: { device: { name: 'switch' }, name: 'other' } }, { lag: [expect.stringContaining('not found')] }],
    [{ lag: { device: { name: 'switch' }, name: 'plain' } }, { lag: ['plain is no LAG: its type is not "lag"'] }],
    [{ parent: { device: { name: 'switch' }, name: 'Po1' } }, { parent: [expect.stringContaining('is a LAG')] }],
    [{ mode: 'odd' }, { mode: ['"odd" is not a valid choice.'] }],
    [{ mode: 'tagged' }, { mode: [expect.stringContaining('define the custom field "mode" of ports')] }],
    [{ mode: 'access', tagged_vlans: [{ vid: 20 }] }, { tagged_vlans: [expect.stringContaining('does not support')] }],
    [{ mode: null, untagged_vlan: { vid: 10 } }, { untagged_vlan: [expect.stringContaining('does not support')] }],
    [{ untagged_vlan: 7 }, { untagged_vlan: ['Related object not found using the provided numeric ID: 7'] }],
    [{ untagged_vlan: { name: 'elsewhere' } }, { untagged_vlan: [expect.stringContaining('where the device is')] }],
    [{ tagged_vlans: 20 }, { tagged_vlans: ['Expected a list of items but got type "number".'] }],
    [{ mtu: 9000 }, { mtu: ['9000 has no place here: define the custom field "mtu" of ports'] }],
    [{ label: 'front' }, { label: [expect.stringContaining('has no place here')] }],
    [{ vdcs: [1] }, { vdcs: [expect.stringContaining('has no place in Plat')] }],
    [{ custom_fields: { a: 1 } }, { custom_fields: [expect.stringContaining("Custom field 'a'")] }],
  ])('%j is refused', async (sent, messages) => {
    if ((await find('dcim/interfaces/?name=plain')) === 0) await make({ name: 'plain' })
    const refused = await door.post('dcim/interfaces/', { device, name: 'bad', type: 'other', ...sent })
    expect(refused).toEqual({ status: 400, body: messages })
  })

  test('a write without device, name and type is refused', async () => {
    const required = ['This field is required.']
    expect((await door.post('dcim/interfaces/', {})).body).toEqual({ device: required, name: required, type: required })
    expect((await door.put(`dcim/interfaces/${await find('dcim/interfaces/?name=Po1')}/`, {})).status).toBe(400)
  })

  test('an interface stays at its device', async () => {
    await door.api.devices.create({ name: 'second' })
    const path = `dcim/interfaces/${(await make({ name: 'staying' })).id}/`
    expect(await door.patch(path, { device: { name: 'second' } })).toEqual({
      status: 400,
      body: { device: ['Components cannot be moved to a different device.'] },
    })
    expect((await door.patch(path, { device })).status).toBe(200)
  })

  test('the first write of an interface of an address makes its port, and keeps its number and MAC address', async () => {
    await addressed('named', [{ ip: '10.0.0.20', interface: 'eth0', mac_address: '02:00:00:00:00:20' }])
    const id = await find('dcim/interfaces/?device=named')
    const mac = await find('dcim/mac-addresses/?device=named')
    const path = `dcim/interfaces/${id}/`
    const before = await countChanges()
    expect((await door.patch(path, { enabled: true, name: 'eth0', type: 'other', mac_address: '' })).status).toBe(400)
    expect((await door.patch(path, { enabled: true, name: 'eth0', type: 'other', speed: null })).status).toBe(200)
    expect(await countChanges()).toBe(before)
    expect(await door.patch(path, { type: '1000base-t', name: 'lan0' })).toMatchObject({
      status: 200,
      body: { id, name: 'lan0', type: { value: '1000base-t' }, count_ipaddresses: 1, mac_address: '02:00:00:00:00:20' },
    })
    expect((await list('dcim/interfaces/?device=named')).count).toBe(1)
    expect(await find('dcim/mac-addresses/?device=named')).toBe(mac)
    expect((await door.api.devices.list({ q: 'named' }))[0]?.addresses).toMatchObject([{ interface: 'lan0' }])
    expect(await countChanges()).toBe(before + 1)
  })

  test('addresses without an interface follow the name of the unnamed one', async () => {
    await addressed('nameless', [{ ip: '10.0.0.30' }, { ip: '10.0.0.31', interface: 'eth1' }])
    const path = `dcim/interfaces/${await find('dcim/interfaces/?device=nameless&name=unnamed')}/`
    expect((await door.patch(path, { description: 'first' })).body).toMatchObject({
      name: 'unnamed',
      count_ipaddresses: 1,
    })
    expect((await door.patch(path, { name: 'eth0' })).body).toMatchObject({ name: 'eth0', count_ipaddresses: 1 })
    expect((await list('dcim/interfaces/?device=nameless')).results).toMatchObject([{ name: 'eth0' }, { name: 'eth1' }])
    expect((await door.patch(path, { name: 'ETH1' })).body).toEqual({
      name: ['The device has an interface of this name already.'],
    })
  })

  test('deleting an interface deletes its addresses, and only them', async () => {
    await addressed('deleted', [
      ...[{ ip: '10.0.0.40', interface: 'eth0' }, { ip: '10.0.0.41', interface: 'eth1' }, { ip: '10.0.0.42' }],
    ])
    const [id, second] = [
      await find('dcim/interfaces/?device=deleted&name=eth0'),
      await find('dcim/interfaces/?device=deleted&name=eth1'),
    ]
    await door.patch(`dcim/interfaces/${id}/`, { description: 'a port' })
    const before = await countChanges()
    expect(await door.delete('dcim/interfaces/', [{ id }, { id: second }])).toEqual({ status: 204, body: undefined })
    expect(await countChanges()).toBe(before + 1)
    expect((await list('dcim/interfaces/?device=deleted')).results).toMatchObject([{ name: 'unnamed' }])
    expect((await door.api.devices.list({ q: 'deleted' }))[0]?.addresses).toMatchObject([{ ip: '10.0.0.42' }])
    expect((await door.get(`dcim/interfaces/${id}/`)).status).toBe(404)
  })

  test('interfaces of virtual machines are written alike, without type and LAG', async () => {
    const path = 'virtualization/interfaces/'
    const machine = await find('virtualization/virtual-machines/?name=machine')
    const made = await make({ virtual_machine: machine, name: 'ens3', mac_address: '02:00:00:00:00:50' }, path)
    expect(made).toMatchObject({ virtual_machine: { name: 'machine' }, mac_address: '02:00:00:00:00:50' })
    const sub = await make({ virtual_machine: { name: 'machine' }, name: 'ens3.10', parent: made.id }, path)
    expect(sub).toMatchObject({ parent: { id: made.id, virtual_machine: { name: 'machine' } } })
    expect((await door.patch(`${path}${sub.id}/`, { mode: 'access', untagged_vlan: { vid: 10 } })).body).toMatchObject({
      mode: { value: 'access' },
    })
    expect((await door.post(path, { virtual_machine: machine, name: 'ens3' })).body).toEqual({
      name: ['The device has an interface of this name already.'],
    })
    expect((await door.delete(`${path}${made.id}/`)).status).toBe(204)
    expect((await door.get(`${path}${sub.id}/`)).body).toMatchObject({ parent: null })
  })

  test('a list of interfaces is made whole or not at all', async () => {
    const rows = ['l1', 'l2'].map((name) => ({ device, name, type: 'virtual' }))
    expect((await door.post('dcim/interfaces/', [...rows, { ...rows[0] }])).body).toEqual([
      {},
      {},
      { name: ['The device has an interface of this name already.'] },
    ])
    expect(await find('dcim/interfaces/?name=l1')).toBe(0)
    expect((await door.post('dcim/interfaces/', rows)).body).toMatchObject([{ name: 'l1' }, { name: 'l2' }])
  })

  test('a number without a VLAN is read and sent back', async () => {
    await door.api.ports.create({
      device_id: (await door.api.devices.list({ q: 'second' }))[0]?.id ?? '',
      name: 'v',
      vlan_id: 77,
    })
    const [row] = (await list('dcim/interfaces/?name=v')).results
    const { untagged_vlan: vlan } = z.looseObject({ untagged_vlan: Row }).parse(row)
    expect(vlan).toMatchObject({ name: 'VLAN 77' })
    expect((await door.patch(`dcim/interfaces/${row?.id}/`, { untagged_vlan: vlan.id, mode: 'access' })).body).toEqual(
      row,
    )
    expect((await list(`dcim/interfaces/?vlan_id=${vlan.id}`)).count).toBe(1)
  })

  test('custom fields of ports serve as fields of NetBox', async () => {
    const { api } = door
    await api.customFields.create({ resource: 'ports', type: 'integer', name: 'mtu' })
    await api.customFields.create({ resource: 'ports', type: 'boolean', name: 'mgmt_only' })
    await api.customFields.create({ resource: 'ports', type: 'text', name: 'mode' })
    await api.customFields.create({ resource: 'ports', type: 'text', name: 'owner_team' })
    const made = await make({
      ...{ name: 'custom', mtu: 9000, mgmt_only: true, mode: 'tagged-all', custom_fields: { owner_team: 'net' } },
    })
    const shown = { mtu: 9000, mgmt_only: true, mode: { value: 'tagged-all' }, custom_fields: { owner_team: 'net' } }
    expect(made).toMatchObject(shown)
    expect((await list('dcim/interfaces/?mode=tagged-all&cf_owner_team=net')).results).toEqual([made])
    const path = `dcim/interfaces/${made.id}/`
    expect((await door.patch(path, { mode: null, mtu: null, mgmt_only: false })).body).toMatchObject({
      ...{ mode: null, mtu: null, mgmt_only: false },
    })
  })
})
