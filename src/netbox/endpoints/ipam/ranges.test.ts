// Ranges as NetBox has them: pools with the mask of their network, made in the smallest network that holds them.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Range = z.looseObject({ id: z.number(), start_address: z.string() })
const List = z.object({ count: z.number(), results: z.array(Range) })

describe.each(engines())('ipam/ip-ranges on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    await api.customFields.create({ resource: 'pools', name: 'status', type: 'text' })
    await api.customFields.create({ resource: 'pools', name: 'role', type: 'text' })
    await api.customFields.create({ resource: 'pools', name: 'mark_utilized', type: 'boolean' })
    const red = await api.spaces.create({ name: 'red' })
    const { create } = api.networks
    await create({ name: 'all', subnet: '10.0.0.0/8' })
    const lan = await create({ name: 'lan', subnet: '10.0.0.0/24' })
    const other = await create({ name: 'red', subnet: '10.0.0.0/25', space_id: red.id })
    const six = await create({ name: 'six', subnet: '2001:db8::/64' })
    await api.pools.create({
      ...{ network_id: lan.id, name: 'dhcp', start_ip: '10.0.0.10', end_ip: '10.0.0.19', tags: ['prod'] },
      ...{ description: 'first\nsecond', custom: { status: 'reserved', role: 'Leases' } },
    })
    await api.pools.create({ network_id: lan.id, name: 'addresses', start_ip: '10.0.0.1', end_ip: '10.0.0.254' })
    await api.pools.create({ network_id: other.id, name: 'red', start_ip: '10.0.0.10', end_ip: '10.0.0.12' })
    await api.pools.create({
      ...{ network_id: six.id, name: 'six', start_ip: '2001:db8::1', end_ip: '2001:db8::ffff:ffff:ffff:ffff' },
    })
  })
  afterAll(() => door.close())

  const list = async (query: string) => List.parse((await door.get(`ipam/ip-ranges/?${query}`)).body)

  test('a range has the mask of its network, and the fields of NetBox', async () => {
    const { results } = await list('description=dhcp')
    expect(results).toMatchObject([
      {
        ...{ display: '10.0.0.10-19/24', family: { value: 4 }, start_address: '10.0.0.10/24' },
        ...{ end_address: '10.0.0.19/24', size: 10, vrf: null, tenant: null, status: { value: 'reserved' } },
        ...{ role: { name: 'Leases' }, description: 'dhcp', comments: 'first\nsecond', tags: [{ name: 'prod' }] },
        ...{ custom_fields: {}, mark_populated: false, mark_utilized: false },
      },
    ])
  })

  test('ranges stand by address, and the size of a large one fits into 32 bits', async () => {
    expect((await list('')).results).toMatchObject([
      ...[{ description: 'addresses' }, { description: 'dhcp' }, { size: 2_147_483_647 }],
      { description: 'red', start_address: '10.0.0.10/25', vrf: { name: 'red' } },
    ])
  })

  test.each([
    ['start_address=10.0.0.10', ['dhcp', 'red']],
    ['start_address=10.0.0.10/25', ['red']],
    ['end_address=10.0.0.19/24', ['dhcp']],
    ['contains=10.0.0.11', ['addresses', 'dhcp', 'red']],
    ['contains=10.0.0.200/24', ['addresses']],
    ['parent=10.0.0.0/27', ['dhcp', 'red']],
    ['parent=2001:db8::/48', ['six']],
    ['family=6', ['six']],
    ['vrf=red', ['red']],
    ['vrf_id=null&family=4', ['addresses', 'dhcp']],
    ['status=reserved', ['dhcp']],
    ['status=active&family=4', ['addresses', 'red']],
    ['role=leases', ['dhcp']],
    ['role=null&family=4', ['addresses', 'red']],
    ['tag=prod', ['dhcp']],
    ['q=10.0.0.19', ['dhcp']],
    ['mark_utilized=true', []],
  ])('?%s finds %p', async (query, expected) => {
    const { results } = await list(query)
    expect(results.map(({ description }) => description)).toEqual(expected)
  })

  test.each([
    ['start_address=x', 'start_address'],
    ['contains=x', 'contains'],
    ['parent=10.0.0.0/40', 'parent'],
    ['family=x', 'family'],
    ['start_ip=10.0.0.1', 'start_ip'],
  ])('?%s is refused', async (query, field) => {
    const { status, body } = await door.get(`ipam/ip-ranges/?${query}`)
    expect([status, Object.keys(body as object)]).toEqual([400, [field]])
  })

  test('every field is read back as it was written', async () => {
    const made = await door.post('ipam/ip-ranges/', {
      ...{ start_address: '10.0.0.50/24', end_address: '10.0.0.59/24', vrf: null, status: 'deprecated' },
      ...{ role: { name: 'Leases' }, description: 'new', comments: 'text', tags: [{ name: 'prod' }] },
      mark_utilized: true,
    })
    expect(made.status).toBe(201)
    const { id } = Range.parse(made.body)
    expect((await door.get(`ipam/ip-ranges/${id}/`)).body).toMatchObject({
      ...{ start_address: '10.0.0.50/24', end_address: '10.0.0.59/24', size: 10, status: { value: 'deprecated' } },
      ...{ role: { name: 'Leases' }, description: 'new', comments: 'text', tags: [{ name: 'prod' }] },
      mark_utilized: true,
    })
    const put = await door.put(`ipam/ip-ranges/${id}/`, {
      ...{ start_address: '10.0.0.51/32', end_address: '10.0.0.60', status: 'active', role: null },
      ...{ description: '', comments: '', tags: [], mark_utilized: false },
    })
    expect(put).toMatchObject({
      status: 200,
      body: {
        ...{ start_address: '10.0.0.51/24', end_address: '10.0.0.60/24', role: null, status: { value: 'active' } },
        ...{ description: '', comments: '', tags: [], mark_utilized: false },
      },
    })
    expect((await door.delete(`ipam/ip-ranges/${id}/`)).status).toBe(204)
    expect((await door.get(`ipam/ip-ranges/${id}/`)).status).toBe(404)
  })

  test('a range is made in the smallest network of its VRF that holds it', async () => {
    const make = async (body: object) => Range.parse((await door.post('ipam/ip-ranges/', body)).body)
    const small = await make({ start_address: '10.0.0.70', end_address: '10.0.0.71' })
    const large = await make({ start_address: '10.0.9.1/8', end_address: '10.1.0.9/8' })
    const red = await make({ start_address: '10.0.0.70', end_address: '10.0.0.71', vrf: { name: 'red' } })
    expect([small, large, red].map(({ start_address }) => start_address)).toEqual([
      ...['10.0.0.70/24', '10.0.9.1/8', '10.0.0.70/25'],
    ])
    for (const { id } of [small, large, red]) await door.delete(`ipam/ip-ranges/${id}/`)
  })

  test.each([
    [{ start_address: '10.0.0.80' }, { end_address: ['This field is required.'] }],
    [
      { start_address: 'x', end_address: '10.0.0.81' },
      { start_address: ['Enter a valid IPv4 or IPv6 address (with CIDR mask).'] },
    ],
    [
      { start_address: '10.0.0.82', end_address: '10.0.0.81' },
      { end_address: ['Ending address must be greater than the starting address (10.0.0.82)'] },
    ],
    [
      { start_address: '10.0.0.82', end_address: '2001:db8::1' },
      { end_address: ['Starting and ending IP address versions must match'] },
    ],
    [
      { start_address: '10.0.0.80/25', end_address: '10.0.0.81/24' },
      { start_address: ['has the mask of its prefix 10.0.0.0/24, which is /24'] },
    ],
    [
      { start_address: '192.0.2.1', end_address: '192.0.2.2' },
      { start_address: ['No prefix of the VRF holds the range: create the prefix first'] },
    ],
    [
      { start_address: '10.0.0.5', end_address: '10.0.0.12' },
      { start_address: ['Defined addresses overlap with range 10.0.0.10-10.0.0.19 in the global table'] },
    ],
    [
      { start_address: '10.0.0.5', end_address: '10.0.0.20', vrf: { name: 'red' } },
      { start_address: ['Defined addresses overlap with range 10.0.0.10-10.0.0.12 in VRF red'] },
    ],
    [
      { start_address: '10.0.0.80', end_address: '10.0.0.81', status: 'new' },
      { status: ['"new" is not a valid choice.'] },
    ],
    [
      { start_address: '10.0.0.80', end_address: '10.0.0.81', description: '10.0.0.80-10.0.0.81' },
      { description: ['is the range itself; leave it empty'] },
    ],
    [
      { start_address: '10.0.0.80', end_address: '10.0.0.81', mark_populated: true },
      { mark_populated: ['true has no place here: define the custom field "mark_populated" of pools'] },
    ],
  ])('%p is refused with %p', async (body, expected) => {
    const answer = await door.post('ipam/ip-ranges/', body)
    expect([answer.status, answer.body]).toEqual([400, expected])
  })

  test('a range does not change its VRF, and stays in its prefix', async () => {
    const [dhcp] = (await list('description=dhcp')).results
    const patch = (body: object) => door.patch(`ipam/ip-ranges/${dhcp?.id}/`, body)
    expect(await patch({ vrf: { name: 'red' } })).toMatchObject({
      ...{ status: 400, body: { vrf: ['does not change: a range is in the VRF of its prefix'] } },
    })
    expect(await patch({ end_address: '10.0.1.5' })).toMatchObject({
      ...{ status: 400, body: { end_address: ['is outside of the network 10.0.0.0/24'] } },
    })
    expect(await patch({ vrf: null, end_address: '10.0.0.19/24' })).toMatchObject({ status: 200 })
  })
})
