/**
 * The effect of a flood of logins on other requests: `bun bench/flood.ts [--seconds 10]`. Fifty addresses try passwords as fast
 * as they are answered, while another thread requests /healthz.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { plain, type Result } from './bench.ts'
import { Connection, requestBytes } from './connection.ts'
import { megabytes, milliseconds, quantile } from './numbers.ts'
import { publish } from './report.ts'
import { type Server, startPlat } from './servers.ts'
import { createKey } from './setup.ts'
import { watch } from './watch.ts'

const ADDRESSES = 50
const GOAL_MS = 50
const GOAL_BYTES = 20_000_000

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } })

/** How often each status was answered. */
const flood = async ({ port }: Server, ms: number): Promise<Map<number, number>> => {
  const statuses = new Map<number, number>()
  const until = performance.now() + ms
  const body = JSON.stringify({ username: 'bench', password: 'not the password' })
  const one = async (address: string) => {
    const connection = await Connection.open(port)
    const headers = { 'X-Forwarded-For': address }
    const request = requestBytes({ method: 'POST', path: '/api/auth/login', headers, body })
    while (performance.now() < until) {
      const { status } = await connection.send(request)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: ADDRESSES }, (_, i) => one(`198.51.100.${i + 1}`)))
  return statuses
}

const measure = async (server: Server, ms: number): Promise<Result[]> => {
  // The first flood starts the parts that are made once, such as the workers that hash.
  await flood(server, 3000)
  const before = await server.memory()
  const probe = watch(server.port)
  const statuses = await flood(server, ms)
  const times = await probe.stop()
  const growth = (await server.memory()) - before
  const p99 = quantile(times, 0.99)
  const counts = [...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')
  return [
    plain({
      work: `GET /healthz beside logins from ${ADDRESSES} addresses`,
      ours: `p99 ${milliseconds(p99)}, worst ${milliseconds(quantile(times, 1))} of ${times.length}`,
      goal: `p99 < ${GOAL_MS} ms`,
      isMet: p99 < GOAL_MS,
      numbers: { p99_ms: p99 },
    }),
    plain({
      work: `  memory that they add (${counts})`,
      ours: megabytes(Math.max(0, growth)),
      goal: `< ${megabytes(GOAL_BYTES)}`,
      isMet: growth < GOAL_BYTES,
      numbers: { bytes: growth },
    }),
  ]
}

const dataDir = mkdtempSync(join(tmpdir(), 'plat-bench-flood-'))
try {
  await createKey(dataDir)
  const server = await startPlat(dataDir, {
    AUDIT_ENABLED: 'true',
    RATE_LIMIT_ENABLED: 'true',
    TRUST_PROXY: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  publish(await measure(server, Number(values.seconds) * 1000))
  await server.stop()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit()
