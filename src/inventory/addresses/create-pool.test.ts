// The pool `addresses`, which an allocation makes where no pool of the network holds the address.
import { describe, expect, test } from 'bun:test'
import { noneFree, refusal } from '../../../testing/estates/inventory.ts'
import { people } from '../../../testing/estates/people.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Network } from '../networks/api.ts'
import type { Pool } from '../pools/api.ts'
import type { Allocation } from '../reservations/api.ts'

describe.each(engines())('an allocation that may make a pool on %s', (dialect) => {
  const all = people(dialect)
  const ask = (http: string, body?: object) => all.admin.ask(http, body)
  const make = async <T extends { id: string }>(path: string, body: object): Promise<T> => {
    const answer = await ask(`POST /api/${path}`, body)
    expect(answer.status).toBe(201)
    return answer.body as T
  }
  const network = async (subnet: string) => (await make<Network>('networks', { name: subnet, subnet })).id
  const pools = async (id: string) => (await ask(`GET /api/networks/${id}/pools`)).body as Pool[]
  const ranges = async (id: string) =>
    (await pools(id)).map(({ name, start_ip, end_ip }) => [name, start_ip, end_ip].join(' ')).sort()
  const allocate = (id: string, body: object = {}) =>
    ask(`POST /api/networks/${id}/allocate-ip`, { create_pool: true, ...body })

  test.each([
    ['10.1.0.0/24', 'addresses 10.1.0.1 10.1.0.254', '10.1.0.1'],
    ['10.1.1.0/30', 'addresses 10.1.1.1 10.1.1.2', '10.1.1.1'],
    ['10.1.2.0/31', 'addresses 10.1.2.0 10.1.2.1', '10.1.2.0'],
    ['10.1.3.3/32', 'addresses 10.1.3.3 10.1.3.3', '10.1.3.3'],
    ['2001:db8:1::/64', 'addresses 2001:db8:1::1 2001:db8:1:0:ffff:ffff:ffff:ffff', '2001:db8:1::1'],
    ['2001:db8:1:1::/127', 'addresses 2001:db8:1:1:: 2001:db8:1:1::1', '2001:db8:1:1::'],
  ])('makes one over all usable addresses of %s', async (subnet, range, ip) => {
    const id = await network(subnet)
    const answer = await allocate(id, { hostname: 'web', purpose: 'first' })
    const [made] = await pools(id)
    expect(answer).toMatchObject({ status: 201, body: { ips: [ip], reservations: [{ pool_id: made?.id ?? '' }] } })
    expect(await ranges(id)).toEqual([range])
  })

  test('makes none without create_pool, and the refusal names it', async () => {
    const id = await network('10.2.0.0/24')
    const refused = await ask(`POST /api/networks/${id}/allocate-ip`, {})
    expect(refused).toMatchObject(refusal('device_id'))
    expect(JSON.stringify(refused.body)).toContain('create_pool')
    expect(await pools(id)).toEqual([])
  })

  test('makes none for an address of a pool, for a device, and after a refusal', async () => {
    const id = await network('10.3.0.0/29')
    await make(`networks/${id}/pools`, { name: 'low', start_ip: '10.3.0.1', end_ip: '10.3.0.2' })
    const device = await make('devices', { name: 'host' })
    expect((await allocate(id, { count: 2 })).status).toBe(201)
    expect((await allocate(id, { device_id: device.id })).status).toBe(201)
    expect(await allocate(id, { ip: '10.3.0.2' })).toMatchObject(noneFree)
    expect(await allocate(id, { ip: '10.3.0.7' })).toMatchObject(noneFree)
    expect(await allocate(id, { ip: '10.9.9.9' })).toMatchObject(refusal('ip'))
    expect(await allocate(id, { count: 20 })).toMatchObject(noneFree)
    expect(await ranges(id)).toEqual(['low 10.3.0.1 10.3.0.2'])
  })

  test('reserves the addresses behind the end of a pool in one that it makes', async () => {
    const id = await network('10.4.0.0/29')
    await make(`networks/${id}/pools`, { name: 'low', start_ip: '10.4.0.1', end_ip: '10.4.0.2' })
    const { body } = await allocate(id, { count: 4 })
    const named = new Map((await pools(id)).map((pool) => [pool.id, pool.name]))
    const placed = (body as Allocation).reservations.map((one) => [one.ip_address, named.get(one.pool_id)])
    expect(placed).toEqual([
      ['10.4.0.1', 'low'],
      ['10.4.0.2', 'low'],
      ['10.4.0.3', 'addresses'],
      ['10.4.0.4', 'addresses'],
    ])
    expect((await allocate(id, { ip: '10.4.0.6' })).status).toBe(201)
    expect(await ranges(id)).toEqual(['addresses 10.4.0.1 10.4.0.6', 'low 10.4.0.1 10.4.0.2'])
  })

  test('leaves the rest of the network to subnets', async () => {
    const id = await network('10.5.0.0/24')
    expect((await allocate(id)).status).toBe(201)
    const next = await ask(`GET /api/networks/${id}/next-subnet?prefix_length=26&count=3`)
    expect(next.body).toEqual({ subnets: ['10.5.0.64/26', '10.5.0.128/26', '10.5.0.192/26'] })
    const { body } = await ask(`POST /api/networks/${id}/allocate`, { prefix_length: 26 })
    expect(body).toMatchObject({ networks: [{ subnet: '10.5.0.64/26' }] })
    expect((await allocate(id, { ip: '10.5.0.65' })).status).toBe(400)
  })

  test('is one change of the pool and the reservation, which a dry run shows and an undo takes back', async () => {
    const id = await network('10.6.0.0/24')
    const dry = await ask(`POST /api/networks/${id}/allocate-ip?dry_run=true`, { create_pool: true })
    expect(dry.body).toMatchObject({ ips: ['10.6.0.1'] })
    expect(await pools(id)).toEqual([])
    await allocate(id)
    const [change] = (await ask('GET /api/history?limit=1')).body as { id: string }[]
    expect(change).toMatchObject({
      operation: 'networks.allocate-ip',
      counts: { create: { pool: 1, reservation: 1 } },
    })
    expect((await ask(`POST /api/history/${change?.id}/undo`, {})).status).toBe(200)
    expect(await pools(id)).toEqual([])
  })

  test('makes one pool for a hundred callers at the same time, and gives each another address', async () => {
    const id = await network('10.7.0.0/24')
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => allocate(id, n % 10 === 0 ? { ip: `10.7.0.${200 + n / 10}` } : {})),
    )
    expect(answers.filter(({ status }) => status !== 201)).toEqual([])
    expect(new Set(answers.flatMap(({ body }) => (body as Allocation).ips)).size).toBe(100)
    expect(await ranges(id)).toEqual(['addresses 10.7.0.1 10.7.0.254'])
  })

  test('needs the permission to create pools, only where it makes one', async () => {
    const id = await network('10.8.0.0/24')
    const ada = await all.person({ permissions: ['reservations:create', 'networks:read', 'networks:list'] })
    const post = () => ada.ask(`POST /api/networks/${id}/allocate-ip`, { create_pool: true })
    const refused = await post()
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
    expect(JSON.stringify(refused.body)).toContain('pools:create')
    expect(await pools(id)).toEqual([])
    expect((await allocate(id)).status).toBe(201)
    expect(await post()).toMatchObject({ status: 201, body: { ips: ['10.8.0.2'] } })
  })

  test('makes none if a field of pools is required, and says so', async () => {
    const id = await network('10.9.0.0/24')
    const field = await make('custom-fields', { resource: 'pools', name: 'owner', type: 'text', required: true })
    const refused = await allocate(id)
    expect(refused).toMatchObject(refusal('create_pool'))
    expect(JSON.stringify(refused.body)).toContain('custom.owner is required')
    expect((await ask(`DELETE /api/custom-fields/${field.id}`)).status).toBe(204)
    expect((await allocate(id)).status).toBe(201)
  })
})
