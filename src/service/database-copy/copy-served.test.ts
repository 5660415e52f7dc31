/** A server on a copy, or on a restored backup, gives the same answers as the original, to the same users. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { platIn, scratch } from '../../../testing/app/data-folders.ts'
import { definedAreas, storedAreas } from '../../../testing/estates/areas.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { QUICK } from '../../../testing/estates/people.ts'
import { codeAt, factorsOf, wrongCode } from '../../../testing/factors.ts'
import { memoryIo } from '../../../testing/memory-io.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import type { SignInApp } from '../../../testing/sign-in/sign-in.ts'
import { browserOf, PUBLIC_URL } from '../../../testing/sign-in/sso.ts'
import { runCli } from '../../app/cli.ts'
import { contracts } from '../../app/contracts.ts'
import { createPasswords } from '../../base/security/passwords.ts'

const START_TIMEOUT_MS = 60_000
const SETTINGS = {
  AUDIT_ENABLED: 'true',
  ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
  PUBLIC_URL,
  COOKIE_SECURE: 'false',
  SSO_ALLOW_LOOPBACK: 'true',
}
const clock = { ms: Date.parse('2026-03-01T12:00:00.000Z') }
const now = () => new Date(clock.ms)
const ANN = { username: 'ann', password: QUICK }

/** Lists that require a search term. */
const ASKED: Readonly<Record<string, string>> = { '/api/devices/search': '?q=web', '/api/search': '?q=web' }

/** Every list of the registry, including future ones. */
const LISTS = Object.values(contracts)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ http }) => (/^GET \/api\/[^{]+$/.test(http) ? [http.slice('GET '.length)] : []))
  // It tells of the database itself.
  .filter((path) => path !== '/api/database')
  .map((path) => path + (ASKED[path] ?? ''))

const POSTS: readonly (readonly [string, object])[] = [
  ['/api/datacenters', { id: 'dc-1', name: 'Zürich' }],
  ['/api/datacenters', { id: 'dc-2', name: 'aarhus' }],
  ['/api/networks', { id: 'net-1', name: 'lan', subnet: '10.0.0.0/24', datacenter_id: 'dc-1' }],
  ['/api/networks', { id: 'net-6', name: 'v6', subnet: '2001:db8::/64' }],
  [
    '/api/networks/net-1/pools',
    { id: 'pool-1', name: 'web', start_ip: '10.0.0.10', end_ip: '10.0.0.50', tags: ['b', 'a'] },
  ],
  [
    '/api/devices',
    {
      id: 'dev-1',
      name: 'web "01"\\ 東京',
      hostname: 'web-01',
      description: 'two\nlines\tand a tab',
      tags: ['a', 'ß'],
      domains: ['Web.example.net'],
      addresses: [{ ip: '10.0.0.5', network_id: 'net-1', port: 443 }],
    },
  ],
  [
    '/api/devices',
    { id: 'dev-2', name: 'Äpfel', addresses: [{ ip: '10.0.0.12', pool_id: 'pool-1' }, { ip: '2001:db8::5' }] },
  ],
  ['/api/devices', { id: 'dev-3', name: 'web-twin', addresses: [{ ip: '10.0.0.5' }] }],
  ['/api/devices/dev-1/relationships', { child_id: 'dev-2', type: 'depends_on', notes: 'of old' }],
  ['/api/pools/pool-1/reservations', { ip_address: '10.0.0.20', purpose: 'printer' }],
  ['/api/pools/pool-1/allocate', { count: 2 }],
  ['/api/credentials', { name: 'core', type: 'snmp_v2c', community: 'hidden' }],
  [
    '/api/webhooks',
    {
      ...{
        name: 'w',
        url: 'https://hooks.example.net/x',
        events: ['device.created'],
        secret: 'hidden',
        enabled: false,
      },
      headers: { Authorization: 'hidden' },
    },
  ],
  ['/api/networks', { id: 'net-lo', name: 'loopback', subnet: '127.1.0.0/24' }],
  ['/api/discovery/rules', { network_id: 'net-lo', enabled: false }],
  ['/api/roles', { name: 'readers', permissions: ['devices:list'] }],
  ['/api/scopes', { name: 'Zürich', datacenter_ids: ['dc-1'], tags: ['a', 'ß'] }],
  ['/api/scopes', { name: 'by address', subnets: ['2001:db8::/32', '10.0.0.12/32'] }],
  ['/api/groups', { name: 'netops', description: 'by the provider' }],
]

type Answers = Readonly<Record<string, unknown>>
type Texts = Readonly<Record<string, string>>

const answersOf = async (request: TestCaller['request']): Promise<Answers> => {
  const answers = await Promise.all(
    LISTS.map(async (path) => [path, await (await request('GET', path)).json()] as const),
  )
  return Object.fromEntries(answers)
}

/** Returns the bytes of what a caller with a part of the inventory may read, by path. */
const textsOf = async (request: TestCaller['request']): Promise<Texts> => {
  const paths = ['devices', 'networks', 'pools', 'reservations', 'relationships', 'search?q=web', 'devices/dev-3']
  const texts = paths.map(async (path) => [path, await (await request('GET', `/api/${path}`)).text()] as const)
  return Object.fromEntries(await Promise.all(texts))
}

const exportOf = async (app: TestApp, key: string): Promise<unknown> => {
  const { io, out } = memoryIo({
    argv: ['export', '-'],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key },
    fetch: (url, init) => app.fetch(new Request(url, init)),
  })
  expect(await runCli(io)).toBe(0)
  return JSON.parse(out())
}

const requestWith =
  (app: TestApp, headers: Record<string, string>): TestCaller['request'] =>
  (method, path, body) =>
    app.fetch(
      new Request(`http://plat.test${path}`, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )

const withKey = (app: TestApp, key: string) => requestWith(app, { Authorization: `Bearer ${key}` })

/** Sends requests as the tests of second factors do. */
const factorsIn = ({ fetch }: TestApp) => {
  const send: SignInApp['send'] = async (http, { cookie, body } = {}) => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const headers = { 'Content-Type': 'application/json', 'X-Requested-With': 'XMLHttpRequest' }
    const init = { method, headers: { ...headers, ...(cookie && { Cookie: cookie }) }, body: JSON.stringify(body) }
    return fetch(new Request(`http://plat.test${path}`, init))
  }
  return factorsOf({ send, clock })
}

const lastEventOf = async ({ db }: TestApp): Promise<number> =>
  Number(
    (
      await db.read
        .selectFrom('events')
        .select((eb) => eb.fn.max('seq').as('last'))
        .executeTakeFirstOrThrow()
    ).last,
  )

/** Makes the people of the original: with a key in a scope, with second factors, and from an identity provider. */
const peopled = async (original: TestApp, admin: TestCaller, provider: ScriptedProvider) => {
  const made = async (method: string, path: string, body: object): Promise<Record<string, string>> => {
    const response = await admin.request(method, path, body)
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const [scope] = await admin.api.scopes.list({ name: 'Zürich' })
  const [group] = await admin.api.groups.list({})
  await made('POST', '/api/grants', { role_id: 'operator', group_id: group?.id, scope_id: scope?.id })
  const narrow = { permissions: ['devices:list', 'devices:read'], scope_id: scope?.id }
  const rotated = await made('POST', '/api/keys', { name: 'narrow', ...narrow })
  const { key = '' } = await made('POST', `/api/keys/${rotated.id}/rotate`, { overlap_seconds: 3600 })
  const elsewhere = await made('POST', '/api/keys', { name: 'elsewhere', allowed_cidrs: ['192.0.2.0/24'] })

  await createUser(original.db, ANN)
  const factors = factorsIn(original)
  const cookie = await factors.sessionOf('ann')
  const totp = await factors.addTotp(cookie)
  const { authenticator } = await factors.addPasskey(cookie)

  const { issuer } = provider
  const at = await admin.api.ssoProviders.create({
    name: 'people',
    ...{ issuer, client_id: 'plat', client_secret: 's3cret', allow_http: true },
    group_mappings: [{ value: 'net', group_id: group?.id ?? '' }],
  })
  const ada = browserOf(original)
  await ada.signIn(at, provider, { claims: { groups: ['net'] } })
  const keys = { narrow: [rotated.key ?? '', key], elsewhere: elsewhere.key ?? '' }
  return { keys, cookie, totp, authenticator, at, ada: `session=${ada.jar.get('session')}` }
}

const WAYS = ['copied to PostgreSQL', 'copied back to SQLite', 'restored from a backup'] as const

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let provider: ScriptedProvider
  let key: string
  let made: Awaited<ReturnType<typeof peopled>>
  let before: {
    answers: Answers
    ada: Texts
    narrow: Texts
    exported: unknown
    lastEvent: number
    areas: Map<string, string>
  }
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let places: Readonly<Record<(typeof WAYS)[number], Texts>>

  beforeAll(async () => {
    const folder = scratch()
    const inFolder = (name: string) => ({ ...SETTINGS, DATA_DIR: join(folder, name) })
    const env = inFolder('data')
    await Bun.write(join(env.DATA_DIR, '.keep'), '')
    provider = await scriptedProvider(now)
    const original = await testApp({ env, now, passwords: createPasswords({ cost: 4 }) })
    const admin = await original.as('admin')
    key = admin.key
    for (const [path, body] of POSTS) {
      const response = await admin.request('POST', path, body)
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    }
    made = await peopled(original, admin, provider)
    const ada = await textsOf(requestWith(original, { Cookie: made.ada }))
    const narrow = await textsOf(withKey(original, made.keys.narrow[1] ?? ''))
    // So that later requests get the same answer.
    await original.plat.runJob('keys.record-uses')
    before = {
      ...{ answers: await answersOf(admin.request), ada, narrow, exported: await exportOf(original, key) },
      ...{ lastEvent: await lastEventOf(original), areas: await storedAreas(original.db) },
    }
    await original.close()

    database = await postgresDatabase()
    const [back, restored, file] = [inFolder('back'), inFolder('restored'), join(folder, 'plat.backup')]
    places = {
      'copied to PostgreSQL': { ...SETTINGS, DATABASE_URL: database.url },
      'copied back to SQLite': back,
      'restored from a backup': restored,
    }
    const commands = [
      [env, 'database', 'copy', '--to', database.url],
      [places['copied to PostgreSQL'], 'database', 'copy', '--to', `sqlite:${back.DATA_DIR}`],
      [env, 'backup', file],
      [restored, 'restore', file],
    ] as const
    for (const [settings, ...argv] of commands)
      expect(await platIn(settings, ...argv, '-q')).toEqual({ code: 0, out: '', err: '' })
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    provider.close()
    await database.drop()
  })

  describe.each(WAYS)('%s', (way) => {
    let copy: TestApp
    beforeAll(async () => {
      copy = await testApp({ env: places[way], now, passwords: createPasswords({ cost: 4 }) })
    }, START_TIMEOUT_MS)
    afterAll(() => copy.close())

    test('every list is as it was', async () => {
      expect(Object.keys(before.answers).length).toBeGreaterThan(20)
      expect(await answersOf(withKey(copy, key))).toEqual(before.answers)
    })

    test('the export is as it was', async () => {
      expect(await exportOf(copy, key)).toEqual(before.exported)
    })

    test('the parts of the inventory are as they were', async () => {
      const areas = await storedAreas(copy.db)
      expect(areas).toEqual(before.areas)
      expect(areas).toEqual(await definedAreas({ request: withKey(copy, key) }, copy.db))
      expect(new Set(areas.values()).size).toBeGreaterThan(2)
    })

    test('who reads a part of it gets the same bytes', async () => {
      for (const { devices } of [before.ada, before.narrow])
        expect((JSON.parse(devices ?? '') as { id: string }[]).map(({ id }) => id)).toEqual(['dev-1'])
      expect(await textsOf(requestWith(copy, { Cookie: made.ada }))).toEqual(before.ada)
      // Before and after its rotation.
      for (const narrow of made.keys.narrow) expect(await textsOf(withKey(copy, narrow))).toEqual(before.narrow)
      expect((await withKey(copy, made.keys.elsewhere)('GET', '/api/devices')).status).toBe(403)
    })

    test('sessions stay valid', async () => {
      expect((await requestWith(copy, { Cookie: made.cookie })('GET', '/api/auth/me')).status).toBe(200)
    })

    test('second factors open', async () => {
      const { signIn, answer } = factorsIn(copy)
      const { secret, codes } = made.totp
      const statuses = []
      for (const factor of [
        {},
        { totp: wrongCode(secret, clock.ms) },
        { totp: codeAt(secret, clock.ms) },
        { recovery_code: codes[0] },
        { recovery_code: codes[0] },
        { passkey: await answer(made.authenticator) },
      ])
        statuses.push((await signIn('ann', factor)).status)
      expect(statuses).toEqual([401, 401, 200, 200, 401, 200])
    })

    test('the identity provider signs the same user in, with the same secret', async () => {
      const ada = browserOf(copy)
      await ada.signIn(made.at, provider, { claims: { groups: ['net'] } })
      expect(await ada.username()).toBe('ada')
      const { authorization } = provider.requests.findLast(({ path }) => path === '/token') ?? {}
      expect(authorization).toBe(`Basic ${btoa('plat:s3cret')}`)
      expect((await copy.db.read.selectFrom('identities').selectAll().execute()).length).toBe(1)
    })

    test('the audit trail is whole', async () => {
      expect(await (await withKey(copy, key)('GET', '/api/audit/verify')).json()).toMatchObject({
        first_bad: null,
        signed: true,
      })
    })

    test('new events have higher numbers', async () => {
      const response = await withKey(copy, key)('POST', '/api/devices', { name: 'new' })
      expect(response.status).toBe(201)
      expect(await lastEventOf(copy)).toBeGreaterThan(before.lastEvent)
    })

    test('the next free address is the same', async () => {
      const answer = await (await withKey(copy, key)('GET', '/api/pools/pool-1/next-ip')).json()
      expect(answer).toMatchObject({ ip: '10.0.0.13' })
    })
  })
}
