/** No way leads past the limits of an API key: each that could widen it is refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { callTool } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { contracts } from '../../app/contracts.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { CATALOGUE } from '../roles/catalogue.ts'
import { NewApiKey } from './api.ts'

const WithId = z.object({ id: z.string() })
const ALL = CATALOGUE.map(({ name }) => name)

describe.each(onSqlite())('narrow API keys stay narrow on %s', (dialect) => {
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
  const created = async (http: string, body: object, key = admin.key): Promise<string> => {
    const response = await app.send(http, { key, body })
    expect([http, response.status]).toEqual([http, 201])
    return WithId.parse(await response.json()).id
  }

  type Limits = { readonly permissions?: readonly string[]; readonly allowed_cidrs?: readonly string[] }
  const NARROW: readonly (readonly [string, Limits | 'a scope'])[] = [
    ['every permission named', { permissions: ALL }],
    ['a few permissions', { permissions: ['devices:list', 'users:update', 'users:create', 'apikeys:create'] }],
    ['any address', { allowed_cidrs: ['0.0.0.0/0', '::/0'] }],
    ['a scope', 'a scope'],
  ]

  describe.each(NARROW)('with %s', (_, given) => {
    let limits: object
    let key: NewApiKey
    let owner: { id: string; key: string }
    beforeAll(async () => {
      owner = await person('admin')
      limits =
        given === 'a scope'
          ? { scope_id: await created('POST /api/scopes', { name: unique('part'), tags: ['a'] }) }
          : given
      key = await narrow(owner.key, limits)
    })
    const from = '192.0.2.1'
    const send = (http: string, body?: unknown) =>
      app.send(http, { key: key.key, from, ...(body === undefined ? {} : { body }) })
    const refused = async (http: string, body?: unknown) =>
      expect([http, ...(await refusal(await send(http, body)))]).toEqual([http, 403, 'FORBIDDEN'])

    test('no key is made, read, listed, rotated or deleted, not even itself', async () => {
      const { id } = key
      await refused('POST /api/keys', { name: unique('wide') })
      await refused('POST /api/keys', { name: unique('wide'), user_id: owner.id })
      await refused('POST /api/keys', { name: unique('narrower'), ...limits })
      await refused('GET /api/keys')
      await refused(`GET /api/keys/${id}`)
      await refused(`POST /api/keys/${id}/rotate`, {})
      await refused(`DELETE /api/keys/${id}`)
    })

    test('the dashboard shows no key of the owner', async () => {
      const expires_at = new Date(app.clock.ms + 3600_000).toISOString()
      await created('POST /api/keys', { name: unique('ending'), expires_at }, owner.key)
      const Ending = z.object({ ending_keys: z.array(WithId).default([]) })
      const ending = async (by: string) =>
        Ending.parse(await (await app.send('GET /api/dashboard', { key: by, from })).json()).ending_keys.length
      expect([await ending(owner.key), await ending(key.key)]).toEqual([1, 0])
    })

    test('no key of a feed is made', async () => {
      const feed_id = await created('POST /api/feeds', { name: unique('feed'), format: 'prometheus' })
      await refused('POST /api/keys', { name: unique('feed key'), feed_id })
    })

    test('no key of another user is made', async () => {
      await refused('POST /api/keys', { name: unique('theirs'), user_id: (await person()).id })
    })

    test('no session or consent is seen or ended, and no password changed', async () => {
      await refused('GET /api/sessions')
      await refused(`GET /api/sessions?user_id=${owner.id}`)
      await refused('DELETE /api/sessions/x')
      await refused(`POST /api/users/${owner.id}/password`, { current_password: 'x', new_password: 'long enough' })
    })

    test('the account of the owner stays as it is', async () => {
      await refused(`PUT /api/users/${owner.id}`, { email: 'thief@example.com' })
      await refused(`PUT /api/users/${owner.id}`, { roles: ['admin', 'viewer'] })
      await refused(`POST /api/users/${owner.id}/reset-password`, { new_password: 'long enough' })
      await refused(`POST /api/users/${owner.id}/reset-second-factor`, {})
      await refused('POST /api/users/grant-role', { user_id: owner.id, role_id: 'viewer' })
      await refused('POST /api/users/revoke-role', { user_id: owner.id, role_id: 'admin' })
      await refused('POST /api/grants', { user_id: owner.id, role_id: 'viewer' })
      await refused(`DELETE /api/users/${owner.id}`)
      const [grant] = z
        .array(WithId)
        .parse(await (await app.send(`GET /api/grants?user_id=${owner.id}`, { key: admin.key })).json())
      await refused(`DELETE /api/grants/${grant?.id}`)
      const group = await created('POST /api/groups', { name: unique('group') })
      await refused(`POST /api/groups/${group}/members`, { user_id: owner.id })
      await refused(`DELETE /api/groups/${group}/members/${owner.id}`)
    })

    test('its MCP tools refuse the same', async () => {
      const fetch = (request: Request) => app.fetch(request, { peer: () => from })
      const call = async (operation: string, input: object) => {
        const { isError, value } = await callTool({ fetch, key: key.key }, 'call_operation', { operation, input })
        return [isError, value.code]
      }
      expect(await call('keys.list', {})).toEqual([true, 'FORBIDDEN'])
      expect(await call('sessions.list', {})).toEqual([true, 'FORBIDDEN'])
      expect(await call('users.update', { id: owner.id, email: 'thief@example.com' })).toEqual([true, 'FORBIDDEN'])
      expect(await call('grants.create', { user_id: owner.id, role_id: 'viewer' })).toEqual([true, 'FORBIDDEN'])
    })
  })

  describe('hand out no permission that they lack', () => {
    const few = { permissions: ['users:create', 'users:update', 'roles:create', 'roles:update', 'groups:update'] }
    const refused = async (key: string, http: string, body: object) =>
      expect([http, ...(await refusal(await app.send(http, { key, body })))]).toEqual([http, 403, 'FORBIDDEN'])

    test('by a user, a role, a group or a grant', async () => {
      const { key } = await narrow(admin.key, few)
      const password = 'long enough'
      await refused(key, 'POST /api/users', { username: unique('wide'), password, roles: ['viewer'] })
      await refused(key, 'POST /api/roles', { name: unique('wide'), permissions: ['devices:list'] })
      const other = await person('viewer')
      await refused(key, 'POST /api/users/grant-role', { user_id: (await person()).id, role_id: 'viewer' })
      await refused(key, 'POST /api/grants', { user_id: (await person()).id, role_id: 'viewer' })
      await refused(key, `POST /api/users/${other.id}/reset-password`, { new_password: password })
      const group_id = await created('POST /api/groups', { name: unique('group') })
      await refused(key, 'POST /api/grants', { group_id, role_id: 'viewer' })
      await created('POST /api/grants', { group_id, role_id: 'viewer' })
      await refused(key, `POST /api/groups/${group_id}/members`, { user_id: (await person()).id })
      const role = await createRole(app.db, { name: unique('role'), permissions: ['users:create'] })
      await refused(key, `PUT /api/roles/${role.id}`, { permissions: ['users:create', 'devices:list'] })
    })

    test('and all that they hold', async () => {
      const { key } = await narrow(admin.key, few)
      const role = await created('POST /api/roles', { name: unique('role'), permissions: ['users:create'] }, key)
      await created('POST /api/users', { username: unique('clerk'), password: 'long enough', roles: [role] }, key)
    })
  })

  describe('change no object beyond their permissions', () => {
    test('by an import', async () => {
      const { key } = await narrow(admin.key, { permissions: ['datacenters:create', 'datacenters:update'] })
      const imported = (resource: string, row: object) =>
        app.send(`POST /api/estate/import?resource=${resource}`, { key, body: [row] })
      expect(await (await imported('datacenters', { name: unique('dc') })).text()).toContain('"created":1')
      expect(await (await imported('devices', { name: unique('web') })).text()).toContain('devices:create')
      const body = { resources: { devices: [{ name: unique('web') }] } }
      expect((await app.send('POST /api/estate/apply', { key, body })).status).toBeGreaterThanOrEqual(400)
    })

    test('by an undo', async () => {
      const id = await created('POST /api/devices', { name: unique('web') })
      const response = await app.send(`PUT /api/devices/${id}`, { key: admin.key, body: { description: 'changed' } })
      const change = response.headers.get('x-change-id')
      expect(change).not.toBeNull()
      const { key } = await narrow(admin.key, { permissions: ['devices:read', 'devices:list', 'datacenters:update'] })
      const undone = await app.send(`POST /api/history/${change}/undo`, { key, body: {} })
      expect(await refusal(undone)).toEqual([403, 'FORBIDDEN'])
    })

    test('by the plan of another key', async () => {
      const id = await created('POST /api/devices', { name: unique('web') })
      const peer = (key: string) => ({ fetch: (request: Request) => app.fetch(request), key })
      const call = { operation: 'devices.delete', input: { id } }
      const { value } = await callTool(peer(admin.key), 'call_operation', call)
      const { key } = await narrow(admin.key, { permissions: ['devices:list', 'devices:delete'] })
      const applied = await callTool(peer(key), 'apply_plan', { plan_id: value.plan_id })
      expect([applied.isError, applied.value.code]).toEqual([true, 'NOT_FOUND'])
      expect((await app.send(`GET /api/devices/${id}`, { key: admin.key })).status).toBe(200)
    })

    test('by a plan of their own, once the permission is left out', async () => {
      const id = await created('POST /api/devices', { name: unique('web') })
      const { key } = await narrow(admin.key, { permissions: ['devices:list'] })
      const call = { operation: 'devices.delete', input: { id } }
      const { isError, value } = await callTool({ fetch: (request) => app.fetch(request), key }, 'call_operation', call)
      expect([isError, value.code]).toEqual([true, 'FORBIDDEN'])
    })

    test('by the idempotency key of another one: the answer of its call is not theirs', async () => {
      const subnet = `10.${count}.1.0/24`
      const network_id = await created('POST /api/networks', { name: unique('net'), subnet })
      const range = { start_ip: subnet.replace('.0/24', '.1'), end_ip: subnet.replace('.0/24', '.9') }
      const pool = await created(`POST /api/networks/${network_id}/pools`, { name: unique('pool'), ...range })
      const { key } = await narrow(admin.key, { permissions: ['reservations:create'] })
      const headers = { 'Idempotency-Key': unique('once') }
      const allocate = async (by: string) =>
        (await app.send(`POST /api/pools/${pool}/allocate`, { key: by, body: {}, headers })).text()
      const answer = await allocate(admin.key)
      expect(await allocate(admin.key)).toBe(answer)
      const own = await allocate(key)
      expect(own).not.toBe(answer)
      expect(await allocate(key)).toBe(own)
    })
  })

  test('narrow keys may call no operation without a permission, except operations that show their rights', async () => {
    const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
    const own = operations.filter(
      ({ access, skipsConsent, session }) => session || (access === 'authenticated' && !skipsConsent),
    )
    expect(own.length).toBeGreaterThan(9)
    const { key } = await narrow(admin.key, { permissions: ALL })
    for (const { http } of own) {
      const body = /^(POST|PUT)/.test(http) ? { body: {} } : {}
      const response = await app.send(http.replaceAll(/\{\w+\}/g, 'x'), { key, ...body })
      expect([http, response.status]).toEqual([http, 403])
    }
  })
})
