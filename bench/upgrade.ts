/**
 * The migration of the data of another checkout, such as the release before:
 * `bun bench/upgrade.ts --other ../plat-before [--devices 100000] [--starts 5]`. The other one must be installed.
 * Beside it the first start, which also copies the data file and is compared with a later start. Compares the answers of both
 * checkouts to reads of that data, byte for byte.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_FILE } from '../src/database/disk/data-folder.ts'
import { migrate } from '../src/database/migrate.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { openSqlite } from '../src/database/sqlite/sqlite.ts'
import { authorized, type Result } from './bench.ts'
import { Connection } from './connection.ts'
import { median, milliseconds } from './numbers.ts'
import { publish } from './report.ts'
import { ROOT, startPlat } from './servers.ts'
import type { prepare as Prepare } from './setup.ts'

const { values } = parseArgs({
  options: {
    other: { type: 'string' },
    devices: { type: 'string', default: '100000' },
    starts: { type: 'string', default: '5' },
  },
})
if (values.other === undefined) throw new Error('--other names the checkout to compare with')
const root = resolve(values.other)
const GOAL_MS = 1000
const PATHS = ['/api/networks', '/api/pools', '/api/devices', '/api/utilization', '/api/lookup/10.0.0.1']

// The other one's own, of its schema; the module is that of another checkout, and has the same type.
const { prepare } = (await import(join(root, 'bench', 'setup.ts'))) as { readonly prepare: typeof Prepare }
const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-upgrade-'))

/** The time until the first answer, and the answers to the reads, as hashes. */
const started = async (dataDir: string, checkout: string, key: string) => {
  const server = await startPlat(dataDir, {}, { root: checkout })
  const request = authorized(key)
  const connection = await Connection.open(server.port)
  const answers: string[] = []
  for (const path of PATHS) {
    const { status, body } = await connection.send(request({ path }), { keepBody: true })
    answers.push(`${path} ${status} ${body.length} ${Bun.hash(body)}`)
  }
  connection.close()
  await server.stop()
  return { ms: server.startMs, answers }
}

/** The time of only the migration, on a copy of the data. */
const migrationMs = async (dataDir: string): Promise<number> => {
  const db = openSqlite(join(dataDir, DATA_FILE))
  const startedAt = performance.now()
  await migrate(db, { migrations, now: () => new Date() })
  const took = performance.now() - startedAt
  await db.close()
  return took
}

const onCopy = async <T>(dataDir: string, work: (copy: string) => Promise<T>): Promise<T> => {
  const copy = mkdtempSync(join(workDir, 'copy-'))
  cpSync(dataDir, copy, { recursive: true })
  const result = await work(copy)
  rmSync(copy, { recursive: true })
  return result
}

try {
  const { dataDir, key } = await prepare(workDir, Number(values.devices))
  const before = await started(dataDir, root, key)
  const runs: { readonly migration: number; readonly first: number; readonly second: number }[] = []
  const differing = new Set<string>()
  for (let start = 0; start < Number(values.starts); start++) {
    const migration = await onCopy(dataDir, migrationMs)
    const [first, second] = await onCopy(dataDir, async (copy) => [
      await started(copy, ROOT, key),
      await started(copy, ROOT, key),
    ])
    runs.push({ migration, first: first.ms, second: second.ms })
    for (const [at, answer] of first.answers.entries()) if (answer !== before.answers[at]) differing.add(answer)
  }
  const took = median(runs.map(({ migration }) => migration))
  const first = median(runs.map(({ first }) => first))
  const later = median(runs.map(({ second }) => second))
  const result: Result = {
    work: `migration of ${Number(values.devices).toLocaleString('en-US')} devices`,
    ours: milliseconds(took),
    baseline: `first start ${milliseconds(first)}, later start ${milliseconds(later)}`,
    ratio: `${differing.size} of ${PATHS.length} answers differ`,
    goal: `< ${milliseconds(GOAL_MS)}`,
    isMet: took < GOAL_MS && differing.size === 0,
    numbers: { migration_ms: took, first_start_ms: first, later_start_ms: later, differing: differing.size },
  }
  publish([result])
  for (const answer of differing) console.log(answer)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
