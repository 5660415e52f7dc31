// The rights of a scoped caller are the present ones, on every instance, and nothing that is cached for one caller serves another.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { INVENTORY } from '../../src/inventory/resources.ts'
import { answerOf, type People, type Person, people } from '../../testing/estates/people.ts'
import { follow } from '../../testing/feed.ts'
import { type Halves, halves } from '../../testing/hostile/halves.ts'
import { instanceBeside } from '../../testing/servers/instances.ts'
import { engines, onSqlite } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

const TIMEOUT_MS = 60_000
/** Each instance learns of a commit of another one within a second; a busy machine gets more. */
const KNOWN_MS = 3000

/** Lists and objects that are cached as texts, or with an ETag made from a revision. */
const CACHED = [
  ...INVENTORY.map((resource) => `/api/${resource}`),
  ...['/api/devices?limit=1', '/api/devices/search?q=machine', '/api/search?q=machine'],
  ...['/api/networks?include=utilization', '/api/racks?include=usage', '/api/custom-fields?include=usage'],
]

describe.each(onSqlite())('caches on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  /** Sends the request and reads the answer, which the server may have compressed. */
  const read = async ({ key }: Person, path: string, headers: Record<string, string> = {}) => {
    const response = await all.app.send(`GET ${path}`, { key, headers })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const coding = response.headers.get('content-encoding')
    if (path === '/api/devices' && response.status === 200) expect(coding).toBe(headers['Accept-Encoding'] ?? null)
    const text = coding === 'gzip' ? Bun.gunzipSync(bytes) : bytes
    const etag = response.headers.get('etag') ?? ''
    return {
      status: response.status,
      text: new TextDecoder().decode(text),
      etag,
      total: response.headers.get('x-total-count'),
    }
  }

  test.each(CACHED)('caches of %s only serve one part of the estate', async (path) => {
    const { ada, narrow } = await estate()
    const { admin } = all
    for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
      const whole = await read(admin, path, headers)
      const part = await read(ada, path, headers)
      const again = await read(admin, path, headers)
      expect([whole.status, part.status]).toEqual([200, 200])
      expect([again.text, again.total, again.etag]).toEqual([whole.text, whole.total, whole.etag])
      expect(part.text).not.toContain('omega')
      expect([(await read(narrow, path, headers)).text, (await read(ada, path, headers)).text]).toEqual([
        part.text,
        part.text,
      ])
      if (path.endsWith('/devices?limit=1')) expect([whole.total, part.total]).toEqual(['5', '2'])
      // Definitions are the same for all, and their usage is not.
      if (whole.text !== part.text) expect(part.etag).not.toBe(whole.etag)
      expect((await read(ada, path, { ...headers, 'If-None-Match': whole.etag })).status).toBe(200)
      expect((await read(admin, path, { ...headers, 'If-None-Match': part.etag })).status).toBe(200)
      expect((await read(ada, path, { ...headers, 'If-None-Match': part.etag })).status).toBe(304)
    }
  })
})

/** The objects by which a person reads the half: a role in a scope, through a group. */
type Held = {
  readonly user: string
  readonly role: string
  readonly group: string
  readonly scope: string
  readonly grant: string
}

const idIn = (body: unknown): string => (body as { id: string }).id

/** Gives a new person a new role in a new scope, through a new group. */
const hold = async (all: People, { own }: Halves): Promise<Held & { readonly person: Person }> => {
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await all.admin.ask(`POST /api/${path}`, body)
    expect([path, answer.status]).toEqual([path, 201])
    return idIn(answer.body)
  }
  const person = await all.person()
  const name = `of ${person.username}`
  const role = await make('roles', { name, permissions: ['devices:list', 'devices:read', 'events:read'] })
  const group = await make('groups', { name })
  const scope = await make('scopes', { name, datacenter_ids: [own.region] })
  const grant = await make('grants', { role_id: role, group_id: group, scope_id: scope })
  expect((await all.admin.ask(`POST /api/groups/${group}/members`, { user_id: person.id })).status).toBe(201)
  return { person, user: person.id, role, group, scope, grant }
}

/** The ways in which it ends: the change, and the answer to the next request. */
const ENDS: readonly (readonly [string, (held: Held) => readonly [string, object?], number])[] = [
  ['the role loses the permission', ({ role }) => [`PUT /api/roles/${role}`, { permissions: ['devices:list'] }], 403],
  ['the role is deleted', ({ role }) => [`DELETE /api/roles/${role}`], 403],
  ['the grant is deleted', ({ grant }) => [`DELETE /api/grants/${grant}`], 403],
  ['the group is deleted', ({ group }) => [`DELETE /api/groups/${group}`], 403],
  ['the membership ends', ({ group, user }) => [`DELETE /api/groups/${group}/members/${user}`], 403],
  ['the scope is deleted', ({ scope }) => [`DELETE /api/scopes/${scope}`], 403],
  ['the scope loses the part', ({ scope }) => [`PUT /api/scopes/${scope}`, { datacenter_ids: [] }], 404],
  ['the user is deactivated', ({ user }) => [`PUT /api/users/${user}`, { is_active: false }], 401],
]

describe.each(onSqlite())('what a scoped caller may on %s', (dialect) => {
  const all = people(dialect)
  const estate = halves(all)

  test.each(ENDS)('is gone with the next request when %s', async (_, change, status) => {
    const made = await estate()
    const { person, ...held } = await hold(all, made)
    const sees = async () => (await person.ask(`GET /api/devices/${made.own.devices}`)).status
    expect(await sees()).toBe(200)
    const [http, body] = change(held)
    expect((await all.admin.ask(http, body)).status).toBeLessThan(300)
    expect(await sees()).toBe(status)
  })

  test('is gone with the scope and with the key that is limited to it', async () => {
    const made = await estate()
    const { scope } = await hold(all, made)
    const { body } = await all.admin.ask('POST /api/keys', { name: 'limited', scope_id: scope })
    const { id, key } = body as { id: string; key: string }
    const limited = all.with(all.admin, key)
    const sees = async () => (await limited.ask('GET /api/devices')).headers.get('x-total-count')
    expect(await sees()).toBe('2')
    await all.admin.ask(`DELETE /api/scopes/${scope}`)
    // It reaches nothing, and not everything.
    expect((await limited.ask(`GET /api/devices/${made.own.devices}`)).status).toBe(404)
    expect(await sees()).toBe('0')
    await all.admin.ask(`DELETE /api/keys/${id}`)
    expect((await limited.ask('GET /api/devices')).status).toBe(401)
  })
})

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres'))
  describe('what a scoped caller may at another instance', () => {
    const all = people('postgres')
    const estate = halves(all)
    let other: Awaited<ReturnType<typeof instanceBeside>>
    beforeAll(async () => {
      other = await instanceBeside(all.app, { now: all.app.now, passwords: createPasswords({ cost: 4 }) })
    }, TIMEOUT_MS)
    afterAll(() => other.close(), TIMEOUT_MS)

    test.each(ENDS)('is gone soon when %s', async (_, change, status) => {
      const made = await estate()
      const { person, ...held } = await hold(all, made)
      const headers = { Authorization: `Bearer ${person.key}` }
      const path = `/api/devices/${made.own.devices}`
      const sees = async () => (await answerOf(await other.fetch('GET', path, headers))).status
      await until('the rights at the other instance', async () => ((await sees()) === 200 ? true : undefined))
      const feed = await follow({
        request: (method, at, _, more = {}) => other.fetch(method, at, { ...headers, ...more }),
      })
      await feed.opened()
      const [http, body] = change(held)
      expect((await all.admin.ask(http, body)).status).toBeLessThan(300)
      const changedMs = performance.now()
      await until('their end', async () => ((await sees()) === status ? true : undefined))
      await feed.isOver()
      expect(performance.now() - changedMs).toBeLessThan(KNOWN_MS)
    })
  })
