import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { SQL } from 'bun'
import {
  addLitestreamTables,
  contentOf,
  datacentersIn,
  fillData,
  litestreamTablesIn,
  openData,
  platIn,
  scratch,
} from '../../../testing/app/data-folders.ts'
import { testAll } from '../../../testing/cases.ts'
import { everyRow, ROWS_EACH } from '../../../testing/estates/every-table.ts'
import { type Move, newMove, startOn } from '../../../testing/moving.ts'
import { engines, postgresDatabase } from '../../../testing/servers/servers.ts'
import { openDatabase } from '../../app/compose.ts'
import { loadConfig } from '../../base/config/config.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { UNFINISHED_COPY } from '../../database/migrate.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import { type CopyReport, copyEstate, type Step } from './copy.ts'
import { openPostgresTarget } from './postgres-adapter.ts'
import { openSqliteSource } from './sqlite-adapter.ts'

const UNFINISHED = 'This database is an unfinished copy'

const change = (file: string, statement: string): void => {
  const database = new Database(file, { readwrite: true, create: false })
  database.run(statement)
  database.close()
}

const sqliteSchema = (file: string): unknown[] => {
  const database = new Database(file, { readonly: true })
  const rows = database.query('SELECT type, name, sql FROM sqlite_master ORDER BY type, name').all()
  database.close()
  return rows
}

/** Columns, indexes, constraints. */
const POSTGRES_SCHEMA = `
  SELECT tablename || ' ' || indexdef AS line FROM pg_indexes WHERE schemaname = current_schema()
  UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace
  UNION ALL SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema()
  ORDER BY line`

/** Cancels the copy like Ctrl-C, at a step that `isThen` recognizes. */
const breakOff = async ({ dataDir, url }: Move, isThen: (done: Parameters<Step>[0], nth: number) => boolean) => {
  const [source, target] = [openSqliteSource(dataDir), await openPostgresTarget(url)]
  const stop = new AbortController()
  let nth = 0
  const step: Step = (done) => {
    if (isThen(done, ++nth)) stop.abort(new Error('broken off'))
    stop.signal.throwIfAborted()
  }
  try {
    await copyEstate({ source, target, isRestart: false, signal: stop.signal, progress: () => {}, step })
  } catch (error) {
    if (error !== stop.signal.reason) throw error
  } finally {
    await source.close()
    await target.close()
  }
}

/** Runs a whole copy, with a change to the target before the comparison. */
const copyMeddledWith = async ({ dataDir, url }: Move, statement: string): Promise<CopyReport> => {
  const [source, target] = [openSqliteSource(dataDir), await openPostgresTarget(url)]
  const step: Step = async (done) => {
    if (done === 'settled') await target.query(statement)
  }
  const { signal } = new AbortController()
  try {
    return await copyEstate({ source, target, isRestart: false, signal, progress: () => {}, step })
  } finally {
    await source.close()
    await target.close()
  }
}

const START_TIMEOUT_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  describe('to PostgreSQL and back', () => {
    const LAST_EVENT = 5_000_000_000
    /** Several pages, and numbers of several lengths. */
    const ROWS = 500
    const password = 'hunter2'
    const startedMs = Date.now()
    let move: Move
    let before: ReturnType<typeof everyRow>
    let away: Awaited<ReturnType<Move['away']>>
    let home: Awaited<ReturnType<Move['home']>>
    beforeAll(async () => {
      move = await newMove()
      change(
        move.file,
        `INSERT INTO events (seq, event, resource_id, data, created_at) VALUES (${LAST_EVENT}, '', '', '', '')`,
      )
      change(
        move.file,
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${ROWS})
         INSERT INTO events (seq, event, resource_id, data, created_at) SELECT n, '', '', '', '' FROM numbers`,
      )
      change(move.file, `UPDATE credentials SET secret = 'v1.d5e85ca9.abcdefgh'`)
      change(move.file, 'UPDATE webhooks SET secret = NULL')
      before = everyRow(move.file)
      const url = new URL(move.url)
      url.password = password
      away = await platIn({ DATA_DIR: move.dataDir }, 'database', 'copy', '--to', url.href)
      home = await move.home('-o', 'json')
    }, START_TIMEOUT_MS)
    afterAll(() => move.end())

    test('every row of every table is as it was', async () => {
      expect(Object.values(before).every((rows) => rows.length >= ROWS_EACH)).toBe(true)
      expect(everyRow(move.backFile)).toEqual(before)
    })

    test('the source is unchanged', async () => {
      expect(everyRow(move.file)).toEqual(before)
    })

    test('the schema is that of a database that was always there', async () => {
      expect(sqliteSchema(move.backFile)).toEqual(sqliteSchema(move.file))
    })

    test('PostgreSQL has every index and every reference', async () => {
      const other = await postgresDatabase()
      await startOn({ DATABASE_URL: other.url })
      const client = new SQL({ url: other.url, max: 1 })
      const wanted = [...(await client.unsafe(POSTGRES_SCHEMA))]
      await client.close()
      await other.drop()
      expect(await move.ask(POSTGRES_SCHEMA)).toEqual(wanted)
    })

    test('a server starts on either', async () => {
      await startOn({ DATABASE_URL: move.url })
      await startOn({ DATA_DIR: move.back })
      expect(await datacentersIn(move.back)).toHaveLength(ROWS_EACH)
    })

    test('devices are found by their text again', async () => {
      const { db, close } = await openData(move.back)
      const n = await db.sql.countWords(db.read, 'devices', [['search_text']])
      await close()
      expect(n).toBe(ROWS_EACH)
    })

    test('generated numbers continue above the existing ones', async () => {
      const [row] = await move.ask(
        "INSERT INTO events (event, resource_id, data, created_at) VALUES ('', '', '', '') RETURNING seq::text AS seq",
      )
      expect(row).toEqual({ seq: String(LAST_EVENT + 1) })
    })

    test('the revisions of lists are above the revisions of any earlier database', async () => {
      const [row] = await move.ask(
        'SELECT min(n)::text AS least, count(*)::int AS tables FROM (SELECT name, sum(n) AS n FROM revisions GROUP BY name) AS lists',
      )
      expect(Number(row?.least)).toBeGreaterThanOrEqual(startedMs)
      expect(row?.tables).toBe(Object.keys(before).length)
    })

    test('only its owner can read the file', () => {
      expect(statSync(move.backFile).mode & 0o777).toBe(0o600)
    })

    test('the report has each table with its rows and its checksum', () => {
      expect({ code: away.code, err: away.err }).toEqual({ code: 0, err: '' })
      expect(away.out).toMatch(/^TABLE +ROWS +CHECKSUM +COPY\naddress_blocks +4 +[0-9a-f]{16} +the same\n/)
    })

    test('the report says what to do next, and no password', () => {
      expect(away.out).toContain(` to ${move.url.replace('postgres@', '')}, and all of them are the same there`)
      expect(away.out).not.toContain(password)
    })

    test('the report says that secrets need their key', () => {
      expect(away.out).toContain('none is set, and there are secrets encrypted with the key d5e85ca9')
    })

    test('the report is JSON for programs', () => {
      expect(JSON.parse(home.out)).toMatchObject({ to: move.backFile, is_same: true, is_resumed: false })
    })
  })

  let move: Move
  beforeEach(async () => {
    move = await newMove()
  }, START_TIMEOUT_MS)
  afterEach(() => move.end())

  describe('a target', () => {
    test('that holds data is refused, and left as it is', async () => {
      await fillData(move.back, 'theirs')
      const before = contentOf(move.back)
      const { code, err } = await platIn({ DATA_DIR: move.dataDir }, 'database', 'copy', '--to', move.back)
      expect(code).toBe(5)
      expect(err).toContain(`${move.backFile} is not empty: it holds rows in datacenters (1)`)
      expect(contentOf(move.back)).toEqual(before)
    })

    test('that holds the tables of another program is refused', async () => {
      await move.ask('CREATE TABLE theirs (id json)')
      const { code, err } = await move.away()
      expect({ code, err }).toEqual({
        code: 5,
        err: expect.stringContaining('is not empty: it holds the tables theirs'),
      })
    })

    test('that is migrated and unused counts as empty', async () => {
      await startOn({ DATABASE_URL: move.url })
      expect(await move.away('-q')).toEqual({ code: 0, out: '', err: '' })
    })

    test('of a newer version is refused', async () => {
      await startOn({ DATABASE_URL: move.url })
      await move.ask("INSERT INTO migrations (name, checksum, applied_at) VALUES ('9999-later', '', '')")
      expect((await move.away()).err).toContain('written by a newer Plat')
    })

    test('that a server uses is refused', async () => {
      const db = openPostgres(move.url)
      await db.ping()
      const { code, err } = await move.away()
      await db.close()
      expect({ code, err }).toEqual({ code: 6, err: expect.stringContaining('stop every instance first') })
    })

    test('that another copy is going to is refused', async () => {
      const other = await openPostgresTarget(move.url)
      const { err } = await move.away()
      await other.close()
      expect(err).toContain('Another copy to')
    })

    test('that is the source is refused', async () => {
      const { code, err } = await platIn({ DATA_DIR: move.dataDir }, 'database', 'copy', '--to', move.file)
      expect({ code, err }).toEqual({ code: 2, err: 'error: --to names the place that the data are in\n' })
    })

    test('that cannot be reached is said to be, without its password', async () => {
      const to = 'postgres://plat:secret@127.0.0.1:1/plat'
      const { code, err } = await platIn({ DATA_DIR: move.dataDir }, 'database', 'copy', '--to', to)
      expect(code).toBe(6)
      expect(err).toContain('error: postgres://127.0.0.1:1/plat cannot be used: ')
      expect(err).not.toContain('secret')
    })
  })

  describe('a source', () => {
    test('that a server uses is refused', async () => {
      const { close } = await openData(move.dataDir)
      const { err } = await move.away()
      await close()
      expect(err).toContain('Another Plat is using the data folder')
    })

    testAll('that a server uses on PostgreSQL is refused', async () => {
      const config = loadConfig({ env: { DATABASE_URL: move.url }, cwd: scratch() })
      const log = createLogger({ level: 'error', format: 'text', write: () => {} })
      const { close } = await openDatabase({ config, log, now: () => new Date() })
      const { err } = await move.home()
      await close()
      expect(err).toContain('stop every instance first')
    })

    test('of an earlier version is refused', async () => {
      change(move.file, "DELETE FROM migrations WHERE name = '0017-discovery-scale'")
      expect((await move.away()).err).toContain('is of an earlier version: 0017-discovery-scale to come')
    })

    test('that is not there is refused', async () => {
      const from = scratch()
      const { code, err } = await move.away('--from', from)
      expect({ code, err }).toEqual({
        code: 4,
        err: `error: There is no ${from}/plat.db, so there is nothing to copy\n`,
      })
    })

    test('with a text that PostgreSQL cannot hold is named', async () => {
      change(move.file, "UPDATE datacenters SET location = 'a' || char(0) WHERE id LIKE 'id 1%'")
      expect((await move.away()).err).toContain('datacenters.location of the row ')
    })
  })

  describe('a copy that is not finished', () => {
    test('is a problem for the doctor', async () => {
      await breakOff(move, (done) => done === 'marked')
      const { code, out } = await platIn({ DATABASE_URL: move.url, LISTEN_ADDR: '127.0.0.1:0' }, 'doctor')
      expect(code).toBe(1)
      expect(out).toContain(UNFINISHED)
    })

    testAll('can be finished after the source has changed', async () => {
      await breakOff(move, (done) => done === 'copied')
      change(move.file, "UPDATE datacenters SET location = 'elsewhere'")
      change(move.file, 'DELETE FROM events WHERE seq = 1001')
      const { code, out } = await move.away('-o', 'json')
      expect(code).toBe(0)
      expect(JSON.parse(out)).toMatchObject({ is_same: true, is_resumed: true })
    })

    test('can be restarted', async () => {
      await breakOff(move, (_, nth) => nth === 20)
      const { out, err } = await move.away('--restart', '-o', 'json')
      expect(err).toBe('')
      expect(JSON.parse(out)).toMatchObject({ is_same: true, is_resumed: false })
    })

    test('can be restarted after a restart that has only deleted the tables', async () => {
      await breakOff(move, (done) => done === 'marked')
      const target = await openPostgresTarget(move.url)
      await target.wipe()
      await target.close()
      expect(await move.away('-q')).toEqual({ code: 0, out: '', err: '' })
    })

    testAll('of another version is refused without --restart', async () => {
      await breakOff(move, (done) => done === 'marked')
      await move.ask("UPDATE migrations SET checksum = 'other' WHERE name = '0001-inventory'")
      expect((await move.away()).err).toContain('that another version of Plat has begun')
      expect((await move.away('--restart')).code).toBe(0)
    })
  })

  describe('the tables of Litestream', () => {
    testAll('are not copied', async () => {
      addLitestreamTables(move.file)
      const { code, out } = await move.away('-o', 'json')
      const { tables } = JSON.parse(out) as { tables: { table: string }[] }
      expect([code, tables.filter(({ table }) => table.startsWith('_'))]).toEqual([0, []])
      expect(await move.ask("SELECT tablename FROM pg_tables WHERE tablename LIKE '\\_litestream%'")).toEqual([])
    })

    test('do not fill a target, and stay in it', async () => {
      await (await openData(move.back)).close()
      addLitestreamTables(move.backFile)
      const to = ['database', 'copy', '--to', move.back, '-q']
      expect(await platIn({ DATA_DIR: move.dataDir }, ...to)).toEqual({ code: 0, out: '', err: '' })
      expect(litestreamTablesIn(move.backFile)).toEqual(['_litestream_lock', '_litestream_seq'])
    })

    testAll('stay in a target that is wiped', async () => {
      await (await openData(move.back)).close()
      addLitestreamTables(move.backFile)
      change(move.backFile, `INSERT INTO migrations (name, checksum, applied_at) VALUES ('${UNFINISHED_COPY}', '', '')`)
      const to = ['database', 'copy', '--to', move.back, '--restart', '-q']
      expect(await platIn({ DATA_DIR: move.dataDir }, ...to)).toEqual({ code: 0, out: '', err: '' })
      expect(litestreamTablesIn(move.backFile)).toEqual(['_litestream_lock', '_litestream_seq'])
    })
  })

  test('a row that differs is found, and the same command corrects it', async () => {
    const { tables } = await copyMeddledWith(move, "UPDATE networks SET vlan_id = 7 WHERE id LIKE 'id 1%'")
    const [start] = await Promise.allSettled([startOn({ DATABASE_URL: move.url })])
    const again = await move.away('-o', 'json')
    expect(tables.filter((table) => !table.is_same).map(({ table }) => table)).toEqual(['networks'])
    expect(String(start.status === 'rejected' && start.reason)).toContain(UNFINISHED)
    expect(JSON.parse(again.out)).toMatchObject({ is_same: true, is_resumed: true })
  })

  test('the key of dev mode is copied to a folder', async () => {
    const key = '0123456789abcdef'.repeat(4)
    await Bun.write(`${move.dataDir}/dev-encryption-key`, key)
    await platIn({ DATA_DIR: move.dataDir }, 'database', 'copy', '--to', move.back)
    expect(await Bun.file(`${move.back}/dev-encryption-key`).text()).toBe(key)
    expect(await datacentersIn(move.back)).toHaveLength(ROWS_EACH)
  })
}
