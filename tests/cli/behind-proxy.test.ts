// The command line behind nginx: what it says of answers that no Plat has made. Each path of nginx stands for one proxy.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { launchNginx } from '../../testing/servers/nginx.ts'
import { freePort } from '../../testing/servers/servers.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-proxy-'))
let app: TestApp
let admin: TestCaller
let backend: ReturnType<typeof Bun.serve>
/** Reads every request and never answers. */
let silent: { readonly port: number; readonly stop: (closes?: boolean) => void }
let nginx: Awaited<ReturnType<typeof launchNginx>>

beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  backend = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
  silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const nothing = await freePort()
  nginx = await launchNginx({
    configure: (port) => `server {
      listen 127.0.0.1:${port};
      proxy_request_buffering off;
      location /open/ { proxy_pass http://127.0.0.1:${backend.port}/; client_max_body_size 512m; }
      location /small/ { proxy_pass http://127.0.0.1:${backend.port}/; client_max_body_size 2k; }
      location /nowhere/ { proxy_pass http://127.0.0.1:${nothing}/; }
      location /slow/ { proxy_pass http://127.0.0.1:${silent.port}/; proxy_read_timeout 100ms; }
      location /down/ { return 503; }
      location /forbidden/ { return 403; }
      location /absent/ { return 404; }
      location /portal/ { default_type text/html; return 200 "<html><title>Welcome to the hotel</title></html>"; }
      location /sign-in/ { return 302 https://portal.test/sign-in?from=$request_uri; }
      location /tls/ { return 301 https://plat.test$request_uri; }
    }`,
  })
}, 60_000)
afterAll(async () => {
  await nginx.stop()
  silent.stop(true)
  await backend.stop(true)
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const urlOf = (path: string) => `http://127.0.0.1:${nginx.port}/${path}`
const run = async (path: string, ...argv: string[]) => {
  const env = { PLAT_URL: urlOf(path), PLAT_TOKEN: admin.key }
  const { io, out, err } = memoryIo({ argv, env, fetch: (url, init) => fetch(url, init) })
  return { code: await runCli(io), out: out(), err: err().trim().split('\n').at(-1) }
}
const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe('a body above the limit of a proxy', () => {
  const long = 'x'.repeat(500)
  const rows = Array.from({ length: 20 }, (_, i) => `host-${i},${long}`)
  const csv = () => put('devices.csv', ['name,notes', ...rows].join('\n'))
  const lease = (i: number) => `lease 10.0.${i >> 8}.${i & 255} {\n  hardware ethernet 02:00:00:00:00:01;\n}\n`

  test.each<[string, () => string[]]>([
    ['import csv', () => ['import', 'csv', csv(), '--resource', 'devices', '--yes']],
    ['import', () => ['import', put('devices.json', JSON.stringify(rows.map((name) => ({ name }))))]],
    [
      'apply',
      () => ['apply', '-f', put('estate.json', JSON.stringify({ devices: rows.map((name) => ({ name })) })), '--yes'],
    ],
    [
      'leases',
      () => ['discovery', 'leases', put('dhcpd.leases', Array.from({ length: 500 }, (_, i) => lease(i)).join(''))],
    ],
    ['a write', () => ['device', 'create', 'x', '--description', long.repeat(8)]],
  ])('%s names the limit of the proxy, and where it is set', async (_, argv) => {
    const { code, err } = await run('small', ...argv())
    expect(err).toBe(
      `error: ${urlOf('small')} answered with HTTP status 413, and not with an error of Plat: a proxy in between takes no body of this size (in nginx, set client_max_body_size 512m)`,
    )
    expect(code).toBe(2)
  })

  test('a proxy that forwards a path takes it off, and the command works', async () => {
    const { code, err } = await run('open', 'import', 'csv', csv(), '--resource', 'devices', '--yes')
    expect([code, err]).toEqual([0, expect.anything()])
    expect(JSON.parse((await run('open', 'device', 'list', '-o', 'json')).out)).toHaveLength(20)
  })
})

describe.each([
  [
    'nowhere',
    6,
    'answered with HTTP status 502, and not with an error of Plat: a proxy in between does not reach Plat, or has lost it. A write may have been carried out',
  ],
  [
    'slow',
    6,
    'answered with HTTP status 504, and not with an error of Plat: a proxy in between has waited too long for Plat (in nginx, raise proxy_read_timeout). A write may have been carried out',
  ],
  [
    'down',
    6,
    'answered with HTTP status 503, and not with an error of Plat: a proxy in between has no Plat to send to',
  ],
  [
    'portal',
    6,
    'answered with a page, and not as Plat does: a sign-in page of a network or proxy, or another program at this address',
  ],
  ['tls', 6, 'sends on to https://plat.test: use https://plat.test/tls as PLAT_URL or --url'],
])('the proxy %s', (path, exit, message) => {
  test.each([
    ['a read', ['device', 'list']],
    ['a write', ['device', 'create', 'x']],
    ['an export', ['export', '-']],
    ['an import', ['import', 'csv', join(folder, 'one.csv'), '--resource', 'devices', '--yes']],
    ['a feed', ['feed', 'pull', 'some-feed', join(folder, 'pulled')]],
  ])('has its message for %s', async (_, argv) => {
    put('one.csv', 'name\none\n')
    expect(await run(path, ...argv)).toMatchObject({ code: exit, err: `error: ${urlOf(path)} ${message}` })
    expect(existsSync(join(folder, 'pulled'))).toBe(false)
  })
})

test('a proxy that sends on to its sign-in page is named with that page', async () => {
  const { err } = await run('sign-in', 'device', 'list')
  expect(err).toBe(
    `error: ${urlOf('sign-in')} sends on to https://portal.test/sign-in?from=/sign-in/api/devices, a page of a proxy or network in between: sign in there, or correct PLAT_URL or --url`,
  )
})

test.each([
  ['forbidden', 403, 3],
  ['absent', 404, 6],
])('a proxy that answers as %s does not speak of an object of Plat', async (path, status, exit) => {
  const message = `error: ${urlOf(path)} answered with HTTP status ${status}, and not with an error of Plat: a proxy in between, or another program at this address`
  for (const argv of [
    ['device', 'list'],
    ['device', 'delete', 'x'],
    ['export', '-'],
  ])
    expect(await run(path, ...argv)).toMatchObject({ code: exit, err: message })
})
