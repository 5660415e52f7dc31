/** The command line over a socket that is cut after the server has done the request, and before its answer. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { type Listening, listening } from '../../testing/app/listening.ts'
import { memoryIo } from '../../testing/memory-io.ts'
import { type Relay, startRelay } from '../../testing/servers/relay.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-cut-'))
let server: Listening
let relay: Relay
let token: string
/** The answer to the next request whose body has this text is cut. */
let cutFrom: string | undefined
/** The requests that were sent, with their keys. */
let sent: { method: string; path: string; key: string | null }[] = []

beforeAll(async () => {
  server = await listening()
  token = await server.admin()
  relay = await startRelay({ hostname: '127.0.0.1', port: Number(new URL(server.url).port) })
}, 60_000)
beforeEach(() => {
  sent = []
  cutFrom = undefined
  relay.cutAnswers(0)
})
afterAll(async () => {
  await relay.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

const run = async (...argv: string[]) => {
  const { io, out, err } = memoryIo({
    argv,
    env: { PLAT_URL: `http://127.0.0.1:${relay.port}`, PLAT_TOKEN: token },
    fetch: (url, init) => {
      const headers = new Headers(init.headers)
      if (cutFrom !== undefined && String(init.body).includes(cutFrom)) {
        relay.cutAnswers(1)
        cutFrom = undefined
      }
      sent.push({
        method: init.method ?? 'GET',
        path: url.slice(url.indexOf('/api')),
        key: headers.get('idempotency-key'),
      })
      // A cut connection is not used again.
      headers.set('connection', 'close')
      return fetch(url, { ...init, headers })
    },
  })
  return { code: await runCli(io), out: out(), err: err() }
}
const countDevices = async (name: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  const rows = (await (await fetch(`${server.url}/api/devices?limit=1000`, { headers })).json()) as { name: string }[]
  return rows.filter((row) => row.name === name).length
}
const write = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

describe('after a cut connection, a command that takes a key is sent once more, and done once', () => {
  test('a create', async () => {
    relay.cutAnswers(1)
    expect(await run('device', 'create', 'cut-1')).toMatchObject({ code: 0, err: '' })
    expect(await countDevices('cut-1')).toBe(1)
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
    expect(sent[0]?.key).toBeString()
  })
  test('an apply', async () => {
    const file = write('apply.yaml', 'devices:\n  - name: cut-2\n')
    expect((await run('apply', '-f', file, '--dry-run')).code).toBe(0)
    sent = []
    // Its plan is answered.
    cutFrom = '"expect"'
    expect(await run('apply', '-f', file, '--yes')).toMatchObject({ code: 0, err: '' })
    expect(await countDevices('cut-2')).toBe(1)
    const [plan, first, second, ...others] = sent
    expect([plan?.key, others]).toEqual([null, []])
    expect([first?.key, second]).toEqual([expect.any(String), first])
  })
  test('an import', async () => {
    const file = write('devices.json', '[{"name":"cut-3"}]')
    relay.cutAnswers(1)
    const result = await run('import', file, '--resource', 'devices')
    expect(result).toMatchObject({ code: 0 })
    expect(await countDevices('cut-3')).toBe(1)
    expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key ?? '', sent[0]?.key ?? ''])
  })
  test('an import of device types', async () => {
    const file = write('type.yaml', 'manufacturer: Acme\nmodel: Cut\nslug: acme-cut\n')
    relay.cutAnswers(1)
    expect(await run('device-type', 'import', file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 created'),
    })
    expect(sent).toHaveLength(2)
  })
})

test('an answer that is cut twice is an error', async () => {
  relay.cutAnswers(2)
  const { code, err } = await run('device', 'create', 'cut-twice')
  const reason = 'the connection was cut before the end of the answer. A change may have been made'
  expect([code, err]).toEqual([6, `error: Can't reach http://127.0.0.1:${relay.port}: ${reason}\n`])
  expect(sent).toHaveLength(2)
  expect(await countDevices('cut-twice')).toBe(1)
})
test('an error of the server is sent once', async () => {
  expect((await run('datacenter', 'create', 'taken', '--id', 'taken')).code).toBe(0)
  sent = []
  expect((await run('datacenter', 'create', 'again', '--id', 'taken')).code).toBe(5)
  expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1)
})
test('a command that takes no key is sent once', async () => {
  relay.cutAnswers(1)
  const { code } = await run('feed', 'create', 'cut', '--format', 'dnsmasq')
  expect(code).not.toBe(0)
  expect(sent.map(({ key }) => key)).toEqual([null])
})
test('a key of the caller is sent as it is', async () => {
  const create = () => run('device', 'create', 'own-key', '--idempotency-key', 'mine', '-o', 'json')
  const first = await create()
  expect(await create()).toEqual(first)
  expect(sent.map(({ key }) => key)).toEqual(['mine', 'mine'])
  expect(await countDevices('own-key')).toBe(1)
})
test('two commands send two keys', async () => {
  await run('device', 'create', 'twice')
  await run('device', 'create', 'twice')
  expect(await countDevices('twice')).toBe(2)
})
