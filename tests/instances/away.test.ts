// An outage of the database server: clients get a clear error during it, and no restart is needed after it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createLogger } from '../../src/base/runtime/log.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { follow } from '../../testing/feed.ts'
import { host, scriptedScanner } from '../../testing/servers/scripted-scanner.ts'
import { engines, stoppablePostgres } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
/** Far below the time limit of a request. */
const SOON_MS = 10_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let server: Awaited<ReturnType<typeof stoppablePostgres>>
  let app: TestApp
  let admin: TestCaller
  const logged: string[] = []
  const scanner = scriptedScanner()
  const log = createLogger({ level: 'error', format: 'text', write: (entry) => logged.push(entry) })
  beforeAll(async () => {
    server = await stoppablePostgres()
    app = await testApp({
      log,
      startScan: scanner.startScan,
      env: { DATABASE_URL: server.url, DATABASE_LOCK_TIMEOUT: '300ms', REQUEST_TIMEOUT: '20s' },
    })
    admin = await app.as('admin')
    // Every device that is created needs a delivery.
    const hook = { name: 'all', url: 'https://192.0.2.1/', events: ['device.created' as const], retry_count: 0 }
    await admin.api.webhooks.create(hook)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await server.remove()
  }, TIMEOUT_MS)

  const answerOf = async (response: Response) => {
    const { code, error } = (await response.json()) as { code: string; error: string }
    return [response.status, code, error]
  }
  const MESSAGE = 'The database does not answer; try again in a moment'
  const AWAY = [503, 'UNAVAILABLE', MESSAGE]
  const isBack = () =>
    until('an answer again', async () => {
      const response = await admin.request('GET', '/readyz')
      await response.text()
      return response.status === 200 || undefined
    })

  test(
    'while the database is away, requests are refused soon, with a reason',
    async () => {
      await server.stop()
      const startedMs = performance.now()
      const answers = [
        await answerOf(await admin.request('GET', '/api/devices')),
        await answerOf(await admin.request('GET', '/api/devices/x')),
        await answerOf(await admin.request('POST', '/api/devices', { name: 'nowhere' })),
      ]
      expect(performance.now() - startedMs).toBeLessThan(SOON_MS)
      await server.start()
      await isBack()
      expect(answers).toEqual([AWAY, AWAY, AWAY])
    },
    TIMEOUT_MS,
  )

  test(
    'while the database is away, the process lives and is not ready',
    async () => {
      await server.stop()
      const healthy = (await app.guest('GET', '/healthz')).status
      const ready = await app.guest('GET', '/readyz')
      const { checks } = (await ready.json()) as { checks: { database: { message: string } } }
      await server.start()
      await isBack()
      expect([healthy, ready.status, checks.database.message]).toEqual([200, 503, MESSAGE])
    },
    TIMEOUT_MS,
  )

  test(
    'acknowledged writes are there when the database is back, and requests work',
    async () => {
      const acked: string[] = []
      const odd: unknown[] = []
      let isOver = false
      const write = async (writer: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const response = await admin.request('POST', '/api/devices', { name: `w${writer}-${n}` })
          const { id } = (await response.json()) as { id: string }
          if (response.status === 201) acked.push(id)
          else if (response.status !== 503) odd.push([response.status, ...logged.splice(0)])
        }
      }
      const writing = [0, 1, 2, 3].map(write)
      await until('some devices', () => acked.length > 20 || undefined)
      await server.stop()
      await server.start()
      const before = acked.length
      await until('more devices', () => acked.length > before + 20 || undefined)
      isOver = true
      await Promise.all(writing)
      const stored = new Set((await admin.api.devices.list({})).map(({ id }) => id))
      expect([acked.filter((id) => !stored.has(id)), odd]).toEqual([[], []])
    },
    TIMEOUT_MS,
  )

  test(
    'a running scan resumes from its checkpoint when the database is back',
    async () => {
      const network = await admin.api.networks.create({ name: 'scanned', subnet: '127.5.5.0/24' })
      const started = await admin.api.scans.start({ id: network.id })
      if (!('id' in started)) throw new Error('a scan that is no dry run has an id')
      const scan = await scanner.next()
      await scan.found([host('127.5.5.1')], { mark: 'half-way' })
      await server.stop()
      await scan.found([host('127.5.5.2')], { mark: 'never stored' }).catch(() => {})
      scan.end('failed', 'what could not be stored ends it')
      await server.start()
      const again = await scanner.next()
      again.end('done')
      const ended = await until('the end of the scan', async () => {
        const { status } = await admin.api.scans.get({ id: started.id })
        return status === 'running' ? undefined : status
      })
      expect([again.plan.checkpoint, ended]).toEqual([{ version: 1, mark: 'half-way' }, 'completed'])
    },
    TIMEOUT_MS,
  )

  test(
    'the live feed continues when the database is back',
    async () => {
      const feed = await follow(admin)
      await feed.opened()
      await server.stop()
      await server.start()
      await isBack()
      // The server may have closed the streams of listeners, which then reconnect.
      await admin.api.devices.create({ name: 'after all' })
      const since = new Date(Date.now() - TIMEOUT_MS).toISOString()
      const again = await follow(admin, `?since=${encodeURIComponent(since)}`)
      const heard = await until('the new device', () =>
        [...feed.heard(), ...again.heard()].find(({ data }) => JSON.stringify(data).includes('after all')),
      )
      expect(heard.event).toBe('device.created')
      await feed.stop()
      await again.stop()
    },
    TIMEOUT_MS,
  )

  test(
    'a request that waits too long for a lock is refused with a reason',
    async () => {
      const holder = new SQL(server.url, { max: 1 })
      const holding = await holder.reserve()
      await holding.unsafe('BEGIN; LOCK TABLE datacenters IN ACCESS EXCLUSIVE MODE')
      const answer = await answerOf(await admin.request('POST', '/api/datacenters', { name: 'in the way' }))
      await holding.unsafe('ROLLBACK')
      holding.release()
      await holder.close()
      expect(answer).toEqual([503, 'UNAVAILABLE', 'The database took too long; try again in a moment'])
    },
    TIMEOUT_MS,
  )
}
