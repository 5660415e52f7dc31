/**
 * Names on DNS servers: `bun bench/dns.ts [--names 10000]`. BIND and Knot are started on loopback with a zone that takes updates
 * by TSIG. The last row compares two servers of Plat in turn: one with ten zones, and one without.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { encodeQuery, parseMessage } from '../src/net/dns/message.ts'
import { DNS_KEYS, startKnot, startNamed, type TestDnsServer } from '../testing/servers/dns-servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { alternate, throughput } from './load.ts'
import { milliseconds, percent, quantile, rate } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const { values } = parseArgs({ options: { names: { type: 'string', default: '10000' } } })
const count = Number(values.names)
const ZONE = 'example.org'
const FIRST_GOAL_MS = 5000
const CHECK_GOAL_MS = 2000
const P50_GOAL_MS = 200
const P99_GOAL_MS = 1000
const CHANGES = 400
const EVERY_MS = 50
const LOOK_MS = 5
const ANSWER_MS = 500
const ROUNDS = 5
const ROUND_MS = 2000
const ZONES = 10
const ADDED_GOAL = 1.15

const [KEY] = DNS_KEYS.filter(({ algorithm }) => algorithm === 'hmac-sha256')
if (!KEY) throw new Error('there is no key')
const ENV = { DNS_SERVERS: '127.0.0.1', ENCRYPTION_KEY: 'ab'.repeat(32) }
const results: Result[] = []

type Plat = { readonly server: Server; readonly key: string; readonly ask: Ask }
type Ask = (http: string, body?: unknown) => Promise<Record<string, unknown>>

const askOf =
  ({ port }: Server, key: string): Ask =>
  async (http, body) => {
    const [method = 'GET', path = ''] = http.split(' ')
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    if (!response.ok) throw new Error(`${http}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }

const withPlat = async (work: (plat: Plat) => Promise<void>): Promise<void> => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-bench-dns-'))
  try {
    const key = await createKey(dir, ENV)
    const server = await startPlat(dir, ENV)
    try {
      await work({ server, key, ask: askOf(server, key) })
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

const rowOf = (i: number) => ({
  id: `bench-${i}`,
  name: `bench-${i}`,
  hostname: `h${i}.${ZONE}`,
  addresses: [{ ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}` }],
})

const importAll = async ({ server, key }: Plat, rows: number): Promise<void> => {
  const body = Array.from({ length: rows }, (_, i) => JSON.stringify(rowOf(i))).join('\n')
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' }
  const url = `http://127.0.0.1:${server.port}/api/estate/import?resource=devices`
  await (await fetch(url, { method: 'POST', headers, body })).text()
}

const inSync = async (ask: Ask, id: unknown): Promise<void> => {
  for (;;) {
    const { status, status_message } = await ask(`GET /api/dns/zones/${id}`)
    if (status === 'in_sync') return
    if (status === 'failed') throw new Error(String(status_message))
    await Bun.sleep(LOOK_MS)
  }
}

type Lookup = (name: string) => Promise<readonly string[]>

/** Asks by UDP, as a resolver does. A question that is not answered in time has no values. */
const lookupAt = async (port: number): Promise<{ readonly lookup: Lookup; readonly close: () => void }> => {
  const open = new Map<number, (values: readonly string[]) => void>()
  const socket = await Bun.udpSocket({
    connect: { hostname: '127.0.0.1', port },
    socket: {
      data: (_, bytes) => {
        const { id, answers } = parseMessage(new Uint8Array(bytes))
        open.get(id)?.(answers.map(({ value }) => value))
        open.delete(id)
      },
    },
  })
  let next = 0
  const lookup: Lookup = (name) =>
    new Promise((resolve) => {
      next = (next + 1) & 0xffff
      open.set(next, resolve)
      setTimeout(resolve, ANSWER_MS, [])
      socket.send(encodeQuery(next, { name, type: 'A' }))
    })
  return { lookup, close: () => socket.close() }
}

/** Changes addresses at an even pace. @returns the time from each answer of Plat to the answer of the server, in ms */
const followed = async ({ ask }: Plat, lookup: Lookup): Promise<number[]> => {
  const took: Promise<number>[] = []
  for (let i = 0; i < CHANGES; i++) {
    const ip = `10.200.${i >> 8}.${i & 255}`
    const change = async (): Promise<number> => {
      await ask(`PUT /api/devices/bench-${i}`, { addresses: [{ ip }] })
      const answeredMs = performance.now()
      for (;;) {
        if ((await lookup(`h${i}.${ZONE}`)).includes(ip)) return performance.now() - answeredMs
        await Bun.sleep(LOOK_MS)
      }
    }
    took.push(change())
    await Bun.sleep(EVERY_MS)
  }
  return Promise.all(took)
}

const measure = async (name: string, start: () => Promise<TestDnsServer>): Promise<void> => {
  const dns = await start()
  const { host, port } = { host: '127.0.0.1', port: dns.port }
  const { lookup, close } = await lookupAt(port)
  try {
    await withPlat(async (plat) => {
      const { ask } = plat
      await importAll(plat, count)
      const provider = await ask('POST /api/dns/providers', {
        ...{ name, host, port, tsig_name: KEY.name, tsig_algorithm: KEY.algorithm },
        tsig_secret: Buffer.from(KEY.secret).toString('base64'),
      })
      const startedMs = performance.now()
      const zone = await ask('POST /api/dns/zones', { name: ZONE, provider_id: provider.id })
      await inSync(ask, zone.id)
      const firstMs = performance.now() - startedMs
      const { rrset_count } = await ask(`GET /api/dns/zones/${zone.id}`)
      if (rrset_count !== count) throw new Error(`${rrset_count} RRsets`)
      const checkedMs = performance.now()
      await ask(`POST /api/dns/zones/${zone.id}/check`, {})
      const checkMs = performance.now() - checkedMs
      results.push(
        plain({
          work: `${name}: first sync of ${count.toLocaleString('en-US')} RRsets`,
          ours: milliseconds(firstMs),
          goal: `< ${milliseconds(FIRST_GOAL_MS)}`,
          isMet: firstMs < FIRST_GOAL_MS,
          numbers: { ms: firstMs },
        }),
        plain({
          work: '  check of them',
          ours: milliseconds(checkMs),
          goal: `< ${milliseconds(CHECK_GOAL_MS)}`,
          isMet: checkMs < CHECK_GOAL_MS,
          numbers: { ms: checkMs },
        }),
      )
      const took = await followed(plat, lookup)
      const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)]
      results.push(
        plain({
          work: '  from the answer to a change to that of DNS, 20 a second',
          ours: `p50 ${milliseconds(p50)}, p99 ${milliseconds(p99)}`,
          goal: `p50 < ${milliseconds(P50_GOAL_MS)}, p99 < ${milliseconds(P99_GOAL_MS)}`,
          isMet: p50 < P50_GOAL_MS && p99 < P99_GOAL_MS,
          numbers: { p50_ms: p50, p99_ms: p99 },
        }),
      )
    })
  } finally {
    close()
    await dns.stop()
  }
}

/** Each update changes the address of a device, and so its name in one of the zones. */
const compare = (): Promise<void> =>
  withPlat(async (having) =>
    withPlat(async (without) => {
      for (const plat of [having, without]) await importAll(plat, 1000)
      for (let i = 0; i < ZONES; i++)
        await having.ask('POST /api/dns/zones', { name: i === 0 ? ZONE : `zone-${i}.example` })
      let writes = 0
      const load = ({ server, key }: Plat) => {
        const request = authorized(key)
        const requests = Array.from({ length: 2000 }, (_, i) =>
          request({
            method: 'PUT',
            path: `/api/devices/bench-${i % 1000}`,
            body: JSON.stringify({ addresses: [{ ip: `10.${++writes & 127}.${(i >> 8) & 255}.${i & 255}` }] }),
          }),
        )
        return throughput({ port: server.port, callers: 16, requests }, ROUND_MS)
      }
      await load(having)
      await load(without)
      const { ours, baseline, ratio } = await alternate(
        ROUNDS,
        () => load(having),
        () => load(without),
      )
      const added = 1 / ratio
      results.push({
        work: `update of the address of a device, with ${ZONES} zones`,
        ours: rate(ours),
        baseline: `${rate(baseline)}, without zones`,
        ratio: percent(added - 1),
        goal: `<= ${percent(ADDED_GOAL - 1)} more time`,
        isMet: added <= ADDED_GOAL,
        numbers: { ours_per_second: ours, without_per_second: baseline, ratio: added },
      })
    }),
  )

await measure('BIND', startNamed)
await measure('Knot', startKnot)
await compare()
publish(results)
