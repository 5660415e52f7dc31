/** API keys with limits have the rights of their owner, cut by the limits. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { NewApiKey } from './api.ts'

const Me = z.object({ id: z.string(), permissions: z.array(z.string()) })
const WithId = z.object({ id: z.string() })

describe.each(onSqlite())('narrow API keys on %s', (dialect) => {
  let app: SignInApp
  let admin: { id: string; key: string }
  beforeAll(async () => {
    app = await signInApp(dialect, { config: { auditEnabled: true } })
    admin = await person('admin')
  })
  afterAll(() => app.close())

  let count = 0
  const unique = (word: string) => `${word}-${dialect}-${++count}`
  const person = async (...roles: string[]) => {
    const { id } = await createUser(app.db, { username: unique('user'), roles })
    return { id, key: await keyFor(app.db, id) }
  }
  const make = (key: string, limits: object) =>
    app.send('POST /api/keys', { key, body: { name: unique('key'), ...limits } })
  const narrow = async (key: string, limits: object): Promise<NewApiKey> => {
    const response = await make(key, limits)
    expect(response.status).toBe(201)
    return NewApiKey.strict().parse(await response.json())
  }
  const me = async (key: string) => Me.parse(await (await app.send('GET /api/auth/me', { key })).json())
  const created = async (http: string, body: object, key = admin.key): Promise<string> => {
    const response = await app.send(http, { key, body })
    expect([http, response.status]).toEqual([http, 201])
    return WithId.parse(await response.json()).id
  }

  describe('are made', () => {
    test('with permissions in the spelling and order of roles, each once', async () => {
      const { permissions } = await narrow(admin.key, {
        permissions: ['webhooks:list', 'devices:list', 'devices:list'],
      })
      expect(permissions).toEqual(['devices:list', 'webhook:list'])
    })

    test('with addresses as canonical CIDRs, each once', async () => {
      const allowed_cidrs = ['10.0.0.5/24', '10.0.0.0/24', '192.0.2.7', '2001:DB8::1', '::ffff:198.51.100.7', '::/0']
      expect(await narrow(admin.key, { allowed_cidrs })).toMatchObject({
        allowed_cidrs: ['10.0.0.0/24', '192.0.2.7/32', '2001:db8::1/128', '198.51.100.7/32', '::/0'],
      })
    })

    test.each([
      ['no permission', { permissions: [] }, 'permissions'],
      ['an unknown permission', { permissions: ['devices:list', 'devices:fly'] }, 'permissions[1]'],
      ['a pattern', { permissions: ['*'] }, 'permissions[0]'],
      ['permissions that are no list', { permissions: 'devices:list' }, 'permissions'],
      ['a prefix that is too long', { allowed_cidrs: ['10.0.0.0/8', '10.0.0.0/33'] }, 'allowed_cidrs[1]'],
      ['a name', { allowed_cidrs: ['example.com'] }, 'allowed_cidrs[0]'],
      ['an empty address', { allowed_cidrs: [''] }, 'allowed_cidrs[0]'],
      ['a range', { allowed_cidrs: ['10.0.0.1-10.0.0.9'] }, 'allowed_cidrs[0]'],
      ['51 addresses', { allowed_cidrs: Array.from({ length: 51 }, (_, i) => `10.0.0.${i}`) }, 'allowed_cidrs'],
    ])('not with %s', async (_, limits, field) => {
      const response = await make(admin.key, limits)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] })
    })

    test.each([
      ['no field', {}],
      ['null', { permissions: null, allowed_cidrs: null }],
      ['no address', { allowed_cidrs: [] }],
    ])('without limits by %s', async (_, limits) => {
      const { key, permissions, allowed_cidrs } = await narrow(admin.key, limits)
      expect({ permissions, allowed_cidrs }).toEqual({ permissions: null, allowed_cidrs: [] })
      await narrow(key, {})
    })
  })

  describe('have the rights of their owner of this moment, cut by their permissions', () => {
    test('no more than both hold', async () => {
      const owner = await person('viewer')
      const { key } = await narrow(owner.key, { permissions: ['devices:list', 'devices:create', 'users:list'] })
      expect(await me(key)).toEqual(expect.objectContaining({ id: owner.id, permissions: ['devices:list'] }))
      const response = await app.send('POST /api/devices', { key, body: { name: 'x' } })
      expect(await refusal(response)).toEqual([403, 'FORBIDDEN'])
    })

    test('a permission that the owner gets later opens, and one that is lost closes at once', async () => {
      const owner = await person()
      const { key } = await narrow(owner.key, { permissions: ['devices:list'] })
      const list = async () => (await app.send('GET /api/devices', { key })).status
      const body = { user_id: owner.id, role_id: 'viewer' }
      expect(await list()).toBe(403)
      await app.send('POST /api/users/grant-role', { key: admin.key, body })
      expect(await list()).toBe(200)
      await app.send('POST /api/users/revoke-role', { key: admin.key, body })
      expect(await list()).toBe(403)
    })

    test('the refusal says that the key leaves the permission out', async () => {
      const { key } = await narrow(admin.key, { permissions: ['devices:list'] })
      const response = await app.send('GET /api/networks', { key })
      expect(await response.json()).toMatchObject({
        error: 'This needs the permission networks:list, which the API key leaves out',
      })
    })

    test('parts of an answer that need other permissions are left out', async () => {
      const name = unique('found')
      await created('POST /api/devices', { name })
      await created('POST /api/networks', { name, subnet: `10.${count}.0.0/24` })
      const { key } = await narrow(admin.key, { permissions: ['search:read', 'networks:list'] })
      const found = JSON.stringify(await (await app.send(`GET /api/search?q=${name}`, { key })).json())
      expect(found).toContain('"type":"network"')
      expect(found).not.toContain('"type":"device"')
      expect((await app.send('GET /api/estate/export', { key })).status).toBe(200)
      const exported = await (await app.send('GET /api/estate/export', { key })).json()
      expect(Object.keys(exported as object)).not.toContain('devices')
    })
  })

  test('they never change: there is no update', async () => {
    const { id } = await narrow(admin.key, { permissions: ['devices:list'] })
    const response = await app.send(`PUT /api/keys/${id}`, { key: admin.key, body: { permissions: null } })
    expect(response.status).toBe(405)
  })

  test('the trail names the key that was refused', async () => {
    const { id, key, name } = await narrow(admin.key, { permissions: ['devices:list'] })
    await app.send('POST /api/devices', { key, body: { name: 'x' } })
    const rows = await app.db.read.selectFrom('audit').selectAll().where('key_id', '=', id).execute()
    expect(rows).toMatchObject([{ username: name, status: 'failure', key_owner_id: admin.id }])
  })
})
