/** Rotation of API keys: a new value, and the old one for a while. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { follow } from '../../../testing/feed.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { keys as contract, NewApiKey } from './api.ts'

const HOUR_MS = 3600 * 1000

describe.each(onSqlite())('the rotation of API keys on %s', (dialect) => {
  let app: SignInApp
  beforeAll(async () => {
    app = await signInApp(dialect)
  })
  afterAll(() => app.close())

  let count = 0
  const person = async (...roles: string[]) => {
    const { id } = await createUser(app.db, { username: `${dialect}${++count}`, roles })
    return { id, key: await keyFor(app.db, id) }
  }
  const made = async (key: string, body: object = {}): Promise<NewApiKey> =>
    NewApiKey.parse(await (await app.send('POST /api/keys', { key, body: { name: `key ${++count}`, ...body } })).json())
  const rotate = (key: string, id: string, body: object = {}) => app.send(`POST /api/keys/${id}/rotate`, { key, body })
  const rotated = async (key: string, id: string, overlap_seconds?: number): Promise<NewApiKey> => {
    const response = await rotate(key, id, { overlap_seconds })
    expect(response.status).toBe(201)
    return NewApiKey.strict().parse(await response.json())
  }
  const opens = async (key: string) => (await app.send('GET /api/auth/me', { key })).status
  const shown = async (key: string, id: string) =>
    contract.get.output.parse(await (await app.send(`GET /api/keys/${id}`, { key })).json())
  const after = (ms: number) => new Date(app.clock.ms + ms).toISOString()

  test('gives a new value; id, name, limits and expiry stay', async () => {
    const { key } = await person('viewer')
    const limits = {
      permissions: ['devices:list'],
      allowed_cidrs: ['10.0.0.0/8'],
      expires_at: after(30 * 24 * HOUR_MS),
    }
    const before = await made(key, limits)
    const now = await rotated(key, before.id)
    expect(now.key).toMatch(/^plat_[A-Za-z0-9_-]{43}$/)
    expect(now.key).not.toBe(before.key)
    expect(now).toEqual({
      ...before,
      key: now.key,
      prefix: now.key.slice(0, 9),
      rotated_at: after(0),
      previous_expires_at: after(HOUR_MS),
    })
    const { key: _, ...rest } = now
    expect(await shown(key, before.id)).toEqual(rest)
  })

  test('the old value opens until the overlap ends, and the new one goes on', async () => {
    const { key } = await person('viewer')
    const before = await made(key)
    const now = await rotated(key, before.id, 60)
    app.clock.ms += 59_999
    expect([await opens(before.key), await opens(now.key)]).toEqual([200, 200])
    app.clock.ms += 1
    expect(await refusal(await app.send('GET /api/auth/me', { key: before.key }))).toEqual([401, 'EXPIRED_KEY'])
    expect(await opens(now.key)).toBe(200)
  })

  test('without an overlap the old value ends at once', async () => {
    const { key } = await person('viewer')
    const before = await made(key)
    const now = await rotated(key, before.id, 0)
    expect([await opens(before.key), await opens(now.key)]).toEqual([401, 200])
  })

  test('the second rotation ends the oldest value at once', async () => {
    const { key } = await person('viewer')
    const first = await made(key)
    const second = await rotated(key, first.id)
    const third = await rotated(key, first.id)
    expect([await opens(first.key), await opens(second.key), await opens(third.key)]).toEqual([401, 200, 200])
  })

  test('a key rotates itself by its old value', async () => {
    const { key } = await person('viewer')
    const first = await made(key)
    await rotated(first.key, first.id)
    const third = await rotated(first.key, first.id)
    expect([await opens(first.key), await opens(third.key)]).toEqual([401, 200])
  })

  test('the old value ends with the key', async () => {
    const { key } = await person('viewer')
    const short = await made(key, { expires_at: after(1000) })
    const now = await rotated(key, short.id, 60)
    expect(now.previous_expires_at).toBe(after(1000))
    app.clock.ms += 1000
    expect([await opens(short.key), await opens(now.key)]).toEqual([401, 401])
    const gone = await made(key)
    const renewed = await rotated(key, gone.id, 60)
    expect((await app.send(`DELETE /api/keys/${gone.id}`, { key })).status).toBe(204)
    expect([await opens(gone.key), await opens(renewed.key)]).toEqual([401, 401])
  })

  test('only hashes of both values are stored', async () => {
    const { key } = await person('viewer')
    const before = await made(key)
    const now = await rotated(key, before.id)
    const row = await app.db.read.selectFrom('api_keys').selectAll().where('id', '=', now.id).executeTakeFirst()
    expect(row?.previous_hash).toBe(new Bun.CryptoHasher('sha256').update(before.key).digest('hex'))
    expect(JSON.stringify(row)).not.toContain(now.key)
  })

  test('a write by the old value under way is committed or refused, never half', async () => {
    const { key } = await person('admin')
    const before = await made(key)
    const write = (name: string) => app.send('POST /api/datacenters', { key: before.key, body: { name } })
    const [kept] = await Promise.all([write('kept'), rotated(key, before.id)])
    expect(kept.status).toBe(201)
    const [, ended] = await Promise.all([rotated(key, before.id), write('ended')])
    expect([201, 401]).toContain(ended.status)
  })

  test.each([[-1], [604_801], [1.5], ['60'], [null]])('refuses an overlap of %p', async (overlap_seconds) => {
    const { key } = await person()
    const { id } = await made(key)
    const response = await rotate(key, id, { overlap_seconds })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: [{ field: 'overlap_seconds' }] })
  })

  test('refuses a key that has expired', async () => {
    const { key } = await person()
    const { id } = await made(key, { expires_at: after(1) })
    app.clock.ms += 1
    const response = await rotate(key, id)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: [{ field: 'id' }] })
  })

  test('refuses a key without an owner', async () => {
    const { key } = await person('admin')
    const name = `orphan ${dialect}`
    await keyFor(app.db, null, { name })
    const row = await app.db.read.selectFrom('api_keys').select('id').where('name', '=', name).executeTakeFirstOrThrow()
    const response = await rotate(key, row.id)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: [{ field: 'id' }] })
  })

  describe('of another user', () => {
    const clerk = async (...permissions: string[]) =>
      person((await createRole(app.db, { name: `${dialect} clerk ${++count}`, permissions })).id)

    test('needs apikeys:create; without it the key is not there', async () => {
      const owner = await person()
      const { id } = await made(owner.key)
      expect((await rotate((await clerk('apikeys:read', 'apikeys:delete')).key, id)).status).toBe(404)
      expect((await rotate((await clerk('apikeys:create')).key, id)).status).toBe(201)
    })

    test('needs all permissions of the owner', async () => {
      const owner = await person('viewer')
      const { id } = await made(owner.key)
      const { key } = await clerk('apikeys:create')
      expect(await refusal(await rotate(key, id))).toEqual([403, 'FORBIDDEN'])
    })

    test('makes it a key made by that user, which ends when its owner gets a role', async () => {
      const [owner, admin] = [await person('viewer'), await person('admin')]
      const { id } = await made(owner.key)
      const now = await rotated(admin.key, id)
      expect(now.created_by).toBe(admin.id)
      const body = { user_id: owner.id, role_id: 'operator' }
      expect((await app.send('POST /api/users/grant-role', { key: admin.key, body })).status).toBe(201)
      expect(await opens(now.key)).toBe(401)
    })

    test('by a key that another user has made has the same maker', async () => {
      const [owner, admin] = [await person('viewer'), await person('admin')]
      const own = await made(owner.key)
      const theirs = await made(admin.key, { user_id: owner.id })
      expect((await rotated(theirs.key, own.id)).created_by).toBe(admin.id)
    })

    test('by the owner leaves the maker, who may still know the old value', async () => {
      const [owner, admin] = [await person('viewer'), await person('admin')]
      const theirs = await made(admin.key, { user_id: owner.id })
      expect((await rotated(owner.key, theirs.id)).created_by).toBe(admin.id)
    })
  })

  test('the live feed of the old value ends with it', async () => {
    const { key } = await person('admin')
    const before = await made(key)
    const feedOf = async (value: string) => {
      const request = (method: string, path: string, _: unknown, headers = {}) =>
        app.request(path, { method, headers: { Authorization: `Bearer ${value}`, ...headers } })
      const feed = await follow({ request })
      await feed.opened()
      return feed
    }
    const old = await feedOf(before.key)
    const now = await rotated(key, before.id, 60)
    const next = await feedOf(now.key)
    await rotated(key, before.id, 60)
    await old.isOver()
    const heard = next.heard().length
    await app.send('POST /api/devices', { key, body: { name: `told ${dialect}` } })
    await next.hears(heard + 1)
    await next.stop()
  })
})
