// Headers that an earlier version stored in clear text are encrypted at the first start with a key. No file contains
// them afterwards.
import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openData } from '../../../testing/app/data-folders.ts'
import { testAll } from '../../../testing/cases.ts'
import { emptyDatabase } from '../../../testing/servers/database.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { compose, openDatabase } from '../../app/compose.ts'
import { loadConfig } from '../../base/config/config.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { createSecrets } from '../../base/security/crypto.ts'
import type { Db } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import type { Tables } from '../../database/tables.ts'
import { buildHeadersPlace, openHeaders } from './headers.ts'
import { sealStoredHeaders } from './seal-headers.ts'
import * as store from './store.ts'

const KEY = 'c7'.repeat(32)
const TIMEOUT_MS = 60_000
const EARLIER = migrations.filter(({ name }) => name < '0026')
const now = () => new Date('2026-01-02T03:04:05.678Z')
const AT = now().toISOString()

const CLEAR = { Authorization: 'Bearer clear-text-token', 'X-Key': 'clear-text-key' }
const OLDER = 'clear-text-of-earlier'
/** Every secret value in these tests contains this text. */
const isClear = (text: string): boolean => text.includes('clear-text')

const addWebhook = async (db: Db<Tables>, id: string, headers: object, isEchoed = true): Promise<void> => {
  const echo = isEchoed ? Object.values(headers).join() : ''
  await db.write(async (tx) => {
    await sql`INSERT INTO webhooks (id, name, name_key, url, secret, events, enabled, disabled_reason, description, headers, timeout_seconds, retry_count, created_at, updated_at)
      VALUES (${id}, ${id}, ${id}, 'https://192.0.2.7/hook', NULL, '["device.created"]', 1, '', '', ${JSON.stringify(headers)}, 10, 3, ${AT}, ${AT})`.execute(
      tx.db,
    )
    await sql`INSERT INTO webhook_deliveries (id, webhook_id, event, body, status, attempt_number, attempts_left, response_code, response_body, error, duration_ms, attempts, next_retry, due_ms, lease_ms, created_at)
      VALUES (${`delivery of ${id}`}, ${id}, 'device.created', '{}', 'success', 1, 3, 200, ${`you sent ${echo}`}, '', 5, '[]', NULL, NULL, 0, ${AT})`.execute(
      tx.db,
    )
  })
}

type Row = { readonly headers: string; readonly sealed_headers: string | null }
const rowOf = async (db: Db<Tables>, id: string): Promise<Row> =>
  db.read.selectFrom('webhooks').select(['headers', 'sealed_headers']).where('id', '=', id).executeTakeFirstOrThrow()

const secrets = createSecrets({ key: KEY, previous: [] })
const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

describe.each(engines())('headers in clear text on %s', (dialect) => {
  const closing: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  }, TIMEOUT_MS)

  const upgraded = async (headers: object) => {
    const { db, dir, close } = await emptyDatabase<Tables>(dialect)
    closing.push(close)
    await migrate(db, { migrations: EARLIER, now })
    await addWebhook(db, 'old', headers)
    await migrate(db, { migrations, now })
    return { db, config: { dataDir: dir, databaseUrl: dialect === 'sqlite' ? undefined : 'postgres://elsewhere' } }
  }

  test(
    'are encrypted by a start with a key, each bound to its row',
    async () => {
      const { db, config } = await upgraded(CLEAR)
      await sealStoredHeaders({ db, config, secrets, log: quiet })
      const { headers, sealed_headers } = await rowOf(db, 'old')
      expect(JSON.parse(headers)).toEqual({ Authorization: '***', 'X-Key': '***' })
      expect(JSON.parse(secrets.open(buildHeadersPlace('old'), sealed_headers ?? ''))).toEqual(CLEAR)
    },
    TIMEOUT_MS,
  )

  test('take the answers along that targets have sent back, which may hold any value of before', async () => {
    const { db, config } = await upgraded(CLEAR)
    await sealStoredHeaders({ db, config, secrets, log: quiet })
    const { response_body } = await db.read
      .selectFrom('webhook_deliveries')
      .select('response_body')
      .executeTakeFirstOrThrow()
    expect(response_body).toBe('')
  })

  test('stay as they are without a key, which the log says', async () => {
    const { db, config } = await upgraded(CLEAR)
    const entries: string[] = []
    const log = createLogger({ level: 'warn', format: 'text', write: (entry) => entries.push(entry) })
    await sealStoredHeaders({ db, config, secrets: createSecrets({ previous: [] }), log })
    expect((await rowOf(db, 'old')).headers).toBe(JSON.stringify(CLEAR))
    expect(entries.join()).toContain('no ENCRYPTION_KEY is set: headers of webhooks are stored in clear text')
    expect(isClear(entries.join())).toBe(false)
  })

  test('go on being sent without a key, and are shown masked', async () => {
    const { db } = await upgraded(CLEAR)
    const stored = await store.find({ db: db.read }, 'old')
    expect(stored?.webhook.headers).toEqual({ Authorization: '***', 'X-Key': '***' })
    expect(stored && openHeaders(createSecrets({ previous: [] }), 'old', stored.headers)).toEqual(CLEAR)
  })

  test('of several starts at once are encrypted once', async () => {
    const { db, config } = await upgraded(CLEAR)
    await Promise.all([1, 2, 3].map(() => sealStoredHeaders({ db, config, secrets, log: quiet })))
    const { sealed_headers } = await rowOf(db, 'old')
    expect(JSON.parse(secrets.open(buildHeadersPlace('old'), sealed_headers ?? ''))).toEqual(CLEAR)
  })

  test('headers with a name in two cases keep the value that was sent', async () => {
    const { db, config } = await upgraded({ 'X-Key': 'clear-text-first', 'x-key': 'clear-text-last' })
    await sealStoredHeaders({ db, config, secrets, log: quiet })
    const { sealed_headers } = await rowOf(db, 'old')
    expect(JSON.parse(secrets.open(buildHeadersPlace('old'), sealed_headers ?? ''))).toEqual({
      'x-key': 'clear-text-last',
    })
  })

  test('are looked for once: a start without any rewrites nothing', async () => {
    const { db, config } = await upgraded({})
    let rewrites = 0
    const vacuum: Db<Tables>['vacuum'] = async () => {
      rewrites++
    }
    await sealStoredHeaders({ db: { ...db, vacuum }, config, secrets, log: quiet })
    expect(rewrites).toBe(0)
  })

  test('are rewritten by the next start where this one could not', async () => {
    const { db, config } = await upgraded(CLEAR)
    const vacuum = async () => {
      throw new Error('no room')
    }
    await sealStoredHeaders({ db: { ...db, vacuum }, config, secrets, log: quiet })
    expect(await db.read.selectFrom('webhook_purges').selectAll().execute()).toHaveLength(1)
    await sealStoredHeaders({ db, config, secrets, log: quiet })
    expect(await db.read.selectFrom('webhook_purges').selectAll().execute()).toEqual([])
  })
})

describe('the files of DATA_DIR', () => {
  let dataDir: string
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

  const filesWithClearText = (folder = dataDir): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isClear(readFileSync(join(entry.parentPath, entry.name), 'latin1')))
      .map(({ name }) => name)
      .sort()

  /** Creates a data folder of the earlier version: with replaced and deleted values, an upgrade copy, and a restore. */
  const leftBehind = async (): Promise<void> => {
    dataDir = mkdtempSync(join(tmpdir(), 'plat-sealed-'))
    const { db, close } = await openData(dataDir, EARLIER)
    await addWebhook(db, 'old', CLEAR)
    await addWebhook(db, 'edited', { 'X-Key': OLDER }, false)
    await db.write(({ db: tx }) =>
      sql`UPDATE webhooks SET headers = '{"X-Key":"clear-text-2"}' WHERE id = 'edited'`.execute(tx),
    )
    for (let n = 0; n < 200; n++) await addWebhook(db, `gone-${n}`, { 'X-Key': `${OLDER}-${n}`.padEnd(300, '.') })
    await db.write(({ db: tx }) => sql`DELETE FROM webhooks WHERE id LIKE 'gone-%'`.execute(tx))
    db.copyTo(join(dataDir, 'plat-before-5.db'))
    db.copyTo(join(dataDir, 'plat-replaced-20260102T030405Z.db'))
    await close()
  }

  const start = async (env: Record<string, string>) => {
    const config = loadConfig({ env: { DATA_DIR: dataDir, LISTEN_ADDR: '127.0.0.1:0', ...env }, cwd: dataDir })
    const context = { config, log: quiet, now }
    const opened = await openDatabase(context)
    return { opened, plat: await compose(context, opened, { withFirstAdmin: false }) }
  }

  test(
    'hold the old text before, and none of it after the first start with a key: not while it runs, and not when it has ended',
    async () => {
      await leftBehind()
      expect(filesWithClearText()).toEqual(['plat-before-5.db', 'plat-replaced-20260102T030405Z.db', 'plat.db'])
      const { plat } = await start({ ENCRYPTION_KEY: KEY })
      const whileItRuns = filesWithClearText()
      await plat.close()
      expect([whileItRuns, filesWithClearText()]).toEqual([[], []])
    },
    TIMEOUT_MS,
  )

  test(
    'hold none of it either where the first start after the upgrade had no key',
    async () => {
      await leftBehind()
      const { plat } = await start({})
      await plat.close()
      expect(filesWithClearText()).toContain('plat.db')
      const { plat: withKey } = await start({ ENCRYPTION_KEY: KEY })
      await withKey.close()
      expect(filesWithClearText()).toEqual([])
    },
    TIMEOUT_MS,
  )

  testAll(
    'hold a copy of the upgrade that the version before can read, with its webhooks disabled for a reason',
    async () => {
      await leftBehind()
      const { plat } = await start({ ENCRYPTION_KEY: KEY })
      await plat.close()
      const copies = readdirSync(dataDir).filter((name) => /^plat-before-\d+\.db$/.test(name))
      expect(copies).toHaveLength(2)
      for (const name of copies) {
        const copy = new Database(join(dataDir, name), { readonly: true })
        const rows = copy.query('SELECT headers, enabled, disabled_reason FROM webhooks').all()
        const sound = copy.query('PRAGMA integrity_check').get()
        copy.close()
        expect(sound).toEqual({ integrity_check: 'ok' })
        const disabled_reason = 'Its headers were removed from this copy of the data: enter them again'
        expect(rows).toEqual(Array.from({ length: 2 }, () => ({ headers: '{}', enabled: 0, disabled_reason })))
      }
    },
    TIMEOUT_MS,
  )

  testAll('a copy that cannot be rewritten is named in the log, and tried again', async () => {
    await leftBehind()
    mkdirSync(join(dataDir, 'plat-before-19.db'))
    const entries: string[] = []
    const log = createLogger({ level: 'warn', format: 'text', write: (entry) => entries.push(entry) })
    const { db, close } = await openData(dataDir)
    await sealStoredHeaders({ db, config: { dataDir, databaseUrl: undefined }, secrets, log })
    expect(entries.join()).toContain('plat-before-19.db')
    expect(filesWithClearText()).toEqual([])
    expect(await db.read.selectFrom('webhook_purges').selectAll().execute()).toHaveLength(1)
    await close()
  })

  testAll(
    'hold none of it after a kill -9 in the middle and another start',
    async () => {
      await leftBehind()
      const script = `
        const { loadConfig } = await import(${JSON.stringify(join(import.meta.dir, '../../base/config/config.ts'))})
        const { openDatabase } = await import(${JSON.stringify(join(import.meta.dir, '../../app/compose.ts'))})
        const { createLogger } = await import(${JSON.stringify(join(import.meta.dir, '../../base/runtime/log.ts'))})
        const { createSecrets } = await import(${JSON.stringify(join(import.meta.dir, '../../base/security/crypto.ts'))})
        const { sealStoredHeaders } = await import(${JSON.stringify(join(import.meta.dir, 'seal-headers.ts'))})
        const dataDir = ${JSON.stringify(dataDir)}
        const config = loadConfig({ env: { DATA_DIR: dataDir }, cwd: dataDir })
        const log = createLogger({ level: 'error', format: 'text' })
        const { db } = await openDatabase({ config, log, now: () => new Date() })
        const secrets = createSecrets({ key: ${JSON.stringify(KEY)}, previous: [] })
        const vacuum = async () => process.kill(process.pid, 'SIGKILL')
        await sealStoredHeaders({ db: { ...db, vacuum }, config, secrets, log })
      `
      const child = Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' })
      await child.exited
      expect([child.signalCode, filesWithClearText().includes('plat.db')]).toEqual(['SIGKILL', true])
      const { plat } = await start({ ENCRYPTION_KEY: KEY })
      await until('the text to be gone', () => (filesWithClearText().length === 0 ? true : undefined))
      await plat.close()
    },
    TIMEOUT_MS,
  )
})
