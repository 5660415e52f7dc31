/** A server on a copy gives the same answers as the original, to the same users. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { runCli } from '../cli.ts'
import { contracts } from '../features/index.ts'
import { createPasswords } from '../platform/security/passwords.ts'
import { type TestApp, type TestCaller, testApp } from '../testing/app.ts'
import { platIn, scratch } from '../testing/data-folders.ts'
import { createUser } from '../testing/identities.ts'
import { memoryIo } from '../testing/memory-io.ts'
import { dialects, postgresDatabase } from '../testing/servers.ts'
import { cookieOf } from '../testing/sign-in.ts'

const START_TIMEOUT_MS = 60_000
const SETTINGS = { AUDIT_ENABLED: 'true', ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) }
const at = new Date('2026-03-01T12:00:00.000Z')
const now = () => at

/** Lists that require a search term. */
const ASKED: Readonly<Record<string, string>> = { '/api/devices/search': '?q=web', '/api/search': '?q=web' }

/** Every list of the registry, including future ones. */
const LISTS = Object.values(contracts)
  .flatMap((operations) => Object.values(operations))
  .flatMap(({ http }) => (/^GET \/api\/[^{]+$/.test(http) ? [http.slice('GET '.length)] : []))
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
]

type Answers = Readonly<Record<string, unknown>>

const answersOf = async (request: TestCaller['request']): Promise<Answers> => {
  const answers = await Promise.all(
    LISTS.map(async (path) => [path, await (await request('GET', path)).json()] as const),
  )
  return Object.fromEntries(answers)
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

// Left out rather than skipped, because a run on SQLite only is intended.
if (dialects().includes('postgres')) {
  let key: string
  let cookie: string
  let before: Answers
  let exported: unknown
  let lastEvent: number
  let database: Awaited<ReturnType<typeof postgresDatabase>>
  let folder: string
  let copy: TestApp

  const lastEventOf = async ({ db }: TestApp): Promise<number> =>
    Number(
      (
        await db.read
          .selectFrom('events')
          .select((eb) => eb.fn.max('seq').as('last'))
          .executeTakeFirstOrThrow()
      ).last,
    )

  beforeAll(async () => {
    folder = scratch()
    const env = { ...SETTINGS, DATA_DIR: join(folder, 'data') }
    await Bun.write(join(env.DATA_DIR, '.keep'), '')
    const original = await testApp({ env, now, passwords: createPasswords({ cost: 4 }) })
    const admin = await original.as('admin')
    key = admin.key
    for (const [path, body] of POSTS) {
      const response = await admin.request('POST', path, body)
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
    }
    const ann = { username: 'ann', password: 'battery staple' }
    await createUser(original.db, ann)
    cookie = cookieOf(await original.guest('POST', '/api/auth/login', ann))
    // So that later requests get the same answer.
    await original.plat.runJob('keys.record-uses')
    before = await answersOf(admin.request)
    exported = await exportOf(original, key)
    lastEvent = await lastEventOf(original)
    await original.close()

    database = await postgresDatabase()
    expect(await platIn(env, 'database', 'copy', '--to', database.url, '-q')).toEqual({ code: 0, out: '', err: '' })
    copy = await testApp({ env: { ...SETTINGS, DATABASE_URL: database.url }, now })
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await copy.close()
    await database.drop()
  })

  const withKey: TestCaller['request'] = (...call) => requestWith(copy, { Authorization: `Bearer ${key}` })(...call)

  test('every list is as it was', async () => {
    expect(Object.keys(before).length).toBeGreaterThan(20)
    expect(await answersOf(withKey)).toEqual(before)
  })

  test('the export is as it was', async () => {
    expect(await exportOf(copy, key)).toEqual(exported)
  })

  test('sessions stay valid', async () => {
    expect((await requestWith(copy, { Cookie: cookie })('GET', '/api/auth/me')).status).toBe(200)
  })

  test('the audit trail is whole', async () => {
    expect(await (await withKey('GET', '/api/audit/verify')).json()).toMatchObject({ first_bad: null, signed: true })
  })

  test('new events have higher numbers', async () => {
    const response = await withKey('POST', '/api/devices', { name: 'new' })
    expect(response.status).toBe(201)
    expect(await lastEventOf(copy)).toBeGreaterThan(lastEvent)
  })

  test('the next free address is the same', async () => {
    const answer = await (await withKey('GET', '/api/pools/pool-1/next-ip')).json()
    expect(answer).toMatchObject({ ip: '10.0.0.13' })
  })
}
