// Free addresses of prefixes and ranges are shown and taken, of parallel callers each another one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Door, openDoor } from '../../../../testing/netbox/door.ts'
import { type Instance, instanceBeside } from '../../../../testing/servers/instances.ts'
import { engines } from '../../../../testing/servers/servers.ts'

const Made = z.looseObject({ id: z.number(), address: z.string() })
const List = z.object({ count: z.number(), results: z.array(z.looseObject({ id: z.number() })) })

const TOO_FEW = { status: 409, body: { detail: 'Insufficient resources are available to satisfy the request' } }
const START_TIMEOUT_MS = 60_000

describe.each(engines())('available-ips on %s', (dialect) => {
  let door: Door
  let other: Instance | undefined
  let device = ''
  let port = 0
  beforeAll(async () => {
    door = await openDoor(dialect)
    if (dialect === 'postgres') other = await instanceBeside(door.app)
    device = (await door.api.devices.create({ name: 'host', addresses: [{ ip: '192.0.2.1', interface: 'eth0' }] })).id
    const { results } = z
      .object({ results: z.array(z.object({ assigned_object_id: z.number() })) })
      .parse((await door.get('ipam/ip-addresses/')).body)
    port = results[0]?.assigned_object_id ?? 0
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await other?.close()
    await door.close()
  }, START_TIMEOUT_MS)

  const findPath = async (query: string): Promise<string> => {
    const [one] = List.parse((await door.get(query)).body).results
    return `${query.slice(0, query.indexOf('?'))}${one?.id}/available-ips/`
  }
  const addPrefix = async (subnet: string, more: { space_id?: string } = {}) => {
    const network = await door.api.networks.create({ name: subnet, subnet, ...more })
    return { network, path: await findPath(`ipam/prefixes/?prefix=${subnet}`) }
  }
  const addresses = (body: unknown): string[] =>
    z
      .array(Made)
      .parse(body)
      .map(({ address }) => address)
  const shown = async (path: string) =>
    z.array(z.looseObject({ address: z.string() })).parse((await door.get(path)).body)

  test('the lowest free addresses of a prefix are listed, outside of its children and without its ends', async () => {
    const { network, path } = await addPrefix('10.1.0.0/28')
    await addPrefix('10.1.0.4/30')
    const pool = { network_id: network.id, name: 'p', start_ip: '10.1.0.1', end_ip: '10.1.0.3' }
    const { id } = await door.api.pools.create(pool)
    await door.api.reservations.create({ pool_id: id, ip_address: '10.1.0.2' })
    expect((await door.get(`${path}?limit=3`)).body).toEqual([
      { family: 4, address: '10.1.0.1/28', vrf: null },
      { family: 4, address: '10.1.0.3/28', vrf: null },
      { family: 4, address: '10.1.0.8/28', vrf: null },
    ])
    const all = [1, 3, 8, 9, 10, 11, 12, 13, 14].map((n) => `10.1.0.${n}/28`)
    expect((await shown(`${path}?limit=0`)).map(({ address }) => address)).toEqual(all)
    const range = await findPath('ipam/ip-ranges/?contains=10.1.0.1')
    expect((await shown(range)).map(({ address }) => address)).toEqual(['10.1.0.1/28', '10.1.0.3/28'])
  })

  test('a list has 50 addresses by default and 1,000 at most', async () => {
    const { path } = await addPrefix('2001:db8:1::/64')
    const found = await shown(path)
    expect(found).toHaveLength(50)
    expect(found[0]).toEqual({ family: 6, address: '2001:db8:1::1/64', vrf: null })
    expect(await shown(`${path}?limit=0`)).toHaveLength(1000)
    expect(await shown(`${path}?limit=5000`)).toHaveLength(1000)
  })

  test('one address is taken as an object, several as a list, with all fields', async () => {
    const { path } = await addPrefix('10.2.0.0/29')
    const one = await door.post(path, { dns_name: 'a.example.com', description: 'first', parent: 'ignored' })
    expect(one).toMatchObject({
      status: 201,
      body: { address: '10.2.0.1/29', dns_name: 'a.example.com', description: 'first', assigned_object: null },
    })
    const { id } = Made.parse(one.body)
    expect((await door.get(`ipam/ip-addresses/${id}/`)).body).toEqual(one.body)
    const on = { assigned_object_type: 'dcim.interface', assigned_object_id: port }
    const several = await door.post(path, [
      { comments: 'second', prefix_length: 29 },
      { ...on, description: 'third', role: 'secondary' },
      { ...on, prefix_length: 32 },
    ])
    expect(several.status).toBe(201)
    expect(several.body).toMatchObject([
      { address: '10.2.0.2/29', comments: 'second', assigned_object: null },
      { address: '10.2.0.3/29', description: 'third', role: { value: 'secondary' }, assigned_object: { name: 'eth0' } },
      { address: '10.2.0.4/29', assigned_object: { device: { name: 'host' } } },
    ])
    const held = (await door.api.devices.get({ id: device })).addresses.map(({ ip }) => ip)
    expect(held).toEqual(['192.0.2.1', '10.2.0.3', '10.2.0.4'])
    expect(await door.post(path, [{}, {}, {}])).toEqual(TOO_FEW)
    expect((await door.post(path, [{}, {}])).body).toMatchObject([
      { address: '10.2.0.5/29' },
      { address: '10.2.0.6/29' },
    ])
    expect(await door.post(path, {})).toEqual(TOO_FEW)
    expect((await door.get(path)).body).toEqual([])
    expect((await door.delete(`ipam/ip-addresses/${id}/`)).status).toBe(204)
    expect((await door.post(path, {})).body).toMatchObject({ address: '10.2.0.1/29' })
  })

  test('addresses of a range and of a VRF are taken there', async () => {
    const space = await door.api.spaces.create({ name: 'red' })
    const network = await door.api.networks.create({ name: 'red', subnet: '10.3.0.0/24', space_id: space.id })
    const pool = { network_id: network.id, name: 'r', start_ip: '10.3.0.10', end_ip: '10.3.0.12' }
    await door.api.pools.create(pool)
    const range = await findPath('ipam/ip-ranges/?contains=10.3.0.10')
    const on = { assigned_object_type: 'dcim.interface', assigned_object_id: port }
    const made = await door.post(range, [{}, on])
    expect(made.body).toMatchObject([
      { address: '10.3.0.10/24', vrf: { name: 'red' }, assigned_object: null },
      { address: '10.3.0.11/24', vrf: { name: 'red' }, assigned_object: { name: 'eth0' } },
    ])
    expect(await door.post(range, [{}, {}])).toEqual(TOO_FEW)
    const prefix = await findPath('ipam/prefixes/?prefix=10.3.0.0/24')
    expect((await door.post(prefix, {})).body).toMatchObject({ address: '10.3.0.1/24', vrf: { name: 'red' } })
  })

  test.each([
    [{ prefix_length: 25 }, { prefix_length: ['must be 24 or 32'] }],
    [{ prefix_length: 'x' }, { prefix_length: ['A valid integer is required.'] }],
    [{ description: ['x'] }, { description: ['Not a valid string.'] }],
    [{ status: 'dhcp' }, { status: [expect.stringContaining('define the custom field')] }],
    [{ dns_name: 'a b' }, { dns_name: [expect.any(String)] }],
    [
      { assigned_object_type: 'dcim.interface', assigned_object_id: 7 },
      { assigned_object_id: ['Related object not found using the provided numeric ID: 7'] },
    ],
  ])('an allocation with %j is refused by its field, and takes nothing', async (body, message) => {
    const query = 'ipam/prefixes/?prefix=10.4.0.0/24'
    const known = List.parse((await door.get(query)).body).count > 0
    const path = known ? await findPath(query) : (await addPrefix('10.4.0.0/24')).path
    expect(await door.post(path, body)).toEqual({ status: 400, body: message })
    expect((await shown(`${path}?limit=1`)).map(({ address }) => address)).toEqual(['10.4.0.1/24'])
  })

  test('an unknown prefix or range is 404', async () => {
    const missing = { status: 404, body: { detail: 'No Prefix matches the given query.' } }
    expect(await door.get('ipam/prefixes/7/available-ips/')).toEqual(missing)
    expect(await door.post('ipam/prefixes/7/available-ips/', {})).toEqual(missing)
    expect((await door.get('ipam/ip-ranges/7/available-ips/')).status).toBe(404)
  })

  test(
    '100 parallel callers get 100 addresses, and make one pool',
    async () => {
      const { network, path } = await addPrefix('10.5.0.0/24')
      const { key } = await door.app.as('admin')
      const post = async (at: number): Promise<unknown> => {
        if (at % 2 === 0 || !other) return (await door.post(path, {})).body
        const answer = await other.fetch('POST', `/netbox/api/${path}`, { Authorization: `Token ${key}` }, {})
        return answer.json()
      }
      const all = addresses(await Promise.all(Array.from({ length: 100 }, (_, at) => post(at))))
      const wanted = Array.from({ length: 100 }, (_, at) => `10.5.0.${at + 1}/24`)
      expect(all.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))).toEqual(wanted)
      expect(await door.api.pools.list({ network_id: network.id })).toHaveLength(1)
    },
    START_TIMEOUT_MS,
  )
})
