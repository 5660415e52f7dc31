// A hostile scanner: whatever it sends, no request fails on the server, and nothing is written outside of its network.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { countCases } from '../../../testing/cases.ts'
import { fetchFrom } from '../../../testing/servers/instances.ts'
import { deepHost, snmpFacts } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { buildReportsPath, createScanner, FACTS, type WireScanner } from '../../../testing/servers/wire-scanner.ts'
import { testsAll } from '../../../testing/tests-all.ts'
import { until } from '../../../testing/until.ts'
import { cidrHolds, parseCidrOrThrow } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import { type PollAnswer, WIRE_PATHS } from '../../scanner/wire.ts'

const SEED = 55
/** 10,000 with PLAT_TEST_ALL=1; 200 otherwise. */
const CASES = testsAll ? 10_000 : countCases(1000)
const SUBNET = '127.5.1.0/24'
const FOREIGN = '127.5.2.0/24'
/** The memory by which the process may have grown after all of the cases. */
const MAX_GROWTH_BYTES = 96 * 1024 * 1024

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const nest = (depth: number): Json => (depth === 0 ? 1 : [nest(depth - 1)])

const junk: fc.Arbitrary<Json> = fc.oneof(
  // A JSON value of the generator has this type.
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom<Json>(
    ...[null, true, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 70_000, '', '\u0000', '\ud800', '\u202e', '__proto__'],
    ...['10.0.0.1', '127.5.2.9', '127.5.1.9', '::1', 'fe80::1%eth0', '127.5.1.0/24', 'done', 'x'.repeat(70_000)],
    ...[[], {}, nest(60), nest(70), Array(5000).fill(1), Array(2500).fill({ ip: '127.5.1.7' })],
    { constructor: { prototype: { polluted: true } } },
  ),
)

const HOST: Json = JSON.parse(
  JSON.stringify({
    ...deepHost('127.5.1.7', '00:1b:21:00:00:01'),
    snmp: snmpFacts({
      interfaces: [{ index: 1, name: 'eth0', mac: '00:1b:21:00:00:01', addresses: ['127.5.2.3', '10.0.0.1'] }],
      arp: [{ ip: '127.5.2.4', mac: '00:1b:21:00:00:02' }],
      forwarding: [{ mac: '00:1b:21:00:00:03', port: 'p1' }],
      lldp: [
        {
          ...{ localPort: 'p1', remoteName: 'foreign', remotePort: 'p2' },
          ...{ remoteChassis: '00:1b:21:00:00:09', remoteAddress: '127.5.2.5' },
        },
      ],
    }),
  }),
)
const PROGRESS = { stage: 'services', scanned: 10, total: 20, found: 1, probesPerSecond: 1 }
const REPORTS: readonly Json[] = [
  { type: 'ready', privilege: { icmp: true, arp: true, neighbours: true, advice: 'x' } },
  { type: 'batch', progress: PROGRESS, hosts: [HOST], checkpoint: { version: 1 } },
  { type: 'batch', hosts: [HOST, { ip: '127.5.2.7' }, { ip: '127.5.1.8' }] },
  { type: 'note', text: 'x' },
  { type: 'failed', message: 'x' },
  { type: 'cancelled' },
  { type: 'done' },
]

/** Replaces, adds or removes something at a place that the numbers choose. */
const mutate = (value: Json, places: readonly number[], by: Json | undefined): Json => {
  const [place = 0, ...rest] = places
  if (typeof value !== 'object' || value === null || places.length === 0) return by ?? null
  const copy: Record<string, Json> = Object.fromEntries(Object.entries(value))
  const keys = [...Object.keys(copy), 'more']
  const key = keys[place % keys.length] ?? 'more'
  if (rest.length === 0 && by === undefined) delete copy[key]
  else copy[key] = mutate(copy[key] ?? null, rest, by)
  return Array.isArray(value) ? Object.values(copy) : copy
}

const mutated = (base: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .tuple(base, fc.array(fc.nat(40), { minLength: 1, maxLength: 6 }), fc.option(junk, { nil: undefined }))
    .map(([value, places, by]) => mutate(value, places, by))

const report = fc.constantFrom(...REPORTS)
const reports = fc.oneof(
  fc.array(fc.oneof({ weight: 3, arbitrary: mutated(report) }, { weight: 2, arbitrary: report }, junk), {
    maxLength: 6,
  }),
  junk,
)
const POLL: Json = {
  ...FACTS,
  capabilities: { ...FACTS.capabilities },
  links: [...FACTS.links],
  holding: [],
  wait_seconds: 0.001,
}
const SIGHTINGS: Json = {
  sightings: [
    { network_id: 'own', hosts: [HOST] },
    { network_id: 'foreign', hosts: [HOST] },
  ],
}

/** A request; the run fills in the names that only it knows. */
type Attack =
  | { readonly to: 'reports'; readonly lease: Json; readonly seq: Json; readonly reports: Json }
  | { readonly to: 'poll' | 'sightings' | 'bye' | 'enrol'; readonly body: Json }
  | { readonly to: 'raw'; readonly path: string; readonly text: string }

const attack: fc.Arbitrary<Attack> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      to: fc.constant('reports' as const),
      lease: fc.oneof({ weight: 8, arbitrary: fc.constant<Json>('own') }, junk),
      seq: fc.oneof(
        { weight: 6, arbitrary: fc.constant<Json>('next') },
        fc.constantFrom<Json>('last', 'skip', 0, -1),
        junk,
      ),
      reports,
    }),
  },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('poll' as const), body: mutated(fc.constant(POLL)) }) },
  { weight: 2, arbitrary: fc.record({ to: fc.constant('sightings' as const), body: mutated(fc.constant(SIGHTINGS)) }) },
  { weight: 1, arbitrary: fc.record({ to: fc.constantFrom('bye' as const, 'enrol' as const), body: junk }) },
  {
    weight: 1,
    arbitrary: fc.record({
      to: fc.constant('raw' as const),
      path: fc.constantFrom(WIRE_PATHS.poll, WIRE_PATHS.sightings, buildReportsPath('..'), buildReportsPath('%00')),
      text: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{', '[[[[', '{"a":1e999}', '"', '\ufeff{}')),
    }),
  },
)

describe.each(engines())('a hostile scanner on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let scanner: WireScanner
  let networks: Record<'own' | 'foreign', string>
  beforeAll(async () => {
    app = await testApp({ dialect, withJobs: false })
    admin = await app.as('admin')
    scanner = await createScanner(fetchFrom(app.plat), admin, { name: 'oslo' })
    const own = await admin.api.networks.create({ name: 'own', subnet: SUBNET, scanner: 'oslo' })
    const foreign = await admin.api.networks.create({ name: 'foreign', subnet: FOREIGN, scanner: 'bergen' })
    await admin.api.devices.create({ name: 'documented', addresses: [{ ip: '127.5.1.7' }] })
    for (const { id } of [own, foreign]) await admin.api.discoveryRules.create({ network_id: id, listen: true })
    networks = { own: own.id, foreign: foreign.id }
  }, 60_000)
  afterAll(() => app.close(), 60_000)

  const hasEnded = async (id: string): Promise<boolean> => {
    const row = await app.db.read
      .selectFrom('discovery_scans')
      .select(['status', 'is_done'])
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.status !== 'running' || row.is_done === 1
  }
  const begin = async () => {
    await until('the end of the scan before', async () => {
      await app.plat.runJob('discovery.run-scans')
      const open = await admin.api.scans.list({ network_id: networks.own, status: 'running' })
      return open.length === 0 || undefined
    })
    const waiting = await admin.api.scans.list({ network_id: networks.own, status: 'pending' })
    if (waiting.length === 0) await admin.api.scans.start({ id: networks.own })
    return scanner.take()
  }
  const findSeq = async (id: string): Promise<number> => {
    const row = await app.db.read
      .selectFrom('discovery_scan_states')
      .select('seq')
      .where('scan_id', '=', id)
      .executeTakeFirst()
    return row?.seq ?? 0
  }

  test(
    'gets an answer to each request, and reaches nothing but its own network',
    async () => {
      const devices = await admin.api.devices.list()
      let taken = await begin()
      const counts = new Map<string, number>()
      const send = async (one: Attack): Promise<Response> => {
        if (one.to === 'raw') {
          const headers = { Authorization: `Bearer ${scanner.token}`, 'Content-Type': 'application/json' }
          return app.fetch(new Request(`http://plat.test${one.path}`, { method: 'POST', headers, body: one.text }))
        }
        if (one.to !== 'reports') {
          const text = JSON.stringify(one.body).replace('"own"', `"${networks.own}"`)
          const body: Json = JSON.parse(text.replace('"foreign"', `"${networks.foreign}"`))
          const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
          // A poll without it waits for 25 s.
          if (isObject && one.to === 'poll') body.wait_seconds ??= 0.001
          return scanner.post(WIRE_PATHS[one.to], body)
        }
        const seq = await findSeq(taken.scan_id)
        const numbers: Readonly<Record<string, number>> = { next: seq + 1, last: seq, skip: seq + 2 }
        const { lease, reports: sent } = one
        return scanner.post(buildReportsPath(taken.scan_id), {
          lease: lease === 'own' ? taken.lease : lease,
          seq: typeof one.seq === 'string' && Object.hasOwn(numbers, one.seq) ? numbers[one.seq] : one.seq,
          reports: sent,
        })
      }
      const run = async (one: Attack): Promise<void> => {
        const answer = await send(one)
        const body = await answer.text()
        counts.set(`${one.to} ${answer.status}`, (counts.get(`${one.to} ${answer.status}`) ?? 0) + 1)
        expect(answer.status).toBeLessThan(500)
        // The server of this program answers.
        if (one.to === 'poll' && answer.status === 200) taken = (JSON.parse(body) as PollAnswer).start[0] ?? taken
        if (await hasEnded(taken.scan_id)) taken = await begin()
      }
      Bun.gc(true)
      const before = process.memoryUsage().rss
      await fc.assert(fc.asyncProperty(attack, run), { seed: SEED, numRuns: CASES, endOnFailure: true })
      Bun.gc(true)
      expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH_BYTES)
      // The cases reach all of the ways.
      const reached = [...counts.keys()]
      expect(reached).toEqual(
        expect.arrayContaining(['reports 200', 'reports 400', 'reports 404', 'poll 200', 'poll 400', 'sightings 200']),
      )
      const scans = await admin.api.scans.list({ network_id: networks.own, limit: 500 })
      expect(scans.filter(({ status }) => status === 'completed').length).toBeGreaterThan(0)
      const block = parseCidrOrThrow(SUBNET)
      const rows = await app.db.read.selectFrom('discovered_addresses').select(['ip', 'place']).execute()
      expect(rows.length).toBeGreaterThan(0)
      const outside = rows.filter(({ ip, place }) => {
        const parsed = parseIp(ip)
        return !parsed || !cidrHolds(block, parsed) || place.startsWith(networks.foreign)
      })
      expect(outside).toEqual([])
      expect(await admin.api.discovery.list({ network_id: networks.foreign })).toEqual([])
      expect(await admin.api.devices.list()).toEqual(devices)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
    },
    testsAll ? 900_000 : 120_000,
  )
})
