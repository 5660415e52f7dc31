/**
 * Sign-ins wait fairly for their password hash: many simultaneous users all get in, and a flood of wrong passwords from
 * many addresses excludes none. The order of turns is tested in base/jobs/fair-queue.test.ts and
 * base/jobs/worker-pool-turns.test.ts.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestOptions, testApp } from '../../testing/app/app.ts'
import { testAll } from '../../testing/cases.ts'
import { createUser, keyFor, PASSWORD } from '../../testing/estates/identities.ts'
import { BEHIND_PROXY, type SignInFrom, signInTo } from '../../testing/from-address.ts'
import { onSqlite } from '../../testing/servers/servers.ts'
import { deviceOf, refusal } from '../../testing/sign-in/sign-in.ts'

const LONG_TEST_MS = 180_000
/** A hash of this cost takes about 60 ms: long enough for a queue, short enough to repeat. */
const MIDDLE_COST = 10
/** The specified login limit, with a time limit for busy machines. The limit of 25 s is tested on a fake clock. */
const PATIENT = { LOGIN_RATE_LIMIT_REQUESTS: '5', REQUEST_TIMEOUT: '5m' }

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const appFor = async ({ env, ...options }: TestOptions): Promise<TestApp> => {
  const app = await testApp({ env: { ...BEHIND_PROXY, ...env }, ...options })
  open.push(app.close)
  return app
}

/** The hash of the password of all users at each cost: bcrypt takes as long for one of them as for a sign-in. */
const slowHashes = new Map<number, string>()
const slowHash = (cost: number): string => {
  const hash = slowHashes.get(cost) ?? Bun.password.hashSync(PASSWORD, { algorithm: 'bcrypt', cost })
  slowHashes.set(cost, hash)
  return hash
}

/** Creates a user with a password hash of that cost. */
const createSlower = async (app: TestApp, username: string, cost = MIDDLE_COST): Promise<void> => {
  const { id } = await createUser(app.db, { username })
  const password_hash = slowHash(cost)
  await app.db.write((tx) => tx.db.updateTable('users').set({ password_hash }).where('id', '=', id).execute())
}

/** Signs 25 users in, each from a different address. @returns the statuses */
const crowd = async (app: TestApp, create: (username: string) => Promise<unknown>): Promise<number[]> => {
  const people = Array.from({ length: 25 }, (_, i) => `person-${i}`)
  for (const username of people) await create(username)
  const signIn = signInTo(app.plat)
  const answers = people.map((username, i) => signIn(`192.0.2.${i + 1}`, { username, password: PASSWORD }))
  return (await Promise.all(answers)).map(({ status }) => status)
}

describe('25 people from 25 addresses who sign in at one moment all get in', () => {
  test.each(onSqlite())(
    'on %s',
    async (dialect) => {
      const app = await appFor({ dialect, env: PATIENT, passwords: createPasswords({ cost: MIDDLE_COST }) })
      expect(await crowd(app, (username) => createSlower(app, username))).toEqual(Array(25).fill(200))
    },
    LONG_TEST_MS,
  )

  testAll(
    'at the real cost',
    async () => {
      const app = await appFor({ env: PATIENT, passwords: createPasswords({ maxWaitMs: LONG_TEST_MS }) })
      expect(await crowd(app, (username) => createUser(app.db, { username }))).toEqual(Array(25).fill(200))
    },
    LONG_TEST_MS,
  )
})

describe('while 30 addresses try wrong passwords without end', () => {
  let app: TestApp
  let signIn: SignInFrom
  let isOver = false
  let flooding: Promise<unknown>
  /** Statuses that the attackers got. */
  const answered: number[] = []
  let device: string

  beforeAll(async () => {
    app = await testApp({ env: BEHIND_PROXY, passwords: createPasswords({ cost: MIDDLE_COST, maxWaitMs: 60_000 }) })
    for (const username of ['victim', 'known', 'stranger']) await createSlower(app, username)
    signIn = signInTo(app.plat)
    device = deviceOf(await signIn('203.0.113.1', { username: 'known', password: PASSWORD }))
    const attacker = async (n: number): Promise<void> => {
      while (!isOver)
        answered.push((await signIn(`198.51.${n}.1`, { username: 'victim', password: `wrong ${n}` })).status)
    }
    flooding = Promise.all(Array.from({ length: 30 }, (_, n) => attacker(n)))
    // Each of them has had a turn, and waits for the next.
    while (answered.length < 60) await Bun.sleep(10)
  }, LONG_TEST_MS)
  afterAll(async () => {
    isOver = true
    await flooding
    await app.close()
  })

  /** Returns the status, and the number of turns that the attackers had before it. */
  const during = async (work: Promise<Response>): Promise<[status: number, turns: number]> => {
    const before = answered.length
    const { status } = await work
    return [status, answered.length - before]
  }
  /** Hashes in progress when the request arrives, and hashes that start with it. */
  const MAX_TURNS = 6

  test(
    'a stranger from another network gets in after a few turns',
    async () => {
      const [status, turns] = await during(signIn('192.0.2.1', { username: 'stranger', password: PASSWORD }))
      expect(status).toBe(200)
      expect(turns).toBeLessThanOrEqual(MAX_TURNS)
    },
    LONG_TEST_MS,
  )

  test(
    'a known device gets in after a few turns, also from a network that the flood comes from',
    async () => {
      const attempt = signIn('198.51.7.1', { username: 'known', password: PASSWORD }, { cookie: device })
      const [status, turns] = await during(attempt)
      expect(status).toBe(200)
      expect(turns).toBeLessThanOrEqual(MAX_TURNS)
    },
    LONG_TEST_MS,
  )

  test(
    'a user who is signed in changes the own password after a few turns',
    async () => {
      const { id } = await createUser(app.db, { username: 'changes', password: 'quick to check' })
      const headers = { Authorization: `Bearer ${await keyFor(app.db, id)}` }
      const body = { current_password: 'quick to check', new_password: 'another password' }
      const [status, turns] = await during(app.guest('POST', `/api/users/${id}/password`, body, headers))
      expect(status).toBe(204)
      // Two hashes.
      expect(turns).toBeLessThanOrEqual(2 * MAX_TURNS)
    },
    LONG_TEST_MS,
  )

  test('the attackers themselves are served in turn', () => {
    expect(new Set(answered)).toEqual(new Set([401]))
  })
})

testAll(
  'the longest wait ends in 429 with a time to come back, before REQUEST_TIMEOUT',
  async () => {
    const app = await appFor({ env: { REQUEST_TIMEOUT: '12s' } })
    await createSlower(app, 'slow', 12)
    const signIn = signInTo(app.plat)
    const attempt = (n: number) => signIn(`192.0.${n}.1`, { username: 'slow', password: 'wrong' })
    const startedMs = Date.now()
    const answers = await Promise.all(Array.from({ length: 150 }, (_, n) => attempt(n)))
    const refused = answers.filter(({ status }) => status === 429)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]))
    const [one] = refused
    // Counted from the end of the wait, not from the arrival of the request.
    expect(Date.parse(one?.headers.get('retry-after') ?? '') - startedMs).toBeGreaterThan(12_000)
    expect(one && (await refusal(one))).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
  },
  60_000,
)

test('a disconnected client leaves the queue', async () => {
  const app = await appFor({ passwords: createPasswords({ workers: 1, maxWaitMs: LONG_TEST_MS }) })
  await createUser(app.db, { username: 'slow', isSlow: true })
  await createSlower(app, 'quick', 4)
  const signIn = signInTo(app.plat)
  const first = signIn('192.0.2.1', { username: 'slow', password: 'wrong' })
  const gone = new AbortController()
  const leaving = Array.from({ length: 60 }, (_, n) =>
    signIn(`198.51.${n}.1`, { username: 'slow', password: 'wrong' }, { signal: gone.signal }),
  )
  await Bun.sleep(0)
  gone.abort()
  const left = await Promise.all(leaving)
  // At one second per hash, sixty of them would take a minute.
  expect(new Set(left.map(({ status }) => status))).toEqual(new Set([429]))
  expect((await first).status).toBe(401)
}, 60_000)
