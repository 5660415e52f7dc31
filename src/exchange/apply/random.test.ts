// Random documents over a random estate, on two servers, one of which gets the rows in another order.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { INVENTORY } from '../../inventory/resources.ts'

const LIMIT_MS = 300_000
const RUNS = { sqlite: 60, postgres: 30 }

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const pick = <T>(...values: T[]) => fc.constantFrom(...values)

const datacenterName = pick('dc-a', 'DC-A', 'dc-b', 'dc-c')
const deviceName = pick('d-1', 'd-2', 'd-3', 'D-1', 'd-4')
const refs = optional(
  fc.dictionary(pick('netbox', 'cmdb'), fc.option(pick('1', '2', '3'), { nil: null }), { maxKeys: 2 }),
)
const datacenter = optional(fc.oneof(datacenterName, pick<string | null | object>(null, '', { name: 'dc-b' })))

const address = fc.oneof(
  fc.record({
    ip: pick('10.1.0.10', '10.1.0.11', '10.1.0.12'),
    network: optional(pick('net-1', '10.1.0.0/24')),
    pool: optional(pick('p-1')),
    label: optional(pick('eth0', '')),
  }),
  fc.record({ ip: pick('10.2.0.10', '10.2.0.11'), network: pick('net-2'), pool: optional(pick('p-2')) }),
  fc.record({ ip: pick('192.0.2.1', '10.1.0.10') }),
)

const some = <T>(row: fc.Arbitrary<T>, maxLength: number, selector: (row: T) => unknown) =>
  fc.uniqueArray(row, { maxLength, selector: (one) => JSON.stringify(selector(one)).toLowerCase() })

const network = fc.oneof(
  fc.record({
    name: pick('net-1', 'net-2'),
    datacenter,
    vlan_id: optional(pick(5, 6, 0)),
    refs,
    subnet: fc.constant(undefined),
  }),
  fc.record({ name: pick('net-1'), subnet: pick('10.1.0.0/24', '10.1.0.9/24', '10.1.0.0/16'), datacenter, refs }),
  fc.record({ name: pick('net-2'), subnet: pick('10.2.0.0/24', '10.3.0.0/24'), datacenter }),
)

const pool = fc.oneof(
  fc.record({
    name: pick('p-1'),
    network: pick('net-1', '10.1.0.0/24'),
    start_ip: pick('10.1.0.10'),
    end_ip: pick('10.1.0.19', '10.1.0.29'),
    tags: optional(fc.array(pick('a', 'b'), { maxLength: 2 })),
  }),
  fc.record({ name: pick('p-2'), network: pick('net-2'), start_ip: pick('10.2.0.10'), end_ip: pick('10.2.0.19') }),
)

const documents = fc.record({
  datacenters: some(
    fc.record({ name: datacenterName, location: optional(pick('x', 'y', '')), refs }),
    2,
    ({ name }) => name,
  ),
  networks: some(network, 2, ({ name, subnet }) => [name, subnet]),
  pools: some(pool, 2, ({ name }) => name),
  devices: fc.array(
    fc.record({
      name: deviceName,
      os: optional(pick('Debian', 'BSD', '')),
      datacenter,
      refs,
      addresses: optional(fc.array(address, { maxLength: 2 })),
    }),
    { maxLength: 4 },
  ),
  relationships: some(
    fc.record({
      parent: pick('d-1', 'd-2'),
      child: pick('d-3', 'd-4'),
      type: pick('contains', 'depends_on'),
      notes: optional(pick('n', '')),
    }),
    2,
    ({ parent, child, type }) => [parent, child, type],
  ),
  reservations: some(
    fc.record({ pool: pick('p-1'), ip_address: pick('10.1.0.12', '10.1.0.13'), purpose: optional(pick('u', '')) }),
    2,
    ({ ip_address }) => ip_address,
  ),
})

/** Most random documents refer to these. */
const BASE = {
  datacenters: [{ name: 'dc-a' }, { name: 'dc-b' }, { name: 'dc-c' }],
  networks: [
    { name: 'net-1', subnet: '10.1.0.0/24' },
    { name: 'net-2', subnet: '10.2.0.0/24', datacenter: 'dc-a' },
  ],
  pools: [
    { name: 'p-1', network: 'net-1', start_ip: '10.1.0.10', end_ip: '10.1.0.19' },
    { name: 'p-2', network: 'net-2', start_ip: '10.2.0.10', end_ip: '10.2.0.19' },
  ],
  devices: ['d-1', 'd-2', 'd-3', 'd-4'].map((name) => ({ name })),
}

const calls = fc.record({
  document: documents,
  seed: fc.nat(),
  managed_by: pick('', 'git', 'git', 'cmdb'),
  prune: fc.boolean(),
  take_over: pick(false, true, true),
})

type Call = typeof calls extends fc.Arbitrary<infer T> ? T : never
type Row = Readonly<Record<string, unknown>>

const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  items
    .map((item, i) => [Bun.hash(`${seed} ${i}`), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item)

/** Fields that are undefined are absent. */
const bodyOf = ({ document, managed_by, prune, take_over }: Call, seed?: number): Row => {
  const entries = Object.entries<readonly unknown[]>(document)
  const lists = entries.map(([name, rows]) => [name, seed === undefined ? rows : shuffled(rows, seed)])
  const owner = managed_by === '' ? {} : { managed_by, prune, take_over, allow_empty: true }
  return JSON.parse(JSON.stringify({ ...Object.fromEntries(lists), ...owner })) as Row
}

/** Returns the owners of all objects, by resource and id. */
const ownersOf = async ({ api }: TestCaller): Promise<Map<string, string>> => {
  const lists = {
    datacenters: await api.datacenters.list({}),
    networks: await api.networks.list({}),
    pools: await api.pools.all({}),
    devices: await api.devices.list({}),
    reservations: await api.reservations.all({}),
  }
  return new Map(
    Object.entries(lists).flatMap(([resource, rows]) =>
      rows.map(({ id, managed_by }) => [`${resource} ${id}`, managed_by] as const),
    ),
  )
}

/** Returns the whole estate with names in place of ids, as sorted text. */
const stateOf = async ({ api }: TestCaller): Promise<string[]> => {
  const names = new Map<string, string>()
  const lists: Record<string, readonly Row[]> = {
    datacenters: await api.datacenters.list({}),
    networks: await api.networks.list({}),
    pools: await api.pools.all({}),
    devices: await api.devices.list({}),
    relationships: await api.relationships.all({}),
    reservations: await api.reservations.all({}),
  }
  const state: string[] = []
  for (const resource of INVENTORY)
    for (const { id, created_at: _, updated_at: __, ...row } of lists[resource] ?? []) {
      const text = Object.values({ ...row }).length === 0 ? '' : JSON.stringify(row)
      const named = [...names].reduce((line, [key, name]) => line.replaceAll(key, name), text)
      if (typeof id === 'string') names.set(id, `<${Bun.hash(named)}>`)
      state.push(`${resource} ${named}`)
    }
  return state.sort()
}

describe.each(onSqlite())('on %s', (dialect) => {
  let apps: TestApp[] = []
  let one: TestCaller
  let other: TestCaller
  beforeAll(async () => {
    apps = [await testApp({ dialect }), await testApp({ dialect })]
    const [first, second] = apps
    if (!first || !second) throw new Error('there are two servers')
    one = await first.as('admin')
    other = await second.as('admin')
  }, LIMIT_MS)
  afterAll(() => Promise.all(apps.map((app) => app.close())), LIMIT_MS)

  const send = async (to: TestCaller, body: Row, query = '') => {
    const response = await to.request('POST', `/api/estate/apply${query}`, body)
    return {
      status: response.status,
      change: response.headers.get('x-change-id'),
      body: (await response.json()) as Row,
    }
  }

  test(
    'an apply does what its plan says, then a dry run shows nothing, whatever the order of the rows',
    async () => {
      let [applied, pruned] = [0, 0]
      const samples = fc.sample(calls, { seed: dialect === 'sqlite' ? 11 : 12, numRuns: RUNS[dialect] })
      for (const [at, call] of samples.entries()) {
        // Refused while several objects have one of its names.
        expect((await send(one, BASE)).status).toBe((await send(other, BASE)).status)
        const body = bodyOf(call)
        const before = await stateOf(one)
        const owners = await ownersOf(one)
        const plan = await send(one, body, '?dry_run=true')
        expect(await stateOf(one)).toEqual(before)
        const done = await send(one, { ...body, ...(plan.status === 200 && { expect: plan.body.fingerprint }) })
        const again = await send(other, bodyOf(call, call.seed))
        const context = `${at} ${JSON.stringify(body)} ${JSON.stringify(done.body).slice(0, 500)}`
        expect(`${plan.status} ${context}`).toBe(`${done.status} ${context}`)
        expect(`${again.status} ${context} ${JSON.stringify(again.body).slice(0, 300)}`).toBe(
          `${done.status} ${context} ${JSON.stringify(again.body).slice(0, 300)}`,
        )
        if (done.status !== 200) {
          expect(done.status).toBe(400)
          expect(await stateOf(one)).toEqual(before)
          continue
        }
        applied++
        for (const { action, resource, id } of done.body.changes as Row[])
          if (action === 'delete' && resource !== 'relationships') {
            pruned++
            expect([context, owners.get(`${resource} ${id}`)]).toEqual([context, call.managed_by])
          }
        expect([context, await stateOf(other)]).toEqual([context, await stateOf(one)])
        const rest = await send(one, body, '?dry_run=true')
        expect([context, rest.body.changes]).toEqual([context, []])
        if (done.change === null) continue
        const { counts } = await one.api.history.get({ id: done.change })
        const recorded = Object.values(counts).flatMap((kinds) => Object.values(kinds ?? {}))
        expect(recorded.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(Number(done.body.changes_total))
      }
      // Enough of the documents are good.
      expect(applied).toBeGreaterThanOrEqual(RUNS[dialect] / 10)
      expect(pruned).toBeGreaterThan(0)
    },
    LIMIT_MS,
  )
})
