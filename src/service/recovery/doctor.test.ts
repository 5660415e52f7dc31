import { beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { contentOf, fillData, openData, platIn, scratch } from '../../../testing/app/data-folders.ts'
import { IGNORED, pgbouncer } from '../../../testing/pgbouncer.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import { createSecrets } from '../../base/security/crypto.ts'
import { migrate } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import type { Tables } from '../../database/tables.ts'
import { checkSettings } from './doctor-settings.ts'
import type { Finding } from './finding.ts'

const KEY = 'ab'.repeat(32)
const OTHER_KEY = 'cd'.repeat(32)

let dataDir: string
beforeEach(async () => {
  dataDir = join(scratch(), 'data')
  await fillData(dataDir, 'ams')
})

/** A free port on loopback causes no finding, so that only the finding of the test appears. */
const QUIET = { LISTEN_ADDR: 'localhost:0' }

const examine = async (env: Record<string, string> = {}) => {
  const { code, out } = await platIn({ ...QUIET, DATA_DIR: dataDir, ...env }, 'doctor', '-o', 'json')
  // The tests check the shape.
  return { code, findings: JSON.parse(out) as Finding[] }
}
const found = async (check: string, env?: Record<string, string>): Promise<Finding | undefined> =>
  (await examine(env)).findings.find((finding) => finding.check === check)

describe('a sound installation', () => {
  test('has no problems, and the report says so', async () => {
    const { code, findings } = await examine()
    expect(code).toBe(0)
    expect(findings.filter(({ status }) => status === 'problem')).toEqual([])
    expect(findings.map(({ check }) => check)).toEqual(
      [
        'settings',
        'proxy',
        'cookies',
        'data folder',
        'rights',
        'owner',
        'disk',
        'clock',
        'sqlite',
        'database',
        'schema',
      ].concat(['encryption key', 'listen address', 'ping']),
    )
  })

  test('is not changed by looking at it', async () => {
    const before = contentOf(dataDir)
    await examine()
    expect(contentOf(dataDir)).toEqual(before)
  })

  test('is looked at beside a running server', async () => {
    const { close } = await openData(dataDir)
    const { code, findings } = await examine()
    await close()
    expect(code).toBe(0)
    expect(findings.find(({ check }) => check === 'database')?.status).toBe('ok')
  })

  test('is reported in lines', async () => {
    const { out } = await platIn({ ...QUIET, DATA_DIR: dataDir }, 'doctor')
    expect(out).toMatch(/^ok {7}settings {8}all of them make sense\n/)
    expect(out).toMatch(/\n\n(All is well|0 problems, \d warnings?)\.\n$/)
  })
})

test('each problem says what to do', async () => {
  chmodSync(dataDir, 0o755)
  const { findings } = await examine({ TRUSTED_PROXIES: '10.0.0.1', LISTEN_ADDR: ':0', RATE_LIMIT_WINDOW: 'x' })
  const bad = findings.filter(({ status }) => status !== 'ok')
  expect(bad.length).toBeGreaterThan(3)
  expect(bad.filter(({ advice }) => advice === undefined || advice === '')).toEqual([])
})

describe('settings', () => {
  test('are all named that are wrong, and the rest is looked at', async () => {
    const { code, findings } = await examine({ LOG_LEVEL: 'loud', SESSION_TTL: '5', ENCRYPTION_KEY: 'short' })
    expect(code).toBe(1)
    expect(findings.filter(({ status }) => status === 'problem').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^LOG_LEVEL: /),
      expect.stringMatching(/^SESSION_TTL: /),
      'ENCRYPTION_KEY: must be exactly 64 hexadecimal digits',
    ])
    expect(findings.find(({ check }) => check === 'database')?.status).toBe('ok')
  })

  test('wrong settings in .env do not hide the right ones', () => {
    const cwd = scratch()
    writeFileSync(join(cwd, '.env'), 'LOG_LEVEL=loud\nENCRYPTION_KEY=short\nDATA_DIR=/srv/plat\nnonsense\n')
    const { config, findings } = checkSettings({ env: {}, flags: {}, cwd })
    expect(findings.filter(({ status }) => status === 'problem')).toHaveLength(3)
    expect(config).toMatchObject({ dataDir: '/srv/plat', logLevel: 'info', encryptionKey: undefined })
  })

  test('never show a secret', async () => {
    const { out } = await platIn(
      { DATA_DIR: dataDir, ENCRYPTION_KEY: 'sesame', DATABASE_URL: 'mysql://u:sesame@x' },
      'doctor',
    )
    expect(out).not.toContain('sesame')
  })

  test.each<[string, Record<string, string>, string, Finding['status'], string]>([
    ['a proxy to trust, and none named', { TRUST_PROXY: 'true' }, 'proxy', 'problem', 'no proxy is trusted'],
    ['proxies that nobody asks', { TRUSTED_PROXIES: '10.0.0.1' }, 'proxy', 'warning', 'TRUST_PROXY is off'],
    [
      'everybody trusted',
      { TRUST_PROXY: 'true', TRUSTED_PROXIES: '10.0.0.1,::/0' },
      'proxy',
      'problem',
      'trusts every address',
    ],
    ['a proxy', { TRUST_PROXY: 'true', TRUSTED_PROXIES: '10.0.0.1' }, 'proxy', 'ok', '1 trusted'],
    ['cookies in the clear', { COOKIE_SECURE: 'false', LISTEN_ADDR: ':0' }, 'cookies', 'warning', 'over plain http'],
    ['cookies that need https', { LISTEN_ADDR: ':0' }, 'cookies', 'warning', 'cannot sign in'],
    ['cookies on this machine', { COOKIE_SECURE: 'false' }, 'cookies', 'ok', 'on this machine alone'],
    ['dev mode for all', { DEV_MODE: 'true', LISTEN_ADDR: ':0' }, 'dev mode', 'warning', 'nothing is rate limited'],
    ['an issuer that is missing', { MCP_OAUTH_ENABLED: 'true' }, 'settings', 'problem', 'MCP_OAUTH_ISSUER_URL'],
    ['an address with a path', { PUBLIC_URL: 'https://x.test/plat' }, 'settings', 'problem', 'must have no path'],
  ])('%s', async (_, env, check, status, message) => {
    expect(await found(check, env)).toMatchObject({ status, message: expect.stringContaining(message) })
  })
})

describe('the database', () => {
  test('in a folder that is not there, which is not made', async () => {
    dataDir = join(dataDir, 'other')
    expect(await found('data folder')).toMatchObject({ status: 'warning', message: `${dataDir} is not there` })
    expect(await found('database')).toMatchObject({ status: 'ok', message: 'there is none yet' })
  })

  test('that is damaged', async () => {
    const file = join(dataDir, 'plat.db')
    const bytes = readFileSync(file)
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xff, at + 2048, at + 4096)
    writeFileSync(file, bytes)
    expect(await found('database')).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('is damaged'),
      advice: expect.stringContaining('plat restore'),
    })
  })

  test('that is none', async () => {
    writeFileSync(join(dataDir, 'plat.db'), 'no database '.repeat(1000))
    expect(await found('database')).toMatchObject({
      status: 'problem',
      message: `${join(dataDir, 'plat.db')} is damaged: file is not a database`,
    })
  })

  test('of a newer version', async () => {
    const { close } = await openData(dataDir, [
      ...migrations,
      { name: '9999-later', floor: 'this', statements: () => [] },
    ])
    await close()
    expect(await found('schema')).toMatchObject({ status: 'problem', message: expect.stringContaining('9999-later') })
  })

  test('of an earlier version', async () => {
    dataDir = join(dataDir, 'older')
    const { close } = await openData(dataDir, migrations.slice(0, 1))
    await close()
    expect(await found('schema')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('0002-access'),
      advice: expect.stringContaining('backup'),
    })
  })
})

describe('headers of webhooks in clear text', () => {
  const addWebhook = async (headers: string): Promise<void> => {
    const { db, close } = await openData(dataDir)
    const times = { created_at: '', updated_at: '' }
    await db.write((tx) =>
      tx.db
        .insertInto('webhooks')
        .values({
          ...{
            id: 'w',
            name: 'w',
            name_key: 'w',
            name_order: '',
            url: '',
            secret: null,
            events: '[]',
            enabled: 1,
            disabled_reason: '',
          },
          ...{ description: '', headers, sealed_headers: null, timeout_seconds: 10, retry_count: 3, ...times },
        })
        .execute(),
    )
    await close()
  }

  test('are warned of', async () => {
    await addWebhook('{"X-A":"clear"}')
    expect(await found('webhook headers')).toMatchObject({
      status: 'warning',
      message: 'webhooks with headers in clear text: 1',
    })
  })

  test('that are empty have no warning', async () => {
    await addWebhook('{}')
    expect(await found('webhook headers')).toBeUndefined()
  })
})

describe('the encryption key', () => {
  const sealWith = async (key: string): Promise<void> => {
    const secrets = createSecrets({ key, previous: [] })
    const { db, close } = await openData(dataDir)
    const sealed = secrets.seal({ table: 'secret_checks', column: 'sealed', id: 'encryption-key' }, 'x')
    await db.write(async (tx) => {
      await sql`INSERT INTO secret_checks (name, sealed) VALUES ('encryption-key', ${sealed})`.execute(tx.db)
      const secret = secrets.seal({ table: 'credentials', column: 'secret', id: 'c' }, 'hunter2')
      const names = ['id', 'name', 'name_key', 'type', 'username', 'auth_protocol', 'priv_protocol', 'description']
      const texts = [...names, 'created_at', 'updated_at'].join(', ')
      const empty = sql.join(Array(10).fill(''))
      await sql`INSERT INTO credentials (${sql.raw(texts)}, secret) VALUES (${empty}, ${secret})`.execute(tx.db)
    })
    await close()
  }

  test('that is not set, and not needed', async () => {
    expect(await found('encryption key')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('none is set'),
    })
  })

  test('that is not used yet', async () => {
    const finding = await found('encryption key', { ENCRYPTION_KEY: KEY })
    expect(finding).toMatchObject({ status: 'ok', message: expect.stringContaining('not used yet') })
  })

  test.each<[string, Record<string, string>, Finding['status'], string]>([
    ['that fits', { ENCRYPTION_KEY: KEY }, 'ok', 'it fits the data'],
    ['that is another one', { ENCRYPTION_KEY: OTHER_KEY }, 'problem', 'secrets encrypted with the key'],
    ['that is missing', {}, 'problem', 'none is set, and there are secrets'],
    [
      'that is being changed',
      { ENCRYPTION_KEY: OTHER_KEY, ENCRYPTION_KEY_PREVIOUS: KEY },
      'warning',
      'some secrets still need an earlier one',
    ],
  ])('%s', async (_, env, status, message) => {
    await sealWith(KEY)
    const finding = await found('encryption key', env)
    expect(finding).toMatchObject({ status, message: expect.stringContaining(message) })
    expect(JSON.stringify(finding)).not.toContain(KEY)
  })
})

// Left out rather than skipped: a run on SQLite only needs no PostgreSQL on the machine.
if (engines().includes('postgres')) {
  describe('PostgreSQL', () => {
    const onDatabase = async (work: (url: string) => Promise<void>): Promise<void> => {
      const { url, drop } = await postgresDatabase()
      try {
        await work(url)
      } finally {
        await drop()
      }
    }

    test('that is empty', () =>
      onDatabase(async (url) => {
        const { code, findings } = await examine({ DATABASE_URL: url })
        const data = findings.filter(({ check }) => ['database', 'pg_trgm', 'schema'].includes(check))
        expect(code).toBe(0)
        expect(data).toMatchObject([
          { check: 'database', status: 'ok' },
          { check: 'pg_trgm', status: 'ok', message: 'the first start installs it' },
          { check: 'schema', status: 'warning', message: 'the database is empty' },
        ])
      }))

    test('that Plat uses', () =>
      onDatabase(async (url) => {
        const db = openPostgres<Tables>(url)
        await migrate(db, { migrations, now: () => new Date() })
        await db.close()
        const { findings } = await examine({ DATABASE_URL: url })
        expect(findings.find(({ check }) => check === 'schema')?.message).toStartWith('up to date')
        expect(findings.find(({ check }) => check === 'pg_trgm')?.message).toStartWith('installed')
        expect(findings.find(({ check }) => check === 'encryption key')?.status).toBe('ok')
      }))

    test('that takes fewer connections than one Plat may open', () =>
      onDatabase(async (url) => {
        const finding = await found('connections', { DATABASE_URL: url, DATABASE_CONNECTIONS: '1000' })
        expect(finding).toMatchObject({
          status: 'problem',
          message: expect.stringMatching(/and one Plat opens up to 1502$/),
        })
      }))

    test.each([
      ['transaction', IGNORED, 'problem', 'is a connection pooler that shares connections by transactions'],
      ['session', [], 'problem', 'refuses the setting statement_timeout'],
      ['session', IGNORED, 'warning', 'ignores settings: statement_timeout, lock_timeout, idle_in_transaction'],
    ] as const)('behind a pooler in %s mode that ignores %j: a %s', (mode, ignores, status, message) =>
      onDatabase(async (url) => {
        const pooler = await pgbouncer(url, { mode, ignores })
        try {
          const { code, findings } = await examine({ DATABASE_URL: pooler.url })
          expect(findings.find(({ check }) => check === 'pooler')).toMatchObject({
            status,
            message: expect.stringContaining(message),
          })
          expect(findings.find(({ check }) => check === 'schema')?.message).toBe('the database is empty')
          expect(code).toBe(status === 'problem' ? 1 : 0)
        } finally {
          await pooler.stop()
        }
      }),
    )

    test('that names another engine', () =>
      onDatabase(async (url) => {
        const client = new SQL({ url, max: 1 })
        await client.unsafe("CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$ SELECT 'CrateDB 5.7' $$")
        await client.unsafe(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, pg_catalog`)
        await client.close()
        const finding = await found('database', { DATABASE_URL: url })
        expect(finding).toMatchObject({
          status: 'problem',
          message: expect.stringMatching(/: CrateDB is not supported$/),
        })
      }))

    test('that has tables of another application', () =>
      onDatabase(async (url) => {
        const client = new SQL({ url, max: 1 })
        await client.unsafe('CREATE TABLE migrations (id int, batch int)')
        await client.close()
        const finding = await found('schema', { DATABASE_URL: url })
        expect(finding).toMatchObject({
          status: 'problem',
          message: 'The database has tables of another application with names that Plat needs: migrations',
        })
      }))

    test('that accepts no more connections', () =>
      onDatabase(async (url) => {
        const client = new SQL({ url, max: 1 })
        await client.unsafe('CREATE ROLE doctor_limited LOGIN CONNECTION LIMIT 0')
        const limited = new URL(url)
        limited.username = 'doctor_limited'
        const finding = await found('database', { DATABASE_URL: limited.href })
        await client.unsafe('DROP ROLE doctor_limited')
        await client.close()
        expect(finding).toMatchObject({
          status: 'problem',
          message: expect.stringContaining('No connection to the database is free: PostgreSQL accepts no more.'),
        })
      }))

    test('on another machine, without TLS', async () => {
      const finding = await found('tls', { DATABASE_URL: 'postgres://plat:sesame@db.invalid/plat' })
      expect(finding).toMatchObject({
        status: 'warning',
        message: 'db.invalid:5432 is reached without TLS: the network between sees the data and may change them',
      })
    })

    test('that does not answer, without its password', async () => {
      const finding = await found('database', { DATABASE_URL: 'postgres://plat:sesame@127.0.0.1:9/plat' })
      expect(finding).toMatchObject({
        status: 'problem',
        message: expect.stringMatching(/^127\.0\.0\.1:9\/plat cannot be used/),
      })
      expect(JSON.stringify(finding)).not.toContain('sesame')
    })
  })
}

test('a folder that may not be read is reported, and the other checks run', async () => {
  mkdirSync(join(dataDir, 'plat.db-wal'))
  const { code, findings } = await examine()
  rmSync(join(dataDir, 'plat.db-wal'), { recursive: true })
  expect(code).toBe(1)
  expect(findings.at(-1)?.check).toBe('ping')
})
