// Presence against a plain model of it: random scans, sightings, gaps, merges and deletions.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { writeIn } from '../../../testing/app-write.ts'
import { countCases } from '../../../testing/cases.ts'
import { type Discovery, discoveryApp } from '../../../testing/discovery.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { DEFAULT_SPACE } from '../../net/ip.ts'
import { ingest } from '../devices/ingest.ts'
import { OPEN } from './table.ts'

const MINUTE_MS = 60_000
const CASES = countCases(100)
const TIMEOUT_MS = 300_000

/** A MAC at an address, by their numbers. */
type Pair = readonly [ip: number, mac: number]
type Step =
  | { readonly kind: 'scan'; readonly pairs: readonly Pair[]; readonly minutes: number }
  | { readonly kind: 'hear'; readonly pairs: readonly Pair[]; readonly minutes: number }
  | { readonly kind: 'merge'; readonly macs: readonly [number, number]; readonly minutes: number }
  | { readonly kind: 'delete'; readonly mac: number; readonly minutes: number }

const minutes = fc.constantFrom(1, 4, 9, 11, 60)
const pairs = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })), {
  maxLength: 4,
  selector: ([ip]) => ip,
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('scan' as const), pairs, minutes }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('hear' as const), pairs, minutes }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      macs: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
      minutes,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delete' as const), mac: fc.integer({ min: 1, max: 4 }), minutes }),
  },
)

type Interval = { readonly from: string; readonly source: string; to: string | null }

/** What was there when: the intervals of each pair, and when it was last seen. */
const createModel = () => {
  const known = new Map<string, { readonly intervals: Interval[]; seen: string }>()
  const see = (pair: Pair, now: string, source: string): void => {
    const one = known.get(pair.join()) ?? { intervals: [], seen: now }
    known.set(pair.join(), one)
    one.seen = now
    const last = one.intervals.at(-1)
    if (last && (last.to === null || Date.parse(now) - Date.parse(last.to) <= 10 * MINUTE_MS)) last.to = null
    else one.intervals.push({ from: now, source, to: null })
  }
  const close = (isMeant: (pair: string) => boolean): void => {
    for (const [pair, { intervals, seen }] of known) {
      const last = intervals.at(-1)
      if (last?.to === null && isMeant(pair)) last.to = seen
    }
  }
  return {
    hear: (all: readonly Pair[], now: string) => {
      for (const pair of all) see(pair, now, 'listen')
    },
    scan: (all: readonly Pair[], now: string) => {
      for (const pair of all) see(pair, now, 'scan')
      const found = new Set(all.map((pair) => pair.join()))
      close((pair) => !found.has(pair))
    },
    /** The pairs of a device are deleted with it. */
    delete: (all: readonly string[]) => close((pair) => all.includes(pair)),
    list: () =>
      [...known].flatMap(([pair, { intervals }]) =>
        intervals.map((one) => [pair, one.from, one.to, one.source].join(' ')),
      ),
  }
}

const toMac = (n: number) => `00:1b:21:00:00:0${n}`

/** The discovered device with a MAC, where there is one. */
const findDevice = async (d: Discovery, id: string, mac: number): Promise<string | undefined> =>
  (
    await d.app.db.read
      .selectFrom('discovered_identities')
      .select('device_id')
      .where('place', '=', `${id} mac:${toMac(mac)}`)
      .executeTakeFirst()
  )?.device_id ?? undefined

const findRows = (d: Discovery, id: string) =>
  d.app.db.read.selectFrom('presence').selectAll().where('network_id', '=', id).execute()

const toPair = ({ ip, mac_address }: { readonly ip: string; readonly mac_address: string }): string =>
  `${ip.split('.').at(-1)},${mac_address.at(-1)}`

/** The pairs that are up, with their devices. */
const findUp = async (d: Discovery, id: string): Promise<string[]> => {
  const rows = await d.app.db.read
    .selectFrom('discovered_addresses')
    .select(['ip', 'seen_mac', 'device_id'])
    .where('status', '=', 'up')
    .where('place', 'like', `${id} %`)
    .execute()
  return rows.map(({ ip, seen_mac, device_id }) => `${toPair({ ip, mac_address: seen_mac })} ${device_id}`)
}

describe.each(engines())('presence on %s', (dialect) => {
  const d = discoveryApp(dialect)

  test(
    'is as a plain model of it',
    () =>
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
          const { id, at } = await d.network()
          const model = createModel()
          const hear = (all: readonly Pair[]) =>
            writeIn(
              d.app,
              async (ctx) => {
                const hosts = all.map(([ip, mac]) => host(at(ip), { mac: toMac(mac) }))
                const none = { scanId: '', previousScanId: '', type: 'quick', stage: 'liveness' } as const
                await ingest(ctx, { ...none, networkId: id, space: DEFAULT_SPACE, source: 'listen' }, hosts)
              },
              () => new Date(d.now()),
            )
          for (const one of steps) {
            d.advance(one.minutes * MINUTE_MS)
            const now = d.now()
            if (one.kind === 'hear') {
              await hear(one.pairs)
              model.hear(one.pairs, now)
            } else if (one.kind === 'scan') {
              const hosts = one.pairs.map(([ip, mac]) => ({ ip: at(ip), mac_address: toMac(mac) }))
              await d.api.scans.record({ id, hosts })
              model.scan(one.pairs, now)
            } else if (one.kind === 'merge') {
              const [into, from] = [await findDevice(d, id, one.macs[0]), await findDevice(d, id, one.macs[1])]
              if (into === undefined || from === undefined || into === from) continue
              await d.api.discovery.merge({ id: into, other_ids: [from] })
            } else {
              const device = await findDevice(d, id, one.mac)
              if (device === undefined) continue
              const own = (await findRows(d, id)).filter((row) => row.discovered_id === device)
              await d.api.discovery.delete({ id: device })
              model.delete(own.map(toPair))
            }
          }
          const rows = await findRows(d, id)
          const stored = rows.map((row) => {
            const { began_at, ended_at, source } = row
            return [toPair(row), began_at, ended_at === OPEN ? null : ended_at, source].join(' ')
          })
          expect(stored.sort()).toEqual(model.list().sort())
          // Each address that is up has the interval of its device.
          const open = rows.filter(({ ended_at }) => ended_at === OPEN)
          const own = new Set(open.map((row) => `${toPair(row)} ${row.discovered_id}`))
          expect((await findUp(d, id)).filter((one) => !own.has(one))).toEqual([])
        }),
        { numRuns: CASES, interruptAfterTimeLimit: TIMEOUT_MS },
      ),
    TIMEOUT_MS,
  )
})
