// A Valkey server that runs and does not serve: sign-ins, /readyz, the metric, the log and the doctor give one reason.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync } from 'node:fs'
import { RedisClient } from 'bun'
import { createUser, keyFor } from '../../../testing/estates/identities.ts'
import { valkey } from '../../../testing/servers/servers.ts'
import { cookieOf, refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { until } from '../../../testing/until.ts'
import { type Config, loadConfig } from '../../base/config/config.ts'
import { checkValkey } from '../../service/recovery/doctor-valkey.ts'
import type { Readiness } from '../../service/system/api.ts'

const PASSWORD = 'quick to check'
/** The longest wait of a request for a server that does not answer. */
const PATIENCE_MS = 2000
const CHECK_JOB = 'valkey.check-sessions'

type Server = Awaited<ReturnType<typeof valkey>>
let server: Server
/** Of the tests, opened before each fault. */
let client: RedisClient
let app: SignInApp
let key: string
let cookie: string
beforeAll(async () => {
  server = await valkey(['--enable-debug-command', 'local'])
  client = new RedisClient(server.url)
  app = await signInApp('sqlite', { config: { sessionStoreType: 'valkey', valkeyUrl: server.url } })
  const { id } = await createUser(app.db, { username: 'ada', roles: ['admin'], password: PASSWORD })
  key = await keyFor(app.db, id)
}, 60_000)
afterAll(async () => {
  await app.close()
  client.close()
  await server.stop()
})

const send = (...command: readonly string[]) => client.send(command[0] ?? '', command.slice(1))
const configure = (name: string, value: string) => send('CONFIG', 'SET', name, value)
const readReadiness = async (): Promise<readonly [number, Readiness['checks']['sessions']]> => {
  const response = await app.send('GET /readyz')
  const { checks } = (await response.json()) as Readiness
  return [response.status, checks.sessions]
}
const readMetric = async (): Promise<string | undefined> => {
  const text = await (await app.send('GET /metrics', { key })).text()
  return /^valkey_up\{store="sessions"\} (\d)$/m.exec(text)?.[1]
}
const examine = () =>
  checkValkey({ ...loadConfig({ env: {}, cwd: '/' }), sessionStoreType: 'valkey', valkeyUrl: server.url })
/** Closes the connections of the server, which asks for a password at the next one. */
const dropOthers = () => send('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
const findPid = async () => Number(/process_id:(\d+)/.exec(String(await send('INFO', 'server')))?.[1])
const findFolder = async (): Promise<string> => {
  // RESP3 answers a map, which the client turns into an object.
  const { dir } = (await send('CONFIG', 'GET', 'dir')) as { dir: string }
  return dir
}

type Fault = {
  readonly message: string
  readonly advice: RegExp
  readonly begin: () => Promise<unknown>
  readonly end: () => Promise<unknown>
  /** The status of a request with a session. A server that refuses writes answers reads. */
  readonly read: number
}

/** Settles when the server has loaded its data again. */
let loading: Promise<unknown>

const FAULTS: Readonly<Record<string, Fault>> = {
  'is full': {
    message: 'is full and refuses writes (OOM)',
    advice: /maxmemory/,
    begin: () => configure('maxmemory', '1'),
    end: () => configure('maxmemory', '0'),
    read: 200,
  },
  'is a read-only replica': {
    message: 'is a read-only replica (READONLY)',
    advice: /name the primary/,
    begin: () => send('REPLICAOF', '127.0.0.1', '9'),
    end: () => send('REPLICAOF', 'NO', 'ONE'),
    read: 200,
  },
  'has lost its replicas': {
    message: 'has too few replicas and refuses writes (NOREPLICAS)',
    advice: /start its replicas/,
    begin: () => configure('min-replicas-to-write', '1'),
    end: () => configure('min-replicas-to-write', '0'),
    read: 200,
  },
  'cannot save its data': {
    message: 'cannot save its data and refuses writes (MISCONF)',
    advice: /space on its disk/,
    begin: async () => {
      chmodSync(await findFolder(), 0o555)
      await configure('save', '3600 1000000')
      await send('BGSAVE')
      await until(
        'a save that failed',
        async () => /rdb_last_bgsave_status:err/.test(String(await send('INFO', 'persistence'))) || undefined,
      )
    },
    end: async () => {
      chmodSync(await findFolder(), 0o700)
      await configure('save', '')
    },
    read: 200,
  },
  'does not permit writes': {
    message: 'does not permit a command or key (NOPERM)',
    advice: /docs\/access\.md/,
    begin: () => send('ACL', 'SETUSER', 'default', '-set'),
    end: () => send('ACL', 'SETUSER', 'default', '+set'),
    read: 200,
  },
  'asks for another password': {
    message: 'refuses the user name or password (NOAUTH)',
    advice: /VALKEY_URL/,
    begin: async () => {
      await configure('requirepass', 'another')
      await dropOthers()
    },
    end: () => configure('requirepass', ''),
    read: 503,
  },
  'has no free connection': {
    message: 'has no free connection',
    advice: /maxclients/,
    begin: async () => {
      await dropOthers()
      await configure('maxclients', '1')
    },
    end: () => configure('maxclients', '1000'),
    read: 503,
  },
  'is loading its data': {
    message: 'is loading its data (LOADING)',
    advice: /wait/,
    begin: async () => {
      await send('EVAL', "for i = 1, 4000 do redis.call('SET', 'k' .. i, ('v'):rep(100)) end", '0')
      await configure('loading-process-events-interval-bytes', '1024')
      await configure('key-load-delay', '100')
      const loader = new RedisClient(server.url)
      loading = loader.send('DEBUG', ['RELOAD']).finally(() => loader.close())
      await until('load', async () => {
        const error = await send('GET', 'x').catch((thrown: Error) => thrown)
        return error instanceof Error && error.message.startsWith('LOADING') ? true : undefined
      })
    },
    end: async () => {
      await configure('key-load-delay', '0')
      await loading
      await send('FLUSHALL')
    },
    read: 503,
  },
}

describe.each(Object.entries(FAULTS))('a Valkey server that %s', (_, { message, advice, begin, end, read }) => {
  const text = `the session store ${message}: `
  beforeAll(async () => {
    const login = await app.login('ada', PASSWORD)
    expect(login.status).toBe(200)
    cookie = cookieOf(login)
    app.entries.length = 0
    await begin()
  })

  test('gives its reason at /readyz, to who signs in, in the log, to the doctor and by the metric', async () => {
    const [status, check] = await readReadiness()
    const login = await app.login('ada', PASSWORD)
    const { error } = (await login.clone().json()) as { error: string }
    const [finding] = await examine()
    expect([status, check?.status, await refusal(login)]).toEqual([503, 'unhealthy', [503, 'UNAVAILABLE']])
    expect(check?.message).toStartWith(text)
    expect(check?.message).toMatch(advice)
    expect(error.replace(/^The /, 'the ')).toStartWith(check?.message ?? 'a message')
    expect(finding).toMatchObject({
      status: 'problem',
      message: text.slice(0, -2),
      advice: expect.stringMatching(advice),
    })
    expect(app.entries.filter((entry) => entry.includes('the session store is away'))).toEqual([
      expect.stringContaining(text.slice(0, -2)),
    ])
    expect(await readMetric()).toBe('0')
  })

  test(`answers a request with a session with ${read}`, async () => {
    expect((await app.send('GET /api/auth/me', { cookie })).status).toBe(read)
  })

  test('is used again when that is over', async () => {
    await end()
    await app.runJob(CHECK_JOB)
    expect([await readMetric(), await readReadiness()]).toEqual([
      '1',
      [200, { status: 'healthy', message: 'answers, and accepts writes' }],
    ])
    expect((await app.login('ada', PASSWORD)).status).toBe(200)
    expect(app.entries.filter((entry) => entry.includes('the session store is back'))).toHaveLength(1)
  })
})

test('a full server logs one outage while sessions are read and renewed', async () => {
  cookie = cookieOf(await app.login('ada', PASSWORD))
  app.entries.length = 0
  await configure('maxmemory', '1')
  app.clock.ms += 120_000
  for (let i = 0; i < 3; i++) expect((await app.send('GET /api/auth/me', { cookie })).status).toBe(200)
  for (let i = 0; i < 3; i++) expect((await app.login('ada', PASSWORD)).status).toBe(503)
  await configure('maxmemory', '0')
  app.clock.ms -= 120_000
  expect(app.entries.filter((entry) => /WARN/.test(entry))).toHaveLength(1)
})

test('a server that is frozen delays /readyz by less than two seconds, and the job notices its return', async () => {
  const pid = await findPid()
  process.kill(pid, 'SIGSTOP')
  const startedMs = performance.now()
  const [status, check] = await readReadiness()
  const ms = performance.now() - startedMs
  process.kill(pid, 'SIGCONT')
  expect([status, check?.message]).toEqual([503, expect.stringContaining('does not answer in time')])
  expect(ms).toBeLessThan(PATIENCE_MS)
  await app.runJob(CHECK_JOB)
  expect(await readMetric()).toBe('1')
})

test('a frozen server has one reason and one line in the log, whichever request notices it', async () => {
  cookie = cookieOf(await app.login('ada', PASSWORD))
  app.entries.length = 0
  const pid = await findPid()
  process.kill(pid, 'SIGSTOP')
  const ask = async (waitMs: number) => {
    await Bun.sleep(waitMs)
    const startedMs = performance.now()
    const response = await app.send('GET /api/auth/me', { cookie })
    const { error } = (await response.json()) as { error: string }
    expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS)
    return [response.status, error.split(':')[0]]
  }
  // Some share the connection that the first one drops, and others the next one.
  const answers = await Promise.all(Array.from({ length: 9 }, (_, i) => ask(i * 200)))
  process.kill(pid, 'SIGCONT')
  expect(answers).toEqual(answers.map(() => [503, 'The session store does not answer in time']))
  expect(app.entries.filter((entry) => entry.includes('the session store is away'))).toHaveLength(1)
  await app.runJob(CHECK_JOB)
})

test('a readiness check leaves nothing in the server', async () => {
  await send('FLUSHALL')
  expect((await readReadiness())[0]).toBe(200)
  expect(await send('DBSIZE')).toBe(0)
})

test('a server with sessions in its database has no check of them', async () => {
  const plain = await signInApp('sqlite')
  const { checks } = (await (await plain.send('GET /readyz')).json()) as Readiness
  await plain.close()
  expect(Object.keys(checks)).toEqual(['database', 'scheduler'])
})

test('the doctor names limits that each instance counts separately, and checks no server that is not used', async () => {
  const config: Config = { ...loadConfig({ env: {}, cwd: '/' }), valkeyUrl: 'redis://127.0.0.1:1' }
  expect(await checkValkey(config)).toEqual([])
  expect(await checkValkey({ ...config, rateLimitStore: 'valkey' })).toEqual([
    {
      check: 'rate limit store',
      status: 'warning',
      message: 'the rate limit store cannot be reached; each instance counts by itself',
      advice: 'check that the server of VALKEY_URL runs, and the network',
    },
  ])
})
