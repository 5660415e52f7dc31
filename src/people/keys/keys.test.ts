import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { keys as contract, NewApiKey } from './api.ts'

const DAY_MS = 24 * 3600 * 1000

describe.each(onSqlite())('API keys on %s', (dialect) => {
  let app: SignInApp
  beforeAll(async () => {
    app = await signInApp(dialect)
  })
  afterAll(() => app.close())

  let count = 0
  const person = async (...roles: string[]) => {
    count += 1
    const { id } = await createUser(app.db, { username: `${dialect}${count}`, roles })
    return { id, key: await keyFor(app.db, id) }
  }
  const create = async (key: string, body: unknown) => app.send('POST /api/keys', { key, body })
  const made = async (key: string, name: string, expires_at?: string) =>
    NewApiKey.parse(await (await create(key, { name, expires_at })).json())
  const list = async (key: string, query = '') =>
    contract.list.output.parse(await (await app.send(`GET /api/keys${query}`, { key })).json())
  const inMs = (ms: number) => new Date(app.clock.ms + ms).toISOString()

  test('a new key is shown once and works', async () => {
    const { id, key } = await person('viewer')
    const response = await create(key, { name: 'CI' })
    expect(response.status).toBe(201)
    const body = NewApiKey.strict().parse(await response.json())
    expect(body).toEqual({
      id: expect.any(String),
      name: 'CI',
      user_id: id,
      created_at: app.now().toISOString(),
      last_used_at: null,
      expires_at: null,
      prefix: body.key.slice(0, 9),
      created_by: id,
      feed_id: null,
      scope_id: null,
      permissions: null,
      allowed_cidrs: [],
      last_used_ip: null,
      rotated_at: null,
      previous_expires_at: null,
      key: expect.stringMatching(/^plat_[A-Za-z0-9_-]{43}$/),
    })
    expect((await app.send('GET /api/auth/me', { key: body.key })).status).toBe(200)
    const { key: _, ...rest } = body
    expect(await (await app.send(`GET /api/keys/${body.id}`, { key })).json()).toEqual(rest)
    expect(await list(key)).toContainEqual(rest)
  })

  test('only the hash of a key is stored', async () => {
    const { key } = await person()
    const body = await made(key, 'CI')
    const rows = await app.db.read.selectFrom('api_keys').selectAll().where('id', '=', body.id).execute()
    expect(JSON.stringify(rows)).not.toContain(body.key)
    expect(rows[0]?.key_hash).toBe(new Bun.CryptoHasher('sha256').update(body.key).digest('hex'))
  })

  test('a name is taken once per owner, in any case', async () => {
    const [one, other] = [await person(), await person()]
    await made(one.key, 'Backup')
    const again = await create(one.key, { name: 'backup' })
    expect(again.status).toBe(409)
    expect(await again.json()).toMatchObject({ code: 'ALREADY_EXISTS', details: [{ field: 'name' }] })
    expect((await create(other.key, { name: 'Backup' })).status).toBe(201)
  })

  test.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['an expiry that is no time', { name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    ['an expiry in the past', { name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
  ])('refuses %s', async (_, body, field) => {
    const { key } = await person()
    const response = await create(key, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] })
  })

  test.each([null, ''])('an expiry of %p is none', async (expires_at) => {
    const { key } = await person()
    expect(await (await create(key, { name: 'x', expires_at })).json()).toMatchObject({ expires_at: null })
  })

  test('a key ends at its expiry', async () => {
    const { key } = await person('viewer')
    const body = await made(key, 'short', inMs(DAY_MS))
    expect(body.expires_at).toBe(inMs(DAY_MS))
    app.clock.ms += DAY_MS - 1
    expect((await app.send('GET /api/auth/me', { key: body.key })).status).toBe(200)
    app.clock.ms += 1
    const response = await app.send('GET /api/auth/me', { key: body.key })
    expect(await refusal(response)).toEqual([401, 'EXPIRED_KEY'])
  })

  test('a key without an owner opens nothing', async () => {
    const response = await app.send('GET /api/auth/me', { key: await keyFor(app.db, null) })
    expect(await refusal(response)).toEqual([401, 'LEGACY_API_KEY_UNSUPPORTED'])
  })

  test('a key without an owner that has expired too is first of all without an owner', async () => {
    const key = await keyFor(app.db, null, { expiresAt: '2020-01-01T00:00:00.000Z' })
    expect(await refusal(await app.send('GET /api/auth/me', { key }))).toEqual([401, 'LEGACY_API_KEY_UNSUPPORTED'])
  })

  test('a key of an inactive user opens nothing', async () => {
    const { id } = await createUser(app.db, { username: `${dialect} gone`, roles: ['admin'], isActive: false })
    const response = await app.send('GET /api/auth/me', { key: await keyFor(app.db, id) })
    expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED'])
  })

  test('deactivating a user ends the keys at once', async () => {
    const { id, key } = await person('viewer')
    expect((await app.send('GET /api/auth/me', { key })).status).toBe(200)
    await app.db.write((tx) => tx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', id).execute())
    expect((await app.send('GET /api/auth/me', { key })).status).toBe(401)
  })

  test('deleting a user ends the keys at once', async () => {
    const { id, key } = await person('viewer')
    expect((await app.send('GET /api/auth/me', { key })).status).toBe(200)
    await app.db.write((tx) => tx.db.deleteFrom('users').where('id', '=', id).execute())
    expect((await app.send('GET /api/auth/me', { key })).status).toBe(401)
    expect(await app.db.read.selectFrom('api_keys').where('user_id', '=', id).selectAll().execute()).toEqual([])
  })

  test('a deleted key opens nothing from then on', async () => {
    const { key } = await person()
    const body = await made(key, 'old')
    expect((await app.send('GET /api/auth/me', { key: body.key })).status).toBe(200)
    expect((await app.send(`DELETE /api/keys/${body.id}`, { key })).status).toBe(204)
    expect((await app.send('GET /api/auth/me', { key: body.key })).status).toBe(401)
    expect((await app.send(`DELETE /api/keys/${body.id}`, { key })).status).toBe(404)
  })

  test("other people's keys are 404 without the permission", async () => {
    const [owner, other] = [await person('operator'), await person('operator')]
    const body = await made(owner.key, 'mine')
    expect((await app.send(`GET /api/keys/${body.id}`, { key: other.key })).status).toBe(404)
    expect((await app.send(`DELETE /api/keys/${body.id}`, { key: other.key })).status).toBe(404)
    expect((await list(other.key)).map(({ user_id }) => user_id)).toEqual([other.id])
    expect(await list(other.key, `?user_id=${owner.id}`)).toEqual([])
  })

  test.each([
    ['apikeys:read', 'GET', 200, 404],
    ['apikeys:delete', 'DELETE', 404, 204],
  ])("with %s other people's keys are there for %s", async (permission, _, get, remove) => {
    const owner = await person()
    const { id: role } = await createRole(app.db, { name: `${dialect} ${permission}`, permissions: [permission] })
    const other = await person(role)
    const { id } = await made(owner.key, 'mine')
    expect((await app.send(`GET /api/keys/${id}`, { key: other.key })).status).toBe(get)
    expect((await app.send(`DELETE /api/keys/${id}`, { key: other.key })).status).toBe(remove)
  })

  test('with apikeys:list the list is of everyone, or of one user', async () => {
    const owner = await person()
    const admin = await person('admin')
    await made(owner.key, 'mine')
    const all = await list(admin.key)
    expect(new Set(all.map(({ user_id }) => user_id)).size).toBeGreaterThan(1)
    expect(await list(admin.key, `?user_id=${owner.id}`)).toHaveLength(2)
  })

  test('the list of one person is never taken for that of another', async () => {
    const [one, other] = [await person(), await person()]
    const etag = (await app.send('GET /api/keys', { key: one.key })).headers.get('etag') ?? ''
    const headers = { 'If-None-Match': etag }
    expect((await app.send('GET /api/keys', { key: one.key, headers })).status).toBe(304)
    expect((await app.send('GET /api/keys', { key: other.key, headers })).status).toBe(200)
  })

  describe('for someone else', () => {
    const clerk = async (...more: string[]) => {
      const permissions = ['apikeys:create', ...more]
      return person((await createRole(app.db, { name: `${dialect} clerk ${++count}`, permissions })).id)
    }

    test('takes apikeys:create', async () => {
      const owner = await person()
      const body = { name: 'theirs', user_id: owner.id }
      expect(await refusal(await create((await person('operator')).key, body))).toEqual([403, 'FORBIDDEN'])
      const response = await create((await clerk()).key, body)
      expect(response.status).toBe(201)
      const made = NewApiKey.parse(await response.json())
      expect(made.user_id).toBe(owner.id)
      expect(await (await app.send('GET /api/auth/me', { key: made.key })).json()).toMatchObject({ id: owner.id })
    })

    test('takes all that they hold: a key is as good as its owner', async () => {
      const owner = await person('viewer')
      const body = { name: 'theirs', user_id: owner.id }
      expect(await refusal(await create((await clerk('devices:read')).key, body))).toEqual([403, 'FORBIDDEN'])
      expect((await create((await person('admin')).key, body)).status).toBe(201)
    })

    test('needs someone', async () => {
      const response = await create((await clerk()).key, { name: 'x', user_id: 'nobody' })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'user_id' }] })
    })

    test('has a name of its own among theirs', async () => {
      const owner = await person()
      const body = { name: 'theirs', user_id: owner.id }
      const { key } = await clerk()
      expect((await create(key, body)).status).toBe(201)
      expect(await refusal(await create(key, body))).toEqual([409, 'ALREADY_EXISTS'])
      expect((await create(key, { name: 'theirs' })).status).toBe(201)
    })

    test.each([null, ''])("is for oneself with the user_id %p, or with one's own", async (user_id) => {
      const { id, key } = await person()
      expect((await create(key, { name: 'x', user_id })).status).toBe(201)
      expect((await create(key, { name: 'y', user_id: id })).status).toBe(201)
    })
  })

  test('a key needs no CSRF header, and acts with the permissions of its owner', async () => {
    const { key } = await person('viewer')
    const response = await app.send('POST /api/datacenters', { key, body: { name: 'x' } })
    expect(await refusal(response)).toEqual([403, 'FORBIDDEN'])
  })

  test('another role takes effect at once', async () => {
    const { id, key } = await person('viewer')
    const post = () => app.send('POST /api/datacenters', { key, body: { name: 'x' } })
    expect((await post()).status).toBe(403)
    const grant = { id: 'grant-1', role_id: 'role-admin', user_id: id, group_id: null, scope_id: null, created_at: '' }
    await app.db.write((tx) => tx.db.insertInto('grants').values(grant).execute())
    expect((await post()).status).toBe(201)
    await app.db.write((tx) => tx.db.deleteFrom('grants').where('user_id', '=', id).execute())
    expect((await post()).status).toBe(403)
  })

  test('another permission of a role takes effect at once', async () => {
    const { id: role_id } = await createRole(app.db, { name: `${dialect} builder`, permissions: ['datacenters:list'] })
    const { key } = await person(role_id)
    const post = () => app.send('POST /api/datacenters', { key, body: { name: 'x' } })
    expect((await post()).status).toBe(403)
    const permission = 'datacenters:create'
    await app.db.write((tx) => tx.db.insertInto('role_permissions').values({ role_id, permission }).execute())
    expect((await post()).status).toBe(201)
  })

  test('uses are noted to the minute, away from the request', async () => {
    const { id, key } = await person()
    const lastUse = async () => {
      await app.keyUses.flush()
      const rows = app.db.read.selectFrom('api_keys').innerJoin('api_key_uses', 'key_id', 'id')
      return (await rows.select('last_used_at').where('user_id', '=', id).executeTakeFirstOrThrow()).last_used_at
    }
    const before = await app.db.revision(['api_key_uses'])
    await app.send('GET /api/auth/me', { key })
    expect(await app.db.revision(['api_key_uses'])).toBe(before)
    const first = app.now().toISOString()
    expect(await lastUse()).toBe(first)
    app.clock.ms += 59_000
    await app.send('GET /api/auth/me', { key })
    expect(await lastUse()).toBe(first)
    app.clock.ms += 1000
    await app.send('GET /api/auth/me', { key })
    expect(await lastUse()).toBe(app.now().toISOString())
  })

  test('a recorded use does not invalidate cached callers', async () => {
    const { key } = await person()
    const tables = [
      'users',
      'roles',
      'role_permissions',
      'grants',
      'group_members',
      'area_scopes',
      'api_keys',
      'sessions',
    ] as const
    const before = await app.db.revision(tables)
    app.clock.ms += 60_000
    await app.send('GET /api/auth/me', { key })
    await app.keyUses.flush()
    expect(await app.db.revision(tables)).toBe(before)
  })

  test('the use of a deleted key is not recorded', async () => {
    const { key } = await person()
    const body = await made(key, 'gone')
    await app.send('GET /api/auth/me', { key: body.key })
    await app.send(`DELETE /api/keys/${body.id}`, { key })
    await app.keyUses.flush()
    const rows = app.db.read.selectFrom('api_key_uses').selectAll().where('key_id', '=', body.id)
    expect(await rows.execute()).toEqual([])
  })
})
