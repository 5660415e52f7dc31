import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, renameSync, rmdirSync } from 'node:fs'
import { SQL } from 'bun'
import { sql } from 'kysely'
import { type EmptyDatabase, type ThingTables, thingsDatabase } from '../../../testing/servers/database.ts'
import { engines, postgres } from '../../../testing/servers/servers.ts'
import { startPaused, until } from '../../../testing/until.ts'
import { FaultError } from '../../base/disk/fault.ts'

if (engines().includes('postgres')) {
  let database: EmptyDatabase<ThingTables>
  beforeAll(async () => {
    database = await thingsDatabase('postgres')
  })
  afterAll(() => database.close())

  const raise = (state: string, how: 'read' | 'write' | 'commit') => {
    const statement = sql`DO ${sql.lit(`BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '${state}'; END`)}`
    if (how === 'read') return statement.execute(database.db.read)
    return database.db.write(async ({ db }) => {
      if (how === 'write') await statement.execute(db)
      else void statement.execute(db).catch(() => {})
    })
  }

  /** Holds a lock that the trial write needs, which would end a fault of these tests while they look at it. */
  const holdTrialWrites = () =>
    startPaused((pause) =>
      database.db.write(async ({ db }) => {
        await sql`LOCK TABLE migrations`.execute(db)
        await pause()
      }),
    )

  test.each([
    ['53100', 'full', /^The disk of PostgreSQL is full: .*; free space on it/],
    ['53200', 'memory', /^PostgreSQL is out of memory; its log says/],
    ['53400', 'limit', /^PostgreSQL has reached a limit of its configuration; .* temp_file_limit/],
    ['25006', 'read-only', /^PostgreSQL takes no changes: .* default_transaction_read_only is on; set that to off/],
    ['58000', 'failing', /^The disk of PostgreSQL fails/],
    ['58030', 'failing', /^The disk of PostgreSQL fails/],
    ['XX001', 'damaged', /^The data of PostgreSQL are damaged/],
    ['XX002', 'damaged', /^The data of PostgreSQL are damaged/],
  ] as const)('SQLSTATE %s is UNAVAILABLE, and a fault of kind %s', async (state, kind, message) => {
    const release = await holdTrialWrites()
    for (const how of ['read', 'write', 'commit'] as const) {
      const error = await raise(state, how).then(
        () => undefined,
        (failure: unknown) => failure,
      )
      if (!(error instanceof FaultError)) throw new Error(`no FaultError by ${how}: ${error}`)
      expect([error.code, error.status, error.fault.kind]).toEqual(['UNAVAILABLE', 503, kind])
      expect(error.message).toMatch(message)
      expect(database.db.fault()?.kind).toBe(kind)
      await expect(database.db.ping()).rejects.toThrow(message)
    }
    await release()
  })

  test('a fault lasts until a write succeeds, and a ping names it', async () => {
    const hasEnded = () => database.db.fault() === undefined || undefined
    await until('the end of earlier faults', hasEnded)
    await raise('53100', 'write').catch(() => {})
    expect(database.db.fault()?.kind).toBe('full')
    await expect(database.db.ping()).rejects.toThrow(/^The disk of PostgreSQL is full/)
    await until('the end of the fault', hasEnded)
    await database.db.ping()
  })

  test('a file that PostgreSQL cannot open, as on a file system that can only be read, is a fault of its disk', async () => {
    const { url } = await postgres()
    const { rows } = await sql<{ name: string }>`SELECT current_database() AS name`.execute(database.db.read)
    const owner = new SQL({ url: new URL(`/${rows[0]?.name}`, url).href, max: 1 })
    await owner`CREATE TABLE unreadable (n INTEGER)`
    const [row] =
      await owner`SELECT current_setting('data_directory') || '/' || pg_relation_filepath('unreadable') AS path`
    // A process that has the file open does not open it again.
    await owner.close()
    renameSync(row.path, `${row.path}.away`)
    mkdirSync(row.path)
    const error = await database.db
      .write(({ db }) => sql`INSERT INTO unreadable VALUES (1)`.execute(db))
      .then(
        () => undefined,
        (failure: unknown) => failure,
      )
    rmdirSync(row.path)
    renameSync(`${row.path}.away`, row.path)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', fault: { kind: 'failing' } })
  })

  test('a missing privilege is no fault', async () => {
    const before = database.db.fault()
    const asked = database.db.write(async ({ db }) => {
      await sql`SET LOCAL ROLE pg_monitor`.execute(db)
      await sql`SELECT 1 FROM pg_authid`.execute(db)
    })
    await expect(asked).rejects.toMatchObject({ errno: '42501' })
    expect(database.db.fault()).toBe(before)
  })

  test.each(['22012', '42P01', 'P0001', 'XX000'])('SQLSTATE %s is no fault', async (state) => {
    const before = database.db.fault()
    const error = await raise(state, 'write').then(
      () => undefined,
      (failure: unknown) => failure,
    )
    expect(error).not.toBeInstanceOf(FaultError)
    expect(database.db.fault()).toBe(before)
  })
}
