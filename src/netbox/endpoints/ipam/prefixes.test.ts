// Prefixes as NetBox has them: networks of all spaces by address, with their place in the tree, written and allocated.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Prefix = z.looseObject({ id: z.number(), prefix: z.string() })
const List = z.object({ count: z.number(), results: z.array(Prefix) })
const Raw = z.object({ results: z.array(z.record(z.string(), z.unknown())) })
const Places = z.object({ results: z.array(z.object({ id: z.number(), name: z.string() })) })

describe.each(engines())('ipam/prefixes on %s', (dialect) => {
  let door: Door
  const ids = new Map<string, string>()
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const place = (name: string, place_type?: string, parent_id?: string) =>
      api.datacenters.create({
        ...{ name, ...(parent_id !== undefined && { parent_id }) },
        ...(place_type !== undefined && { custom: { place_type } }),
      })
    await api.customFields.create({ resource: 'datacenters', name: 'place_type', type: 'text' })
    for (const name of ['role', 'status']) await api.customFields.create({ resource: 'networks', name, type: 'text' })
    await api.customFields.create({ resource: 'networks', name: 'is_pool', type: 'boolean' })
    await api.customFields.create({
      ...{ resource: 'networks', name: 'tags', type: 'choice', multiple: true, choices: ['prod', 'lab'] },
    })
    await api.customFields.create({ resource: 'networks', name: 'cost', type: 'integer' })
    const region = await place('Nord', 'region')
    const site = await place('Zürich', undefined, region.id)
    const room = await place('Room 1', 'location', site.id)
    for (const one of [region, site, room]) ids.set(one.name, one.id)
    const red = await api.spaces.create({ name: 'red' })
    ids.set('red', red.id)
    const { create } = api.networks
    await create({ name: 'everything', subnet: '10.0.0.0/8', custom: { status: 'container' } })
    await create({ name: '10.0.0.0/16', subnet: '10.0.0.0/16', datacenter_id: site.id, vlan_id: 5 })
    await create({
      ...{ name: 'office', subnet: '10.0.0.0/24', datacenter_id: room.id, vlan_id: 7, description: 'first\nsecond' },
      custom: { role: 'Production', is_pool: true, tags: ['prod'], cost: 7 },
    })
    await create({ name: 'office red', subnet: '10.0.0.0/24', space_id: red.id, custom: { tags: ['prod', 'lab'] } })
    await create({ name: 'one', subnet: '10.0.0.9/32' })
    await create({ name: 'six', subnet: '2001:db8::/32' })
    await create({ name: 'six inside', subnet: '2001:db8:0:1::/64', datacenter_id: region.id })
    await api.vlans.create({ name: 'users', vlan_id: 7, datacenter_id: site.id })
  })
  afterAll(() => door.close())

  const list = async (query: string) => List.parse((await door.get(`ipam/prefixes/?${query}`)).body)
  const subnets = async (query: string) => (await list(query)).results.map(({ prefix }) => prefix)
  const only = async (query: string) => {
    const { results } = await list(query)
    expect(results).toHaveLength(1)
    return Prefix.parse(results[0])
  }
  /** Lists the names of the fields of the first prefix, in their order. */
  const listFields = async (query: string) =>
    Object.keys(Raw.parse((await door.get(`ipam/prefixes/?${query}`)).body).results[0] ?? {})
  const findPlace = async (path: string, name: string) => {
    const kind = { regions: 'dcim.region', sites: 'dcim.site', locations: 'dcim.location' }[path]
    const { results } = await list('limit=0')
    const scopes = results.flatMap(({ scope, scope_type }) => (scope_type === kind ? [scope] : []))
    return Places.parse({ results: scopes }).results.find((one) => one.name === name)?.id
  }

  test('prefixes stand by address, the global table first', async () => {
    expect(await subnets('')).toEqual([
      ...['10.0.0.0/8', '10.0.0.0/16', '10.0.0.0/24', '10.0.0.9/32', '2001:db8::/32', '2001:db8:0:1::/64'],
      '10.0.0.0/24',
    ])
  })

  test('a prefix has the fields of NetBox', async () => {
    const prefix = await only('prefix=10.0.0.0/24&vrf=null')
    expect(prefix).toMatchObject({
      ...{ display: '10.0.0.0/24', family: { value: 4, label: 'IPv4' }, vrf: null, description: 'office' },
      ...{ scope_type: 'dcim.location', scope: { name: 'Room 1', _depth: 0 }, tenant: null },
      vlan: { vid: 7, name: 'users', display: 'users (7)' },
      status: { value: 'active', label: 'Active' },
      role: { name: 'Production', prefix_count: 1 },
      ...{ is_pool: true, mark_utilized: false, comments: 'first\nsecond', tags: [{ name: 'prod' }] },
      ...{ custom_fields: { cost: 7 }, children: 1, _depth: 2 },
    })
    expect(await listFields('prefix=10.0.0.0/24&vrf=null')).toEqual([
      ...['id', 'url', 'display_url', 'display', 'family', 'prefix', 'vrf', 'scope_type', 'scope_id', 'scope'],
      ...['tenant', 'vlan', 'status', 'role', 'is_pool', 'mark_utilized', 'description', 'owner', 'comments', 'tags'],
      ...['custom_fields', 'created', 'last_updated', 'children', '_depth'],
    ])
    expect(prefix.scope_id).toBe((prefix.scope as { id: number }).id)
  })

  test('the brief form has the depth', async () => {
    const [, second] = (await list('brief=1')).results
    expect(await listFields('brief=1')).toEqual([
      ...['id', 'url', 'display', 'family', 'prefix', 'description', '_depth'],
    ])
    expect(second).toMatchObject({ prefix: '10.0.0.0/16', description: '', _depth: 1 })
  })

  test('networks of other spaces are not in the tree', async () => {
    expect(await only('vrf=red')).toMatchObject({ children: 0, _depth: 0, vrf: { name: 'red', prefix_count: 1 } })
    expect(await only('prefix=10.0.0.0/8')).toMatchObject({ children: 3, _depth: 0 })
  })

  test.each([
    ['prefix=10.0.0.0/16&prefix=2001:db8::/32', ['10.0.0.0/16', '2001:db8::/32']],
    ['prefix=', 'all'],
    ['within=10.0.0.0/16', ['10.0.0.0/24', '10.0.0.9/32', '10.0.0.0/24']],
    ['within_include=10.0.0.0/24', ['10.0.0.0/24', '10.0.0.9/32', '10.0.0.0/24']],
    ['within=2001:db8::/16', ['2001:db8::/32', '2001:db8:0:1::/64']],
    ['contains=10.0.0.9', ['10.0.0.0/8', '10.0.0.0/16', '10.0.0.0/24', '10.0.0.0/24']],
    ['contains=10.0.0.9/32&vrf_id=null', ['10.0.0.0/8', '10.0.0.0/16', '10.0.0.0/24', '10.0.0.9/32']],
    ['contains=2001:db8:0:1::/64', ['2001:db8::/32', '2001:db8:0:1::/64']],
    ['mask_length=24', ['10.0.0.0/24', '10.0.0.0/24']],
    ['mask_length__lte=16', ['10.0.0.0/8', '10.0.0.0/16']],
    ['depth=3', ['10.0.0.9/32']],
    ['depth__gte=1&family=6', ['2001:db8:0:1::/64']],
    ['vlan_vid=5', ['10.0.0.0/16']],
    ['vlan=7', ['10.0.0.0/24']],
    ['is_pool=true', ['10.0.0.0/24']],
    ['family=6', ['2001:db8::/32', '2001:db8:0:1::/64']],
    ['vrf=red', ['10.0.0.0/24']],
    ['site=zurich', ['10.0.0.0/16', '10.0.0.0/24']],
    ['region=nord', ['10.0.0.0/16', '10.0.0.0/24', '2001:db8:0:1::/64']],
    ['location=room-1', ['10.0.0.0/24']],
    ['role=production', ['10.0.0.0/24']],
    ['role=null&family=6', ['2001:db8::/32', '2001:db8:0:1::/64']],
    ['status=container', ['10.0.0.0/8']],
    ['status__n=container&family=4&vrf=null', ['10.0.0.0/16', '10.0.0.0/24', '10.0.0.9/32']],
    ['tag=prod', ['10.0.0.0/24', '10.0.0.0/24']],
    ['tag=prod&tag=lab', ['10.0.0.0/24']],
    ['cf_cost=7', ['10.0.0.0/24']],
    ['description=office', ['10.0.0.0/24']],
    ['description__empty=true', ['10.0.0.0/16']],
    ['description__ic=OFF', ['10.0.0.0/24', '10.0.0.0/24']],
    ['q=second', ['10.0.0.0/24']],
    ['q=db8', ['2001:db8::/32', '2001:db8:0:1::/64']],
    ['ordering=-prefix&vrf=null&family=4', ['10.0.0.9/32', '10.0.0.0/24', '10.0.0.0/16', '10.0.0.0/8']],
    ['within=10.0.0.0/8&limit=1&offset=1', ['10.0.0.0/24']],
  ])('?%s finds %p', async (query, expected) => {
    expect(await subnets(query)).toEqual(expected === 'all' ? await subnets('') : (expected as string[]))
  })

  test.each([
    ['prefix=10.0.0.0/33', 'prefix', 'Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.'],
    ['within=abc', 'within', 'Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.'],
    ['contains=10.0.0', 'contains', 'Enter a valid IPv4 or IPv6 address or network.'],
    ['mask_length=x', 'mask_length', 'Enter a number.'],
    ['depth=x', 'depth', 'Enter a number.'],
    ['family=5', 'family', 'Select a valid choice. 5 is not one of the available choices.'],
    ['vrf=blue', 'vrf', 'Select a valid choice. blue is not one of the available choices.'],
    ['status=new', 'status', 'Select a valid choice. new is not one of the available choices.'],
    ['is_pool=maybe', 'is_pool', 'Enter true or false.'],
    ['parent=10.0.0.0/8', 'parent', 'is no filter of this list in Plat'],
  ])('?%s is refused', async (query, field, message) => {
    const { status, body } = await door.get(`ipam/prefixes/?${query}`)
    expect([status, Object.keys(body as object)]).toEqual([400, [field]])
    expect(JSON.stringify(body)).toContain(message)
  })

  describe('a write', () => {
    const create = async (body: object) => {
      const made = await door.post('ipam/prefixes/', body)
      expect(made).toMatchObject({ status: 201 })
      return Prefix.parse(made.body)
    }
    const read = async (id: number) => Prefix.parse((await door.get(`ipam/prefixes/${id}/`)).body)

    test('every field is read back as it was written', async () => {
      const site = await findPlace('sites', 'Zürich')
      const { id } = await create({
        ...{ prefix: '10.9.0.0/24', vrf: { name: 'red' }, scope_type: 'dcim.site', scope_id: site, vlan: { vid: 7 } },
        ...{ status: 'reserved', role: { name: 'Production' }, is_pool: true, mark_utilized: false, tenant: null },
        ...{ description: 'new', comments: 'long\ntext', tags: [{ slug: 'lab' }], custom_fields: { cost: 3 } },
      })
      expect(await read(id)).toMatchObject({
        ...{ prefix: '10.9.0.0/24', vrf: { name: 'red' }, scope_type: 'dcim.site', scope_id: site },
        ...{ vlan: { vid: 7 }, status: { value: 'reserved' }, role: { name: 'Production' }, is_pool: true },
        ...{ description: 'new', comments: 'long\ntext', tags: [{ name: 'lab' }], custom_fields: { cost: 3 } },
      })
      const put = await door.put(`ipam/prefixes/${id}/`, {
        ...{ prefix: '10.9.0.0/24', vrf: null, scope_type: null, scope_id: null, vlan: null, status: 'active' },
        ...{ role: null, is_pool: false, description: '', comments: '', tags: [], custom_fields: { cost: null } },
      })
      expect(put).toMatchObject({
        status: 200,
        body: {
          ...{ vrf: null, scope_type: null, scope_id: null, scope: null, vlan: null, status: { value: 'active' } },
          ...{ role: null, is_pool: false, description: '', comments: '', tags: [], custom_fields: { cost: null } },
        },
      })
      expect((await door.delete(`ipam/prefixes/${id}/`)).status).toBe(204)
      expect((await door.get(`ipam/prefixes/${id}/`)).body).toEqual({ detail: 'No Prefix matches the given query.' })
    })

    test('a network without a description is called by its subnet, also by a new one', async () => {
      const { id } = await create({ prefix: '10.8.0.0/24' })
      const names = async () => (await door.api.networks.list({ limit: 100 })).map(({ name }) => name)
      expect(await names()).toContain('10.8.0.0/24')
      expect(await door.patch(`ipam/prefixes/${id}/`, { prefix: '10.8.0.0/23' })).toMatchObject({
        body: { prefix: '10.8.0.0/23', description: '' },
      })
      expect(await names()).toContain('10.8.0.0/23')
      await door.delete(`ipam/prefixes/${id}/`)
    })

    test('a site is taken for the scope, and an address without a mask for a network', async () => {
      const { id } = await create({ prefix: '10.8.0.7', site: { slug: 'zurich' } })
      expect(await read(id)).toMatchObject({
        prefix: '10.8.0.7/32',
        scope_type: 'dcim.site',
        scope: { name: 'Zürich' },
      })
      await door.delete(`ipam/prefixes/${id}/`)
    })

    test('the text of an IPv6 prefix becomes canonical', async () => {
      expect(await create({ prefix: '2001:DB8:0:0:5::/80' })).toMatchObject({ prefix: '2001:db8:0:0:5::/80' })
    })

    test('a PATCH that changes nothing writes nothing', async () => {
      const { id, last_updated } = await only('prefix=10.0.0.0/8')
      const { body } = await door.patch(`ipam/prefixes/${id}/`, { description: 'everything', status: 'container' })
      expect(body).toMatchObject({ last_updated })
    })

    test('a list is one change, and nothing of it is stored where one object is wrong', async () => {
      const { status, body } = await door.post('ipam/prefixes/', [{ prefix: '10.7.0.0/24' }, { prefix: '10.7.0.0/24' }])
      expect([status, body]).toEqual([400, [{}, { prefix: ['Duplicate prefix found in global table: 10.7.0.0/24'] }]])
      expect(await subnets('prefix=10.7.0.0/24')).toEqual([])
    })

    const refused = async (body: object, expected: object) => {
      const answer = await door.post('ipam/prefixes/', body)
      expect([answer.status, answer.body]).toEqual([400, expected])
    }

    test.each([
      [{}, { prefix: ['This field is required.'] }],
      [{ prefix: '' }, { prefix: ['This field may not be blank.'] }],
      [{ prefix: '10.0.0.0/33' }, { prefix: ['Enter a valid IPv4 or IPv6 network, such as 10.0.0.0/24.'] }],
      [{ prefix: '10.6.0.5/24' }, { prefix: ['10.6.0.5/24 is an address of the network 10.6.0.0/24'] }],
      [{ prefix: '10.0.0.0/24' }, { prefix: ['Duplicate prefix found in global table: 10.0.0.0/24'] }],
      [{ prefix: '10.0.0.0/24', vrf: { name: 'red' } }, { prefix: ['Duplicate prefix found in VRF red: 10.0.0.0/24'] }],
      [{ prefix: '10.6.0.0/24', vrf: 7 }, { vrf: ['Related object not found using the provided numeric ID: 7'] }],
      [
        { prefix: '10.6.0.0/24', scope_type: 'dcim.rack', scope_id: 1 },
        {
          scope_type: [
            'Invalid content type: "dcim.rack" is none of dcim.region, dcim.sitegroup, dcim.site, dcim.location',
          ],
        },
      ],
      [
        { prefix: '10.6.0.0/24', scope_type: 'dcim.site', scope_id: 7 },
        { scope_id: ['Related object not found using the provided numeric ID: 7'] },
      ],
      [{ prefix: '10.6.0.0/24', scope_type: 'dcim.site' }, { scope_id: ['This field is required with scope_type.'] }],
      [{ prefix: '10.6.0.0/24', scope_id: 7 }, { scope_type: ['This field is required with scope_id.'] }],
      [{ prefix: '10.6.0.0/24', status: 'new' }, { status: ['"new" is not a valid choice.'] }],
      [
        { prefix: '10.6.0.0/24', description: '10.6.0.0/24' },
        { description: ['is the prefix itself; leave it empty'] },
      ],
      [
        { prefix: '10.6.0.0/24', mark_utilized: true },
        { mark_utilized: ['true has no place here: define the custom field "mark_utilized" of networks'] },
      ],
      [
        { prefix: '10.6.0.0/24', tenant: 1 },
        { tenant: ['1 has no place here: define the custom field "tenant" of networks'] },
      ],
      [
        { prefix: '10.6.0.0/24', vlan: { vid: 7 } },
        { vlan: ['users (7) is not the VLAN 7 at the scope of the prefix'] },
      ],
      [
        { prefix: '10.6.0.0/24', custom_fields: { nothing: 1 } },
        { custom_fields: ["Custom field 'nothing' does not exist for this object type."] },
      ],
    ])('of %p is refused with %p', refused)

    test('a place of another kind than the type says is refused', async () => {
      const site = await findPlace('sites', 'Zürich')
      await refused(
        { prefix: '10.6.0.0/24', scope_type: 'dcim.sitegroup', scope_id: site },
        { scope_id: [`Related object not found using the provided numeric ID: ${site}`] },
      )
    })

    test('a prefix with ranges or reserved addresses is not deleted; an empty pool of addresses does not keep it', async () => {
      const { id } = await create({ prefix: '10.5.0.0/24' })
      const [network] = (await door.api.networks.list({ limit: 500 })).filter(({ subnet }) => subnet === '10.5.0.0/24')
      const pool = await door.api.pools.create({
        ...{ network_id: network?.id ?? '', name: 'addresses', start_ip: '10.5.0.1', end_ip: '10.5.0.254' },
      })
      const one = await door.api.reservations.create({ pool_id: pool.id, ip_address: '10.5.0.9' })
      const kept = await door.delete(`ipam/prefixes/${id}/`)
      expect([kept.status, kept.body]).toEqual([
        409,
        {
          detail: '10.5.0.0/24 has IP ranges or reserved addresses, which would go with it: delete them first',
        },
      ])
      await door.api.reservations.delete({ id: one.id })
      const range = await door.api.pools.create({
        ...{ network_id: network?.id ?? '', name: 'dhcp', start_ip: '10.5.0.1', end_ip: '10.5.0.9' },
      })
      expect((await door.delete(`ipam/prefixes/${id}/`)).status).toBe(409)
      await door.api.pools.delete({ id: range.id })
      expect((await door.delete(`ipam/prefixes/${id}/`)).status).toBe(204)
    })

    test('a prefix changes its address only as far as its contents allow', async () => {
      const { id } = await create({ prefix: '10.5.0.0/24' })
      const range = await door.post('ipam/ip-ranges/', { start_address: '10.5.0.10', end_address: '10.5.0.20' })
      const { status, body } = await door.patch(`ipam/prefixes/${id}/`, { prefix: '10.5.1.0/24' })
      expect([status, Object.keys(body as object)]).toEqual([400, ['prefix']])
      expect((await door.delete(`ipam/ip-ranges/${(range.body as { id: number }).id}/`)).status).toBe(204)
      await door.delete(`ipam/prefixes/${id}/`)
    })

    test('of parallel writers of one subnet one makes it', async () => {
      const all = await Promise.all(
        Array.from({ length: 5 }, () => door.post('ipam/prefixes/', { prefix: '10.4.0.0/24' })),
      )
      expect(all.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400])
    })
  })

  describe('available-prefixes', () => {
    let parent = 0
    const path = () => `ipam/prefixes/${parent}/available-prefixes/`
    beforeAll(async () => {
      const site = await findPlace('sites', 'Zürich')
      const made = await door.post('ipam/prefixes/', {
        ...{ prefix: '10.100.0.0/24', vrf: { name: 'red' }, scope_type: 'dcim.site', scope_id: site },
      })
      parent = Prefix.parse(made.body).id
    })

    test('the free blocks are shown with their VRF', async () => {
      await door.post('ipam/prefixes/', { prefix: '10.100.0.64/26', vrf: { name: 'red' } })
      expect((await door.get(path())).body).toMatchObject([
        { family: 4, prefix: '10.100.0.0/26', vrf: { name: 'red' } },
        { family: 4, prefix: '10.100.0.128/25', vrf: { name: 'red' } },
      ])
    })

    test('an object takes the lowest block, with the fields of a prefix', async () => {
      expect(await door.post(path(), { prefix_length: 27, description: 'one', status: 'reserved' })).toMatchObject({
        status: 201,
        body: {
          ...{ prefix: '10.100.0.0/27', description: 'one', status: { value: 'reserved' }, vrf: { name: 'red' } },
          scope: { name: 'Zürich' },
        },
      })
      expect(await door.post(path(), { prefix_length: 27, scope_type: null, scope_id: null })).toMatchObject({
        status: 201,
        body: { prefix: '10.100.0.32/27', description: '', scope: null },
      })
    })

    test('a list takes all of its blocks, or none', async () => {
      const tooMany = await door.post(path(), [{ prefix_length: 26 }, { prefix_length: 25 }])
      expect([tooMany.status, tooMany.body]).toEqual([
        409,
        { detail: 'Insufficient resources are available to satisfy the request' },
      ])
      const two = await door.post(path(), [{ prefix_length: 26 }, { prefix_length: 26, description: 'last' }])
      expect(two).toMatchObject({
        status: 201,
        body: [{ prefix: '10.100.0.128/26' }, { prefix: '10.100.0.192/26', description: 'last' }],
      })
    })

    test('a full prefix has no block left', async () => {
      expect((await door.get(path())).body).toEqual([])
      expect((await door.post(path(), { prefix_length: 30 })).status).toBe(409)
    })

    test.each([
      [{}, 400, { prefix_length: ['this field can not be missing'] }],
      [{ prefix_length: '26' }, 400, { prefix_length: ['this field must be int type'] }],
      [{ prefix_length: 33 }, 400, { prefix_length: ['Invalid prefix length (33) for IPv4'] }],
      [{ prefix_length: 24 }, 409, { detail: 'Insufficient resources are available to satisfy the request' }],
      [{ prefix_length: 30, status: 'new' }, 400, { status: ['"new" is not a valid choice.'] }],
      [[{ prefix_length: 30 }, {}], 409, { detail: 'Insufficient resources are available to satisfy the request' }],
    ])('%p is refused', async (body, status, expected) => {
      const answer = await door.post(path(), body)
      expect([answer.status, answer.body]).toEqual([status, expected])
    })

    test('parallel callers get different blocks', async () => {
      const { body } = await door.post('ipam/prefixes/', { prefix: '10.101.0.0/24' })
      const at = `ipam/prefixes/${Prefix.parse(body).id}/available-prefixes/`
      const all = await Promise.all(Array.from({ length: 8 }, () => door.post(at, { prefix_length: 27 })))
      expect(new Set(all.map((one) => Prefix.parse(one.body).prefix)).size).toBe(8)
    })
  })
})
