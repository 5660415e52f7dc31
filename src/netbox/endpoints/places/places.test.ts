// Sites, regions, site groups, locations and racks as NetBox has them: datacenters by their type, with true counts, and sites written.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const List = z.object({ results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })
const One = z.looseObject({ id: z.number() })

const PLACE_TYPES = ['region', 'site group', 'site', 'location']

/** Makes a region with a site of two rooms, a site group, a site without anything, and objects in no site. */
const makeEstate = async ({ api }: Door): Promise<void> => {
  const ofPlaces = { resource: 'datacenters' } as const
  await api.customFields.create({ ...ofPlaces, name: 'place_type', type: 'choice', choices: PLACE_TYPES })
  const place = async (name: string, parent_id?: string, place_type?: string) =>
    api.datacenters.create({ name, ...(parent_id && { parent_id }), ...(place_type && { custom: { place_type } }) })
  const europe = await place('Europe', undefined, 'region')
  const swiss = await place('Switzerland', europe.id, 'region')
  const zurich = await place('Zürich', swiss.id)
  const hall = await place('Hall', zurich.id, 'location')
  const cage = await place('Cage', hall.id, 'location')
  await place('Production', undefined, 'site group')
  await api.datacenters.create({ name: 'Alone', location: 'Street 1', description: 'first\nsecond' })
  await api.racks.create({ name: 'R1', datacenter_id: cage.id, height: 20, first_unit: 0, numbering: 'top_down' })
  await api.racks.create({ name: 'R2' })
  await api.networks.create({ name: 'lan', subnet: '10.0.0.0/24', datacenter_id: zurich.id, vlan_id: 7 })
  await api.networks.create({ name: 'wide', subnet: '10.1.0.0/24', datacenter_id: swiss.id })
  await api.vlans.create({ name: 'users', vlan_id: 5, datacenter_id: cage.id })
  await api.devices.create({ name: 'in the hall', datacenter_id: hall.id })
  await api.devices.create({ name: 'at the site', datacenter_id: zurich.id })
  await api.devices.create({ name: 'a machine', datacenter_id: cage.id, tags: ['vm'] })
  await api.devices.create({ name: 'in the region', datacenter_id: europe.id })
}

describe.each(engines())('places on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    await makeEstate(door)
  })
  afterAll(() => door.close())

  const list = async (path: string) => List.parse((await door.get(path)).body).results
  const names = async (path: string) => (await list(path)).map(({ name }) => name)
  const find = async (path: string) => One.parse((await list(path))[0])

  test('a site has what is at it and in its rooms, and its region', async () => {
    expect(await find('dcim/sites/?name=Z%C3%BCrich')).toMatchObject({
      slug: 'zurich',
      status: { value: 'active', label: 'Active' },
      region: { name: 'Switzerland', site_count: 1, _depth: 1 },
      group: null,
      ...{ device_count: 2, virtualmachine_count: 1, rack_count: 1, prefix_count: 1, vlan_count: 2, circuit_count: 0 },
      custom_fields: {},
    })
  })

  test('a site has the address, the description and the comments of its datacenter', async () => {
    const site = await find('dcim/sites/?name=Alone')
    expect(site).toMatchObject({ physical_address: 'Street 1', description: 'first', comments: 'second' })
    expect(site).toMatchObject({ region: null, time_zone: null, asns: [], tags: [], device_count: 0 })
  })

  test('a site stands for the objects in none, and is not written', async () => {
    const site = await find('dcim/sites/?slug=unassigned')
    expect(site).toMatchObject({ name: 'Unassigned', created: null, device_count: 1, rack_count: 1, prefix_count: 0 })
    const path = `dcim/sites/${site.id}/`
    expect((await door.get(path)).body).toMatchObject({ slug: 'unassigned' })
    expect((await door.patch(path, { slug: 'other' })).status).toBe(409)
    expect((await door.delete(path)).status).toBe(409)
  })

  test('a region counts the sites below it, and the prefixes of which it is the nearest', async () => {
    expect(await list('dcim/regions/')).toMatchObject([
      { name: 'Europe', slug: 'europe', parent: null, site_count: 1, prefix_count: 0, _depth: 0 },
      { name: 'Switzerland', parent: { slug: 'europe' }, site_count: 1, prefix_count: 2, _depth: 1 },
    ])
    expect(await list('dcim/site-groups/')).toMatchObject([{ name: 'Production', parent: null, site_count: 0 }])
  })

  test('a location has its site, and counts with the locations below it', async () => {
    expect(await list('dcim/locations/')).toMatchObject([
      { name: 'Cage', site: { slug: 'zurich' }, parent: { name: 'Hall' }, rack_count: 1, device_count: 0, _depth: 1 },
      { name: 'Hall', site: { slug: 'zurich' }, parent: null, rack_count: 1, device_count: 1, _depth: 0 },
    ])
  })

  test('a rack has its site, its location and its units', async () => {
    expect(await list('dcim/racks/')).toMatchObject([
      {
        ...{ name: 'R1', site: { slug: 'zurich' }, location: { slug: 'cage' }, u_height: 20, starting_unit: 0 },
        ...{ desc_units: true, width: { value: 19, label: '19 inches' }, status: { value: 'active' }, role: null },
      },
      { name: 'R2', site: { slug: 'unassigned' }, location: null, u_height: 42, desc_units: false },
    ])
  })

  test.each([
    ['dcim/sites/?region=europe', ['Zürich']],
    ['dcim/sites/?region=switzerland', ['Zürich']],
    ['dcim/sites/?region=null', ['Alone', 'Unassigned']],
    ['dcim/sites/?region__n=europe', ['Alone', 'Unassigned']],
    ['dcim/sites/?group=production', []],
    ['dcim/sites/?name__ic=LON', ['Alone']],
    ['dcim/sites/?slug__isw=z', ['Zürich']],
    ['dcim/sites/?description=first', ['Alone']],
    ['dcim/sites/?q=street', ['Alone']],
    ['dcim/sites/?status=planned', []],
    ['dcim/sites/?status=active&limit=1', ['Alone']],
    ['dcim/sites/?tenant=null&name=Alone', ['Alone']],
    ['dcim/sites/?ordering=-name', ['Zürich', 'Unassigned', 'Alone']],
    ['dcim/regions/?parent=europe', ['Switzerland']],
    ['dcim/regions/?parent=null', ['Europe']],
    ['dcim/regions/?q=swi', ['Switzerland']],
    ['dcim/locations/?site=zurich', ['Cage', 'Hall']],
    ['dcim/locations/?parent=hall', ['Cage']],
    ['dcim/locations/?region=europe&status=active', ['Cage', 'Hall']],
    ['dcim/racks/?site=zurich', ['R1']],
    ['dcim/racks/?site=unassigned', ['R2']],
    ['dcim/racks/?location=hall', ['R1']],
    ['dcim/racks/?name=R2&status=active', ['R2']],
    ['dcim/racks/?serial__empty=true', ['R1', 'R2']],
  ])('%s finds what NetBox finds', async (path, wanted) => {
    expect(await names(path)).toEqual(wanted)
  })

  test.each([
    ['dcim/sites/?region=nowhere', { region: [expect.stringContaining('Select a valid choice')] }],
    ['dcim/sites/?asn=1', { asn: [expect.stringContaining('is no filter')] }],
    ['dcim/sites/?status=', { status: [expect.any(String)] }],
    ['dcim/racks/?tag=nothing', { tag: [expect.any(String)] }],
    ['dcim/racks/?cf_x=1', { cf_x: [expect.any(String)] }],
  ])('%s is refused on the parameter', async (path, body) => {
    expect(await door.get(path)).toMatchObject({ status: 400, body })
  })

  test('a site is made, changed and deleted with its place', async () => {
    const made = await door.post('dcim/sites/', {
      ...{ name: 'Bern', slug: 'bern', status: 'active', region: { slug: 'switzerland' }, physical_address: 'Lane 2' },
      ...{ description: 'one', comments: 'two', latitude: null, tags: [], asns: [], custom_fields: {} },
    })
    expect(made).toMatchObject({
      status: 201,
      body: { region: { name: 'Switzerland', site_count: 2 }, physical_address: 'Lane 2', description: 'one' },
    })
    const { id } = One.parse(made.body)
    const path = `dcim/sites/${id}/`
    const again = await door.put(path, { name: 'Bern', slug: 'bern', region: { name: 'Switzerland' }, group: null })
    expect(again.body).toMatchObject({ region: { slug: 'switzerland' }, comments: 'two', group: null })
    const moved = await door.patch(path, { region: null, group: { slug: 'production' } })
    expect(moved.body).toMatchObject({ region: null, group: { slug: 'production', site_count: 1 } })
    expect((await door.get('dcim/sites/?group=production')).body).toMatchObject({ count: 1, results: [{ id }] })
    expect((await door.patch(path, { group: null })).body).toMatchObject({ region: null, group: null })
    const renamed = await door.patch(path, { name: 'Basel', slug: 'basel' })
    expect(renamed.body).toMatchObject({ id, name: 'Basel', slug: 'basel' })
    expect(await door.delete(path)).toEqual({ status: 204, body: undefined })
    expect(await door.get(path)).toEqual({ status: 404, body: { detail: 'No Site matches the given query.' } })
  })

  test.each([
    [{}, { name: ['This field is required.'], slug: ['This field is required.'] }],
    [
      { name: 'Alone', slug: 'alone-2' },
      { name: ['site with this name already exists.'], slug: [expect.any(String)] },
    ],
    [{ name: 'alone', slug: 'alone' }, { slug: ['site with this slug already exists.'] }],
    [{ name: 'Chur', slug: 'ch ur' }, { slug: [expect.stringContaining('Enter a valid')] }],
    [
      { name: 'Chur', slug: 'cur' },
      { slug: [expect.stringContaining('define the custom field "slug" of datacenters')] },
    ],
    [{ name: 'Chur', slug: 'chur', region: 7 }, { region: [expect.stringContaining('numeric ID: 7')] }],
    [{ name: 'Chur', slug: 'chur', region: { slug: 'zurich' } }, { region: [expect.stringContaining('not found')] }],
    [
      { name: 'Chur', slug: 'chur', region: { slug: 'europe' }, group: { slug: 'production' } },
      { group: [expect.stringContaining('define the custom field "site_group" of datacenters')] },
    ],
    [{ name: 'Chur', slug: 'chur', facility: 'x' }, { facility: [expect.stringContaining('has no place here')] }],
    [{ name: 'Chur', slug: 'chur', asns: [1] }, { asns: ['[1] has no place in Plat'] }],
    [{ name: 'Chur', slug: 'chur', status: 'open' }, { status: [expect.stringContaining('has no place here')] }],
    [{ name: 'Chur', slug: 'chur', physical_address: 'x'.repeat(300) }, { physical_address: [expect.any(String)] }],
  ])('%j is refused with the names of NetBox', async (body, messages) => {
    expect(await door.post('dcim/sites/', body)).toEqual({ status: 400, body: messages })
  })

  test('custom fields of datacenters serve as fields of a site', async () => {
    const { api } = door
    const ofPlaces = { resource: 'datacenters' } as const
    await api.customFields.create({ ...ofPlaces, name: 'slug', type: 'text' })
    await api.customFields.create({ ...ofPlaces, name: 'facility', type: 'text' })
    await api.customFields.create({ ...ofPlaces, name: 'status', type: 'choice', choices: ['planned', 'retired'] })
    await api.customFields.create({
      ...{ ...ofPlaces, name: 'site_group', type: 'reference', reference_to: 'datacenters' },
    })
    const made = await door.post('dcim/sites/', {
      ...{ name: 'Genf', slug: 'gva', status: 'planned', facility: 'F1' },
      ...{ region: { slug: 'switzerland' }, group: { slug: 'production' } },
    })
    expect(made.body).toMatchObject({
      ...{ slug: 'gva', status: { value: 'planned', label: 'Planned' }, facility: 'F1', custom_fields: {} },
      ...{ region: { slug: 'switzerland' }, group: { slug: 'production' } },
    })
    expect(await names('dcim/sites/?group=production')).toEqual(['Genf'])
    expect(await names('dcim/sites/?slug=gva&status=planned')).toEqual(['Genf'])
    const path = `dcim/sites/${One.parse(made.body).id}/`
    expect((await door.patch(path, { name: 'Genève' })).body).toMatchObject({ slug: 'gva' })
    expect((await door.patch(path, { group: null, status: 'active' })).body).toMatchObject({
      ...{ group: null, region: { slug: 'switzerland' }, status: { value: 'active' } },
    })
    expect((await door.delete(path)).status).toBe(204)
  })

  test('a write that changes nothing is no change', async () => {
    const site = await find('dcim/sites/?name=Alone')
    const before = (await door.api.history.list({ limit: 1 }))[0]?.id
    expect(before).toBeString()
    expect((await door.put(`dcim/sites/${site.id}/`, site)).status).toBe(200)
    expect((await door.api.history.list({ limit: 1 }))[0]?.id).toBe(before)
  })
})
