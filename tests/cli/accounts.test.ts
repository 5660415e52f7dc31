/** Accounts on the command line, against a real server in process: names, passwords by prompt or pipe, exit codes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { NewApiKey } from '../../src/people/keys/api.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'
import { QUICK } from '../../testing/estates/people.ts'
import type { MemoryIo } from '../../testing/memory-io.ts'
import { runCommand } from '../../testing/run-command.ts'
import { type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

const PASSWORD = 'asked for quietly'

let app: SignInApp
let admin: string

const runWith = (options: Partial<MemoryIo> & Pick<MemoryIo, 'argv'>, token = admin) =>
  runCommand({ app, key: token }, options)
const run = (...argv: string[]) => runWith({ argv })
const ok = async (...argv: string[]): Promise<unknown> => {
  const { code, out, err } = await run(...argv, '-o', 'json')
  if (code !== 0) throw new Error(`plat ${argv.join(' ')}: ${err}`)
  return out === '' ? undefined : JSON.parse(out)
}
const canSignIn = async (username: string, password: string) => (await app.login(username, password)).status === 200

beforeAll(async () => {
  app = await signInApp('sqlite')
  const { id } = await createUser(app.db, { username: 'root', roles: ['admin'], password: QUICK })
  admin = await keyFor(app.db, id)
})
afterAll(() => app.close())

describe('plat user create', () => {
  test('asks at a terminal for the password, and shows it nowhere', async () => {
    const { code, out, err } = await runWith({
      argv: ['user', 'create', 'alice', '--role', 'operator', '-o', 'json'],
      typed: [PASSWORD],
    })
    expect({ code, err }).toEqual({ code: 0, err: 'Password: ' })
    expect(JSON.parse(out)).toMatchObject({ username: 'alice', roles: ['operator'] })
    expect(out).not.toContain(PASSWORD)
    expect(await canSignIn('alice', PASSWORD)).toBe(true)
  })

  test('gives a role in a scope by its names', async () => {
    await ok('scope', 'create', 'ams', '--tag', 'ams')
    const argv = ['user', 'create', 'fritz', '--grant', 'role_id=viewer,scope_id=ams', '--input', '-']
    expect(await runWith({ argv, stdin: JSON.stringify({ password: PASSWORD }) })).toMatchObject({ code: 0, err: '' })
    expect(await ok('grant', 'list', '--user', 'fritz')).toMatchObject([{ role: 'viewer', scope: 'ams' }])
  })

  test('takes it from standard input', async () => {
    const argv = ['user', 'create', 'bob', '--role', 'viewer', '--input', '-']
    expect(await runWith({ argv, stdin: JSON.stringify({ password: PASSWORD }) })).toMatchObject({ code: 0, err: '' })
    expect(await canSignIn('bob', PASSWORD)).toBe(true)
  })

  test('names the missing values where there is no terminal', async () => {
    expect(await run('user', 'create', 'carol')).toEqual({ code: 2, out: '', err: 'error: password: is required\n' })
  })

  test('says in its help how', async () => {
    const { out } = await run('user', 'create', '--help')
    expect(out).toContain('plat user create ada --role operator --input -')
    expect(out).toContain('--roles, --role ROLE')
    expect(out).toContain('plat user create USERNAME [flags]')
  })

  test('of a bad password says so before anything is sent', async () => {
    const { code, err } = await runWith({ argv: ['user', 'create', 'dave'], typed: ['short'] })
    expect({ code, err }).toEqual({
      code: 2,
      err: 'Password: error: password: The password must have at least 8 characters\n',
    })
  })

  test('of a name that is taken is a conflict', async () => {
    await createUser(app.db, { username: 'taken' })
    expect((await runWith({ argv: ['user', 'create', 'Taken'], typed: [PASSWORD] })).code).toBe(5)
  })
})

describe('a user by name', () => {
  test('is shown, changed, granted, listed and deleted', async () => {
    await createUser(app.db, { username: 'eve' })
    expect(await ok('user', 'update', 'eve', '--full-name', 'Eve', '--role', 'viewer')).toMatchObject({
      roles: ['viewer'],
    })
    expect(await ok('user', 'grant-role', 'EVE', 'operator')).toEqual({ status: 'granted' })
    expect(await ok('user', 'revoke-role', 'eve', 'viewer')).toBeUndefined()
    expect(await ok('user', 'get', 'eve')).toMatchObject({ full_name: 'Eve', roles: ['operator'] })
    expect(await ok('user', 'permissions', 'eve', '--limit', '1')).toMatchObject([{ name: 'audit:list' }])
    expect(await ok('user', 'update', 'eve', '--no-is-active')).toMatchObject({ is_active: false })
    expect(await ok('user', 'list', '--username', 'eve')).toMatchObject([{ username: 'eve' }])
    expect(await ok('user', 'delete', 'eve')).toBeUndefined()
    expect((await run('user', 'get', 'eve')).code).toBe(4)
  })

  test('is the last admin: a conflict', async () => {
    expect((await run('user', 'update', 'root', '--no-is-active')).code).toBe(5)
  })

  test('gets a key from an admin', async () => {
    const { id } = await createUser(app.db, { username: 'robot' })
    expect(await ok('key', 'create', 'ci', '--user', 'robot')).toMatchObject({ user_id: id })
  })

  test('gives a key limits, and a new value', async () => {
    const limits = ['--permission', 'devices:list', '--permission', 'networks:list', '--allowed-cidr', '10.0.0.1']
    const made = await ok('key', 'create', 'narrow', ...limits)
    expect(made).toMatchObject({ permissions: ['devices:list', 'networks:list'], allowed_cidrs: ['10.0.0.1/32'] })
    const { id, key, created_at } = NewApiKey.parse(made)
    const rotated = NewApiKey.parse(await ok('key', 'rotate', id, '--overlap-seconds', '60'))
    expect(rotated).toMatchObject({ id, allowed_cidrs: ['10.0.0.1/32'] })
    expect(rotated.key).not.toBe(key)
    expect(Date.parse(rotated.previous_expires_at ?? '') - Date.parse(created_at)).toBe(60_000)
    expect((await run('key', 'create', 'x', '--allowed-cidr', 'x')).err).toContain('allowed_cidrs[0]')
    expect((await run('key', 'create', 'x', '--permission', 'devices:fly')).err).toContain('permissions[0]')
  })
})

describe('a password', () => {
  test('of the own account is prompted for, the old one and the new one', async () => {
    const { id } = await createUser(app.db, { username: 'frank', password: QUICK })
    const argv = ['user', 'change-password', 'frank']
    const done = await runWith({ argv, typed: [QUICK, PASSWORD] }, await keyFor(app.db, id))
    expect(done).toEqual({ code: 0, out: '', err: 'Current password: New password: ' })
    expect(await canSignIn('frank', PASSWORD)).toBe(true)
  })

  test('of someone else is set by name', async () => {
    await createUser(app.db, { username: 'grace', password: QUICK })
    const argv = ['user', 'set-password', 'grace']
    expect(await runWith({ argv, typed: [PASSWORD] })).toEqual({ code: 0, out: '', err: 'New password: ' })
    expect(await canSignIn('grace', PASSWORD)).toBe(true)
  })
})

describe('a role', () => {
  test('is made, changed and deleted by name', async () => {
    const made = await ok('role', 'create', 'Auditor', '--permission', 'audit:list', '--permission', 'devices:read')
    expect(made).toMatchObject({ permissions: ['audit:list', 'devices:read'] })
    expect(await ok('role', 'update', 'auditor', '--description', 'Looks on')).toMatchObject({
      description: 'Looks on',
    })
    expect(await ok('role', 'delete', 'AUDITOR')).toBeUndefined()
    expect((await run('role', 'delete', 'admin')).code).toBe(2)
  })

  test('with an unknown permission names it', async () => {
    const { code, err } = await run('role', 'create', 'Pilot', '--permission', 'devices:fly')
    expect({ code, err }).toEqual({
      code: 2,
      err: 'error: permissions[0]: is not a permission; /api/permissions lists all of them\n',
    })
  })
})

test('sessions are listed and ended', async () => {
  await app.login('root', QUICK)
  const [session] = (await ok('session', 'list')) as { id: string }[]
  expect(await ok('session', 'delete', session?.id ?? '')).toBeUndefined()
  expect(await ok('session', 'list', '--user', 'root')).toEqual([])
})

describe('plat audit verify', () => {
  test('exits with 0 for an intact trail, and with 1 for an altered one', async () => {
    const { code, out } = await run('audit', 'verify')
    expect([code, out]).toEqual([0, expect.stringContaining('ok:        true')])
    const entry = {
      id: 'x',
      timestamp: '',
      action: 'create' as const,
      resource: 'device',
      resource_id: '',
      user_id: '',
    }
    const rest = {
      username: '',
      key_id: '',
      ip_address: '',
      changes: '',
      status: 'success' as const,
      error: '',
      request_id: '',
      oauth_client: '',
      tool: '',
      key_owner_id: '',
      key_owner: '',
      change_id: '',
    }
    await app.db.write(async ({ db }) => {
      await db
        .insertInto('audit')
        .values({ ...entry, ...rest, place: 1, hash: 'made up' })
        .execute()
    })
    const after = await run('audit', 'verify')
    expect([after.code, after.out]).toEqual([1, expect.stringContaining('ok:        false')])
  })
})

describe('a username', () => {
  test('with an invisible character is a usage error, which names it', async () => {
    const { code, err } = await runWith({ argv: ['user', 'create', 'ad\u202emin'], typed: [PASSWORD] })
    expect([code, err]).toEqual([2, expect.stringContaining('error: username: must not contain invisible')])
    expect(err).toContain('U+202E')
  })

  test('that looks like another one is a conflict, which names that', async () => {
    await createUser(app.db, { username: 'marlene' })
    const { code, err } = await runWith({ argv: ['user', 'create', 'rnarlene'], typed: [PASSWORD] })
    expect([code, err]).toEqual([5, expect.stringContaining('looks like "marlene"')])
  })
})

test('plat view saves, pins and deletes a view', async () => {
  const search = ['--search', '?q=tag:web', '--is-shared', '--is-pinned']
  const view = (await ok('view', 'create', 'Web', '/devices', ...search)) as { id: string }
  expect(await ok('view', 'list')).toMatchObject([{ name: 'Web', path: '/devices', is_shared: true, is_pinned: true }])
  expect(await ok('whoami')).toMatchObject({ pinned_views: [{ id: view.id, search: '?q=tag:web' }] })
  expect(await ok('view', 'update', view.id, '--no-is-pinned')).toMatchObject({ is_pinned: false })
  await ok('view', 'delete', 'Web')
  expect(await ok('view', 'list')).toEqual([])
})
