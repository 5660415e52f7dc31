/**
 * Device cookies: which sign-ins skip the queue of unknown devices, for how long, and that a cookie grants no rights.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { BEHIND_PROXY, signInTo } from '../../../testing/from-address.ts'
import { instanceBeside } from '../../../testing/servers/instances.ts'
import { type Dialect, engines } from '../../../testing/servers/servers.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf, deviceOf, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { createPasswords, type Passwords, type PasswordTurn } from '../../base/security/passwords.ts'

const QUICK = 'quick to check'
const DAY_MS = 24 * 3600 * 1000

/** Wraps real passwords, and records the lane of each check. */
const watched = () => {
  const real = createPasswords({ cost: 4 })
  const lanes: (PasswordTurn['lane'] | undefined)[] = []
  const passwords: Passwords = {
    ...real,
    verify: (password, hash, turn) => {
      lanes.push(turn?.lane)
      return real.verify(password, hash, turn)
    },
  }
  return { passwords, lanes }
}

const appOn = async (dialect: Dialect, config: Parameters<typeof signInApp>[1] = {}) => {
  const { passwords, lanes } = watched()
  const app = await signInApp(dialect, { passwords, ...config })
  const ids = [await createUser(app.db, { username: 'ada', password: QUICK, roles: ['admin'] })]
  ids.push(await createUser(app.db, { username: 'ben', password: QUICK }))
  const signIn = (username: string, password: string, cookie = '') =>
    app.send('POST /api/auth/login', { body: { username, password }, headers: { Cookie: cookie } })
  /** Returns the lane in which this sign-in is checked. */
  const laneOf = async (username: string, cookie: string, password = QUICK) => {
    lanes.length = 0
    await signIn(username, password, cookie)
    return lanes[0]
  }
  const device = async (username: string) => deviceOf(await signIn(username, QUICK))
  return { ...app, passwords, ids: ids.map(({ id }) => id), signIn, laneOf, device }
}
type World = Awaited<ReturnType<typeof appOn>>

describe.each(places())('a device cookie on %s, with sessions in the %s', (dialect, store) => {
  let world: World
  let cookie: string
  beforeEach(async () => {
    world = await appOn(dialect, { config: await storeConfig(store) })
    cookie = await world.device('ada')
  })
  afterEach(async () => {
    await world.close()
    world.passwords.close()
  })

  test('moves a sign-in of its account to the known lane', async () => {
    expect([await world.laneOf('ada', ''), await world.laneOf('ada', cookie)]).toEqual(['common', 'known'])
  })

  test('is worth nothing for another account', async () => {
    expect(await world.laneOf('ben', cookie)).toBe('common')
  })

  test('opens nothing', async () => {
    const asked = [
      await world.send('GET /api/auth/me', { headers: { Cookie: cookie } }),
      await world.signIn('ada', 'wrong', cookie),
    ]
    expect(asked.map(({ status }) => status)).toEqual([401, 401])
  })

  test('is kept by a logout, and by the account when its session ends', async () => {
    const session = cookieOf(await world.signIn('ada', QUICK, cookie))
    const logout = await world.send('POST /api/auth/logout', { cookie: `${session}; ${cookie}` })
    expect(logout.headers.getSetCookie().join()).not.toContain('device')
    expect(await world.laneOf('ada', cookie)).toBe('known')
  })

  test('is void after a change of the password, by its owner or by an admin', async () => {
    const [, ben = ''] = world.ids
    const bens = await world.device('ben')
    const session = cookieOf(await world.signIn('ada', QUICK))
    const body = { new_password: 'another password' }
    expect((await world.send(`POST /api/users/${ben}/reset-password`, { cookie: session, body })).status).toBe(204)
    const [ada = ''] = world.ids
    const own = { current_password: QUICK, new_password: 'another password' }
    expect((await world.send(`POST /api/users/${ada}/password`, { cookie: session, body: own })).status).toBe(204)
    expect([await world.laneOf('ada', cookie), await world.laneOf('ben', bens)]).toEqual(['common', 'common'])
  })

  test('is void when its user is deleted, also for one of the same name', async () => {
    const [, ben = ''] = world.ids
    const bens = await world.device('ben')
    const session = cookieOf(await world.signIn('ada', QUICK))
    expect((await world.send(`DELETE /api/users/${ben}`, { cookie: session })).status).toBe(204)
    await createUser(world.db, { username: 'ben', password: QUICK })
    expect(await world.laneOf('ben', bens)).toBe('common')
  })

  test('lasts 90 days from the last sign-in', async () => {
    world.clock.ms += 90 * DAY_MS
    const renewed = deviceOf(await world.signIn('ada', QUICK, cookie))
    world.clock.ms += 1
    expect([await world.laneOf('ada', cookie), await world.laneOf('ada', renewed)]).toEqual(['common', 'known'])
  })
})

describe('a device cookie', () => {
  let world: World
  let cookie: string
  beforeAll(async () => {
    world = await appOn('sqlite')
    cookie = await world.device('ada')
  })
  afterAll(async () => {
    await world.close()
    world.passwords.close()
  })

  test('a device cookie is only for this server, for 90 days', async () => {
    const [, set] = (await world.signIn('ada', QUICK)).headers.getSetCookie()
    expect(set).toMatch(/^__Host-device=[\w.-]{60,200}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Strict; Secure$/)
  })

  test('is not set by a sign-in that fails', async () => {
    const answers = [await world.signIn('ada', 'wrong', cookie), await world.signIn('nobody', QUICK, cookie)]
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
  })

  test('with any character changed is ignored', async () => {
    const [name = '', value = ''] = cookie.split('=')
    const lanes: unknown[] = []
    for (let at = 0; at < value.length; at++) {
      // The last character carries four bits only, so a neighbor may decode to the same signature.
      const other = value[at] === 'A' ? 'Q' : 'A'
      lanes.push(await world.laneOf('ada', `${name}=${value.slice(0, at)}${other}${value.slice(at + 1)}`))
    }
    expect(new Set(lanes)).toEqual(new Set(['common']))
  })

  test.each([
    ['nothing', ''],
    ['rubbish', 'x'],
    ['a signature of another key', 'signed elsewhere'],
    ['far too much', 'x'.repeat(10_000)],
  ])('with %s is ignored', async (_, value) => {
    const text = cookie.split('=')[1] ?? ''
    const forged = `${text.slice(0, text.lastIndexOf('.'))}.${randomBytes(32).toString('base64url')}`
    expect(await world.laneOf('ada', `__Host-device=${value === 'signed elsewhere' ? forged : value}`)).toBe('common')
  })

  test('without its prefix, as another host of the domain can set it, is ignored', async () => {
    expect(await world.laneOf('ada', cookie.replace('__Host-', ''))).toBe('common')
  })

  test('is in no log', () => {
    const value = cookie.split('=')[1] ?? ''
    expect(world.entries.join('\n')).not.toContain(value.split('.')[2] ?? value)
  })
})

test('without COOKIE_SECURE it goes over plain http', async () => {
  const world = await appOn('sqlite', { config: { cookieSecure: false } })
  const cookie = await world.device('ada')
  const lane = await world.laneOf('ada', cookie)
  await world.close()
  world.passwords.close()
  expect([cookie.slice(0, 7), lane]).toEqual(['device=', 'known'])
})

describe('wrong passwords by a device that is known', () => {
  const env = { ...BEHIND_PROXY, LOGIN_RATE_LIMIT_REQUESTS: '3', LOGIN_RATE_LIMIT_WINDOW: '1m' }
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  const { passwords, lanes } = watched()
  let app: TestApp
  let addresses = 0
  let cookie: string
  /** Tries from an address that has not tried before. */
  const attempt = (password: string) =>
    signInTo(app.plat)(`192.0.2.${++addresses}`, { username: 'ada', password }, { cookie })
  beforeAll(async () => {
    app = await testApp({ env, passwords, now: () => new Date(clock.ms) })
    await createUser(app.db, { username: 'ada', password: QUICK })
    cookie = ''
    cookie = deviceOf(await attempt(QUICK))
  })
  beforeEach(() => {
    clock.ms += 60_000
    lanes.length = 0
  })
  afterAll(async () => {
    await app.close()
    passwords.close()
  })

  test('are in the common queue from the limit on, from whatever address', async () => {
    for (let i = 0; i < 5; i++) await attempt('wrong')
    expect(lanes).toEqual(['known', 'known', 'known', 'common', 'common'])
  })

  test('are no more of them when they come at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => attempt('wrong')))
    expect(lanes.filter((lane) => lane === 'known')).toHaveLength(3)
  })

  test('do not begin again with a cookie that the same device was given later', async () => {
    cookie = deviceOf(await attempt(QUICK))
    for (let i = 0; i < 3; i++) await attempt('wrong')
    expect(lanes).toEqual(['known', 'known', 'known', 'common'])
  })

  test('count against the limit of the address too', async () => {
    addresses++
    const tries: number[] = []
    for (let i = 0; i < 4; i++) {
      addresses--
      tries.push((await attempt('wrong')).status)
    }
    expect(tries).toEqual([401, 401, 401, 429])
  })
})

test('a device cookie is in no entry of the audit trail', async () => {
  const { passwords } = watched()
  const app = await testApp({ env: { AUDIT_ENABLED: 'true' }, passwords })
  await createUser(app.db, { username: 'ada', password: QUICK })
  const login = (password: string, cookie: string) =>
    app.guest('POST', '/api/auth/login', { username: 'ada', password }, { Cookie: cookie })
  const cookie = deviceOf(await login(QUICK, ''))
  for (const password of [QUICK, 'wrong']) await login(password, cookie)
  const trail = await (await (await app.as('admin')).request('GET', '/api/audit?action=login')).text()
  await app.close()
  passwords.close()
  expect(JSON.parse(trail)).toHaveLength(3)
  expect(trail).not.toContain(cookie.split('.')[2] ?? cookie)
})

if (engines().includes('postgres'))
  test('the key of device cookies outlives a restart, and is the same for two instances', async () => {
    const { passwords, lanes } = watched()
    const app = await testApp({ dialect: 'postgres', passwords })
    const other = await instanceBeside(app, { passwords, withFirstAdmin: false })
    await createUser(app.db, { username: 'ada', password: QUICK })
    const login = { username: 'ada', password: QUICK }
    // Both generate a key, and one of the two is stored.
    const [one, two] = await Promise.all([
      app.guest('POST', '/api/auth/login', login),
      other.fetch('POST', '/api/auth/login', {}, login),
    ])
    lanes.length = 0
    await other.fetch('POST', '/api/auth/login', { Cookie: deviceOf(one) }, login)
    await app.guest('POST', '/api/auth/login', login, { Cookie: deviceOf(two) })
    const third = await instanceBeside(app, { passwords, withFirstAdmin: false })
    await third.fetch('POST', '/api/auth/login', { Cookie: deviceOf(two) }, login)
    await other.close()
    await third.close()
    await app.close()
    passwords.close()
    expect(lanes).toEqual(['known', 'known', 'known'])
  }, 60_000)
