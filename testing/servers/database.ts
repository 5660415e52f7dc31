/**
 * An empty database on either engine, for the tests of the platform: it has no tables of features, only the test's own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres/postgres.ts'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { type Dialect, postgresDatabase } from './servers.ts'

export type ThingTables = {
  things: { id: string; n: number; owner_id: string | null }
  owners: { id: string; name: string }
}

export type EmptyDatabase<Tables> = {
  readonly db: Db<Tables>
  /** A second connection to the same database, as another process would have. */
  readonly beside: () => Db<Tables>
  readonly dir: string
  readonly close: () => Promise<void>
}

export const emptyDatabase = async <Tables>(dialect: Dialect): Promise<EmptyDatabase<Tables>> => {
  const dir = mkdtempSync(join(tmpdir(), 'plat-db-'))
  const server = dialect === 'postgres' ? await postgresDatabase() : undefined
  const open = () => (server ? openPostgres<Tables>(server.url) : openSqlite<Tables>(join(dir, 'plat.db')))
  const opened = new Set<Db<Tables>>()
  const beside = (): Db<Tables> => {
    const db = open()
    const close = async () => {
      if (opened.delete(tracked)) await db.close()
    }
    const tracked = { ...db, close }
    opened.add(tracked)
    return tracked
  }
  return {
    db: beside(),
    beside,
    dir,
    close: async () => {
      for (const db of [...opened]) await db.close()
      await server?.drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Creates a database with two tables: `things` refers to `owners`, which have unique names. */
export const thingsDatabase = async (dialect: Dialect): Promise<EmptyDatabase<ThingTables>> => {
  const database = await emptyDatabase<ThingTables>(dialect)
  await migrate(database.db, { migrations: [], now: () => new Date() })
  await database.db.write(async ({ db }) => {
    await sql`CREATE TABLE owners (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE)`.execute(db)
    await sql`CREATE TABLE things (id TEXT PRIMARY KEY, n INTEGER NOT NULL, owner_id TEXT REFERENCES owners (id))`.execute(
      db,
    )
  })
  return database
}
