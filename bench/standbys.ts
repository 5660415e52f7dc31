/**
 * Reads on standbys beside reads on the primary: `bun bench/standbys.ts [--devices 20000] [--only search]`. Two servers on one PostgreSQL
 * with two standbys, one server with DATABASE_READS=standbys, do the same reads in turn. The last row is the share of the rows that the primary
 * has read for the first of them.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rowsReadBy } from '../testing/rows-read.ts'
import { type Replicas, replicasProblem, startReplicas } from '../testing/servers/replicas.ts'
import { authorized, plain, type Result } from './bench.ts'
import {
  asking,
  commonSearches,
  compareOne,
  deviceSearches,
  FIRST,
  type PairWork,
  readAll,
  readOne,
  type Side,
} from './pair.ts'
import { publish } from './report.ts'
import { startPlat } from './servers.ts'
import { prepare } from './setup.ts'

const { values } = parseArgs({
  options: { devices: { type: 'string', default: '20000' }, only: { type: 'string', default: '' } },
})
if (replicasProblem !== undefined) throw new Error(replicasProblem)

const GOAL = 1.2
/** So much longer is enough, where the whole takes a fraction of a millisecond. */
const GOAL_MS = 0.3
const GOAL_SHARE = 0.1

const works = (ids: readonly string[]): PairWork[] =>
  [
    asking('a page of devices', () => [`/api/devices?limit=${FIRST}`]),
    asking('networks with their utilization', () => ['/api/networks?include=utilization']),
    asking('the dashboard', () => ['/api/dashboard']),
    ...deviceSearches(ids, FIRST),
    ...commonSearches,
    readAll,
    readOne,
  ].filter(({ name }) => name.includes(values.only))

const judged = (result: Result): Result => {
  const { ours_ms, baseline_ms, slower = Number.NaN } = result.numbers
  const isClose = ours_ms !== undefined && baseline_ms !== undefined && ours_ms - baseline_ms <= GOAL_MS
  return { ...result, goal: `<= ${GOAL} x the time, or ${GOAL_MS} ms more`, isMet: slower <= GOAL || isClose }
}

const shareOf = async ({ servers }: Replicas, database: string, before: readonly number[]): Promise<Result> => {
  const now = await Promise.all(servers.map((server) => rowsReadBy(server, database)))
  const [primary = 0, ...standbys] = now.map((rows, at) => rows - (before[at] ?? 0))
  const share = primary / (primary + standbys.reduce((sum, rows) => sum + rows, 0))
  return plain({
    work: 'rows read by the primary for all of it',
    ours: `${(share * 100).toFixed(1)} %`,
    goal: `< ${GOAL_SHARE * 100} %`,
    isMet: share < GOAL_SHARE,
    numbers: { share },
  })
}

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-standbys-'))
const replicas = await startReplicas(2)
try {
  const [primary] = replicas.servers
  const database = await replicas.createDatabase()
  const env = { DATABASE_URL: replicas.url(database) }
  mkdirSync(join(workDir, 'one'))
  process.stderr.write('importing ...\n')
  const { dataDir, key, deviceIds } = await prepare(join(workDir, 'one'), Number(values.devices), env)
  const other = join(workDir, 'other')
  cpSync(dataDir, other, { recursive: true })
  await primary.execute('VACUUM ANALYZE', database)
  await replicas.caughtUp()

  const side = async (folder: string, DATABASE_READS: string) => {
    const server = await startPlat(folder, { ...env, DATABASE_READS })
    const measured: Side = { port: server.port, request: authorized(key), deviceIds }
    return { server, measured }
  }
  const results: Result[] = []
  const [ours, baseline] = [await side(dataDir, 'standbys'), await side(other, 'primary')]
  for (const work of works(deviceIds)) {
    process.stderr.write(`${work.name} ...\n`)
    results.push(
      judged(await compareOne(work, { ours: ours.measured, baseline: baseline.measured, called: 'primary' }, GOAL)),
    )
  }
  await baseline.server.stop()
  await ours.server.stop()

  // The servers count the rows of a connection when it ends, so this row has another server.
  const before = await Promise.all(replicas.servers.map((server) => rowsReadBy(server, database)))
  const alone = await side(dataDir, 'standbys')
  for (const work of works(deviceIds).filter(({ name }) => name !== readOne.name)) await work.measure(alone.measured)
  await alone.server.stop()
  results.push(await shareOf(replicas, database, before))
  publish(results)
} finally {
  await replicas.close()
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
