// VLANs and VRFs as NetBox has them; a VLAN that is only a number becomes one by its first write.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Named = z.looseObject({ id: z.number(), name: z.string() })
const List = z.object({ count: z.number(), results: z.array(Named) })

describe.each(engines())('ipam/vlans and ipam/vrfs on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    await api.customFields.create({ resource: 'datacenters', name: 'place_type', type: 'text' })
    for (const name of ['status', 'role']) await api.customFields.create({ resource: 'vlans', name, type: 'text' })
    await api.customFields.create({ resource: 'spaces', name: 'rd', type: 'text' })
    await api.customFields.create({ resource: 'spaces', name: 'enforce_unique', type: 'boolean' })
    const site = await api.datacenters.create({ name: 'Zürich' })
    const room = await api.datacenters.create({ name: 'Room', parent_id: site.id, custom: { place_type: 'location' } })
    const { create } = api.networks
    await create({ name: 'a', subnet: '10.0.1.0/24', vlan_id: 10, datacenter_id: room.id })
    await create({ name: 'b', subnet: '10.0.2.0/24', vlan_id: 10, datacenter_id: site.id })
    await create({ name: 'c', subnet: '10.0.3.0/24', vlan_id: 20, datacenter_id: room.id })
    await create({ name: 'd', subnet: '10.0.4.0/24', vlan_id: 20, datacenter_id: room.id })
    await create({ name: 'e', subnet: '10.0.5.0/24', vlan_id: 20 })
    await api.vlans.create({
      ...{ name: 'users', vlan_id: 10, datacenter_id: site.id, group: 'Fabric A', description: 'first\nsecond' },
      custom: { status: 'reserved', role: 'Production' },
    })
    const red = await api.spaces.create({ name: 'red', description: 'customers', custom: { rd: '65000:1' } })
    const inRed = await create({ name: 'r', subnet: '10.0.1.0/24', space_id: red.id })
    const pool = await api.pools.create({ network_id: inRed.id, name: 'r', start_ip: '10.0.1.9', end_ip: '10.0.1.19' })
    await api.reservations.create({ pool_id: pool.id, ip_address: '10.0.1.9' })
    await api.devices.create({ name: 'one', addresses: [{ ip: '10.0.1.1', space_id: red.id }, { ip: '10.0.1.1' }] })
  })
  afterAll(() => door.close())

  const list = async (path: string, query = '') => List.parse((await door.get(`${path}/?${query}`)).body)
  const names = async (path: string, query: string) => (await list(path, query)).results.map(({ name }) => name)

  test('VLANs stand by number, with one for each number that networks use without a VLAN', async () => {
    expect((await list('ipam/vlans')).results).toMatchObject([
      {
        ...{ vid: 10, name: 'users', display: 'users (10)', site: { name: 'Zürich' }, prefix_count: 2 },
        ...{ group: { name: 'Fabric A', slug: 'fabric-a', vlan_count: 1 }, status: { value: 'reserved' } },
        ...{ role: { name: 'Production', vlan_count: 1 }, description: 'first', comments: 'second' },
      },
      { vid: 20, name: 'VLAN 20', site: null, prefix_count: 1, created: null },
      { vid: 20, name: 'VLAN 20', site: { name: 'Zürich' }, prefix_count: 2, status: { value: 'active' } },
    ])
  })

  test.each([
    ['vid=10', ['users']],
    ['vid__gt=10', ['VLAN 20', 'VLAN 20']],
    ['vid__n=20', ['users']],
    ['name=USERS', ['users']],
    ['name__ic=vlan&site=null', ['VLAN 20']],
    ['site=zurich', ['users', 'VLAN 20']],
    ['group=fabric-a', ['users']],
    ['group=null&site=zurich', ['VLAN 20']],
    ['status=reserved', ['users']],
    ['role=production', ['users']],
    ['q=second', ['users']],
    ['description=first', ['users']],
    ['ordering=-vid&limit=1', ['VLAN 20']],
  ])('ipam/vlans?%s finds %p', async (query, expected) => {
    expect(await names('ipam/vlans', query)).toEqual(expected)
  })

  test.each([
    ['vid=x', 'vid'],
    ['site=nowhere', 'site'],
    ['group=nothing', 'group'],
    ['status=x', 'status'],
    ['tenant=x', 'tenant'],
  ])('ipam/vlans?%s is refused', async (query, field) => {
    const { status, body } = await door.get(`ipam/vlans/?${query}`)
    expect([status, Object.keys(body as object)]).toEqual([400, [field]])
  })

  test('the first write of a number makes a VLAN of it, which keeps its number', async () => {
    const [number] = (await list('ipam/vlans', 'vid=20&site=null')).results
    const same = await door.patch(`ipam/vlans/${number?.id}/`, { name: 'VLAN 20', vid: 20, status: 'active' })
    expect(same).toMatchObject({ status: 200, body: { id: number?.id, created: null } })
    expect(await door.patch(`ipam/vlans/${number?.id}/`, { vid: 21 })).toMatchObject({
      ...{ status: 400, body: { vid: ['Networks use the number 20 there: change it at the prefixes'] } },
    })
    expect(await door.delete(`ipam/vlans/${number?.id}/`)).toMatchObject({
      ...{ status: 409, body: { detail: 'Networks use the VLAN 20: change them first' } },
    })
    const named = await door.patch(`ipam/vlans/${number?.id}/`, { name: 'servers', description: 'new' })
    expect(named).toMatchObject({ status: 200, body: { id: number?.id, name: 'servers', vid: 20, description: 'new' } })
    const vlans = await door.api.vlans.list({ vlan_id: 20 })
    expect(vlans).toMatchObject([{ name: 'servers', datacenter_id: null }])
    // The number of the room belongs to the VLAN without a datacenter now.
    expect((await list('ipam/vlans', 'vid=20')).results).toMatchObject([{ id: number?.id, prefix_count: 3 }])
    await door.delete(`ipam/vlans/${number?.id}/`)
    expect((await list('ipam/vlans', 'vid=20')).count).toBe(2)
  })

  test('a number that only ports use is found by its id, and becomes a VLAN as well', async () => {
    const { api } = door
    const { id } = await api.devices.create({ name: 'switch' })
    const port = await api.ports.create({ device_id: id, name: 'Gi0/1', vlan_id: 61, tagged_vlan_ids: [62, 63] })
    const Port = z.object({ untagged_vlan: Named, tagged_vlans: z.array(Named) })
    const read = async () =>
      z.object({ results: z.tuple([Port]) }).parse((await door.get('dcim/interfaces/?name=Gi0/1')).body).results[0]
    const { untagged_vlan: untagged, tagged_vlans: tagged } = await read()
    for (const one of [untagged, ...tagged])
      expect(await door.get(`ipam/vlans/${one.id}/`)).toMatchObject({
        ...{ status: 200, body: { id: one.id, name: one.name, site: null, prefix_count: 0, created: null } },
      })
    expect((await list('ipam/vlans', `id=${untagged.id}`)).results).toMatchObject([{ vid: 61 }])
    expect(await door.patch(`ipam/vlans/${untagged.id}/`, { vid: 9 })).toMatchObject({
      ...{ status: 400, body: { vid: ['Interfaces use the number 61 there: change it at the interfaces'] } },
    })
    expect((await door.delete(`ipam/vlans/${untagged.id}/`)).body).toEqual({
      detail: 'Interfaces use the VLAN 61: change them first',
    })
    const named = await door.patch(`ipam/vlans/${untagged.id}/`, { name: 'phones' })
    expect(named).toMatchObject({ status: 200, body: { id: untagged.id, name: 'phones', vid: 61 } })
    expect((await read()).untagged_vlan).toMatchObject({ id: untagged.id, name: 'phones' })
    await api.ports.update({ id: port.id, tagged_vlan_ids: [63] })
    expect(await Promise.all(tagged.map(async (one) => (await door.get(`ipam/vlans/${one.id}/`)).status))).toEqual([
      404, 200,
    ])
    await door.delete(`ipam/vlans/${untagged.id}/`)
    await api.devices.delete({ id })
  })

  test('every field of a VLAN is read back as it was written', async () => {
    const made = await door.post('ipam/vlans/', {
      ...{ vid: 30, name: 'new', site: { slug: 'zurich' }, group: { name: 'Fabric A' }, status: 'deprecated' },
      ...{ role: { name: 'Production' }, description: 'text', comments: 'more', tenant: null, tags: [] },
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...{ vid: 30, name: 'new', site: { slug: 'zurich' }, group: { name: 'Fabric A' } },
        ...{ status: { value: 'deprecated' }, role: { name: 'Production' }, description: 'text', comments: 'more' },
      },
    })
    const { id } = Named.parse(made.body)
    const put = { vid: 31, name: 'other', site: null, group: null, status: 'active', role: null, description: '' }
    expect(await door.put(`ipam/vlans/${id}/`, { ...put, comments: '' })).toMatchObject({
      status: 200,
      body: { vid: 31, name: 'other', site: null, group: null, role: null, description: '', comments: '' },
    })
    expect((await door.delete(`ipam/vlans/${id}/`)).status).toBe(204)
  })

  test('a VLAN in a place of its site stays there when its site is sent', async () => {
    const [room] = (await door.api.datacenters.list({})).filter(({ name }) => name === 'Room')
    const vlan = await door.api.vlans.create({ name: 'in room', vlan_id: 40, datacenter_id: room?.id ?? '' })
    const [{ id } = { id: 0 }] = (await list('ipam/vlans', 'vid=40')).results
    await door.patch(`ipam/vlans/${id}/`, { site: { slug: 'zurich' }, description: 'changed' })
    expect(await door.api.vlans.get({ id: vlan.id })).toMatchObject({
      ...{ datacenter_id: room?.id ?? '', description: 'changed' },
    })
    await door.delete(`ipam/vlans/${id}/`)
  })

  test.each([
    [{ name: 'x' }, { vid: ['This field is required.'] }],
    [{ name: 'x', vid: 'y' }, { vid: ['A valid integer is required.'] }],
    [{ vid: 50, name: 'x', site: 7 }, { site: ['Related object not found using the provided numeric ID: 7'] }],
    [
      { vid: 10, name: 'x', site: { slug: 'zurich' }, group: { name: 'Fabric A' } },
      { vid: ['A VLAN 10 of the group "Fabric A" exists already in this datacenter'] },
    ],
    [{ vid: 50, name: 'x', status: 'new' }, { status: ['"new" is not a valid choice.'] }],
    [
      { vid: 50, name: 'x', qinq_role: 'svlan' },
      { qinq_role: ['"svlan" has no place here: define the custom field "qinq_role" of vlans'] },
    ],
  ])('the VLAN %p is refused with %p', async (body, expected) => {
    const answer = await door.post('ipam/vlans/', body)
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  test('a number that no VLAN can have is refused on vid', async () => {
    const { status, body } = await door.post('ipam/vlans/', { vid: 4095, name: 'x' })
    expect([status, Object.keys(body as object)]).toEqual([400, ['vid']])
  })

  test('a VRF is a space, and the default one is none', async () => {
    expect((await list('ipam/vrfs')).results).toMatchObject([
      {
        ...{ name: 'red', display: 'red (65000:1)', rd: '65000:1', enforce_unique: true, description: 'customers' },
        ...{ import_targets: [], export_targets: [], ipaddress_count: 2, prefix_count: 1 },
      },
    ])
    for (const query of ['name=Red', 'rd=65000:1', 'q=custom', 'enforce_unique=true', 'description__ic=CUST'])
      expect(await names('ipam/vrfs', query)).toEqual(['red'])
    expect(await names('ipam/vrfs', 'rd__empty=true')).toEqual([])
  })

  test('every field of a VRF is read back as it was written', async () => {
    const made = await door.post('ipam/vrfs/', {
      ...{ name: 'blue', rd: '65000:2', enforce_unique: false, description: 'one', comments: 'two' },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'blue', rd: '65000:2', enforce_unique: false, description: 'one', comments: 'two' },
    })
    const { id } = Named.parse(made.body)
    const put = { name: 'green', rd: null, enforce_unique: true, description: '', comments: '', import_targets: [] }
    expect(await door.put(`ipam/vrfs/${id}/`, put)).toMatchObject({ status: 200, body: put })
    expect((await door.delete(`ipam/vrfs/${id}/`)).status).toBe(204)
  })

  test.each([
    [{}, { name: ['This field is required.'] }],
    [{ name: 'RED' }, { name: ['A space "RED" exists already'] }],
    [{ name: 'x', import_targets: [1] }, { import_targets: ['[1] has no place in Plat'] }],
  ])('the VRF %p is refused with %p', async (body, expected) => {
    const answer = await door.post('ipam/vrfs/', body)
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  test('a VRF in use is not deleted', async () => {
    const [red] = (await list('ipam/vrfs', 'name=red')).results
    expect((await door.delete(`ipam/vrfs/${red?.id}/`)).status).toBe(409)
  })
})
