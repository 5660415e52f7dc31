/**
 * The shutdown: requests in progress are answered, no client delays it, and a second signal ends the process at once.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { testAll } from '../../testing/cases.ts'
import { until } from '../../testing/until.ts'

const main = resolve(import.meta.dir, '../../src/main.ts')
/** Signals closer than this count as one. */
const SAME_SIGNAL_MS = 300

let folder: string
let server: ReturnType<typeof start>

const start = (more: Readonly<Record<string, string>> = {}) =>
  Bun.spawn([process.execPath, '--no-env-file', main, 'serve'], {
    env: {
      ...process.env,
      DATA_DIR: join(folder, 'data'),
      LISTEN_ADDR: '127.0.0.1:0',
      INITIAL_ADMIN_USERNAME: 'admin',
      INITIAL_ADMIN_PASSWORD: 'sesame-sesame',
      ...more,
    },
    stdout: 'ignore',
    stderr: 'pipe',
  })

/** Returns the address that the banner shows. */
const addressOf = async ({ stderr }: ReturnType<typeof start>): Promise<URL> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stderr) {
    text += decoder.decode(chunk)
    const [url] = /http:\/\/\S+:\d+/.exec(text) ?? []
    if (url) return new URL(url)
  }
  throw new Error(`the server ended without a banner: ${text}`)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plat-stop-'))
})
afterEach(() => {
  server.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** A request that takes about a second: a login computes a bcrypt hash. */
const slowRequest = (url: URL) =>
  fetch(new URL('/api/auth/login', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', password: 'sesame-sesame' }),
  })

test('SIGTERM answers requests under way, ignores silent sockets, and exits with 0 within 10 seconds', async () => {
  server = start()
  const url = await addressOf(server)
  const silent = await Bun.connect({ hostname: url.hostname, port: Number(url.port), socket: { data: () => {} } })
  const answer = slowRequest(url)
  await fetch(new URL('/healthz', url)) // the server has received it by now
  const stoppedAt = performance.now()
  server.kill('SIGTERM')
  expect((await answer).status).toBe(200)
  expect(await server.exited).toBe(0)
  expect(performance.now() - stoppedAt).toBeLessThan(10_000)
  silent.end()
})

testAll('a second signal ends it at once', async () => {
  server = start()
  const url = await addressOf(server)
  const answer = slowRequest(url).catch(() => 'cut off')
  await fetch(new URL('/healthz', url))
  server.kill('SIGTERM')
  await Bun.sleep(SAME_SIGNAL_MS + 50)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(1)
  expect(await answer).toBe('cut off')
})

testAll(
  'with a delay it answers as before, says that it is not ready, and asks for another connection next time',
  async () => {
    server = start({ SHUTDOWN_DELAY: '1m' })
    const url = await addressOf(server)
    server.kill('SIGTERM')
    await until('a server that is not ready', async () => {
      const answer = await fetch(new URL('/readyz', url))
      await answer.text()
      return answer.status === 503 || undefined
    })
    const after = await fetch(new URL('/healthz', url))
    expect([after.status, after.headers.get('connection')]).toEqual([200, 'close'])
  },
)
