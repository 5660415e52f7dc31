// `plat user evict` ends every credential of an account on the host, also while a server runs.
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { testAll } from '../../../testing/cases.ts'
import { people, QUICK } from '../../../testing/estates/people.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf, type SignInApp } from '../../../testing/sign-in/sign-in.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { openHostTrail } from '../../record/audit/host-trail.ts'
import { insertClient, insertCode, insertGrant } from '../oauth/store.ts'
import type { SessionStore } from '../sessions/store.ts'
import { evict } from './evict.ts'

const MAIN = join(import.meta.dir, '..', '..', 'main.ts')
const KEY = 'k'.repeat(32)

const evictFrom = async (
  app: SignInApp,
  username: string,
  sessions: SessionStore = app.sessions,
  config = app.config,
) => {
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const trail = await openHostTrail({ db: app.db, config, now: app.now, log: log as never })
  return evict({ db: app.db, sessions, trail, username, now: app.now })
}

const grantTo = async ({ db }: SignInApp, user_id: string) => {
  const created_at = '2026-11-01T00:00:00.000Z'
  const id = Bun.randomUUIDv7()
  const lists = { redirect_uris: '["http://127.0.0.1/cb"]', grant_types: '[]', response_types: '["code"]' }
  const client = { id, name: 'Claude', auth_method: 'none' as const, secret_hash: null, scope: '', ...lists }
  const of = { client_id: id, user_id, user_generation: 0, scope: '' }
  const code = { code_hash: hashSecret(id), redirect_uri: '', code_challenge: null, used_at: null, grant_id: null }
  await db.write(async (tx) => {
    await insertClient(tx, { ...client, created_at, consented_at: created_at })
    await insertGrant(tx, { id, ...of, created_at, expires_at: '2027-01-01T00:00:00.000Z' })
    await insertCode(tx, { ...of, ...code, expires_at: '2027-01-01T00:00:00.000Z' })
  })
}

describe.each(places())('on %s with sessions in the %s', (dialect, store) => {
  const all = people(dialect, () => storeConfig(store).then((config) => ({ config })))
  const statusOf = async (with_: { cookie?: string; key?: string }) =>
    (await all.app.send('GET /api/auth/me', with_)).status

  test('sessions, keys and grants of the account end, and the sessions of other accounts stay', async () => {
    const [target, other] = [await all.person({ roles: ['admin'] }), await all.person()]
    const cookies = await Promise.all([target, target, other].map(({ username }) => all.app.login(username, QUICK)))
    await grantTo(all.app, target.id)
    await grantTo(all.app, other.id)
    const statuses = () =>
      Promise.all([
        ...cookies.map((answer) => statusOf({ cookie: cookieOf(answer) })),
        statusOf({ key: target.key }),
        statusOf({ key: other.key }),
      ])
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    expect(await evictFrom(all.app, target.username.toUpperCase())).toEqual({
      username: target.username,
      sessions: 2,
      keys: [{ name: expect.any(String), prefix: expect.stringMatching(/^plat_.{4}$/) }],
      clients: ['Claude'],
    })
    expect(await statuses()).toEqual([401, 401, 200, 401, 200])
    const { read } = all.app.db
    const left = async (table: 'oauth_grants' | 'oauth_codes' | 'api_keys') =>
      (await read.selectFrom(table).select('user_id').execute()).map(({ user_id }) => user_id)
    for (const table of ['oauth_grants', 'oauth_codes', 'api_keys'] as const) {
      const owners = await left(table)
      expect([owners.includes(target.id), owners.includes(other.id)]).toEqual([false, true])
    }
    expect(await all.app.sessions.list(target.id)).toEqual([])
  })

  test('the password stays, and signs in again', async () => {
    const { username } = await all.person()
    await evictFrom(all.app, username)
    expect((await all.app.login(username, QUICK)).status).toBe(200)
  })

  test('an account without any has nothing to end', async () => {
    const { username } = await all.person()
    await evictFrom(all.app, username)
    expect(await evictFrom(all.app, username)).toEqual({ username, sessions: 0, keys: [], clients: [] })
  })

  test('an unknown user is an error', async () => {
    await expect(evictFrom(all.app, 'nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('with a session store that is away', () => {
  const all = people('sqlite', () => storeConfig('valkey').then((config) => ({ config })))

  test('sessions end all the same, and are not counted', async () => {
    const { username } = await all.person()
    const cookie = cookieOf(await all.app.login(username, QUICK))
    const { valkeyUrl: _, ...config } = all.app.config
    const { openSessionStore } = await import('../sessions/open-store.ts')
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } as never
    // No server listens on this port.
    const away = openSessionStore({
      db: all.app.db,
      config: { ...config, valkeyUrl: 'redis://127.0.0.1:1/0' },
      log,
      now: () => new Date(),
    })
    expect(await evictFrom(all.app, username, away)).toMatchObject({ username, sessions: undefined })
    away.close()
    expect((await all.app.send('GET /api/auth/me', { cookie })).status).toBe(401)
  })
})

describe.each(onSqlite())('the command, beside a server on %s', (dialect) => {
  const all = people(dialect)
  const run = (...argv: string[]) => {
    const { DATABASE_URL: _, ...env } = process.env
    const { databaseUrl } = all.app.config
    const { stdout, stderr, exitCode } = Bun.spawnSync(
      [process.execPath, MAIN, 'user', 'evict', ...argv, '--data-dir', all.app.dir],
      { env: { ...env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) } },
    )
    return { code: exitCode, out: stdout.toString(), err: stderr.toString() }
  }

  test('prints what it ended, and the server refuses the user within a second', async () => {
    all.app.clock.ms = Date.now()
    const person = await all.person({ roles: ['admin'] })
    const cookie = cookieOf(await all.app.login(person.username, QUICK))
    const statuses = async () => [
      (await all.app.send('GET /api/auth/me', { cookie })).status,
      (await person.ask('GET /api/auth/me')).status,
    ]
    expect(await statuses()).toEqual([200, 200])
    const { code, out } = run(person.username)
    expect([code, out.split('\n')[0]]).toEqual([0, `${person.username}: ended 1 session, 1 API key, 0 OAuth grants`])
    expect(out).toContain('  API key ')
    all.app.clock.ms += 1000
    expect(await statuses()).toEqual([401, 401])
  })

  testAll.if(dialect === 'sqlite')(
    'waits while the server writes for longer than SQLite waits by itself',
    async () => {
      const person = await all.person({ roles: ['admin'] })
      const { promise, resolve } = Promise.withResolvers<void>()
      const writing = all.app.db.write(() => promise)
      const command = Bun.spawn([process.execPath, MAIN, 'user', 'evict', person.username, '--data-dir', all.app.dir], {
        stdout: 'ignore',
        stderr: 'pipe',
      })
      let said = ''
      const decoder = new TextDecoder()
      // The writer is released after the message: a start that takes long takes nothing from the wait.
      for await (const bytes of command.stderr) {
        said += decoder.decode(bytes, { stream: true })
        if (said.includes('\n')) resolve()
      }
      resolve()
      await writing
      expect([await command.exited, said]).toEqual([0, expect.stringContaining('the server is writing')])
      expect((await person.ask('GET /api/auth/me')).status).toBe(401)
    },
    30_000,
  )

  test('ends with 4 where there is no such user, and with 2 without a name', () => {
    expect(run('nobody')).toMatchObject({ code: 4, err: 'error: No user is called "nobody"\n' })
    expect(run().code).toBe(2)
  })
})

describe.each(onSqlite())('the audit trail on %s', (dialect) => {
  const all = people(dialect, () => ({ config: { auditEnabled: true } }))
  const entries = async (id: string) =>
    (await all.app.db.read.selectFrom('audit').selectAll().where('resource_id', '=', id).execute()).map(
      ({ action, resource, username, changes }) => ({ action, resource, username, changes: JSON.parse(changes) }),
    )

  test('names what was ended', async () => {
    const { id, username } = await all.person()
    await evictFrom(all.app, username)
    const changes = {
      command: 'plat user evict',
      session_count: 0,
      api_key_ids: [expect.any(String)],
      oauth_grant_ids: [],
    }
    expect(await entries(id)).toEqual([{ action: 'update', resource: 'user', username: '(on the host)', changes }])
    expect((await all.admin.ask('GET /api/audit/verify')).body).toMatchObject({ ok: true })
  })

  test('gets no entry without the key that signs it', async () => {
    const { id, username } = await all.person()
    await evictFrom(all.app, username, all.app.sessions, { ...all.app.config, encryptionKey: KEY })
    expect(await entries(id)).toEqual([])
    expect((await all.admin.ask('GET /api/audit/verify')).body).toMatchObject({ ok: true })
  })
})
