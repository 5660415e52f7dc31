/** Checks the access of every operation and route of the registry. A new operation is included automatically. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { routes } from '../../src/app/contracts.ts'
import { parseHttp, type RawMethod } from '../../src/kernel/http-route.ts'
import { type Access, type AnyOperation, listPermissions, type RawRoute } from '../../src/kernel/operation.ts'
import { CATALOGUE } from '../../src/people/roles/catalogue.ts'
import type { TestCaller } from '../../testing/app/app.ts'
import { KINDS } from '../../testing/estates/kinds.ts'
import { buildAddress, operations, worldSuite } from '../../testing/estates/world.ts'
import { findNetboxAddress, isNetboxRoute } from '../../testing/netbox/routes.ts'

type Endpoint = {
  readonly name: string
  readonly method: RawMethod
  readonly path: string
  readonly access: Access
  /** True if it changes nothing, whatever it is sent. */
  readonly isRead: boolean
  /** True if it needs a session, and an API key does not suffice. */
  readonly needsSession: boolean
  readonly called: AnyOperation | RawRoute
}

const endpoints: readonly Endpoint[] = [...operations, ...routes].map((called) => ({
  name: called.name,
  ...parseHttp(called.http),
  access: called.access,
  isRead: /^(GET|OPTIONS) /.test(called.http),
  needsSession: called.session !== undefined,
  called,
}))
const rows = (some: readonly Endpoint[]) => some.map((one): [string, Endpoint] => [one.name, one])
const restricted = endpoints.filter(({ access }) => listPermissions(access).length > 0)

/** The public routes. Adding one is a decision, and is recorded here. */
const PUBLIC = [
  // A device shows its code, and gets a key only if its user allows it.
  'device-login.start',
  'device-login.token',
  // The protocol identifies its callers itself: by a code, a token or a secret, or at the consent by the session.
  'oauth.authorize',
  'oauth.consent',
  'oauth.register',
  'oauth.resource-metadata',
  'oauth.resource-metadata-of-mcp',
  'oauth.revoke',
  'oauth.server-metadata',
  'oauth.server-metadata-of-mcp',
  'oauth.token',
  'sessions.login',
  'sessions.passkey',
  'sessions.passkey-options',
  'sessions.sign-in-options',
  // The protocol identifies its callers itself: by the state and a cookie, or a signed token.
  'sso.backchannel-logout',
  'sso.callback',
  'sso.start',
  'system.healthz',
  'system.readyz',
]

/** The permissions that the committed golden file gives to the admin, the operator and the viewer. */
const DECIDED = readFileSync(join(import.meta.dirname, '../../golden/permissions.txt'), 'utf8')
  .split('\n')
  .slice(1)
  .map((line) => line.split(/\s+/))
const column = (at: 1 | 2 | 3): ReadonlySet<string> =>
  new Set(DECIDED.flatMap(([name = '', ...held]) => (held[at - 1] === 'yes' ? [name] : [])))

test('the catalog has exactly the specified permissions', () => {
  expect(new Set(CATALOGUE.map(({ name }): string => name))).toEqual(new Set(column(1)))
})

test('every required permission is in the catalog', () => {
  const asked = endpoints.flatMap(({ access }) => listPermissions(access))
  expect(asked.filter((permission) => !column(1).has(permission))).toEqual([])
})

const isHeld = ({ access }: Endpoint, held: ReadonlySet<string>) =>
  listPermissions(access).some((permission) => held.has(permission))

/** The further permissions of reads that need several. */
const ALSO_NEEDED: Readonly<Record<string, readonly string[]>> = {
  'discovery.local-networks': ['networks:create'],
  'presence.of-device': ['devices:read'],
  'packs.uninstall': ['custom-fields:delete'],
}

/** The routes of scanners open by the token of a scanner alone. */
const isScannerRoute = ({ path }: Pick<Endpoint, 'path'>): boolean => path.startsWith('/api/scanner/')

/** They need the rights to the objects that they change, beside the permission to read them. */
const BY_OBJECTS = ['history.undo', 'proposals.merge', 'estate.apply']
/** They answer from the inventory as it is, and change nothing in it. */
const PREVIEWS = ['impact.preview', 'proposals.refresh']

test('a viewer has the permission of no write, and of nothing about accounts, rights and the audit trail', () => {
  const closed =
    /^\/api\/(users|roles|groups|grants|scopes|policies|audit|oauth\/clients|sso\/providers|system\/warnings)\b/
  const kept = restricted.filter(({ name, isRead, path }) => (!isRead && !PREVIEWS.includes(name)) || closed.test(path))
  const names = kept.filter((one) => isHeld(one, column(3))).map(({ name }) => name)
  expect(names).toEqual(BY_OBJECTS)
  expect(kept.length).toBeGreaterThan(100)
})

test('an operator has the permission of nothing about users, roles, groups, grants and scopes', () => {
  const kept = restricted.filter(({ path }) => /^\/api\/(users|roles|groups|grants|scopes)\b/.test(path))
  expect(kept.filter((one) => isHeld(one, column(2))).map(({ name }) => name)).toEqual([])
  expect(kept.length).toBeGreaterThan(20)
})

test.each(KINDS.map(({ resource }) => resource))('the operations of %s need its permissions', (resource) => {
  const getAccess = (verb: string) => String(operations.find(({ name }) => name === `${resource}.${verb}`)?.access)
  const verbs = ['create', 'get', 'update', 'delete']
  const needed = ['create', 'read', 'update', 'delete'].map((action) => `${resource}:${action}`)
  expect(verbs.map(getAccess)).toEqual(needed)
  const list = operations.find(({ http }) => http === `GET /api/${resource}`)
  expect(String(list?.access)).toBe(`${resource}:list`)
})

test('only the listed operations are public', () => {
  expect(
    endpoints
      .filter(({ access }) => access === 'public')
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(PUBLIC)
})

const world = worldSuite()

const callers = new Map<string, Promise<TestCaller>>()
/** Returns the caller with these permissions, created once. */
const holding = (permissions: readonly string[]): Promise<TestCaller> => {
  const key = permissions.toSorted().join()
  const known = callers.get(key) ?? world.app.as(permissions)
  callers.set(key, known)
  return known
}

const Refused = z.strictObject({ code: z.string(), error: z.string().min(1), details: z.array(z.unknown()) })
const CODES: Readonly<Record<number, string>> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN' }

/** Returns the status of a request that gets no further than the body or the object. A refusal of a caller has the body of an error. */
const statusFor = async (request: TestCaller['request'], { method, path, name }: Endpoint): Promise<number> => {
  const takesBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const response = await request(method, path.replace(/\{\w+\}/g, 'unknown'), takesBody ? '{' : undefined)
  const { status } = response
  const code = CODES[status]
  if (code === undefined || !path.startsWith('/api/')) await response.body?.cancel()
  else expect([name, Refused.parse(await response.json()).code]).toEqual([name, code])
  return status
}
const isLetIn = (status: number) => status !== 401 && status !== 403

describe('a guest', () => {
  test.each(rows(endpoints.filter(({ access }) => access !== 'public')))('may not call %s', async (_, endpoint) => {
    // NetBox answers 403 without credentials.
    expect(await statusFor(world.app.guest, endpoint)).toBe(isNetboxRoute(endpoint.called) ? 403 : 401)
  })

  test.each(rows(endpoints.filter(({ access }) => access === 'public')))('may call %s', async (_, endpoint) => {
    expect(await statusFor(world.app.guest, endpoint)).toSatisfy(isLetIn)
  })
})

describe('an API key of a feed', () => {
  let key = ''
  beforeAll(async () => {
    const { api } = await world.app.as('admin')
    const { id } = await api.feeds.create({ name: 'feed', format: 'hosts' })
    key = (await api.keys.create({ name: 'of the feed', feed_id: id })).key
  })
  const request = (method: string, path: string, body?: unknown) =>
    world.app.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: String(body) }),
      }),
    )

  test.each(rows(endpoints.filter(({ access }) => access !== 'public')))('may not call %s', async (_, endpoint) => {
    expect(await statusFor(request, endpoint)).toBe(isScannerRoute(endpoint) ? 401 : 403)
  })
})

describe('a caller without a permission', () => {
  test.each(rows(restricted))('may not call %s', async (_, endpoint) => {
    expect(await statusFor((await holding([])).request, endpoint)).toBe(403)
  })

  const open = endpoints.filter((one) => one.access === 'authenticated' && !isScannerRoute(one))
  test.each(rows(open.filter(({ needsSession }) => !needsSession)))('may call %s', async (_, endpoint) => {
    expect(await statusFor((await holding([])).request, endpoint)).toSatisfy(isLetIn)
  })

  test.each(rows(open.filter(({ needsSession }) => needsSession)))('may not call %s by an API key', async (_, one) => {
    expect(await statusFor((await holding([])).request, one)).toBe(403)
  })
})

test.each(rows(endpoints.filter(isScannerRoute)))('an API key of an admin may not call %s', async (_, endpoint) => {
  expect(await statusFor(world.admin.request, endpoint)).toBe(401)
})

describe('a caller with the one permission', () => {
  const pairs = restricted.flatMap((one) =>
    listPermissions(one.access).map((permission): [string, string, Endpoint] => [permission, one.name, one]),
  )
  test.each(pairs)('%s may call %s', async (permission, _, endpoint) => {
    const caller = await holding([permission, ...(ALSO_NEEDED[endpoint.name] ?? [])])
    expect(await statusFor(caller.request, endpoint)).toSatisfy(isLetIn)
  })
})

test.each(rows(endpoints.filter(({ name }) => name in ALSO_NEEDED)))(
  'a caller without the further permissions may not call %s',
  async (_, endpoint) => {
    expect(await statusFor((await holding(listPermissions(endpoint.access))).request, endpoint)).toBe(403)
  },
)

describe('a caller with every other permission', () => {
  test.each(rows(restricted))('may not call %s', async (_, endpoint) => {
    const others = [...column(1)].filter((one) => !listPermissions(endpoint.access).some((wanted) => wanted === one))
    expect(await statusFor((await holding(others)).request, endpoint)).toBe(403)
  })
})

describe.each([
  ['admin', column(1)],
  ['operator', column(2)],
  ['viewer', column(3)],
] as const)('the role %s', (role, held) => {
  let caller: TestCaller
  beforeAll(async () => {
    caller = await world.app.as(role)
  })

  const [open, closed] = [true, false].map((wanted) =>
    restricted.filter(({ access }) => listPermissions(access).some((permission) => held.has(permission)) === wanted),
  )

  const [reads, writes] = [true, false].map((wanted) => (open ?? []).filter(({ isRead }) => isRead === wanted))

  test.each(rows(reads ?? []))('reads the objects of the world by %s', async (_, { called }) => {
    const { method } = parseHttp(called.http)
    const { address, isThere } = isNetboxRoute(called)
      ? await findNetboxAddress(world.admin.request, called)
      : { address: buildAddress(called, world.ids), isThere: true }
    const response = await caller.request(method, address)
    await response.body?.cancel()
    expect(response.status).toBe(isThere ? 200 : 404)
  })

  test.each(rows(writes ?? []))('may call %s', async (_, endpoint) => {
    expect(await statusFor(caller.request, endpoint)).toSatisfy(isLetIn)
  })

  if (closed && closed.length > 0)
    test.each(rows(closed))('may not call %s', async (_, endpoint) => {
      expect(await statusFor(caller.request, endpoint)).toBe(403)
    })
})

test.each(rows(endpoints.filter(({ name }) => BY_OBJECTS.includes(name))))(
  'a viewer is refused %s',
  async (_, { called, method }) => {
    const { request } = await world.app.as('viewer')
    expect((await request(method, buildAddress(called, world.ids), {})).status).toBe(403)
  },
)

test('a caller loses a permission at once when the role loses it', async () => {
  const caller = await world.app.as(['datacenters:list'])
  expect((await caller.request('GET', '/api/datacenters')).status).toBe(200)
  await world.app.db.write((tx) => tx.db.deleteFrom('grants').where('user_id', '=', caller.userId).execute())
  expect((await caller.request('GET', '/api/datacenters')).status).toBe(403)
})
