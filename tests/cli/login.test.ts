/** The key of `plat login`: the next login on a machine replaces it, and no other key. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import type { Fetch } from '../../src/surfaces/cli/connection/client.ts'
import { createUser } from '../../testing/estates/identities.ts'
import { QUICK } from '../../testing/estates/people.ts'
import { codeAt, FACTOR_CONFIG, factorsOf } from '../../testing/factors.ts'
import { type MemoryIo, memoryIo } from '../../testing/memory-io.ts'
import { type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

const URL = 'http://plat.test'
const HERE = 'a'.repeat(32)

let app: SignInApp
let folder: string
let user: { readonly id: string; readonly username: string }
let count = 0

beforeAll(async () => {
  app = await signInApp('sqlite', { config: FACTOR_CONFIG })
  folder = mkdtempSync(join(tmpdir(), 'plat-login-'))
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})
beforeEach(async () => {
  const username = `user ${++count}`
  user = { username, ...(await createUser(app.db, { username, roles: ['viewer'], password: QUICK })) }
})

type Options = Partial<MemoryIo> & { readonly config?: string; readonly name?: string }

const run = async ({ config = 'config', argv = [], ...options }: Options) => {
  const { io, out, err } = memoryIo({
    fetch: async (url, init) => app.fetch(new Request(url, init)),
    env: { XDG_CONFIG_HOME: join(folder, `${user.id} ${config}`) },
    machineId: HERE,
    argv,
    ...options,
  })
  return { code: await runCli(io), out: out(), err: err() }
}

const login = ({ name, ...options }: Options = {}) => {
  const named = name === undefined ? [] : ['--name', name]
  const argv = ['login', '--url', URL, '--username', user.username, '--password-stdin', '-q', ...named]
  // A younger key could belong to a concurrent login.
  app.clock.ms += 60_000
  return run({ ...options, argv, stdin: QUICK })
}
const works = async (config?: string) =>
  (await run({ argv: ['whoami'], ...(config === undefined ? {} : { config }) })).code === 0

const keys = () => app.db.read.selectFrom('api_keys').selectAll().where('user_id', '=', user.id).execute()
const names = async () => (await keys()).map(({ name }) => name)

/** Creates keys of the user that do not belong to this machine. */
const fill = async (n: number) => {
  const common = { user_id: user.id, created_by: user.id, prefix: '', expires_at: null }
  const created_at = app.now().toISOString()
  await app.db.write(({ db }) =>
    db
      .insertInto('api_keys')
      .values(
        Array.from({ length: n }, (_, i) => {
          const name = `script ${i}`
          return {
            ...common,
            created_at,
            id: Bun.randomUUIDv7(),
            name,
            name_key: name,
            name_order: '',
            key_hash: `${user.id} ${i}`,
          }
        }),
      )
      .execute(),
  )
}
const forget = () => run({ argv: ['logout', '--local'] })

describe('signing in again on a machine', () => {
  test('replaces the key', async () => {
    expect((await login()).code).toBe(0)
    const [first] = await keys()
    await login()
    const after = await keys()
    expect([after.length, after[0]?.id === first?.id, await works()]).toEqual([1, false, true])
  })

  test('replaces a key that the machine has forgotten', async () => {
    await login()
    await forget()
    await login()
    expect([(await keys()).length, await works()]).toEqual([1, true])
  })

  test('replaces a key of the same name', async () => {
    await login({ name: 'laptop' })
    expect((await login({ name: 'Laptop' })).code).toBe(0)
    expect([await names(), await works()]).toEqual([['Laptop'], true])
  })

  test('the command keeps a key of that name that it did not store', async () => {
    await login({ name: 'laptop' })
    await forget()
    expect(await login({ name: 'laptop' })).toMatchObject({ code: 5 })
    expect(await names()).toEqual(['laptop'])
  })

  test('keeps the keys of scripts, of other machines, and of other users of this machine', async () => {
    await fill(2)
    await login({ config: 'other home' })
    await login({ config: 'other machine', machineId: 'b'.repeat(32) })
    await login()
    await login()
    expect((await keys()).length).toBe(5)
    expect([await works(), await works('other home'), await works('other machine')]).toEqual([true, true, true])
  })

  test('leaves that of a login which is still under way', async () => {
    await login()
    await forget()
    app.clock.ms -= 60_000
    await login()
    expect((await keys()).length).toBe(2)
  })

  test('replaces only what it has stored where machines cannot be told apart', async () => {
    const argv = ['login', '--url', URL, '--username', user.username, '--password-stdin', '-q', '--name']
    const unknown = (config: string, name: string) => {
      const { io } = memoryIo({
        fetch: async (url, init) => app.fetch(new Request(url, init)),
        env: { XDG_CONFIG_HOME: join(folder, `${user.id} ${config}`) },
        argv: [...argv, name],
        stdin: QUICK,
      })
      return runCli(io)
    }
    expect([await unknown('one', '1'), await unknown('two', '2'), await unknown('one', '3')]).toEqual([0, 0, 0])
    expect(await names()).toEqual(['2', '3'])
  })
})

describe('with as many keys as a user may have', () => {
  test('the earlier key of the machine makes room', async () => {
    await login()
    await fill(99)
    expect((await login()).code).toBe(0)
    expect([(await keys()).length, await works()]).toEqual([100, true])
  })

  test('a machine without a key gets the error of the limit', async () => {
    await fill(100)
    expect(await login()).toMatchObject({ code: 5, err: expect.stringContaining('at most 100') })
  })
})

describe('a failure leaves the earlier key in use', () => {
  const failing =
    (method: string, path: string): Fetch =>
    async (url, init) => {
      if (init.method === method && url.startsWith(`${URL}${path}`)) return new Response('{}', { status: 500 })
      return app.fetch(new Request(url, init))
    }

  test('of making the new one', async () => {
    await login()
    const before = await names()
    expect((await login({ fetch: failing('POST', '/api/keys') })).code).toBe(1)
    expect([await names(), await works()]).toEqual([before, true])
  })

  test('of deleting the earlier one, which the next login makes good', async () => {
    await login()
    expect((await login({ fetch: failing('DELETE', '/api/keys') })).code).toBe(0)
    expect([(await keys()).length, await works()]).toEqual([2, true])
    await login()
    expect([(await keys()).length, await works()]).toEqual([1, true])
  })
})

describe('a user with a second factor', () => {
  const withApp = async () => {
    const { sessionOf, addTotp } = factorsOf(app)
    return addTotp(await sessionOf(user.username))
  }
  const argv = () => ['login', '--url', URL, '--username', user.username, '-q']

  test('is asked for the code at a terminal, and may type a recovery code', async () => {
    const { secret, codes } = await withApp()
    const asked = await run({ argv: argv(), typed: [QUICK, codeAt(secret, app.clock.ms)] })
    expect(asked).toMatchObject({ code: 0, err: expect.stringContaining('Code of your authenticator app') })
    expect((await run({ argv: argv(), typed: [QUICK, codes[0] ?? ''] })).code).toBe(0)
    expect((await run({ argv: argv(), typed: [QUICK, codes[0] ?? ''] })).code).toBe(3)
  })

  test('sends the code along elsewhere', async () => {
    const { secret } = await withApp()
    const stdin = [...argv(), '--password-stdin']
    expect(await run({ argv: stdin, stdin: QUICK })).toMatchObject({
      code: 3,
      err: expect.stringContaining('send it with --code'),
    })
    const code = codeAt(secret, app.clock.ms)
    expect((await run({ argv: [...stdin, '--code', code], stdin: QUICK })).code).toBe(0)
  })

  test('a user with passkeys only is sent to the browser when the codes are used up', async () => {
    const { sessionOf, addPasskey } = factorsOf(app)
    await addPasskey(await sessionOf(user.username))
    await app.db.write(({ db }) => db.deleteFrom('recovery_codes').where('user_id', '=', user.id).execute())
    const refused = await run({ argv: argv(), typed: [QUICK] })
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('plat login --sso') })
  })
})

test('a server without passwords refuses one with the way in', async () => {
  const closed = await signInApp('sqlite', { config: { passwordSignIn: 'break-glass' } })
  await createUser(closed.db, { username: 'ada', roles: ['viewer'], password: QUICK })
  const { code, err } = await run({
    argv: ['login', '--url', URL, '--username', 'ada', '--password-stdin'],
    stdin: QUICK,
    fetch: async (url, init) => closed.fetch(new Request(url, init)),
  })
  expect([code, err]).toEqual([3, expect.stringContaining('use plat login --sso')])
  await closed.close()
})
