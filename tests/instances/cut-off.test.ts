// An instance that holds locks is frozen, or cut off from PostgreSQL. PostgreSQL ends its transaction, and another instance gets the
// locks within 15 seconds.
import { afterAll, beforeAll, expect } from 'bun:test'
import { SQL } from 'bun'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { type Relay, startRelay } from '../../testing/servers/relay.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 120_000
const PROMISED_MS = 15_000
const NETWORKS = 20_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let relay: Relay
  let folder: ServerFolder
  let sql: SQL
  beforeAll(async () => {
    database = await postgresDatabase()
    sql = new SQL({ url: database.url, max: 1 })
    const url = new URL(database.url)
    relay = await startRelay({ hostname: url.hostname, port: Number(url.port) })
    folder = await serverFolder({ DATABASE_URL: database.url, RATE_LIMIT_ENABLED: 'false' })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await folder.remove()
    await relay.close()
    await sql.close()
    await database.drop()
  }, TIMEOUT_MS)

  const ask = (server: ServerChild, path: string, body: unknown): Promise<Response> =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })

  const throughRelay = (): string => {
    const url = new URL(database.url)
    url.port = String(relay.port)
    return url.href
  }

  /** Starts an import, and resolves when its transaction has changed something and goes on. */
  const beginImport = async (server: ServerChild): Promise<void> => {
    const row = (n: number) => ({ name: `n${n}`, subnet: `10.${n >> 8}.${n & 255}.0/24` })
    const networks = Array.from({ length: NETWORKS }, (_, n) => row(n))
    ask(server, '/api/estate/import?resource=networks', networks).catch(() => {})
    await until('the transaction of the import', async () => {
      const [found] = await sql`SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
        AND backend_xid IS NOT NULL AND clock_timestamp() - xact_start > interval '300 ms'`
      return found.n > 0 || undefined
    })
  }

  /** Creates a network until that succeeds. @returns the time that it took, and the answers before */
  const createNetwork = async (server: ServerChild, subnet: string) => {
    const startedMs = performance.now()
    const refused: string[] = []
    const status = await until('a new network', async () => {
      const response = await ask(server, '/api/networks', { name: subnet, subnet })
      const text = await response.text()
      if (response.status !== 201) refused.push(text)
      return response.status === 201 ? response.status : undefined
    })
    return { status, ms: performance.now() - startedMs, refused }
  }

  testAll.each([
    ['frozen', '192.0.2.0/25'],
    ['cut off', '192.0.2.128/25'],
  ])(
    'the locks of an instance that is %s during an import are free within 15 seconds',
    async (how, subnet) => {
      const [victim, other] = await Promise.all([
        folder.start({ env: { DATABASE_URL: throughRelay() } }),
        folder.start(),
      ])
      try {
        await beginImport(victim)
        if (how === 'frozen') process.kill(victim.pid, 'SIGSTOP')
        else relay.block()
        const { status, ms } = await createNetwork(other, subnet)
        expect(status).toBe(201)
        expect(ms).toBeLessThan(PROMISED_MS)
      } finally {
        process.kill(victim.pid, 'SIGCONT')
        relay.unblock()
        await victim.kill()
        await other.kill()
      }
    },
    TIMEOUT_MS,
  )
}
