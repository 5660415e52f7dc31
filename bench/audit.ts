/**
 * Measures the cost of auditing for a write: `bun bench/audit.ts [--rounds 15] [--databases sqlite,postgres]`. Two servers in one run,
 * of which one keeps an audit trail, write devices in turn.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { postgresDatabase } from '../testing/servers/servers.ts'
import { authorized, type Result } from './bench.ts'
import { alternate, throughputOnce } from './load.ts'
import { percent, rate } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { addNetwork, createKey } from './setup.ts'
import { device } from './works/write.ts'

/** The share of the time that a write takes without a trail. */
const GOAL = 0.15
/** Requests of a round, by callers at once. */
const PER_ROUND = new Map([
  [1, 400],
  [32, 2000],
])
const ENCRYPTION_KEY = 'ab'.repeat(32)

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, databases: { type: 'string', default: 'sqlite' } },
})
const rounds = Number(values.rounds)

type Subject = { readonly server: Server; readonly request: ReturnType<typeof authorized> }

const workDir = mkdtempSync(join(tmpdir(), 'plat-bench-audit-'))

const startSubject = async (database: string, isAudited: boolean): Promise<Subject> => {
  const dataDir = join(workDir, `${database}-${isAudited}`)
  mkdirSync(dataDir)
  const url = database === 'postgres' ? { DATABASE_URL: (await postgresDatabase()).url } : {}
  const key = await createKey(dataDir, url)
  const server = await startPlat(dataDir, { ...url, ENCRYPTION_KEY, AUDIT_ENABLED: String(isAudited) })
  await addNetwork({ port: server.port, key })
  return { server, request: authorized(key) }
}

const measure = async (database: string): Promise<Result[]> => {
  const [audited, plain] = [await startSubject(database, true), await startSubject(database, false)]
  const results: Result[] = []
  for (const [callers, count] of PER_ROUND) {
    const round =
      ({ server: { port }, request }: Subject) =>
      () => {
        const requests = Array.from({ length: count }, () =>
          request({ method: 'POST', path: '/api/devices', body: JSON.stringify(device()) }),
        )
        return throughputOnce({ port, callers, requests, status: 201 })
      }
    for (let warm = 0; warm < 3; warm++) {
      await round(audited)()
      await round(plain)()
    }
    const { ours, baseline, ratio } = await alternate(rounds, round(audited), round(plain))
    const cost = 1 / ratio - 1
    results.push({
      work: `write a device on ${database}, ${callers === 1 ? 'one caller' : `${callers} callers`}`,
      ours: `${rate(ours)} audited`,
      baseline: `${rate(baseline)} not`,
      ratio: `+ ${percent(cost)} time`,
      goal: database === 'sqlite' ? `<= ${percent(GOAL)} more time` : '',
      isMet: database === 'sqlite' ? cost <= GOAL : undefined,
      numbers: { audited_per_second: ours, plain_per_second: baseline, cost },
    })
  }
  await audited.server.stop()
  await plain.server.stop()
  return results
}

try {
  const results: Result[] = []
  for (const database of values.databases.split(',')) results.push(...(await measure(database)))
  publish(results)
} finally {
  rmSync(workDir, { recursive: true, force: true })
}
process.exit()
