/** The list of changes with their objects, and the search of changes by the names of objects. */
import { SQL } from 'bun'
import type { Result } from './bench.ts'
import { inTurn } from './load.ts'
import { milliseconds, quantile } from './numbers.ts'
import type { Server } from './servers.ts'

const STALL_GOAL_MS = 50
const SEARCH_GOAL_MS = 50
const TRIES = 20

/** Puts changes of one device each into a database that no server has open: each device gets another status again and again. */
export const fillChanges = async (url: string, count: number): Promise<void> => {
  const isPostgres = url.startsWith('postgres')
  const database = new SQL(url, { max: 1 })
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`
  const [{ seq = 0, devices = 0 } = {}] = await database.unsafe(
    'SELECT (SELECT max(seq) FROM changes) AS seq, (SELECT count(*) FROM devices) AS devices',
  )
  await database.unsafe(`${numbers}
    INSERT INTO changes (seq, id, at, operation, user_id, username, via, key_id, oauth_client, tool, ip_address, request_id, note,
      counts, snapshot_xmax) ${isPostgres ? 'OVERRIDING SYSTEM VALUE' : ''}
    SELECT ${seq} + n, 'filled-' || n, ${Date.now()} + n, 'devices.update', 'bench', 'bench', 'key', '', '', '', '127.0.0.1',
      'filled-' || n, '', '{"update":{"device":1}}', 0 FROM numbers`)
  await database.unsafe(`CREATE ${isPostgres ? '' : 'TEMP'} TABLE numbered AS
    SELECT row_number() OVER (ORDER BY id) - 1 AS k, id, name_key, name_order, doc FROM devices`)
  await database.unsafe('CREATE INDEX numbered_k ON numbered (k)')
  await database.unsafe(`${numbers}
    INSERT INTO history (kind, id, seq, sort_key, order_key, before)
    SELECT 'device', id, ${seq} + n, name_key, name_order,
      CASE WHEN n / ${devices} % 2 = 0 THEN replace(doc, '"active"', '"maintenance"') ELSE doc END
    FROM numbers JOIN numbered ON numbered.k = n % ${devices}`)
  await database.unsafe('DROP TABLE numbered')
  if (isPostgres) {
    await database.unsafe(`SELECT setval(pg_get_serial_sequence('changes', 'seq'), ${Number(seq) + count})`)
    await database.unsafe('VACUUM ANALYZE')
  }
  await database.close()
}

type Request = (asked: { readonly path: string }) => Uint8Array

/** Reads pages of the history. @param names parts of names, which few or very many devices have */
export const measureHistory = async (
  server: Server,
  request: Request,
  { few, many }: { readonly few: string; readonly many: string },
): Promise<Result[]> => {
  const timeOf = async (path: string): Promise<number> => {
    const start = performance.now()
    const [reply] = await inTurn(server.port, [request({ path })])
    if (reply?.status !== 200) throw new Error(`${path} was answered with ${reply?.status}`)
    return performance.now() - start
  }
  const results: Result[] = []
  const measure = async (work: string, path: string, goal?: number): Promise<void> => {
    for (let i = 0; i < TRIES; i++) await timeOf(`${path}&offset=${i}`)
    await server.watchStalls()
    const took: number[] = []
    // Another page each time, so that no answer is one of before.
    for (let i = 0; i < TRIES; i++) took.push(await timeOf(`${path}&offset=${100 + i}`))
    const stall = await server.longestStallMs()
    const [median, p95] = [quantile(took, 0.5), quantile(took, 0.95)]
    results.push({
      work,
      ours: `${milliseconds(median)}, p95 ${milliseconds(p95)}, stall ${milliseconds(stall)}`,
      baseline: '',
      ratio: '',
      goal: goal === undefined ? '' : `< ${goal} ms, stall <= ${STALL_GOAL_MS} ms`,
      isMet: goal === undefined ? undefined : median < goal && stall <= STALL_GOAL_MS,
      numbers: { median_ms: median, p95_ms: p95, stall_ms: stall },
    })
  }
  await measure('the history, 100 changes with their objects', '/api/history?limit=100')
  await measure('  changes of one device, by its name', `/api/history?limit=100&q=${few}`, SEARCH_GOAL_MS)
  await measure(
    '  changes of devices with a frequent text in their name',
    `/api/history?limit=100&q=${many}`,
    SEARCH_GOAL_MS,
  )
  return results
}
