/** Migrates a database: numbered migrations, each in one transaction, never edited after release. */
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Db, Engine, Index } from './database.ts'
import { type Applied, computeFloor, computeFloorAfter, type Floor, findObstacle, formatObstacle } from './floors.ts'
import type { NamedTable } from './migrations/name-orders.ts'
import { completeNameOrders } from './name-order-rows.ts'
import { joinColumnsSql, toLettersSql } from './postgres/search.ts'
import { findSchemaProblem } from './schema-check.ts'

/** The parts of DDL that differ between the engines. */
export type Ddl = {
  readonly engine: Engine
  /** A text type that sorts and compares byte by byte. */
  readonly text: string
  /** An integer key that the engine assigns. */
  readonly serial: string
  readonly bigint: string
  /** The query for the names of the columns of a table. */
  readonly columns: (table: string) => string
  /** The statements that keep `table.search_text` (key `seq`) searchable by substring. */
  readonly substringIndex: (table: string) => readonly string[]
  /** The statements that extend the index of a table to substrings across dots and dashes, if it lacked them. */
  readonly substringIndexAcross: (table: string) => readonly string[]
  /** The statements that let a transaction collect more text in memory before it is written to the index. */
  readonly substringIndexBuffer: (table: string) => readonly string[]
  /** The statements that keep columns of a table with an `id` searchable by substring, in any case. */
  readonly columnsIndex: (table: string, columns: readonly string[]) => readonly string[]
  /** The same as indexes that may be created while others write. */
  readonly columnsIndexes: (table: string, columns: readonly string[]) => readonly Index[]
}

/** Migrations before 0059 are of releases that could not work beside each other. */
type Early = {
  readonly name: `00${0 | 1 | 2 | 3 | 4}${string}` | `005${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}-${string}`
  readonly floor?: undefined
}

export type Migration = (
  | Early
  | {
      /** `0001-inventory`; sorted by it. */
      readonly name: string
      /** CONTRIBUTING.md has the rule; `this` is always right. */
      readonly floor: Floor
    }
) & {
  readonly statements: (ddl: Ddl) => readonly string[]
  /**
   * Indexes to create after the migration, while others write, for a table that is large and busy. Queries must be right without
   * them. A later migration that drops one of them removes it here.
   */
  readonly concurrently?: (ddl: Ddl) => readonly Index[]
  /**
   * The tables with rows that get the collation keys of their names after the migration, in short transactions, and again at each start if
   * there are rows without one.
   */
  readonly completed?: readonly NamedTable[]
}

const BUFFER_BYTES = 32 * 2 ** 20

/** The number of a row never changes: VACUUM keeps it in a table with an index. */
const createColumnsIndex = (table: string, columns: readonly string[]): string[] => {
  const index = `${table}_search`
  const names = columns.join(', ')
  const listValues = (row: 'old' | 'new') => columns.map((column) => `${row}.${column}`).join(', ')
  const add = `INSERT INTO ${index} (rowid, ${names}) VALUES (new.rowid, ${listValues('new')});`
  const remove = `INSERT INTO ${index} (${index}, rowid, ${names}) VALUES ('delete', old.rowid, ${listValues('old')});`
  const isChanged = columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5(id UNINDEXED, ${names}, content='${table}', content_rowid='rowid', tokenize='trigram')`,
    `INSERT INTO ${index} (${index}) VALUES ('rebuild')`,
    `CREATE TRIGGER ${index}_insert AFTER INSERT ON ${table} BEGIN ${add} END`,
    `CREATE TRIGGER ${index}_delete AFTER DELETE ON ${table} BEGIN ${remove} END`,
    `CREATE TRIGGER ${index}_update AFTER UPDATE OF ${names} ON ${table} WHEN ${isChanged} BEGIN ${remove} ${add} END`,
  ]
}

const sqliteDdl: Ddl = {
  engine: 'sqlite',
  text: 'TEXT',
  serial: 'INTEGER PRIMARY KEY',
  bigint: 'INTEGER',
  columns: (table) => `SELECT name FROM pragma_table_info('${table}')`,
  // An external-content index over trigrams: the text itself stays in the table.
  substringIndex: (table) => [
    `CREATE VIRTUAL TABLE ${table}_search USING fts5(search_text, content='${table}', content_rowid='seq', tokenize='trigram case_sensitive 1')`,
    `CREATE TRIGGER ${table}_search_insert AFTER INSERT ON ${table} BEGIN
       INSERT INTO ${table}_search (rowid, search_text) VALUES (new.seq, new.search_text);
     END`,
    `CREATE TRIGGER ${table}_search_delete AFTER DELETE ON ${table} BEGIN
       INSERT INTO ${table}_search (${table}_search, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
     END`,
    `CREATE TRIGGER ${table}_search_update AFTER UPDATE OF search_text ON ${table} WHEN old.search_text <> new.search_text BEGIN
       INSERT INTO ${table}_search (${table}_search, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
       INSERT INTO ${table}_search (rowid, search_text) VALUES (new.seq, new.search_text);
     END`,
  ],
  substringIndexAcross: () => [],
  // The default of 1 MB makes a segment for every thousand devices, which SQLite merges later (sqlite.org/fts5.html, 'hashsize').
  substringIndexBuffer: (table) => [
    `INSERT INTO ${table}_search (${table}_search, rank) VALUES ('hashsize', ${BUFFER_BYTES})`,
  ],
  columnsIndex: createColumnsIndex,
  columnsIndexes: () => [],
}

const postgresDdl: Ddl = {
  engine: 'postgres',
  text: 'TEXT COLLATE "C"',
  serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  bigint: 'BIGINT',
  columns: (table) =>
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped`,
  substringIndex: (table) => [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    `CREATE INDEX ${table}_search ON ${table} USING gin (search_text gin_trgm_ops)`,
  ],
  substringIndexAcross: (table) => [
    `DROP INDEX ${table}_search`,
    `CREATE INDEX ${table}_search ON ${table} USING gin (${toLettersSql('search_text')} gin_trgm_ops)`,
  ],
  substringIndexBuffer: () => [],
  columnsIndex: () => [],
  columnsIndexes: (table, columns) => [
    { name: `${table}_search`, on: `${table} USING gin (${toLettersSql(joinColumnsSql(columns))} gin_trgm_ops)` },
  ],
}

export const getDdl = (engine: Engine): Ddl => (engine === 'sqlite' ? sqliteDdl : postgresDdl)

const computeChecksum = (statements: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(statements.join(';\n')).digest('hex')

/** A database that this program must not change. The message has the reason and the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** Recorded as a migration of a database with an unfinished copy, so that older programs reject it too. */
export const UNFINISHED_COPY = 'copy-not-finished'

/** The copy may be incomplete, so it must not be used. */
export class UnfinishedCopyError extends MigrationError {
  constructor() {
    super(
      'This database is an unfinished copy: plat database copy was interrupted, or found differences from the source. Run the same command again to resume it, or with --restart to start again. The source is unchanged.',
    )
  }
}

/**
 * Returns the missing migrations. None if the database is newer and this program knows its floor.
 * @throws MigrationError if the database is too new, or a released migration changed
 */
export const listPending = (migrations: readonly Migration[], applied: readonly Applied[], ddl: Ddl): Migration[] => {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  if (applied.some(({ name }) => name === UNFINISHED_COPY)) throw new UnfinishedCopyError()
  const done = new Set(applied.map(({ name }) => name))
  const pending = migrations.filter(({ name }) => !done.has(name))
  const worksOnNewer = pending.length === 0 && known.has(computeFloor(applied))
  for (const { name, checksum: stored, floor } of applied) {
    const migration = known.get(name)
    if (!migration && floor !== undefined && worksOnNewer) continue
    if (!migration)
      throw new MigrationError(
        `The database was written by a newer Plat: it has the migration ${name}, which this version doesn't know. Use that version or a newer one.`,
      )
    if (computeChecksum(migration.statements(ddl)) !== stored)
      throw new MigrationError(
        `The migration ${name} is not the one that made this database. Use the release that made it, or restore a backup.`,
      )
  }
  return pending
}

/** The statement has no time limit, also for waiting for another process that migrates. */
const LONG = { exclusive: true }

/** How long statements of a migration wait for a lock; later statements of others wait behind them. */
export type LockPatience = {
  /** The longest wait of one statement. Then its transaction is rolled back. */
  readonly waitMs: number
  /** The pause before the next attempt, in which others get the lock. */
  readonly passMs: number
  /** The time after which no attempt follows. */
  readonly totalMs: number
}

const LOCK_PATIENCE: LockPatience = { waitMs: 2000, passMs: 1000, totalMs: 600_000 }

export type MigrateOptions = {
  readonly migrations: readonly Migration[]
  readonly now: () => Date
  /** Called once before the first change to a database with content. */
  readonly beforeUpgrade?: (applied: readonly string[]) => Promise<void>
  /** Called if the database has migrations that this program does not know, and need not know. */
  readonly onNewer?: () => void
  readonly lockPatience?: LockPatience
}

const create = async (tx: Kysely<unknown>, ddl: Ddl): Promise<void> => {
  await sql
    .raw(
      `CREATE TABLE IF NOT EXISTS migrations (name ${ddl.text} PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL, floor TEXT NOT NULL DEFAULT '')`,
    )
    .execute(tx)
  await sql
    .raw(
      `CREATE TABLE IF NOT EXISTS revisions (name ${ddl.text} NOT NULL, shard INTEGER NOT NULL, n ${ddl.bigint} NOT NULL, PRIMARY KEY (name, shard))`,
    )
    .execute(tx)
  // A program before 0059 has made the table.
  const { rows } = await sql.raw<{ name: string }>(ddl.columns('migrations')).execute(tx)
  if (!rows.some(({ name }) => name === 'floor'))
    await sql.raw("ALTER TABLE migrations ADD COLUMN floor TEXT NOT NULL DEFAULT ''").execute(tx)
}

/** Repeats a transaction while others keep it from a lock. @throws MigrationError if they do so for too long */
const retryWhileLocked = async <T>(
  { passMs, totalMs }: LockPatience,
  { name, isConflict }: { readonly name: string; readonly isConflict: (error: unknown) => boolean },
  transaction: () => Promise<T>,
): Promise<T> => {
  const endMs = performance.now() + totalMs
  for (;;) {
    try {
      return await transaction()
    } catch (error) {
      if (!isConflict(error)) throw error
      if (performance.now() > endMs)
        throw new MigrationError(
          `${name} has not got its locks in ${Math.round(totalMs / 60_000)} minutes. Nothing of it was changed. End the oldest transaction of the database (pg_stat_activity, xact_start), and start again.`,
          { cause: error },
        )
      await Bun.sleep(passMs)
    }
  }
}

/** Applies the missing migrations and returns their names. Safe if several processes start concurrently. */
export const migrate = async <Tables>(db: Db<Tables>, options: MigrateOptions): Promise<string[]> => {
  const ddl = getDdl(db.engine)
  const patience = options.lockPatience ?? LOCK_PATIENCE
  const ordered = [...options.migrations].sort((a, b) => (a.name < b.name ? -1 : 1))

  const appliedTo = async (on: Kysely<Tables>): Promise<readonly Applied[]> => {
    const { rows } = await sql<Applied>`SELECT name, checksum, floor FROM migrations ORDER BY name`.execute(on)
    // One process uses a file of SQLite, so no other program works on it beside a newer one.
    return db.sql.hasOneWriter ? rows.map(({ name, checksum }) => ({ name, checksum })) : rows
  }

  /** @throws MigrationError before anything is changed that older programs would break on */
  const missingIn = async (tx: Kysely<Tables>): Promise<{ missing: Migration[]; applied: readonly Applied[] }> => {
    const applied = await appliedTo(tx)
    const missing = listPending(ordered, applied, ddl)
    if (missing.length === 0 || applied.length === 0) return { missing, applied }
    const obstacle = findObstacle(missing, { floor: computeFloor(applied), programs: await db.sql.otherPrograms(tx) })
    if (obstacle) throw new MigrationError(`${formatObstacle(obstacle)}. Stop them first.`)
    return { missing, applied }
  }

  /** Runs `work` in a transaction that no other process which migrates has at the same time. */
  const alone = <T>(name: string, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> =>
    retryWhileLocked(patience, { name, isConflict: db.sql.isLockConflict }, () =>
      db.write(async ({ db: tx }) => {
        // The type of the lock does not depend on the tables.
        await db.sql.lockNames(tx, ['migrations'])
        await db.sql.limitLockWaits(tx, patience.waitMs)
        return work(tx)
      }, LONG),
    )

  const apply = async (tx: Kysely<Tables>, migration: Migration, floor: string): Promise<string> => {
    const { name } = migration
    const texts = migration.statements(ddl)
    for (const statement of texts) await tx.executeQuery(CompiledQuery.raw(statement))
    const after = computeFloorAfter(migration, floor)
    const stored = migration.floor === undefined ? '' : after
    await sql`INSERT INTO migrations (name, checksum, applied_at, floor) VALUES (${name}, ${computeChecksum(texts)}, ${options.now().toISOString()}, ${stored})`.execute(
      tx,
    )
    return after
  }

  /** @throws MigrationError if the tables cannot be created, or another application has theirs */
  const checkSchema = async (tx: Kysely<Tables>): Promise<void> => {
    const query = async (text: string) =>
      (await tx.executeQuery<Readonly<Record<string, unknown>>>(CompiledQuery.raw(text))).rows
    const statements = ordered.flatMap((migration) => migration.statements(ddl))
    const found = await findSchemaProblem(query, db.engine, statements)
    if (found) throw new MigrationError(`${found.reason}. ${found.remedy}. Nothing was changed.`)
  }

  const first = await alone('the table of migrations', async (tx) => {
    await checkSchema(tx)
    // The type of the statements does not depend on the tables.
    await create(tx as Kysely<unknown>, ddl)
    return missingIn(tx)
  })
  const isEmpty = first.applied.length === 0
  if (first.missing.length > 0 && !isEmpty) await options.beforeUpgrade?.(first.applied.map(({ name }) => name))
  // An empty database gets all of them in one commit; others keep the migrations before a failure.
  const steps = isEmpty ? [first.missing] : first.missing.map((migration) => [migration])
  const done: string[] = []
  for (const step of steps) {
    const [{ name } = { name: '' }] = step
    const applied = await alone(name, async (tx) => {
      // Another process may have been faster, or an older program may have come.
      const now = await missingIn(tx)
      const names = new Set(now.missing.map(({ name }) => name))
      const missing = step.filter(({ name }) => names.has(name))
      let floor = computeFloor(now.applied)
      for (const migration of missing) floor = await apply(tx, migration, floor)
      return missing
    })
    done.push(...applied.map(({ name }) => name))
  }
  // Includes indexes of earlier migrations: their creation may have been interrupted. A newer program may have dropped them.
  const indexes = ordered.flatMap(({ concurrently }) => concurrently?.(ddl) ?? [])
  const known = new Set(ordered.map(({ name }) => name))
  if (first.applied.some(({ name }) => !known.has(name))) options.onNewer?.()
  else {
    // Before the indexes, which are created faster than they are changed.
    const completed = ordered.flatMap((migration) => migration.completed ?? [])
    if (completed.length > 0) await completeNameOrders(db, completed)
    if (indexes.length > 0) await db.createIndexes(indexes)
  }
  return done
}
