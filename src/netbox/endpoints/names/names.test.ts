// Names as NetBox has them: texts of objects, and names that clients have made, which keep the attributes that were sent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { keyFor } from '../../../../testing/estates/identities.ts'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { engines, onSqlite } from '../../../../testing/servers/servers.ts'

const List = z.object({ results: z.array(z.looseObject({ id: z.number(), name: z.string() })) })
const One = z.looseObject({ id: z.number() })

describe.each(engines())('names of objects on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
    const { api } = door
    const role = { name: 'role', type: 'choice' as const, choices: ['Production', 'Lab'] }
    await api.customFields.create({ resource: 'networks', ...role })
    await api.customFields.create({ resource: 'vlans', ...role })
    await api.customFields.create({
      ...{ resource: 'networks', name: 'tags', type: 'choice', multiple: true, choices: ['Prod', 'dmz'] },
    })
    await api.deviceTypes.create({ manufacturer: 'Cisco', model: 'C9300' })
    await api.devices.create({ name: 'one', role: 'Core Switch', os: 'IOS XE', tags: ['prod', 'Büro'] })
    await api.devices.create({ name: 'two', role: 'core switch', os: 'ios xe' })
    await api.devices.create({ name: 'machine', role: 'Core Switch', os: 'Debian', tags: ['vm', 'prod'] })
    await api.devices.create({ name: 'bare' })
    const network = await api.networks.create({
      ...{ name: 'lan', subnet: '10.0.0.0/24', custom: { role: 'Production', tags: ['Prod'] } },
    })
    await api.pools.create({
      ...{ name: 'p', network_id: network.id, start_ip: '10.0.0.1', end_ip: '10.0.0.9', tags: ['prod'] },
    })
    await api.vlans.create({ name: 'v1', vlan_id: 5, group: 'Fabric A', custom: { role: 'Production' } })
    await api.vlans.create({ name: 'v2', vlan_id: 6, group: 'fabric a' })
  })
  afterAll(() => door.close())

  const list = async (path: string) => List.parse((await door.get(path)).body).results
  const names = async (path: string) => (await list(path)).map(({ name }) => name)

  test('a role counts devices and machines, in any case', async () => {
    expect(await list('dcim/device-roles/')).toMatchObject([
      {
        ...{ name: expect.stringMatching(/^core switch$/i), slug: 'core-switch', color: '9e9e9e', vm_role: true },
        ...{ parent: null, device_count: 2, virtualmachine_count: 1, _depth: 0, created: null, tags: [] },
      },
      { name: 'Unassigned', slug: 'unassigned', device_count: 1, virtualmachine_count: 0 },
    ])
  })

  test('a platform counts devices and machines', async () => {
    expect(await list('dcim/platforms/')).toMatchObject([
      { slug: 'debian', device_count: 0, virtualmachine_count: 1, parent: null, manufacturer: null },
      { slug: 'ios-xe', device_count: 2, virtualmachine_count: 0 },
    ])
  })

  test('a manufacturer counts its types', async () => {
    expect(await list('dcim/manufacturers/')).toMatchObject([
      { name: 'Cisco', slug: 'cisco', devicetype_count: 1, platform_count: 0 },
      { name: 'Unknown', devicetype_count: 1 },
    ])
  })

  test('a tag counts the devices, pools and networks that have it', async () => {
    expect(await list('extras/tags/')).toMatchObject([
      { name: 'Büro', slug: 'buro', tagged_items: 1, weight: 1000, object_types: [] },
      { name: 'dmz', tagged_items: 0 },
      { slug: 'prod', tagged_items: 4 },
    ])
  })

  test('roles of networks and groups of VLANs are names', async () => {
    expect(await list('ipam/roles/')).toMatchObject([
      { name: 'Lab', prefix_count: 0, vlan_count: 0, weight: 1000 },
      { name: 'Production', prefix_count: 1, vlan_count: 1 },
    ])
    expect(await list('ipam/vlan-groups/')).toMatchObject([
      { slug: 'fabric-a', vlan_count: 2, vid_ranges: [], utilization: '0.05', scope: null },
    ])
  })

  test.each([
    ['dcim/device-roles/?slug=unassigned', ['Unassigned']],
    ['dcim/device-roles/?q=UNASS', ['Unassigned']],
    ['dcim/device-roles/?color=9e9e9e&name__isw=un', ['Unassigned']],
    ['dcim/device-roles/?vm_role=false', []],
    ['dcim/platforms/?name__ic=deb', ['Debian']],
    ['extras/tags/?slug=dmz', ['dmz']],
    ['extras/tags/?ordering=-name&limit=1', ['prod']],
    ['ipam/roles/?name=Lab', ['Lab']],
  ])('%s finds what NetBox finds', async (path, wanted) => {
    expect((await names(path)).map((name) => (name === 'Prod' ? 'prod' : name))).toEqual(wanted)
  })

  test('a name in use has attributes, and is not renamed or deleted', async () => {
    const [role] = await list('dcim/device-roles/?slug=core-switch')
    const path = `dcim/device-roles/${role?.id}/`
    const changed = await door.patch(path, { color: '00ff00', vm_role: false, description: 'x', slug: 'core-switch' })
    expect(changed.body).toMatchObject({ id: role?.id, color: '00ff00', vm_role: false, description: 'x' })
    expect((await door.get(path)).body).toMatchObject({ color: '00ff00', name: role?.name })
    const inUse = ['is in use: rename it at the objects that have it']
    expect(await door.patch(path, { slug: 'cs' })).toEqual({ status: 400, body: { slug: inUse } })
    expect(await door.put(path, { name: 'Other', slug: 'other' })).toEqual({
      status: 400,
      body: { name: inUse, slug: inUse },
    })
    expect((await door.delete(path)).status).toBe(409)
    expect((await door.get('dcim/device-roles/?color=00ff00&vm_role=false')).body).toMatchObject({ count: 1 })
  })
})

const WRITTEN = [
  ['dcim/device-roles/', 'device role', { color: 'ff0000', vm_role: false, description: 'd' }],
  ['dcim/platforms/', 'platform', { description: 'd' }],
  ['dcim/manufacturers/', 'manufacturer', { description: 'd' }],
  ['extras/tags/', 'tag', { color: 'ff0000', description: 'd' }],
  ['ipam/roles/', 'role', { description: 'd' }],
] as const

describe.each(engines())('names that clients make on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  test.each(WRITTEN)('%s makes, finds, renames and deletes a name', async (path, _, attributes) => {
    const made = await door.post(path, { name: 'Größe 1', slug: 'g1', ...attributes })
    expect(made).toMatchObject({ status: 201, body: { name: 'Größe 1', slug: 'g1', ...attributes } })
    const { id } = One.parse(made.body)
    expect((await door.get(`${path}?slug=g1`)).body).toMatchObject({ count: 1, results: [{ id, ...attributes }] })
    const renamed = await door.put(`${path}${id}/`, { name: 'Other', slug: 'other' })
    expect(renamed.body).toMatchObject({ id, name: 'Other', slug: 'other', ...attributes })
    expect((await door.get(`${path}?name=Gr%C3%B6%C3%9Fe 1`)).body).toMatchObject({ count: 0 })
    expect((await door.patch(`${path}${id}/`, { name: 'OTHER' })).body).toMatchObject({ id, name: 'OTHER' })
    expect((await door.delete(`${path}${id}/`)).status).toBe(204)
    expect((await door.get(`${path}${id}/`)).status).toBe(404)
  })

  test.each(WRITTEN)('%s refuses a name or a slug that exists', async (path, noun) => {
    await door.post(path, { name: 'Taken', slug: 'taken' })
    const bySlug = { slug: [`${noun} with this slug already exists.`] }
    expect(await door.post(path, { name: 'Taken', slug: 'taken' })).toEqual({ status: 400, body: bySlug })
    expect(await door.post(path, { name: 'Free', slug: 'taken' })).toEqual({ status: 400, body: bySlug })
    const byName = { name: [`${noun} with this name already exists.`] }
    expect(await door.post(path, { name: 'TAKEN', slug: 'free' })).toEqual({ status: 400, body: byName })
    const free = One.parse((await door.post(path, { name: 'Free', slug: 'free' })).body)
    expect(await door.patch(`${path}${free.id}/`, { name: 'Taken' })).toEqual({ status: 400, body: byName })
    expect(await door.patch(`${path}${free.id}/`, { slug: 'taken' })).toEqual({ status: 400, body: bySlug })
  })

  test('the first object with a name takes over its number and its attributes', async () => {
    const role = One.parse((await door.post('dcim/device-roles/', { name: 'Leaf', slug: 'lf', color: '123456' })).body)
    await door.api.devices.create({ name: 'leaf 1', role: 'leaf' })
    const answer = await door.get('dcim/devices/?name=leaf%201')
    expect(answer.body).toMatchObject({ results: [{ role: { id: role.id, slug: 'lf', name: 'Leaf' } }] })
    expect((await door.delete(`dcim/device-roles/${role.id}/`)).status).toBe(409)
  })

  test('parallel calls make a name once', async () => {
    const calls = Array.from({ length: 8 }, () => door.post('extras/tags/', { name: 'Same', slug: 'same' }))
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
    expect(statuses).toEqual([201, 400, 400, 400, 400, 400, 400, 400])
  })
})

describe.each(onSqlite())('writes of names', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect, { AUDIT_ENABLED: 'true' })
    await door.api.devices.create({ name: 'bare' })
  })
  afterAll(() => door.close())

  test.each([
    ['dcim/device-roles/', {}, { name: ['This field is required.'], slug: ['This field is required.'] }],
    ['dcim/device-roles/', { name: ' ', slug: '' }, { name: [expect.any(String)], slug: [expect.any(String)] }],
    ['dcim/device-roles/', { name: 'a\u0000', slug: 'a' }, { name: ['Null characters are not allowed.'] }],
    ['dcim/device-roles/', { name: 'a', slug: 'ä' }, { slug: [expect.stringContaining('Enter a valid')] }],
    [
      'dcim/device-roles/',
      { name: 'x'.repeat(101), slug: 'x' },
      { name: [expect.stringContaining('no more than 100')] },
    ],
    ['dcim/device-roles/', { name: 'a', slug: 'a', color: 'red' }, { color: [expect.any(String)] }],
    ['dcim/device-roles/', { name: 'a', slug: 'a', vm_role: 'x' }, { vm_role: ['Must be a valid boolean.'] }],
    ['dcim/device-roles/', { name: 'a', slug: 'a', parent: 1 }, { parent: ['1 has no place in Plat'] }],
    ['dcim/device-roles/', { name: 'a', slug: 'a', tags: [1] }, { tags: ['[1] has no place in Plat'] }],
    ['dcim/platforms/', { name: 'a', slug: 'a', manufacturer: 1 }, { manufacturer: [expect.any(String)] }],
    ['extras/tags/', { name: 'a', slug: 'a', weight: 7 }, { weight: ['7 has no place in Plat'] }],
    ['extras/tags/', { name: 'a', slug: 'a', object_types: ['dcim.site'] }, { object_types: [expect.any(String)] }],
  ])('%s refuses %j with the names of NetBox', async (path, body, messages) => {
    expect(await door.post(path, body)).toEqual({ status: 400, body: messages })
  })

  test.each([
    ['dcim/device-roles/', 'Unassigned'],
    ['dcim/manufacturers/', 'Unknown'],
    ['extras/tags/', 'vm'],
  ])('%s does not write %s', async (path, name) => {
    expect((await door.post(path, { name, slug: 'own' })).status).toBe(409)
    for (const { id } of List.parse((await door.get(`${path}?name=${name}`)).body).results) {
      expect((await door.patch(`${path}${id}/`, { description: 'x' })).status).toBe(409)
      expect((await door.delete(`${path}${id}/`)).status).toBe(409)
    }
  })

  test('groups of VLANs are read only', async () => {
    expect((await door.post('ipam/vlan-groups/', { name: 'a', slug: 'a' })).status).toBe(405)
  })

  test('a write of a name is in the audit log, and is no change of the estate', async () => {
    const { api } = door
    const before = await api.history.list({})
    const { id } = One.parse((await door.post('extras/tags/', { name: 'audited', slug: 'audited' })).body)
    await door.patch(`extras/tags/${id}/`, { color: '00ff00' })
    await door.delete(`extras/tags/${id}/`)
    expect(await api.history.list({})).toEqual(before)
    const entries = await api.audit.list({ resource: 'tag', status: 'success' })
    expect(entries.map(({ action, change_id }) => [action, change_id])).toEqual([
      ['delete', ''],
      ['update', ''],
      ['create', ''],
    ])
  })
})

describe.each(engines())('names of callers with a reach on %s', (dialect) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(dialect)
  })
  afterAll(() => door.close())

  const LIMITED = ['devices:list', 'devices:read', 'devices:create', 'devices:update', 'devices:delete']

  /** Makes a user who may do all with the devices of a datacenter. Returns the key. */
  const makeCaller = async (name: string, datacenterId: string): Promise<string> => {
    const { api, app } = door
    const role = await api.roles.create({ name: `devices of ${name}`, permissions: LIMITED })
    const scope = await api.scopes.create({ name, datacenter_ids: [datacenterId] })
    const user = await api.users.create({
      ...{ username: name, email: `${name}@example.com`, password: 'correct horse battery' },
      grants: [{ role_id: role.id, scope_id: scope.id }],
    })
    return keyFor(app.db, user.id)
  }

  test('each sees the names of its objects and those that it made', async () => {
    const { api, send } = door
    const [here, there] = [
      await api.datacenters.create({ name: 'here' }),
      await api.datacenters.create({ name: 'there' }),
    ]
    await api.devices.create({ name: 'a', role: 'Open', datacenter_id: here.id })
    await api.devices.create({ name: 'b', role: 'Secret', datacenter_id: there.id })
    const [one, other] = [await makeCaller('one', here.id), await makeCaller('other', here.id)]
    const roles = async (key: string) =>
      List.parse((await send('GET', 'dcim/device-roles/', undefined, key)).body).results.map(({ name }) => name)
    expect([await roles(one), await roles(other)]).toEqual([['Open'], ['Open']])
    const made = await send('POST', 'dcim/device-roles/', { name: 'Mine', slug: 'mine', color: 'ff0000' }, one)
    expect(made).toMatchObject({ status: 201, body: { name: 'Mine', slug: 'mine', device_count: 0 } })
    expect([await roles(one), await roles(other)]).toEqual([['Mine', 'Open'], ['Open']])
    const path = `dcim/device-roles/${One.parse(made.body).id}/`
    expect((await send('GET', path, undefined, other)).status).toBe(404)
    expect((await send('DELETE', path, undefined, other)).status).toBe(404)
    // The other caller does not learn that the name is there.
    expect((await send('POST', 'dcim/device-roles/', { name: 'Mine', slug: 'mine' }, other)).status).toBe(201)
    expect([await roles(one), await roles(other)]).toEqual([
      ['Mine', 'Open'],
      ['Mine', 'Open'],
    ])
    const hidden = await send('POST', 'dcim/device-roles/', { name: 'Secret', slug: 'secret' }, one)
    expect(hidden).toMatchObject({ status: 201, body: { device_count: 0 } })
    expect((await send('DELETE', path, undefined, one)).status).toBe(204)
  })
})
