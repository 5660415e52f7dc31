// Several server processes on one PostgreSQL: started concurrently on an empty database, and restarted in turn under
// load.
import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { migrations } from '../../src/database/migrations/index.ts'
import { type ServerChild, serverFolder, spawnServer } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { startBalancer } from '../../testing/servers/balancer.ts'
import { engines, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 120_000
const WRITERS = 4
/** Requests answered before each restart, so that the load is constant. */
const ENOUGH = 25

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  const undo: (() => Promise<void> | void)[] = []
  afterEach(async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }, TIMEOUT_MS)
  const emptyDatabase = async () => {
    const { url, drop } = await postgresDatabase()
    undo.push(drop)
    return url
  }

  testAll(
    'three that start at once on an empty database all come up, with each migration and one first admin made once',
    async () => {
      const DATABASE_URL = await emptyDatabase()
      const start = async () => {
        const DATA_DIR = mkdtempSync(join(tmpdir(), 'plat-three-'))
        undo.push(() => rmSync(DATA_DIR, { recursive: true, force: true }))
        const env = { DATABASE_URL, DATA_DIR, INITIAL_ADMIN_USERNAME: 'admin', INITIAL_ADMIN_PASSWORD: 'sesame-sesame' }
        return spawnServer(env, {}, (child) => void undo.push(() => child.kill('SIGKILL')))
      }
      const servers = await Promise.all([start(), start(), start()])
      const ready = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/readyz`)).status))
      const sql = new SQL(DATABASE_URL, { max: 1 })
      const [{ n: applied }] = await sql`SELECT count(*)::int AS n FROM migrations`
      const [{ n: users }] = await sql`SELECT count(*)::int AS n FROM users`
      await sql.close()
      expect([ready, applied, users]).toEqual([[200, 200, 200], migrations.length, 1])
      expect(await Promise.all(servers.map(({ stop }) => stop()))).toEqual([0, 0, 0])
    },
    TIMEOUT_MS,
  )

  test(
    'two that are restarted one after the other fail no request',
    async () => {
      const DATABASE_URL = await emptyDatabase()
      const folder = await serverFolder({ DATABASE_URL, RATE_LIMIT_ENABLED: 'false', SHUTDOWN_DELAY: '500ms' })
      undo.push(folder.remove)
      const balancer = startBalancer()
      undo.push(balancer.close)
      const begin = async (): Promise<ServerChild> => {
        const server = await folder.start()
        balancer.add(server.url)
        return server
      }
      const servers = [await begin(), await begin()]
      await balancer.ready(2)

      const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json' }
      const failed: string[] = []
      const acked: string[] = []
      let answered = 0
      let isOver = false
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const body = JSON.stringify({ name: `w${writer}-${n}` })
          const response = await fetch(`${balancer.url}/api/devices`, { method: 'POST', headers, body })
          const text = await response.text()
          if (response.status === 201) acked.push((JSON.parse(text) as { id: string }).id)
          else failed.push(`${response.status} ${text}`)
          const list = await fetch(`${balancer.url}/api/devices?limit=10`, { headers })
          if (list.status !== 200) failed.push(`${list.status} ${await list.text()}`)
          else await list.text()
          answered += 2
        }
      }
      // The stream is endless, and must not keep its server from ending.
      const stream = await fetch(`${servers[0]?.url}/api/events`, { headers })
      const streamed = stream.text()
      const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer))
      const more = async () => {
        const wanted = answered + ENOUGH
        await until('more answers', () => answered >= wanted || undefined)
      }
      const codes: number[] = []
      for (const server of servers) {
        await more()
        codes.push(await server.stop())
        await begin()
        await balancer.ready(2)
      }
      await more()
      isOver = true
      await Promise.all(writing)
      expect(await streamed).toStartWith('retry:')
      const list = await fetch(`${balancer.url}/api/devices`, { headers })
      const stored = new Set(((await list.json()) as { id: string }[]).map(({ id }) => id))
      expect([failed, codes, acked.filter((id) => !stored.has(id))]).toEqual([[], [0, 0], []])
    },
    TIMEOUT_MS,
  )
}
