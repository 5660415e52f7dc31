/**
 * The presence of one device among many intervals: `bun bench/presence.ts [--intervals 10000000] [--on sqlite]`. The intervals are put into
 * the database while the server is stopped: a hundred a device, one each seven hours.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { z } from 'zod'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { Connection } from './connection.ts'
import { megabytes, milliseconds, quantile, times } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const GOAL_MS = 5
const PER_DEVICE = 100
const EACH_MS = 7 * 3_600_000
const IP = '10.0.0.1'
const WARM_UP = 200
const REPEATS = 1000

const { values } = parseArgs({
  options: { intervals: { type: 'string', default: '10000000' }, on: { type: 'string', default: 'sqlite' } },
})
const count = Number(values.intervals)
const devices = Math.ceil(count / PER_DEVICE)

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-presence-'))
const postgres = values.on === 'postgres' ? await postgresAsItComes() : undefined
const env = { PRESENCE_RETENTION_DAYS: '0', ...(postgres && { DATABASE_URL: postgres.url }) }

/** Formats a moment as it is stored, of milliseconds since the epoch. */
const toMoment = (ms: string): string =>
  postgres
    ? `to_char(to_timestamp((${ms}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : `strftime('%Y-%m-%dT%H:%M:%fZ', (${ms}) / 1000.0, 'unixepoch')`

type Known = { readonly network: string; readonly discovered: string }

/** The first device is the one that a scan has found; the intervals of all devices are in its network. */
const fill = async (database: SQL, { network, discovered }: Known): Promise<void> => {
  const nowMs = Date.now()
  const began = `${nowMs} - (n / ${devices} + 1) * ${EACH_MS}`
  const other = postgres ? "md5('d' || n % DEVICES)" : "printf('%032x', n % DEVICES)"
  const device = `CASE WHEN n % ${devices} = 0 THEN '${discovered}' ELSE ${other.replace('DEVICES', `${devices}`)} END`
  const part = (divisor: number) => `((n % ${devices} + 1) / ${divisor} % 256)`
  await database.unsafe(`WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
    INSERT INTO presence (id, network_id, discovered_id, ip, mac_address, source, began_at, seen_at, ended_at)
    SELECT 'old-' || n, '${network}', ${device}, '10.' || ${part(65_536)} || '.' || ${part(256)} || '.' || ${part(1)},
      '00:1b:21:00:00:01', 'scan', ${toMoment(began)}, ${toMoment(began)}, ${toMoment(`${began} + ${EACH_MS / 2}`)} FROM numbers`)
  await database.unsafe(postgres ? 'VACUUM ANALYZE presence' : 'ANALYZE')
}

let running: Server | undefined
const start = async (): Promise<Server> => {
  running = await startPlat(workDir, env)
  return running
}

const Answer = z.object({ intervals: z.array(z.unknown()) })

try {
  const key = await createKey(workDir, env)
  const request = authorized(key)
  const first = await start()
  const asked = await Connection.open(first.port)
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = request({ method, path, ...(body && { body: JSON.stringify(body) }) })
    const { status, head, body: answer } = await asked.send(sent, { keepBody: true })
    if (status >= 300) throw new Error(`${method} ${path} failed: ${head}`)
    return JSON.parse(answer)
  }
  const One = z.object({ id: z.string() })
  const { id: network } = One.parse(await call('POST', '/api/networks', { name: 'All', subnet: '10.0.0.0/16' }))
  await call('POST', `/api/discovery/networks/${network}/results`, { hosts: [{ ip: IP }] })
  const [found] = z.array(One).parse(await call('GET', `/api/discovery/devices?network_id=${network}`))
  if (!found) throw new Error('the scan has found a device')
  asked.close()
  await first.stop()
  running = undefined

  process.stderr.write(`${count} intervals ...\n`)
  const database = new SQL(postgres?.url ?? `sqlite://${join(workDir, 'plat.db')}`, { max: 1 })
  const emptyBytes = postgres ? 0 : statSync(join(workDir, 'plat.db')).size
  await fill(database, { network, discovered: found.id })
  await database.close()
  const bytes = postgres ? 0 : statSync(join(workDir, 'plat.db')).size - emptyBytes

  const server = await start()
  const connection = await Connection.open(server.port)
  /** Returns the median and the p99. */
  const measure = async (path: string) => {
    const took: number[] = []
    for (let i = 0; i < WARM_UP + REPEATS; i++) {
      const startedMs = performance.now()
      const { status, head } = await connection.send(request({ path }))
      if (status !== 200) throw new Error(`${path} failed: ${head}`)
      if (i >= WARM_UP) took.push(performance.now() - startedMs)
    }
    return { median: quantile(took, 0.5), p99: quantile(took, 0.99) }
  }
  const { body } = await connection.send(request({ path: `/api/lookup/${IP}/presence` }), { keepBody: true })
  const shown = Answer.parse(JSON.parse(body)).intervals.length
  const itself = await measure(`/api/discovery/devices/${found.id}`)
  const paths = [
    ['presence of a discovered device', `/api/discovery/devices/${found.id}/presence`, true],
    ['who had an address', `/api/lookup/${IP}/presence`, true],
    // A list: more than 3 % of all intervals have begun in its 24 hours.
    ['who joined', '/api/discovery/joined', false],
  ] as const
  const results: Result[] = []
  for (const [work, path, hasGoal] of paths) {
    const { median, p99 } = await measure(path)
    results.push({
      work: `${work}, of ${count.toLocaleString('en-US')} intervals`,
      ours: `${milliseconds(median)}, p99 ${milliseconds(p99)}`,
      baseline: `the discovered device itself ${milliseconds(itself.median)}`,
      ratio: times(median / itself.median),
      ...(hasGoal ? { goal: `< ${GOAL_MS} ms`, isMet: median < GOAL_MS } : { goal: '', isMet: undefined }),
      numbers: { median_ms: median, p99_ms: p99, itself_ms: itself.median, intervals: shown },
    })
  }
  if (bytes > 0)
    results.push(
      plain({
        work: '  an interval on disk',
        ours: `${Math.round(bytes / count)} bytes, all ${megabytes(bytes)}`,
        goal: '',
        isMet: undefined,
        numbers: { bytes_each: bytes / count },
      }),
    )
  connection.close()
  publish(results)
} finally {
  await running?.stop()
  await postgres?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
