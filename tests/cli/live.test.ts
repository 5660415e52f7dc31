/** The command line against a real server, in process: names, formats, exit codes, sign-in, completion. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { runCli } from '../../src/app/cli.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { type MemoryIo, memoryIo } from '../../testing/memory-io.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-cli-'))
let app: TestApp
let admin: TestCaller
let viewer: TestCaller

const url = 'http://plat.test'
const request: MemoryIo['fetch'] = (target, init) => app.fetch(new Request(target, init))

const runWith = async (options: MemoryIo) => {
  const { io, out, err } = memoryIo({ fetch: request, ...options })
  return { code: await runCli(io), out: out(), err: err() }
}
const run = (...argv: string[]) => runWith({ argv, env: { PLAT_URL: url, PLAT_TOKEN: admin.key } })
const ok = async (...argv: string[]) => {
  const { code, out, err } = await run(...argv)
  if (code !== 0) throw new Error(`plat ${argv.join(' ')}: ${err}`)
  return out
}
const json = async (...argv: string[]): Promise<unknown> => JSON.parse(await ok(...argv, '-o', 'json'))

beforeAll(async () => {
  app = await testApp({ env: { COOKIE_SECURE: 'false' } })
  admin = await app.as('admin')
  viewer = await app.as('viewer')
  await ok('datacenter', 'create', 'HQ', '--id', 'dc-hq')
  await ok('datacenter', 'create', 'Twin', '--id', 'dc-1')
  await ok('datacenter', 'create', 'twin', '--id', 'dc-2')
  await ok('network', 'create', 'lan', '10.0.0.0/24', '--datacenter', 'hq', '--id', 'net-lan')
  await ok('pool', 'create', 'lan', 'web', '10.0.0.10', '10.0.0.50', '--id', 'pool-web')
  await ok(
    'device',
    'create',
    'web-01',
    '--id',
    'dev-1',
    '--tags',
    'prod',
    '--tag',
    'eu',
    '--os',
    'Debian',
    '--datacenter',
    'HQ',
  )
})

afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('names for ids', () => {
  test('in the path', async () => {
    expect(await json('device', 'get', 'WEB-01')).toMatchObject({ id: 'dev-1' })
  })

  test('in a filter', async () => {
    expect(await json('device', 'list', '--datacenter', 'hq')).toMatchObject([{ id: 'dev-1', datacenter_id: 'dc-hq' }])
  })

  test('in the body, nested ones too', async () => {
    const made = await json('device', 'create', 'nested', '--addresses', 'ip=10.0.0.77,network=lan,port=22')
    expect(made).toMatchObject({ addresses: [{ ip: '10.0.0.77', network_id: 'net-lan', port: 22 }] })
  })

  test('several in one path', async () => {
    await ok('device', 'create', 'child', '--id', 'dev-child')
    await ok('relationship', 'create', 'web-01', 'contains', 'child')
    expect(await ok('device', 'related', 'web-01', '-o', 'name')).toBe('child\n')
    await ok('relationship', 'delete', 'WEB-01', 'contains', 'CHILD')
    expect(await json('device', 'relationships', 'web-01')).toEqual([])
  })

  test('a reservation goes by its address', async () => {
    await ok('reservation', 'create', 'web', '10.0.0.40', '--purpose', 'printer')
    expect(await json('reservation', 'get', '10.0.0.40')).toMatchObject({ purpose: 'printer' })
    await ok('reservation', 'delete', '10.0.0.40')
    expect((await run('reservation', 'get', '10.0.0.40')).code).toBe(4)
  })

  test('an ambiguous one lists its candidates', async () => {
    const { code, err } = await run('datacenter', 'delete', 'twin')
    expect(code).toBe(2)
    expect(err).toBe('error: "twin" is the name of 2 datacenters; give an id: dc-1 (Twin), dc-2 (twin)\n')
  })

  test('an unknown one is not found, wherever it stands', async () => {
    expect(await run('device', 'get', 'nope')).toMatchObject({
      code: 4,
      err: 'error: no device has the id or name "nope"\n',
    })
    expect((await run('device', 'create', 'x', '--datacenter', 'nope')).code).toBe(4)
    expect((await run('device', 'delete', '..')).code).toBe(4)
  })

  test('an id costs no request but its own', async () => {
    const seen: string[] = []
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    const counting: MemoryIo['fetch'] = (target, init) => {
      seen.push(`${init.method} ${new URL(target).pathname}`)
      return app.fetch(new Request(target, init))
    }
    await runWith({ argv: ['device', 'get', 'dev-1'], env, fetch: counting })
    expect(seen).toEqual(['GET /api/devices/dev-1'])
  })
})

describe('changes', () => {
  test('--unset clears, and what is not named stays', async () => {
    await ok('device', 'create', 'change-me', '--os', 'Debian', '--hostname', 'a.example.com')
    const changed = await json('device', 'update', 'change-me', '--unset', 'os', '--unset', 'tags')
    expect(changed).toMatchObject({ os: '', hostname: 'a.example.com', tags: [] })
  })

  test('--unset of a required field is refused by its name', async () => {
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    expect(await runWith({ argv: ['device', 'update', 'web-01', '--unset', 'name'], env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--unset: name is required and cannot be cleared'),
    })
  })

  test('get, edit, update', async () => {
    const file = join(folder, 'device.yaml')
    const text = await ok('device', 'get', 'web-01', '-o', 'yaml')
    writeFileSync(file, text.replace('Debian', 'FreeBSD'))
    const changed = await json('device', 'update', 'web-01', '--input', file, '--hostname', 'flag.example.com')
    expect(changed).toMatchObject({ id: 'dev-1', os: 'FreeBSD', hostname: 'flag.example.com', tags: ['prod', 'eu'] })
    await ok('device', 'update', 'web-01', '--os', 'Debian', '--unset', 'hostname')
  })

  test('a body from standard input, with a typo in it', async () => {
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    const argv = ['device', 'create', '--input', '-']
    expect((await runWith({ argv, env, stdin: 'name: piped\ntags: [a]\n' })).code).toBe(0)
    expect(await runWith({ argv, env, stdin: '{"name":"x","tgas":["a"]}' })).toMatchObject({
      code: 2,
      err: 'error: tgas: unknown field; did you mean tags?\n',
    })
    expect((await runWith({ argv, env, stdin: '{"name":' })).err).toStartWith(
      'error: standard input is neither JSON nor YAML',
    )
  })

  test('an idempotency key travels in its header', async () => {
    const first = await json('pool', 'allocate', 'web', '--idempotency-key', 'k-1')
    expect(await json('pool', 'allocate', 'web', '--idempotency-key', 'k-1')).toEqual(first)
  })

  test('a deletion says nothing in a pipe', async () => {
    await ok('device', 'create', 'short-lived')
    expect(await run('device', 'delete', 'short-lived')).toEqual({ code: 0, out: '', err: '' })
  })

  test('a bulk call that fails in part is no success', async () => {
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    const stdin = JSON.stringify({ atomic: false, operations: [{ op: 'delete', id: 'nobody' }] })
    expect((await runWith({ argv: ['device', 'bulk', '--input', '-'], env, stdin })).code).toBe(1)
  })
})

describe('output', () => {
  test("a table of the contract's columns", async () => {
    const out = await ok('device', 'list', '--tags', 'prod', '--tags', 'eu')
    expect(out).toBe(
      'ID     NAME    STATUS  OS      ADDRESSES  TAGS\ndev-1  web-01  active  Debian  -          prod, eu\n',
    )
  })

  test('the same rows in every format', async () => {
    const rows = await json('device', 'list', '--tags', 'prod')
    expect(rows).toMatchObject([{ id: 'dev-1' }])
    expect(parse(await ok('device', 'list', '--tags', 'prod', '-o', 'yaml'))).toEqual(rows)
    expect(await ok('device', 'list', '--tags', 'prod', '-o', 'name')).toBe('web-01\n')
    expect(await ok('device', 'list', '--tags', 'prod', '-q')).toBe('dev-1\n')
    expect(await ok('device', 'list', '--tags', 'prod', '-o', 'csv', '--no-headers')).toStartWith('dev-1,web-01,')
  })

  test('a search is its results', async () => {
    expect(await ok('search', 'web-01', '-o', 'name')).toBe('web-01\n')
  })

  test('-q of an allocation is its addresses', async () => {
    expect(await ok('pool', 'allocate', 'web', '-q')).toMatch(/^10\.0\.0\.\d+\n$/)
  })

  test('an asked-for field becomes a column', async () => {
    expect(await ok('network', 'list', '--include', 'utilization')).toMatch(/DESCRIPTION {2}UTILIZATION\n.*\d\n$/)
  })

  test('on a terminal: cut to its width, JSON indented, and a word after a deletion', async () => {
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    await ok('device', 'create', `long-${'x'.repeat(200)}`)
    const { out } = await runWith({ argv: ['device', 'list'], env, columns: 100 })
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect((await runWith({ argv: ['device', 'get', 'dev-1', '-o', 'json'], env, columns: 80 })).out).toStartWith(
      '{\n  "id"',
    )
    expect((await runWith({ argv: ['device', 'delete', `long-${'x'.repeat(200)}`], env, columns: 80 })).err).toMatch(
      /^Deleted\.\nUndo: plat undo [0-9a-f-]{36}\n$/,
    )
  })

  test('a hostile name reaches no terminal', async () => {
    await ok('datacenter', 'create', '--input', writeHostile())
    const env = { PLAT_URL: url, PLAT_TOKEN: admin.key }
    for (const format of ['table', 'json', 'yaml', 'csv', 'name'])
      for (const columns of [120, undefined]) {
        if (columns === undefined && (format === 'json' || format === 'csv')) continue
        const { out } = await runWith({
          argv: ['datacenter', 'list', '-o', format],
          env,
          ...(columns ? { columns } : {}),
        })
        expect(out.replaceAll('\r\n', '').replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      }
    await ok('datacenter', 'delete', 'dc-evil')
  })
})

const writeHostile = (): string => {
  const file = join(folder, 'evil.json')
  writeFileSync(file, JSON.stringify({ id: 'dc-evil', name: 'a\u001b]0;x\u0007\u009b2J\u202eb' }))
  return file
}

describe('exit codes', () => {
  test.each<[string, number, string[]]>([
    ['validation', 2, ['datacenter', 'create', ' ']],
    ["the server's own validation", 2, ['relationship', 'create', 'dev-1', 'contains', 'dev-1']],
    ['not found', 4, ['datacenter', 'get', 'nope']],
    ['conflict', 5, ['datacenter', 'create', 'x', '--id', 'dc-hq']],
  ])('%s', async (_, code, argv) => {
    expect((await run(...argv)).code).toBe(code)
  })

  test('not signed in', async () => {
    const { code, err } = await runWith({ argv: ['device', 'list'], env: { PLAT_URL: url } })
    expect(code).toBe(3)
    expect(err).toEndWith('  sign in with plat login, or set PLAT_TOKEN\n')
  })

  test('not permitted', async () => {
    const env = { PLAT_URL: url, PLAT_TOKEN: viewer.key }
    expect((await runWith({ argv: ['device', 'delete', 'dev-1'], env })).code).toBe(3)
  })

  test('a redirect is not followed', async () => {
    const moved: MemoryIo['fetch'] = async () =>
      new Response(null, { status: 301, headers: { location: 'https://plat.test/' } })
    const { code, err } = await runWith({ argv: ['device', 'list'], env: { PLAT_URL: url }, fetch: moved })
    expect(code).toBe(6)
    expect(err).toBe('error: http://plat.test sends on to https://plat.test/: use that as PLAT_URL or --url\n')
  })
})

describe('sign-in', () => {
  const env = { XDG_CONFIG_HOME: join(folder, 'config'), PLAT_URL: '' }
  const file = join(folder, 'config', 'plat', 'config.json')
  const username = 'cli-user'
  const password = 'correct horse'
  const keysNow = async () => (await admin.api.keys.list()).map((key) => key.name)

  beforeAll(async () => {
    const { createUser } = await import('../../testing/estates/identities.ts')
    await createUser(app.db, { username, password, roles: ['admin'] })
  })

  test('with a prompt: the key works, is private, and is gone after the logout', async () => {
    const typed = [username, password]
    const login = await runWith({ argv: ['login', '--url', url, '--name', 'laptop'], env, typed })
    expect(login).toMatchObject({ code: 0, out: '' })
    expect(login.err).toContain('User name: Password: ')
    expect(login.err).not.toContain(password)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'config', 'plat')).mode & 0o777).toBe(0o700)
    expect((await runWith({ argv: ['whoami', '-o', 'name'], env })).out).toBe(`${username}\n`)
    expect(await keysNow()).toContain('laptop')
    expect((await runWith({ argv: ['logout'], env })).code).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(await keysNow()).not.toContain('laptop')
  })

  test('the stored key goes to no other server', async () => {
    const argv = ['login', '--url', url, '--username', username, '--password-stdin', '-q']
    expect((await runWith({ argv, env, stdin: `${password}\n` })).code).toBe(0)
    const seen: (string | null)[] = []
    const other: MemoryIo['fetch'] = async (_, init) => {
      seen.push(new Headers(init.headers).get('authorization'))
      return Response.json([])
    }
    await runWith({ argv: ['--url', 'http://other.test', 'device', 'list'], env, fetch: other })
    await runWith({ argv: ['device', 'list'], env, fetch: other })
    expect(seen).toEqual([null, expect.stringMatching(/^Bearer plat_/)])
  })

  test('signing in again replaces the key', async () => {
    const before = (await keysNow()).filter((name) => name.startsWith('plat login')).length
    const argv = ['login', '--username', username, '--password-stdin', '-q', '--name', 'second']
    expect((await runWith({ argv, env, stdin: password })).code).toBe(0)
    expect((await keysNow()).filter((name) => name.startsWith('plat login')).length).toBe(before - 1)
  })

  test('a wrong password changes nothing', async () => {
    const argv = ['login', '--url', url, '--username', username, '--password-stdin']
    expect((await runWith({ argv, env, stdin: 'wrong password' })).code).toBe(3)
    expect((await runWith({ argv: ['whoami'], env })).code).toBe(0)
  })

  test('without a terminal the password comes from standard input', async () => {
    const argv = ['login', '--url', url, '--username', username]
    expect((await runWith({ argv, env })).err).toContain('use --password-stdin')
  })

  test('a broken file is not the same as not being signed in', async () => {
    const broken = { XDG_CONFIG_HOME: join(folder, 'broken') }
    await runWith({
      argv: ['login', '--url', url, '--username', username, '--password-stdin'],
      env: broken,
      stdin: password,
    })
    writeFileSync(join(folder, 'broken', 'plat', 'config.json'), '{"url":')
    expect((await runWith({ argv: ['whoami'], env: broken })).code).toBe(2)
  })
})

describe('completion', () => {
  const complete = async (...words: string[]) => {
    const { code, out, err } = await run('__complete', '--', ...words)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return out.split('\n').filter((word) => word !== '')
  }

  test.each<[string[], string[]]>([
    [['dev'], ['device-type', 'device']],
    [['device', 'cr'], ['create']],
    [['device', 'list', '--dat'], ['--datacenter-id']],
    [['device', 'list', '--status', 'm'], ['maintenance']],
    [['device', 'list', '--status=m'], ['--status=maintenance']],
    [['device', 'list', '--datacenter', 'h'], ['HQ']],
    [['device', 'list', '--datacenter=h'], ['--datacenter=HQ']],
    [['device', 'get', 'web'], ['web-01']],
    [['network', 'get', 'LA'], ['lan']],
    [['device', 'update', 'web-01', '--unset', 'loc'], ['location']],
    [
      ['relationship', 'create', 'web-01', 'con'],
      ['contains', 'connected_to'],
    ],
    [['-o', 'json', 'network', 'get', ''], ['lan']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['import', ''], [':files']],
    [['device', 'create', 'x', '--input', './'], [':files']],
    [['device', 'list', '--help'], ['--help']],
    [['nonsense', ''], []],
  ])('%j', async (words, found) => {
    expect(await complete(...words)).toEqual(found)
  })

  test('silent without a server, and when not signed in', async () => {
    const argv = ['__complete', '--', 'device', 'get', '']
    const dead: MemoryIo['fetch'] = () => Promise.reject(new Error('down'))
    expect(await runWith({ argv, fetch: dead })).toEqual({ code: 0, out: '', err: '' })
    expect(await runWith({ argv, env: { PLAT_URL: url } })).toEqual({ code: 0, out: '', err: '' })
  })
})
