// The devices that stop or are cut off: the answer of each operation, its errors, scopes, and the plan of a deletion.
import { beforeAll, describe, expect, test } from 'bun:test'
import { type Person, people } from '../../../testing/estates/people.ts'
import { callTool } from '../../../testing/mcp.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Impact, SinglePoint } from './api.ts'

type Id = { readonly id: string }

/** A chassis with a blade, a database on it, an application that needs it; two switches that link three clients. */
const NAMES = ['chassis', 'blade', 'database', 'application', 'core', 'edge', 'client 2', 'client 10', 'old', 'alone']

describe.each(engines())('impact on %s', (dialect) => {
  const all = people(dialect)
  const ids: Record<string, string> = {}
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status, answer.body]).toEqual([path, 201, answer.body])
    return (answer.body as Id).id ?? ''
  }
  const id = (name: string): string => ids[name] ?? ''
  const relate = (parent: string, type: string, child: string) =>
    post(`devices/${id(parent)}/relationships`, { type, child_id: id(child) })
  const read = async <T>(http: string, body?: object, who: Person = all.admin): Promise<T> => {
    const answer = await who.ask(http, body)
    expect([http, answer.status, answer.body]).toEqual([http, 200, answer.body])
    // The contract has this type.
    return answer.body as T
  }
  const show = (http: string, body?: object, who?: Person) => read<Impact>(http, body, who)
  /** Lists the affected devices in short. */
  const list = ({ affected }: Impact) =>
    affected.map(({ name, effect, depth, because }) => {
      const cause = NAMES.find((one) => because !== null && id(one) === because.device_id)
      return `${depth} ${name} ${effect}${because === null ? '' : ` because ${cause} ${because.type}`}`
    })

  beforeAll(async () => {
    ids.region = await post('datacenters', { name: 'Region' })
    ids.site = await post('datacenters', { name: 'Site', parent_id: id('region') })
    ids.net = await post('networks', { name: 'Net', subnet: '10.70.0.0/24', datacenter_id: id('site') })
    ids.other = await post('networks', { name: 'Other', subnet: '10.71.0.0/24' })
    const more: Record<string, object> = {
      chassis: { datacenter_id: id('site') },
      old: { status: 'decommissioned', addresses: [{ ip: '10.70.0.9' }] },
      core: { addresses: [{ ip: '10.70.0.1' }, { ip: '10.71.0.1' }] },
      database: { addresses: [{ ip: '10.70.0.2' }] },
      alone: { addresses: [{ ip: '10.70.0.3' }, { ip: '10.70.0.4' }], datacenter_id: id('region') },
    }
    for (const name of NAMES) ids[name] = await post('devices', { name, ...more[name] })
    await relate('chassis', 'contains', 'blade')
    await relate('blade', 'contains', 'database')
    await relate('application', 'depends_on', 'database')
    await relate('old', 'depends_on', 'database')
    for (const client of ['client 2', 'client 10']) await relate('edge', 'connected_to', client)
    await relate('core', 'connected_to', 'edge')
    await relate('core', 'connected_to', 'application')
    await relate('core', 'connected_to', 'blade')
  })

  test('a device stops what it contains and what depends on that', async () => {
    const answer = await show(`GET /api/devices/${id('chassis')}/impact`)
    expect(answer).toMatchObject({
      failed: [{ device_id: id('chassis'), name: 'chassis' }],
      degraded: [],
      counts: { failed: 1, stops: 3, cut_off: 0, degraded: 0 },
      is_truncated: false,
    })
    expect(list(answer)).toEqual([
      '1 blade stops because chassis contains',
      '2 database stops because blade contains',
      '3 application stops because database depends_on',
    ])
    expect(answer.affected[0]).toMatchObject({ status: 'active', datacenter_id: null })
  })

  test('a switch cuts off the smaller parts, in the natural order of names', async () => {
    const answer = await show(`GET /api/devices/${id('edge')}/impact`)
    expect(list(answer)).toEqual([
      '1 client 2 cut_off because edge connected_to',
      '1 client 10 cut_off because edge connected_to',
    ])
  })

  test('a decommissioned device counts if it is named', async () => {
    const answer = await show('POST /api/impact', { device_ids: [id('database'), id('old'), id('old')] })
    expect(answer.failed.map(({ name }) => name)).toEqual(['database', 'old'])
    expect(answer.counts).toEqual({ failed: 2, stops: 1, cut_off: 0, degraded: 0 })
  })

  test('a depth leaves out what is farther', async () => {
    const answer = await show(`GET /api/devices/${id('chassis')}/impact?depth=2`)
    expect([answer.is_truncated, answer.counts.stops, list(answer).length]).toEqual([true, 2, 2])
  })

  test('types limit the relationships that are followed', async () => {
    const answer = await show(`GET /api/devices/${id('database')}/impact?types=contains&types=connected_to`)
    expect(answer.affected).toEqual([])
  })

  test('a datacenter names its devices and those below it', async () => {
    const answer = await show(`GET /api/datacenters/${id('region')}/impact`)
    expect(answer.failed.map(({ name }) => name)).toEqual(['alone', 'chassis'])
    expect(answer.counts.stops).toBe(3)
  })

  test('a network cuts off devices without another address, and degrades the others', async () => {
    const answer = await show(`GET /api/networks/${id('net')}/impact`)
    expect(answer.failed).toEqual([])
    expect(list(answer)).toEqual([
      '1 alone cut_off',
      '1 database cut_off',
      '2 application stops because database depends_on',
    ])
    expect(answer.degraded).toEqual([{ device_id: id('core'), name: 'core' }])
    expect(answer.counts).toEqual({ failed: 0, stops: 1, cut_off: 2, degraded: 1 })
  })

  test('two networks together cut off a device with an address in both', async () => {
    const answer = await show('POST /api/impact', { network_ids: [id('net'), id('other')] })
    expect([answer.degraded, answer.affected.some(({ name }) => name === 'core')]).toEqual([[], true])
  })

  test('single points are sorted by what hangs on them', async () => {
    const points = await read<SinglePoint[]>('GET /api/impact/single-points')
    expect(points.map(({ name, stops, cut_off }) => [name, stops, cut_off])).toEqual([
      ['chassis', 3, 0],
      ['blade', 2, 0],
      ['core', 0, 2],
      ['edge', 0, 2],
    ])
    expect((await read<SinglePoint[]>('GET /api/impact/single-points?limit=1')).map(({ name }) => name)).toEqual([
      'chassis',
    ])
    expect(await read<SinglePoint[]>('GET /api/impact/single-points?types=connected_to')).toMatchObject([
      { name: 'core', stops: 0, cut_off: 2 },
      { name: 'edge', stops: 0, cut_off: 2 },
    ])
  })

  test('a change is seen by the next call', async () => {
    const ends = ['client 2', 'client 10'] as const
    await relate(ends[0], 'depends_on', ends[1])
    const path = `devices/${id(ends[0])}/relationships/${id(ends[1])}/depends_on`
    const answer = await show(`GET /api/devices/${id(ends[1])}/impact`)
    expect(list(answer)).toEqual(['1 client 2 stops because client 10 depends_on'])
    expect((await all.admin.ask(`DELETE /api/${path}`)).status).toBe(204)
    expect((await show(`GET /api/devices/${id(ends[1])}/impact`)).affected).toEqual([])
  })

  test.each([
    ['POST /api/impact', {}, 400, ['device_ids']],
    ['POST /api/impact', { device_ids: [] }, 400, ['device_ids']],
    [
      'POST /api/impact',
      { device_ids: ['no'], datacenter_ids: ['no'], network_ids: ['no'] },
      400,
      ['device_ids', 'datacenter_ids', 'network_ids'],
    ],
    ['POST /api/impact', { device_ids: Array.from({ length: 1001 }, () => 'x') }, 400, ['device_ids']],
    ['POST /api/impact', { device_ids: ['x'], depth: 51 }, 400, ['depth']],
    ['GET /api/devices/none/impact', undefined, 404, undefined],
    ['GET /api/datacenters/none/impact', undefined, 404, undefined],
    ['GET /api/networks/none/impact', undefined, 404, undefined],
    ['GET /api/devices/none/impact?depth=0', undefined, 400, ['depth']],
    ['GET /api/devices/none/impact?types=eats', undefined, 400, ['types[0]']],
    ['GET /api/impact/single-points?limit=501', undefined, 400, ['limit']],
  ] as const)('%s of %j is refused', async (http, body, status, fields) => {
    const answer = await all.admin.ask(http, body)
    const { details = [] } = answer.body as { details?: { field: string }[] }
    expect([answer.status, details.map(({ field }) => field)]).toEqual([status, [...(fields ?? [])]])
  })

  test('a caller with a role in a scope sees what its devices hold up, as if there were no others', async () => {
    const scope = await post('scopes', { name: 'Clients', tags: ['client'] })
    for (const name of ['edge', 'client 2', 'client 10'])
      await all.admin.ask(`PUT /api/devices/${id(name)}`, { tags: ['client'] })
    const person = await all.person({ username: 'scoped' })
    await post('grants', { role_id: 'viewer', user_id: person.id, scope_id: scope })
    const answer = await show(`GET /api/devices/${id('edge')}/impact`, undefined, person)
    // Neither of the two is larger than the other, so both lose their connection.
    expect(answer.counts).toEqual({ failed: 1, stops: 0, cut_off: 2, degraded: 0 })
    const client = await show(`GET /api/devices/${id('client 2')}/impact`, undefined, person)
    expect(client.counts.cut_off).toBe(0)
    expect((await person.ask(`GET /api/devices/${id('core')}/impact`)).status).toBe(404)
    expect((await person.ask('POST /api/impact', { device_ids: [id('core')] })).status).toBe(400)
    const points = await read<SinglePoint[]>('GET /api/impact/single-points', undefined, person)
    expect(points.map(({ name, cut_off }) => [name, cut_off])).toEqual([['edge', 2]])
  })

  test('a caller without devices:list sees no device beside the named one', async () => {
    const person = await all.person({ permissions: ['relationships:list'] })
    const answer = await show(`GET /api/devices/${id('chassis')}/impact`, undefined, person)
    expect(answer).toEqual({
      failed: [{ device_id: id('chassis'), name: '' }],
      affected: [],
      degraded: [],
      counts: { failed: 1, stops: 0, cut_off: 0, degraded: 0 },
      is_truncated: false,
    })
  })

  describe('the plan of a deletion', () => {
    const plan = async (operation: string, input: object, who: Person = all.admin) => {
      const { value } = await callTool({ fetch: all.app.fetch, key: who.key }, 'call_operation', { operation, input })
      return value as { summary: string; impact?: object }
    }

    test('says how many devices would stop', async () => {
      const { summary, impact } = await plan('devices.delete', { id: id('chassis') })
      expect(impact).toEqual({ stops: 3, cut_off: 0, degraded: 0 })
      expect(summary).toEndWith('; 3 devices would stop')
    })

    test('counts those of a datacenter and of a network', async () => {
      expect((await plan('datacenters.delete', { id: id('site') })).impact).toMatchObject({ stops: 3 })
      const { summary } = await plan('networks.delete', { id: id('net') })
      expect(summary).toEndWith('; 1 device would stop, 2 would be cut off, 1 would lose an address')
    })

    test('is as before for a caller who may not list relationships', async () => {
      const rights = ['devices:list', 'devices:read', 'devices:delete']
      const { summary, impact } = await plan(
        'devices.delete',
        { id: id('chassis') },
        await all.person({ permissions: rights }),
      )
      expect([summary, impact]).toEqual(['deletes 1 device', undefined])
    })
  })
})
