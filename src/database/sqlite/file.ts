/** Operations on an SQLite file as a whole: a consistent copy, and a check with a report. */
import { Database } from 'bun:sqlite'
import { quoteName } from '../query/quoted.ts'
import { isOfLitestream } from './litestream.ts'

export type FileJob = {
  /** `copy` writes `to`; `check` reads all of `file`; `quick-check` omits indexes, references and counts. */
  readonly kind: 'copy' | 'check' | 'quick-check'
  readonly file: string
  readonly to?: string
}

/** A migration as the database records it. */
export type AppliedMigration = { readonly name: string; readonly checksum: string }

export type FileReport = {
  /** The errors; empty for a sound file. */
  readonly problems: readonly string[]
  readonly schema: readonly AppliedMigration[]
  /** Rows of each table. */
  readonly counts: Readonly<Record<string, number>>
}

/** Further problems add nothing. */
const MOST_PROBLEMS = 5

/** Does not create a file. Write access is needed to read the log of a live database. */
const openExisting = (file: string): Database => {
  const database = new Database(file, { readwrite: true, create: false, strict: true })
  database.run('PRAGMA busy_timeout = 5000')
  // A check looks up every row in every index. With the default of 2 MB it would read most pages many times.
  database.run('PRAGMA cache_size = -65536')
  return database
}

const listAllTables = (database: Database): string[] =>
  database
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .all()
    .map(({ name }) => name)

/** Returns the names, without the tables of SQLite and of Litestream. */
export const listTables = (database: Database): string[] =>
  listAllTables(database).filter((name) => !isOfLitestream(name))

const countRows = (database: Database): Record<string, number> =>
  Object.fromEntries(
    listTables(database).map((name) => [
      name,
      database.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${quoteName(name)}`).get()?.n ?? 0,
    ]),
  )

/** Returns the applied migrations; none for a database that is not Plat's. */
export const readAppliedMigrations = (database: Database): AppliedMigration[] =>
  listTables(database).includes('migrations')
    ? database.query<AppliedMigration, []>('SELECT name, checksum FROM migrations ORDER BY name').all()
    : []

/** Returns SQLite's own messages. */
const listIntegrityProblems = (database: Database, pragma: 'integrity_check' | 'quick_check'): string[] => {
  const rows = database
    .query<Record<string, string>, []>(`PRAGMA ${pragma}(${MOST_PROBLEMS})`)
    .all()
    .map((row) => row[pragma] ?? '')
  return rows.length === 1 && rows[0] === 'ok' ? [] : rows
}

export const listForeignKeyProblems = (database: Database): string[] =>
  database
    .query<{ table: string; parent: string }, [number]>('SELECT "table", parent FROM pragma_foreign_key_check LIMIT ?')
    .all(MOST_PROBLEMS)
    .map(({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is not there`)

/** Opens a file, runs `work`, and closes the file. @returns the result of `work` */
const withFile = <T>(file: string, work: (database: Database) => T): T => {
  const database = openExisting(file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const check = (file: string): FileReport =>
  withFile(file, (database) => {
    const problems = listIntegrityProblems(database, 'integrity_check')
    // The content of a damaged file is unreliable.
    if (problems.length > 0) return { problems, schema: [], counts: {} }
    return {
      problems: listForeignKeyProblems(database),
      schema: readAppliedMigrations(database),
      counts: countRows(database),
    }
  })

const quickCheck = (file: string): FileReport =>
  withFile(file, (database) => {
    const problems = listIntegrityProblems(database, 'quick_check')
    return { problems, schema: problems.length > 0 ? [] : readAppliedMigrations(database), counts: {} }
  })

const copy = (file: string, to: string): FileReport => {
  // One read transaction: concurrent writes continue, and are not in the copy.
  withFile(file, (database) => database.run('VACUUM INTO ?', [to]))
  return withFile(to, (database) => {
    // Their content belongs to the replica of the other file.
    for (const name of listAllTables(database).filter(isOfLitestream)) database.run(`DROP TABLE ${quoteName(name)}`)
    return { problems: [], schema: readAppliedMigrations(database), counts: countRows(database) }
  })
}

/** @throws the errors of SQLite for a file that can't be opened or read */
export const runFileJob = ({ kind, file, to = '' }: FileJob): FileReport => {
  switch (kind) {
    case 'copy':
      return copy(file, to)
    case 'check':
      return check(file)
    case 'quick-check':
      return quickCheck(file)
  }
}
