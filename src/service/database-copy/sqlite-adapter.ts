/** SQLite as source or target of a copy. It holds the lock of the data folder until it is closed. */
import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFile, makePrivateFolder } from '../../base/disk/private-files.ts'
import { AppError } from '../../contract/errors.ts'
import { DATA_FILE, tidyDataDir } from '../../database/disk/data-folder.ts'
import { LOCK_FILE, lockDataDir } from '../../database/disk/data-lock.ts'
import { migrate, UNFINISHED_COPY } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { quoteName } from '../../database/query/quoted.ts'
import { listForeignKeyProblems, listTables, readAppliedMigrations } from '../../database/sqlite/file.ts'
import { openSqlite } from '../../database/sqlite/sqlite.ts'
import { giveToOwner } from '../recovery/restore.ts'
import {
  buildLastKeySql,
  buildPageSql,
  isCopied,
  LOOSE_PARTS,
  type Side,
  type Source,
  type Target,
  type Words,
} from './engine-adapter.ts'
import { buildColumn, buildTable, getKeyColumns, type Table, toCell, toSqliteValue } from './form.ts'

const words: Words = {
  read: ({ name }) => quoteName(name),
  parameter: () => '?',
}

type ColumnRow = { name: string; type: string; pk: bigint }

const loadTable = (database: Database, table: string): Table => {
  const columns = database
    .query<ColumnRow, [string]>('SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid')
    .all(table)
  const key = columns.filter(({ pk }) => pk > 0n).sort((a, b) => Number(a.pk - b.pk))
  return buildTable(
    table,
    columns.map(({ name, type }) => buildColumn(table, name, type)),
    key.map(({ name }) => name),
  )
}

const listTableNames = (database: Database): string[] => listTables(database).filter(isCopied)

/** Adapts an open database that returns integers as bigints. */
export const createSqliteSide = (database: Database, place: string): Side => ({
  engine: 'sqlite',
  place,
  tableNames: async () => listTableNames(database),
  tables: async () => listTableNames(database).map((name) => loadTable(database, name)),
  applied: async () => readAppliedMigrations(database),
  count: async ({ name }) =>
    Number(database.query<{ n: bigint }, []>(`SELECT count(*) AS n FROM ${quoteName(name)}`).get()?.n ?? 0n),
  rows: async (table, range, most) => {
    const columns = getKeyColumns(table)
    const values = [range.after, range.upTo].flatMap((key) =>
      key ? key.map((cell, i) => toSqliteValue(cell, columns[i]?.kind ?? 'text')) : [],
    )
    const rows = database.query(buildPageSql(table, range, { most, words })).values(...values)
    return rows.map((row) => row.map(toCell))
  },
  lastKey: async (table) => database.query(buildLastKeySql(table, words)).values()[0]?.map(toCell),
  // A row is an object of its columns.
  query: async (sql) => database.query(sql).all() as Record<string, unknown>[],
  close: async () => database.close(),
})

/** Opens a database under the lock of its folder, until it is closed. @throws DataLockedError */
const withLock = <S extends Side>(dataDir: string, open: (file: string) => S): S => {
  const unlock = lockDataDir(dataDir)
  try {
    giveToOwner(dataDir, LOCK_FILE)
    const side = open(join(dataDir, DATA_FILE))
    return {
      ...side,
      close: async () => {
        await side.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** @throws AppError, DataLockedError */
export const openSqliteSource = (dataDir: string): Source => {
  const source = join(dataDir, DATA_FILE)
  if (!existsSync(source)) throw new AppError('NOT_FOUND', `There is no ${source}, so there is nothing to copy`)
  return withLock(dataDir, (file) => {
    // Write access is needed to read the log of a database after a kill.
    const database = new Database(file, { readwrite: true, create: false, safeIntegers: true })
    database.run('PRAGMA busy_timeout = 5000')
    // One snapshot for all reads, from the first one on.
    database.run('BEGIN')
    database.query('SELECT 1 FROM sqlite_master').get()
    return { ...createSqliteSide(database, file), warning: undefined }
  })
}

const openForWriting = (file: string): Database => {
  const database = new Database(file, { create: true, safeIntegers: true })
  database.run('PRAGMA busy_timeout = 5000')
  database.run('PRAGMA journal_mode = WAL')
  // A power failure may lose the last batches, which are then copied again, but does not damage the file.
  database.run('PRAGMA synchronous = NORMAL')
  // A row may precede the rows to which it refers. All references are checked at the end.
  database.run('PRAGMA foreign_keys = OFF')
  database.run('PRAGMA cache_size = -65536')
  return database
}

const insertSql = ({ name, columns }: Table): string => {
  const names = columns.map((column) => quoteName(column.name)).join(', ')
  return `INSERT INTO ${quoteName(name)} (${names}) VALUES (${columns.map(() => '?').join(', ')})`
}

/** Rebuilds the index of a text search from the rows. */
const rebuildSearch = (database: Database): void => {
  const indexes = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%USING fts5(%'")
    .all()
  for (const { name } of indexes) database.run(`INSERT INTO ${quoteName(name)} (${quoteName(name)}) VALUES ('rebuild')`)
}

/** Drops virtual tables of text searches first, which drops their shadow tables as well. */
const dropTables = (database: Database): void => {
  const searches = database.query<{ name: string }, []>(
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'",
  )
  for (const { name } of searches.all()) database.run(`DROP TABLE ${quoteName(name)}`)
  for (const name of listTables(database)) database.run(`DROP TABLE ${quoteName(name)}`)
}

const createTarget = (database: Database, file: string): Target => {
  const together = database.transaction((work: () => void) => work())
  return {
    ...createSqliteSide(database, file),
    prepare: async () => {
      const db = openSqlite(file)
      await migrate(db, { migrations, now: () => new Date() }).finally(db.close)
    },
    loosen: async () =>
      together(() => {
        database.run(`CREATE TABLE IF NOT EXISTS ${LOOSE_PARTS} (id INTEGER PRIMARY KEY, fasten TEXT NOT NULL)`)
        database.run("INSERT OR IGNORE INTO migrations (name, checksum, applied_at) VALUES (?, '', ?)", [
          UNFINISHED_COPY,
          new Date().toISOString(),
        ])
        const parts = database
          .query<{ type: string; name: string; sql: string }, []>(
            "SELECT type, name, sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL",
          )
          .all()
        for (const { type, name, sql } of parts) {
          database.run(`INSERT INTO ${LOOSE_PARTS} (fasten) VALUES (?)`, [sql])
          database.run(`DROP ${type} ${quoteName(name)}`)
        }
      }),
    clear: async ({ name }) => {
      database.run(`DELETE FROM ${quoteName(name)}`)
    },
    insert: async (table, rows) => {
      const statement = database.query(insertSql(table))
      together(() => {
        for (const row of rows)
          statement.run(...row.map((cell, at) => toSqliteValue(cell, table.columns[at]?.kind ?? 'text')))
      })
    },
    looseParts: async () =>
      database
        .query<{ id: bigint; fasten: string }, []>(`SELECT id, fasten FROM ${LOOSE_PARTS} ORDER BY id`)
        .all()
        .map(({ id, fasten }) => ({ id: Number(id), fasten })),
    fasten: async ({ id, fasten }) =>
      together(() => {
        database.run(fasten)
        database.run(`DELETE FROM ${LOOSE_PARTS} WHERE id = ?`, [id])
      }),
    settle: async () => {
      rebuildSearch(database)
      const [problem] = listForeignKeyProblems(database)
      if (problem !== undefined) throw new AppError('INTERNAL_ERROR', problem)
    },
    finish: async () => {
      // Flushes the last commit to the disk, and with it all earlier ones.
      database.run('PRAGMA synchronous = FULL')
      together(() => {
        database.run(`DROP TABLE ${LOOSE_PARTS}`)
        database.run('DELETE FROM migrations WHERE name = ?', [UNFINISHED_COPY])
      })
    },
    wipe: async () => together(() => dropTables(database)),
  }
}

/** Creates the folder if it is missing. @throws DataLockedError */
export const openSqliteTarget = (dataDir: string): Target => {
  makePrivateFolder(dataDir)
  return withLock(dataDir, (file) => {
    tidyDataDir(dataDir)
    // Created before SQLite does, so that its log and its index get the permissions of the file.
    makePrivateFile(file)
    giveToOwner(dataDir, DATA_FILE)
    return createTarget(openForWriting(file), file)
  })
}
