// Two instances on one PostgreSQL: a change at one applies to the next request at the other, and work started at one
// can be ended at the other.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { createPasswords } from '../../src/base/security/passwords.ts'
import type { TestApp, TestCaller } from '../../testing/app/app.ts'
import { createRole, createUser, keyFor } from '../../testing/estates/identities.ts'
import { follow } from '../../testing/feed.ts'
import { callTool, Plan } from '../../testing/mcp.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { startRelay } from '../../testing/servers/relay.ts'
import { engines, valkey } from '../../testing/servers/servers.ts'
import { type OauthSteps, oauthApp, oauthOf } from '../../testing/sign-in/oauth.ts'
import { cookieOf } from '../../testing/sign-in/sign-in.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
const QUICK = 'quick to check'

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let app: TestApp
  let admin: TestCaller
  /** An OAuth client that calls the first instance. */
  let steps: OauthSteps
  let other: Instance
  let store: Awaited<ReturnType<typeof valkey>>
  beforeAll(async () => {
    app = await oauthApp({ dialect: 'postgres' })
    admin = await app.as('admin')
    steps = oauthOf(app)
    other = await instanceBeside(app, { passwords: createPasswords({ cost: 4 }) })
    store = await valkey()
  }, TIMEOUT_MS)
  afterAll(async () => {
    await other.close()
    await app.close()
    await store.stop()
  }, TIMEOUT_MS)

  const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })
  const statusAt = async (at: Instance, path: string, headers: Record<string, string>): Promise<number> => {
    const response = await at.fetch('GET', path, headers)
    await response.text()
    return response.status
  }
  const devicesWith = (key: string) => statusAt(other, '/api/devices', bearer(key))
  let people = 0
  /** A user who may read devices by a separate role. */
  const reader = async () => {
    const username = `reader-${++people}`
    const role = await createRole(app.db, { name: username, permissions: ['devices:list', 'devices:read'] })
    const user = await createUser(app.db, { username, roles: [role.id], password: QUICK })
    const key = await keyFor(app.db, user.id)
    // The other instance has read them.
    expect(await devicesWith(key)).toBe(200)
    return { username, key, userId: user.id, roleId: role.id }
  }

  test('a view that is saved, pinned, changed or deleted at one instance is so at the other', async () => {
    const read = async (path: string) => (await other.fetch('GET', path, bearer(admin.key))).json()
    const { api } = admin
    const wanted = { name: 'of both', path: '/devices', search: '?q=a' }
    const { id } = await api.views.create({ ...wanted, is_shared: true, is_pinned: true })
    expect(await read('/api/views')).toMatchObject([{ ...wanted, id, is_pinned: true }])
    expect(await read('/api/auth/me')).toMatchObject({ pinned_views: [{ ...wanted, id }] })
    await api.views.update({ id, name: 'renamed', is_pinned: false })
    expect(await read('/api/views')).toMatchObject([{ name: 'renamed', is_pinned: false }])
    expect(await read('/api/auth/me')).not.toHaveProperty('pinned_views')
    await api.views.delete({ id })
    expect(await read('/api/views')).toEqual([])
  })

  describe('a right revoked at one instance is gone at the other with the next request', () => {
    test('a key', async () => {
      const { key, userId } = await reader()
      const [own] = await admin.api.keys.list({ user_id: userId })
      await admin.api.keys.delete({ id: own?.id ?? '' })
      expect(await devicesWith(key)).toBe(401)
    })

    test('a role', async () => {
      const { key, userId, roleId } = await reader()
      await admin.api.users.revokeRole({ user_id: userId, role_id: roleId })
      expect(await devicesWith(key)).toBe(403)
    })

    test('a permission of a role', async () => {
      const { key, roleId } = await reader()
      await admin.api.roles.update({ id: roleId, permissions: ['networks:list'] })
      expect(await devicesWith(key)).toBe(403)
    })

    test('a user', async () => {
      const { key, userId } = await reader()
      await admin.api.users.update({ id: userId, is_active: false })
      expect(await devicesWith(key)).toBe(401)
    })

    test.each(['sqlite', 'valkey'] as const)('a session, kept in %s', async (sessionStoreType) => {
      const { username } = await reader()
      const options = { passwords: createPasswords({ cost: 4 }), settings: { sessionStoreType, valkeyUrl: store.url } }
      const both = [await instanceBeside(app, options), await instanceBeside(app, options)] as const
      const signedIn = await both[0].fetch('POST', '/api/auth/login', {}, { username, password: QUICK })
      const session = { Cookie: cookieOf(signedIn), 'X-Requested-With': 'XMLHttpRequest' }
      const before = await statusAt(both[1], '/api/auth/me', session)
      await both[0].fetch('POST', '/api/auth/logout', session)
      expect([before, await statusAt(both[1], '/api/auth/me', session)]).toEqual([200, 401])
      for (const one of both) await one.close()
    })

    test('a client of OAuth', async () => {
      const client = await steps.register()
      const { access_token } = await steps.tokensFor(client, await steps.person())
      const there = oauthOf({
        ...app,
        guest: (method, path, body, headers = {}) => other.fetch(method, path, headers, body),
      })
      expect(await there.opens(access_token)).toBe(200)
      await admin.api.oauthClients.delete({ id: client.client_id })
      expect(await there.opens(access_token)).toBe(401)
    })
  })

  describe('a process begun at one instance can be completed at the other', () => {
    test('a sign-in by OAuth: asked here, exchanged there, used here', async () => {
      const there = oauthOf({
        ...app,
        guest: (method, path, body, headers = {}) =>
          typeof body === 'string'
            ? other.plat.fetch(new Request(`http://plat.test${path}`, { method, headers, body }))
            : other.fetch(method, path, headers, body),
      })
      const client = await steps.register()
      const tokens = await there.tokensOf(
        await there.exchange(client, await steps.codeFor(client, await steps.person())),
      )
      expect([await steps.opens(tokens.access_token), await there.opens(tokens.access_token)]).toEqual([200, 200])
    })

    test('a request with an idempotency key, sent to both', async () => {
      const network = await admin.api.networks.create({ name: 'idempotent', subnet: '10.50.0.0/24' })
      const range = { start_ip: '10.50.0.10', end_ip: '10.50.0.20' }
      const pool = await admin.api.pools.create({ network_id: network.id, name: 'p', ...range })
      const headers = { ...bearer(admin.key), 'Idempotency-Key': 'only-once' }
      const path = `/api/pools/${pool.id}/allocate`
      const answers = await Promise.all([
        admin.request('POST', path, { purpose: 'x' }, { 'Idempotency-Key': 'only-once' }),
        other.fetch('POST', path, headers, { purpose: 'x' }),
      ])
      const [one, two] = await Promise.all(answers.map((answer) => answer.json()))
      expect(two).toEqual(one)
    })

    test.each([
      ['a create', '/api/devices', { name: 'sent to both' }],
      ['a bulk call', '/api/devices/bulk', { operations: [{ op: 'create', device: { name: 'sent to both' } }] }],
      ['an apply', '/api/estate/apply', { devices: [{ name: 'applied at both' }] }],
      ['an import', '/api/estate/import?resource=devices', [{ name: 'imported at both' }]],
    ])('%s with an idempotency key, sent to both', async (_, path, body) => {
      const once = { 'Idempotency-Key': path }
      const count = () => admin.api.history.extent({}).then(({ changes }) => changes)
      const before = await count()
      const answers = await Promise.all([
        admin.request('POST', path, body, once),
        other.fetch('POST', path, { ...bearer(admin.key), ...once }, body),
      ])
      const [one, two] = await Promise.all(
        answers.map(async (answer) => (await answer.text()).trim().split('\n').at(-1)),
      )
      expect(two).toBe(one ?? '')
      expect(await count()).toBe(before + 1)
    })

    test('an idempotency key outlives an instance whose clock is 25 hours ahead', async () => {
      const ahead = await instanceBeside(app, { now: () => new Date(Date.now() + 25 * 3_600_000) })
      const create = async (at: Instance['fetch'], key: string) =>
        (await at('POST', '/api/devices', { ...bearer(admin.key), 'Idempotency-Key': key }, { name: 'early' })).text()
      const first = await create(other.fetch, 'kept')
      await create(ahead.fetch, 'of the future')
      const again = await create(other.fetch, 'kept')
      await ahead.close()
      expect(again).toBe(first)
    })

    test('a plan of an AI client: made here, carried out there', async () => {
      const human = await app.as('admin')
      const device = await human.api.devices.create({ name: 'planned-away' })
      const input = { operation: 'devices.delete', input: { id: device.id } }
      const { value } = await callTool({ fetch: app.fetch, key: human.key }, 'call_operation', input)
      const { plan_id } = Plan.parse(value)
      await callTool({ fetch: other.plat.fetch, key: human.key }, 'apply_plan', { plan_id })
      expect(await statusAt(other, `/api/devices/${device.id}`, bearer(human.key))).toBe(404)
    })
  })

  test('a list that changes at one instance is another list at the other', async () => {
    const list = () => other.fetch('GET', '/api/datacenters', bearer(admin.key))
    const etag = (await list()).headers.get('etag') ?? ''
    await admin.api.datacenters.create({ name: 'new there' })
    const again = await other.fetch('GET', '/api/datacenters', { ...bearer(admin.key), 'If-None-Match': etag })
    expect([again.status, JSON.stringify(await again.json()).includes('new there')]).toEqual([200, true])
  })

  describe('the live feed of one instance', () => {
    const listen = (key = admin.key) =>
      follow({
        request: (method, path, body, headers = {}) => other.fetch(method, path, { ...headers, ...bearer(key) }, body),
      })
    /** A user who may follow the feed by a separate role. */
    const follower = async () => {
      const username = `follower-${++people}`
      const role = await createRole(app.db, { name: username, permissions: ['events:read', 'devices:read'] })
      const user = await createUser(app.db, { username, roles: [role.id] })
      return { key: await keyFor(app.db, user.id), roleId: role.id }
    }
    const changeRole = (id: string) => admin.api.roles.update({ id, permissions: ['events:read', 'networks:read'] })

    const cutOff = () =>
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`.execute(
        app.db.read,
      )

    test('sends events of the other', async () => {
      const feed = await listen()
      await feed.opened()
      await admin.api.devices.create({ name: 'heard there' })
      expect((await feed.hears(1)).map(({ event }) => event)).toEqual(['device.created'])
      await feed.stop()
    })

    test('sends them also after its notification connection was lost', async () => {
      const areHearing = () => [app.db, other.plat.db].every(({ notifier }) => notifier?.isConnected())
      await until('both hear of each other', () => areHearing() || undefined)
      await cutOff()
      await until('the loss is noticed', () => !areHearing() || undefined)
      await until('both hear of each other again', () => areHearing() || undefined)
      const feed = await listen()
      await feed.opened()
      await admin.api.devices.create({ name: 'heard again' })
      expect((await feed.hears(1)).map(({ event }) => event)).toEqual(['device.created'])
      await feed.stop()
    })

    test('sends them also without notifications', async () => {
      const feed = await listen()
      await feed.opened()
      await cutOff()
      await until('the loss is noticed', () => !other.plat.db.notifier?.isConnected() || undefined)
      await admin.api.devices.create({ name: 'found out' })
      expect((await feed.hears(1)).map(({ event }) => event)).toEqual(['device.created'])
      await feed.stop()
    })

    test('the live feed is closed if its rights change at the other instance', async () => {
      const { key, roleId } = await follower()
      const feed = await listen(key)
      await feed.opened()
      await changeRole(roleId)
      expect(await feed.isOver()).toBe(true)
    })

    test('closes it also without a notification', async () => {
      const { key, roleId } = await follower()
      await cutOff()
      await until('the loss is noticed', () => !other.plat.db.notifier?.isConnected() || undefined)
      const feed = await listen(key)
      await changeRole(roleId)
      expect(await feed.isOver()).toBe(true)
    })
  })

  describe('limits that are counted together', () => {
    const settings = () => ({
      rateLimitStore: 'valkey' as const,
      valkeyUrl: store.url,
      rateLimitEnabled: true,
      rateLimitRequests: 3,
      rateLimitWindowMs: TIMEOUT_MS,
      loginRateLimitEnabled: true,
      loginRateLimitRequests: 2,
    })
    const fromPeer = (at: Instance, peer: string, init: RequestInit = {}, path = '/api/devices') =>
      at.plat.fetch(new Request(`http://plat.test${path}`, init), { peer: () => peer })
    let both: readonly [Instance, Instance]
    beforeAll(async () => {
      both = [await instanceBeside(app, { settings: settings() }), await instanceBeside(app, { settings: settings() })]
    }, TIMEOUT_MS)
    afterAll(async () => {
      for (const one of both) await one.close()
    })

    test('are used up at both instances at once', async () => {
      const statuses: number[] = []
      for (const at of [both[0], both[1], both[0], both[1]]) statuses.push((await fromPeer(at, '192.0.2.1')).status)
      expect(statuses).toEqual([401, 401, 401, 429])
    })

    test('say how many requests are left of all', async () => {
      await fromPeer(both[0], '192.0.2.2')
      expect((await fromPeer(both[1], '192.0.2.2')).headers.get('x-ratelimit-remaining')).toBe('1')
    })

    test('do not count health checks', async () => {
      const statuses: number[] = []
      for (const at of [both[0], both[0], both[0], both[1]])
        statuses.push((await fromPeer(at, '192.0.2.5', {}, '/readyz')).status)
      expect(statuses).toEqual([200, 200, 200, 200])
    })

    test('hold for sign-ins', async () => {
      const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
      const statuses: number[] = []
      for (const at of [both[0], both[1], both[0]])
        statuses.push((await fromPeer(at, '192.0.2.3', init, '/api/auth/login')).status)
      expect(statuses).toEqual([400, 400, 429])
    })

    test('are counted by each instance for itself while the server is away', async () => {
      await store.stop()
      const statuses: number[] = []
      for (const at of [both[0], both[0], both[0], both[0], both[1]])
        statuses.push((await fromPeer(at, '192.0.2.4')).status)
      await store.start()
      expect(statuses).toEqual([401, 401, 401, 429, 401])
    })
  })

  test('of two instances, the one that is cut off from the session store is not ready, and the other one is', async () => {
    const { hostname, port } = new URL(store.url)
    const relay = await startRelay({ hostname, port: Number(port) })
    const beside = (valkeyUrl: string) => instanceBeside(app, { settings: { sessionStoreType: 'valkey', valkeyUrl } })
    const both = [await beside(`redis://127.0.0.1:${relay.port}`), await beside(store.url)] as const
    const areReady = () => Promise.all(both.map((one) => statusAt(one, '/readyz', {})))
    const before = await areReady()
    relay.block()
    const during = await areReady()
    relay.unblock()
    const after = await areReady()
    for (const one of both) await one.close()
    await relay.close()
    expect([before, during, after]).toEqual([
      [200, 200],
      [503, 200],
      [200, 200],
    ])
  })
}
