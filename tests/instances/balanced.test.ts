// Two instances behind nginx, as `packaging/ha/nginx.conf` has it: one is stopped in order, and one is killed, under load.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ServerChild, type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { nginxProblem, startNginx } from '../../testing/servers/nginx.ts'
import { engines, freePort, postgresDatabase } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 120_000
const CLIENTS = 4
const ENOUGH = 40

const isWanted = process.env.PLAT_LONG === '1' && engines().includes('postgres')
/** Left out of `npm test` rather than skipped. */
const whole = isWanted ? describe.skipIf(nginxProblem !== undefined) : () => {}
whole(nginxProblem ? `two instances behind nginx (${nginxProblem})` : 'two instances behind nginx', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let nginx: Awaited<ReturnType<typeof startNginx>>
  let folder: ServerFolder
  let ports: readonly [number, number]
  let instances: [ServerChild, ServerChild]
  const start = (port: number) => folder.start({ env: { LISTEN_ADDR: `127.0.0.1:${port}` } })
  beforeAll(async () => {
    database = await postgresDatabase()
    folder = await serverFolder({
      DATABASE_URL: database.url,
      RATE_LIMIT_ENABLED: 'false',
      SHUTDOWN_DELAY: '1s',
      TRUST_PROXY: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    ports = [await freePort(), await freePort()]
    instances = [await start(ports[0]), await start(ports[1])]
    nginx = await startNginx(ports)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await nginx?.stop()
    await folder?.remove()
    await database?.drop()
  }, TIMEOUT_MS)

  const call = (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/json', ...init.headers }
    return fetch(nginx.url + path, { ...init, headers, tls: { rejectUnauthorized: false } })
  }

  /** Reads and writes until `isOver`. @returns the requests, and the unsuccessful ones */
  const load = async (name: string, isOver: () => boolean) => {
    let requests = 0
    const failed: string[] = []
    const client = async (n: number): Promise<void> => {
      for (let i = 0; !isOver(); i++) {
        const body = JSON.stringify({ name: `${name}-${n}-${i}` })
        const send = async (method: string, path: string, init: RequestInit = {}): Promise<string | undefined> => {
          const answer = await call(path, { method, ...init }).catch((error: Error) => error)
          requests++
          if (answer instanceof Error) failed.push(answer.message)
          else if (answer.ok) return answer.text()
          else failed.push(`${method}: ${answer.status} ${await answer.text()}`)
          return undefined
        }
        const created = await send('POST', '/api/devices', { body })
        await send('GET', '/api/devices')
        if (created === undefined) continue
        const path = `/api/devices/${JSON.parse(created).id}`
        await send('PUT', path, { body: JSON.stringify({ notes: 'seen' }) })
        await send('DELETE', path)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)))
    return { requests, failed }
  }

  test(
    'no request fails while either is stopped in order and started again',
    async () => {
      let isOver = false
      const loading = load('rolled', () => isOver)
      for (const at of [0, 1] as const) {
        expect(await instances[at].stop()).toBe(0)
        instances[at] = await start(ports[at])
      }
      isOver = true
      const { requests, failed } = await loading
      expect(requests).toBeGreaterThan(ENOUGH)
      expect(failed).toEqual([])
    },
    TIMEOUT_MS,
  )

  test(
    'the live feed is sent as events occur, and a client that comes again finds the other instance',
    async () => {
      const open = async (last?: string) => {
        const response = await call('/api/events', last === undefined ? {} : { headers: { 'Last-Event-ID': last } })
        expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
        let text = ''
        let isOver = false
        const reading = (async () => {
          const decoder = new TextDecoder()
          for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
        })()
          .catch(() => {})
          .finally(() => {
            isOver = true
          })
        return {
          hears: (name: string) => until(`event of ${name}`, () => (text.includes(`"${name}"`) ? text : undefined)),
          ended: () => until('end of the feed', () => isOver || undefined),
          reading,
        }
      }
      const create = async (name: string) =>
        expect((await call('/api/devices', { method: 'POST', body: JSON.stringify({ name }) })).status).toBe(201)
      const feed = await open()
      await create('first')
      const text = await feed.hears('first')
      const last = /^id: (\d+)$/gm.exec(text)?.[1]
      for (const at of [0, 1] as const) {
        await instances[at].stop()
        if (at === 0) instances[at] = await start(ports[at])
      }
      await feed.ended()
      await create('second')
      const again = await open(last)
      expect(await again.hears('second')).not.toContain('missed')
      instances[1] = await start(ports[1])
    },
    TIMEOUT_MS,
  )

  test(
    'when one is killed, only requests that it was answering fail',
    async () => {
      let isOver = false
      const loading = load('killed', () => isOver)
      await instances[0].kill()
      await until('answers of the other one', async () => ((await call('/readyz')).ok ? true : undefined))
      isOver = true
      const { failed } = await loading
      expect(failed.length).toBeLessThanOrEqual(CLIENTS)
      expect(failed.filter((line) => !/^(GET|POST|PUT|DELETE): 502 /.test(line))).toEqual([])
      expect((await call('/readyz')).status).toBe(200)
    },
    TIMEOUT_MS,
  )
})
