/** Undoing all changes of a random history, from the newest to the oldest, leads back to the empty estate. Each object of each change has one event. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../../testing/app/app.ts'
import { countCases } from '../../../../testing/cases.ts'
import { buildTextChange, createExamples } from '../../../../testing/estates/examples.ts'
import { gearChanges } from '../../../../testing/estates/gear-changes.ts'
import { KINDS } from '../../../../testing/estates/kinds.ts'
import { expectAsHistory, readEvents } from '../../../../testing/recorded-events.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { INVENTORY } from '../../../inventory/resources.ts'

const STEPS = countCases(120)

/** Mulberry32: the same numbers for the same seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

type Row = { readonly id: string; readonly [field: string]: unknown }

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect, env: { RATE_LIMIT_ENABLED: 'false' } })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const rows = async (resource: string): Promise<Row[]> =>
    (await (await admin.request('GET', `/api/${resource}`)).json()) as Row[]

  test.each(dialect === 'sqlite' ? [1] : [3])(
    'seed %d',
    async (seed) => {
      const random = randomOf(seed)
      const one = <T>(list: readonly T[]): T => list[random(list.length)] as T
      const counts: Record<string, number> = {}
      const pick = async (resource: string): Promise<Row | undefined> => {
        const all = await rows(resource)
        return all.length > 0 ? all[random(all.length)] : undefined
      }
      const idOf = async (resource: string): Promise<string | null> => (await pick(resource))?.id ?? null
      const address = async () => {
        const pool = random(2) === 0 ? await pick('pools') : undefined
        return pool
          ? {
              ip: `10.${String(pool.start_ip).split('.')[1]}.0.${10 + random(20)}`,
              pool_id: pool.id,
              network_id: pool.network_id,
            }
          : { ip: `10.${random(3)}.0.${random(40)}` }
      }
      const items = async (): Promise<object[]> => [
        { op: 'create', device: { name: `b${random(99)}`, addresses: [await address()] } },
        {
          op: 'update',
          id: await idOf('devices'),
          device: { add_tags: [`t${random(3)}`], addresses: [await address()] },
        },
        { op: 'delete', id: await idOf('devices') },
        { op: 'update', id: 'none', device: { os: 'x' } },
        { op: 'create', device: { name: '' } },
      ]
      /** Two devices get the addresses of each other. */
      const exchange = async (): Promise<object[]> => {
        const [one, other] = [await pick('devices'), await pick('devices')]
        return [
          { op: 'update', id: one?.id ?? 'none', device: { addresses: [] } },
          { op: 'update', id: other?.id ?? 'none', device: { addresses: one?.addresses ?? [] } },
          { op: 'update', id: one?.id ?? 'none', device: { addresses: other?.addresses ?? [] } },
        ]
      }
      const imported = async (): Promise<object[]> => {
        const [known, fresh] = [await pick('devices'), `i${random(99)}`]
        const named = [known?.name, fresh, fresh].map(async (name) => ({
          name,
          os: `os${random(9)}`,
          addresses: [await address()],
        }))
        return Promise.all(named)
      }
      const steps: (() => Promise<[string, string, object?]>)[] = [
        async () => ['POST', '/api/datacenters', { name: `dc${random(9)}` }],
        async () => [
          'POST',
          '/api/networks',
          {
            name: `n${random(9)}`,
            subnet: `10.${random(3)}.0.0/${[16, 24][random(2)]}`,
            datacenter_id: await idOf('datacenters'),
          },
        ],
        async () => [
          'POST',
          '/api/vlans',
          { vlan_id: 1 + random(3), name: `v${random(9)}`, datacenter_id: await idOf('datacenters') },
        ],
        async () => [
          'PUT',
          `/api/vlans/${await idOf('vlans')}`,
          { vlan_id: 1 + random(3), group: ['', 'g'][random(2)] },
        ],
        async () => ['DELETE', `/api/vlans/${await idOf('vlans')}`],
        async () => {
          const network = await pick('networks')
          const start = `${String(network?.subnet).split('.').slice(0, 2).join('.')}.0`
          return [
            'POST',
            '/api/pools',
            { network_id: network?.id, name: 'p', start_ip: `${start}.10`, end_ip: `${start}.29`, tags: ['t'] },
          ]
        },
        async () => {
          const pool = await pick('pools')
          const start = String(pool?.start_ip).split('.').slice(0, 3).join('.')
          return ['POST', '/api/reservations', { pool_id: pool?.id, ip_address: `${start}.${10 + random(20)}` }]
        },
        async () => ['POST', `/api/pools/${await idOf('pools')}/allocate`, { count: 1 + random(3) }],
        async () => [
          'POST',
          '/api/devices',
          {
            name: `d${random(99)}`,
            datacenter_id: await idOf('datacenters'),
            tags: ['a'],
            addresses: [await address()],
          },
        ],
        async () => [
          'PUT',
          `/api/devices/${await idOf('devices')}`,
          { os: `os${random(9)}`, addresses: [await address(), await address()] },
        ],
        async () => [
          'PUT',
          `/api/networks/${await idOf('networks')}`,
          { datacenter_id: await idOf('datacenters'), vlan_id: 1 + random(99) },
        ],
        async () => [
          'POST',
          `/api/devices/${await idOf('devices')}/relationships`,
          { child_id: await idOf('devices'), type: 'connected_to', notes: 'n' },
        ],
        async () => [
          'PUT',
          `/api/networks/${await idOf('networks')}`,
          { subnet: `10.${random(3)}.0.0/${[15, 16, 20, 24][random(4)]}`, name: `m${random(9)}` },
        ],
        async () => {
          const pool = await pick('pools')
          const start = String(pool?.start_ip).split('.').slice(0, 3).join('.')
          return ['PUT', `/api/pools/${pool?.id}`, { end_ip: `${start}.${20 + random(20)}`, tags: [`t${random(3)}`] }]
        },
        async () => ['PUT', `/api/datacenters/${await idOf('datacenters')}`, { location: `l${random(9)}` }],
        // Some of the items fail, such as items of missing objects and of addresses that are taken.
        async () => [
          'POST',
          '/api/devices/bulk',
          { atomic: false, operations: [...(await exchange()), ...(await items())] },
        ],
        async () => ['POST', '/api/devices/bulk', { atomic: true, operations: await exchange() }],
        async () => [
          'POST',
          '/api/networks/bulk',
          {
            atomic: false,
            operations: [
              { op: 'create', network: { name: `b${random(9)}`, subnet: `10.${random(3)}.0.0/25` } },
              { op: 'update', id: await idOf('networks'), network: { subnet: `10.${random(3)}.0.0/23` } },
              { op: 'delete', id: await idOf('networks') },
              { op: 'delete', id: 'none' },
            ],
          },
        ],
        async () => [
          'POST',
          '/api/estate/import?resource=devices',
          [...(await imported()), { name: '' }, { id: 'none' }],
        ],
        async () => [
          'POST',
          '/api/estate/import?resource=networks',
          [0, 1, 2].map(() => ({
            name: `n${random(9)}`,
            subnet: `10.${random(3)}.0.0/${[14, 16, 24, 99][random(4)]}`,
          })),
        ],
        async () => {
          const { resource } = one(KINDS)
          const named = await Promise.all(INVENTORY.map(async (name) => [name, (await idOf(name)) ?? 'none'] as const))
          const ids = { ...Object.fromEntries(named), child: (await idOf('devices')) ?? 'none' }
          const { path, body } = createExamples(ids, counts).build(resource)
          return ['POST', path, body]
        },
        async () => {
          const { resource, facts, path } = one(KINDS)
          return ['PUT', `${path}/${await idOf(resource)}`, buildTextChange(facts, `t${random(9)}`)]
        },
        async () => {
          const { resource } = one(KINDS.filter(({ resource }) => resource !== 'custom-fields'))
          return ['DELETE', `/api/${resource}/${await idOf(resource)}`]
        },
      ]
      let done = 0
      const ids = new Map<string, string[]>()
      const sent = async (method: string, path: string, body?: unknown): Promise<Row | undefined> => {
        const response = await admin.request(method, path, body)
        const text = await response.text()
        expect([response.status < 500, text]).toEqual([true, expect.anything()])
        if (!response.ok) return undefined
        done++
        return text.startsWith('{') ? (JSON.parse(text) as Row) : undefined
      }
      const gear = gearChanges<'devices' | 'datacenters'>({
        ...{ below: random, one, send: sent },
        idOf: (kind) => one([...(ids.get(kind) ?? []), 'none']),
        create: async (kind, path, body) => {
          const made = await sent('POST', path, body)
          if (made) ids.set(kind, [...(ids.get(kind) ?? []), made.id])
        },
        common: () => ({ refs: random(3) === 0 ? { nb: String(random(3)) } : {} }),
      })
      const writes = gear.writes.flatMap(([weight, write]) => Array.from({ length: weight }, () => write))
      await gear.begin()
      while (done < STEPS) {
        if (random(2) === 0) {
          for (const kind of ['devices', 'datacenters'])
            ids.set(
              kind,
              (await rows(kind)).map(({ id }) => id),
            )
          await one(writes)()
          continue
        }
        const step = steps[random(steps.length)]
        if (!step) throw new Error('there is a step for each number')
        const [method, path, body] = await step()
        const response = await admin.request(method, path, body)
        const { status } = response
        expect([status < 500, await response.text()]).toEqual([true, expect.anything()])
        if (status < 300) done++
      }
      const changes = await admin.api.history.list({ limit: 1000 })
      const own = changes.filter(({ undone_by, undoes }) => undone_by === null && undoes === null)
      expect(own.length).toBeGreaterThan(STEPS / 2)
      for (const { id, operation } of own) {
        const { items = [] } = await admin.api.history.get({ id })
        // A bulk call that sets a field and sets it back only alters the time of the update.
        const isEmpty = items.every(({ fields }) => Object.keys(fields).length === 0)
        const response = await admin.request('POST', `/api/history/${id}/undo`)
        const text = await response.text()
        expect([operation, response.status, isEmpty || response.ok ? '' : text]).toEqual([
          operation,
          isEmpty ? 409 : 200,
          '',
        ])
        if (isEmpty) expect(text).toContain('there is nothing left to undo')
      }
      for (const resource of INVENTORY) expect([resource, await rows(resource)]).toEqual([resource, []])
      const events = await readEvents(app)
      for (const { id } of await admin.api.history.list({ limit: 1000 })) await expectAsHistory(admin, id, events)
    },
    180_000,
  )
})
