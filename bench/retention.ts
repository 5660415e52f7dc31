/**
 * The deletion of old changes beside a writer: `bun bench/retention.ts [--changes 1000000] [--on sqlite]`. The changes are put into the
 * database before the server starts, each with one item. The server deletes them while a caller updates one device after the other.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { postgresAsItComes } from '../testing/servers/servers.ts'
import { authorized, plain, type Result } from './bench.ts'
import { Connection } from './connection.ts'
import { inTurn } from './load.ts'
import { milliseconds, quantile } from './numbers.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { createKey } from './setup.ts'

const GOAL_MS = 50
const KEPT_DAYS = 30
const DAY_MS = 86_400_000
/** The devices that the old changes are of, and the devices that are written beside the deletion. */
const OLD_DEVICES = 10_000
const WRITTEN_DEVICES = 1000
/** They compile the code of the server, and are not counted. */
const WARM_UP = 200
const LEAST_WRITES = 2000
const LOOK_MS = 250

const { values } = parseArgs({
  options: { changes: { type: 'string', default: '1000000' }, on: { type: 'string', default: 'sqlite' } },
})
const count = Number(values.changes)

/** The length of a device of the made-up estate. */
const DOCUMENT = JSON.stringify({ name: 'old', description: 'x'.repeat(680) })

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-retention-'))
const postgres = values.on === 'postgres' ? await postgresAsItComes() : undefined

const fill = async (database: SQL): Promise<void> => {
  const oldMs = Date.now() - 2 * KEPT_DAYS * DAY_MS
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`
  await database.unsafe(`INSERT INTO history_extent (id, begins_at) VALUES (1, ${oldMs - DAY_MS})
    ON CONFLICT (id) DO UPDATE SET begins_at = excluded.begins_at`)
  await database.unsafe(`${numbers}
    INSERT INTO changes (seq, id, at, operation, user_id, username, via, key_id, oauth_client, tool, ip_address, request_id, note,
      counts, snapshot_xmax) ${postgres ? 'OVERRIDING SYSTEM VALUE' : ''}
    SELECT n + 1, 'old-' || n, ${oldMs} + n, 'devices.update', 'bench', 'bench', 'key', '', '', '', '127.0.0.1', 'old-' || n, '',
      '{"update":{"device":1}}', 0 FROM numbers`)
  await database.unsafe(`${numbers}
    INSERT INTO history (kind, id, seq, sort_key, before)
    SELECT 'device', 'old-' || (n % ${OLD_DEVICES}), n + 1, 'old', '${DOCUMENT}' FROM numbers ORDER BY 2, 3`)
}

try {
  const env = { HISTORY_RETENTION_DAYS: `${KEPT_DAYS}`, ...(postgres && { DATABASE_URL: postgres.url }) }
  const key = await createKey(workDir, env)
  process.stderr.write(`${count} old changes ...\n`)
  const database = new SQL(postgres?.url ?? `sqlite://${join(workDir, 'plat.db')}`, { max: 1 })
  await fill(database)
  if (postgres) {
    await database.unsafe(`SELECT setval(pg_get_serial_sequence('changes', 'seq'), ${count})`)
    await database.unsafe('VACUUM ANALYZE')
  }

  const server = await startPlat(workDir, env)
  const request = authorized(key)
  const ids = Array.from({ length: WRITTEN_DEVICES }, (_, i) => `written-${i}`)
  const operations = ids.map((id) => ({ op: 'create', device: { id, name: id } }))
  await inTurn(server.port, [
    request({ method: 'POST', path: '/api/devices/bulk', body: JSON.stringify({ operations }) }),
  ])
  const connection = await Connection.open(server.port)
  let written = 0
  const write = async (): Promise<number> => {
    const path = `/api/devices/${ids[written % ids.length]}`
    const bytes = request({ method: 'PUT', path, body: JSON.stringify({ location: `rack ${written++}` }) })
    const startedMs = performance.now()
    const { status, head } = await connection.send(bytes)
    if (status !== 200) throw new Error(`a write failed: ${head}`)
    return performance.now() - startedMs
  }
  const isLeft = async (): Promise<boolean> =>
    (await database.unsafe(`SELECT 1 FROM changes WHERE at < ${Date.now() - KEPT_DAYS * DAY_MS} LIMIT 1`)).length > 0

  for (let i = 0; i < WARM_UP; i++) await write()
  if (!(await isLeft())) throw new Error('nothing is left to delete; take more changes')
  const startedMs = performance.now()
  const beside: number[] = []
  for (let lookedMs = startedMs; ; ) {
    beside.push(await write())
    if (performance.now() - lookedMs < LOOK_MS) continue
    if (!(await isLeft())) break
    lookedMs = performance.now()
  }
  const tookMs = performance.now() - startedMs
  const alone: number[] = []
  while (alone.length < Math.max(LEAST_WRITES, beside.length)) alone.push(await write())
  connection.close()
  await database.close()
  await server.stop()

  const [longest, longestAlone] = [Math.max(...beside), Math.max(...alone)]
  const p99 = quantile(beside, 0.99)
  const p99Alone = quantile(alone, 0.99)
  const results: Result[] = [
    {
      work: `longest update of a device while ${count.toLocaleString('en-US')} old changes are deleted`,
      ours: milliseconds(longest),
      baseline: `afterwards ${milliseconds(longestAlone)}`,
      ratio: '',
      goal: `<= ${GOAL_MS} ms`,
      isMet: longest <= GOAL_MS,
      numbers: { longest_ms: longest, longest_alone_ms: longestAlone, writes: beside.length },
    },
    {
      work: '  p99',
      ours: milliseconds(p99),
      baseline: `afterwards ${milliseconds(p99Alone)}`,
      ratio: '',
      goal: '',
      isMet: undefined,
      numbers: { p99_ms: p99, p99_alone_ms: p99Alone },
    },
    plain({
      work: '  until all are deleted',
      ours: milliseconds(tookMs),
      goal: '',
      isMet: undefined,
      numbers: { ms: tookMs },
    }),
  ]
  publish(results)
} finally {
  await postgres?.remove()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
