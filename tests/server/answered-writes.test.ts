/** An answered write is on the disk: after kill -9, by fsync, at SIGTERM, and beside bodies that attack the server. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { findStrace } from '../../scripts/server-binaries.mjs'
import type { ServerChild, ServerFolder } from '../../testing/app/server-child.ts'
import { jsonTo, perTest, SLOW_TEST_MS, timed } from '../../testing/sign-in/security.ts'

const { folderFor } = perTest()

test('a write answered with 201 survives kill -9, with its audit entry', async () => {
  const folder = await folderFor({ AUDIT_ENABLED: 'true' })
  const first = await folder.start()
  const made = await jsonTo(first, folder, 'POST /api/devices', { id: 'survivor', name: 'survivor' })
  await first.kill()
  expect(made.status).toBe(201)

  const second = await folder.start()
  const get = async (path: string) => (await jsonTo(second, folder, `GET ${path}`)).json()
  expect(await get('/api/devices/survivor')).toMatchObject({ id: 'survivor' })
  expect(await get('/api/audit?resource=device&resource_id=survivor')).toEqual([
    expect.objectContaining({
      action: 'create',
      status: 'success',
      key_owner: 'admin',
      request_id: made.headers.get('x-request-id'),
    }),
  ])
  expect(await get('/api/audit/verify')).toMatchObject({ ok: true })
})

test(
  'no write is answered before it is on the disk',
  async () => {
    const strace = findStrace()
    if (strace === undefined)
      throw new Error('This test needs strace on the PATH (package strace); "npm test" installs it where it can.')
    const folder = await folderFor()
    const trace = join(folder.dir, 'trace')
    // -D: the server stays our child, and strace is a grandchild.
    const server = await folder.start({ under: [strace, '-D', '-f', '-e', 'trace=fdatasync,fsync', '-o', trace] })
    // strace writes the line of a call before the server continues.
    const syncs = () => (readFileSync(trace, 'utf8').match(/\bf(data)?sync\b.* = 0$/gm) ?? []).length
    const perWrite: [number, boolean][] = []
    for (let i = 0; i < 20; i++) {
      const before = syncs()
      const { status } = await jsonTo(server, folder, 'POST /api/devices', { id: `d${i}`, name: `d${i}` })
      perWrite.push([status, syncs() > before])
      // So that no call of this write is counted for the next one.
      await Bun.sleep(20)
    }
    const before = syncs()
    for (let i = 0; i < 20; i++) expect((await jsonTo(server, folder, 'GET /api/devices')).status).toBe(200)
    // Reads cause no fsync, so writes do. Jobs cause a few.
    expect(syncs() - before).toBeLessThan(10)
    expect(perWrite).toEqual(Array.from({ length: 20 }, () => [201, true]))
    await server.stop()
  },
  SLOW_TEST_MS,
)

/** A request with a slow body: `finish` sends the rest of it. */
const slowRequest = ({ url }: ServerChild, { key }: ServerFolder, id: string) => {
  const body = JSON.stringify({ id, name: id })
  const head = [
    'POST /api/devices HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  let text = ''
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
  const ended = new Promise<string | undefined>((resolve) => {
    const end = () => resolve(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', end)
    socket.on('close', end)
  })
  return { finish: () => socket.write(body.slice(5)), ended }
}

test(
  'SIGTERM answers ten slow requests, ignores silent sockets, and exits with 0',
  async () => {
    const folder = await folderFor()
    const server = await folder.start()
    const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
    silent.on('error', () => {})
    const requests = Array.from({ length: 10 }, (_, i) => slowRequest(server, folder, `slow-${i}`))
    await Bun.sleep(300) // the server has read the headers by now
    const stopped = timed(server.stop)
    await Bun.sleep(1000)
    for (const { finish } of requests) finish()
    expect(await Promise.all(requests.map(({ ended }) => ended))).toEqual(Array(10).fill('201'))
    const [code, ms] = await stopped
    expect(code).toBe(0)
    expect(ms).toBeLessThan(10_000)
    silent.destroy()
    const db = new Database(join(folder.dir, 'plat.db'), { readonly: true })
    expect(db.query("SELECT count(*) AS n FROM devices WHERE id LIKE 'slow-%'").get()).toEqual({ n: 10 })
    db.close()
  },
  SLOW_TEST_MS,
)

test('hostile bodies are refused, and the server stays up', async () => {
  const folder = await folderFor()
  const server = await folder.start()
  const valid = '"id":"x","name":"x"'
  const bodies: Readonly<Record<string, string>> = {
    '2 MiB': `{${valid},"description":"${'x'.repeat(2 ** 21)}"}`,
    'depth 100,000': `{${valid},"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    __proto__: `{${valid},"__proto__":{"polluted":true}}`,
    'a nested __proto__': `{${valid},"location":{"__proto__":{"polluted":true}}}`,
    NUL: '{"id":"x","name":"a\\u0000b"}',
    'a lone surrogate': '{"id":"x","name":"a\\ud800b"}',
    '10^400': `{${valid},"tags":[1e400]}`,
  }
  const statuses: [string, number][] = []
  for (const [name, body] of Object.entries(bodies))
    statuses.push([name, (await jsonTo(server, folder, 'POST /api/devices', body)).status])
  expect(statuses.filter(([, status]) => status < 400 || status >= 500)).toEqual([])
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  const made = await jsonTo(server, folder, 'POST /api/devices', { id: 'after', name: 'after' })
  expect([made.status, (await made.text()).includes('polluted')]).toEqual([201, false])
})
