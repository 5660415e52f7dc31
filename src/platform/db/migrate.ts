/** Migrates a database: numbered migrations, each in one transaction, never edited after release. */
import { CompiledQuery, type Kysely, sql } from 'kysely'
import type { Db, Engine } from './database.ts'
import { asLetters } from './postgres/search.ts'

/** The parts of DDL that differ between the engines. */
export type Ddl = {
  readonly engine: Engine
  /** A text type that sorts and compares byte by byte. */
  readonly text: string
  /** An integer key that the engine assigns. */
  readonly serial: string
  readonly bigint: string
  /** The statements that keep `table.search_text` (key `seq`) searchable by substring. */
  readonly substringIndex: (table: string) => readonly string[]
  /** The statements that extend the index of a table to substrings across dots and dashes, if it lacked them. */
  readonly substringIndexAcross: (table: string) => readonly string[]
}

export type Migration = {
  /** `0001-inventory`; sorted by it. */
  readonly name: string
  readonly statements: (ddl: Ddl) => readonly string[]
}

const sqliteDdl: Ddl = {
  engine: 'sqlite',
  text: 'TEXT',
  serial: 'INTEGER PRIMARY KEY',
  bigint: 'INTEGER',
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
}

const postgresDdl: Ddl = {
  engine: 'postgres',
  text: 'TEXT COLLATE "C"',
  serial: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  bigint: 'BIGINT',
  substringIndex: (table) => [
    'CREATE EXTENSION IF NOT EXISTS pg_trgm',
    `CREATE INDEX ${table}_search ON ${table} USING gin (search_text gin_trgm_ops)`,
  ],
  substringIndexAcross: (table) => [
    `DROP INDEX ${table}_search`,
    `CREATE INDEX ${table}_search ON ${table} USING gin (${asLetters('search_text')} gin_trgm_ops)`,
  ],
}

export const ddlFor = (engine: Engine): Ddl => (engine === 'sqlite' ? sqliteDdl : postgresDdl)

type MigrationTables = { migrations: { name: string; checksum: string; applied_at: string } }

const checksum = (statements: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(statements.join(';\n')).digest('hex')

/** A database that this program must not change. The message has the reason and the remedy. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** Recorded as a migration of a database whose copy is unfinished, so that older programs reject it too. */
export const UNFINISHED_COPY = 'copy-not-finished'

/** The copy may be incomplete, so it must not be used. */
export class UnfinishedCopyError extends MigrationError {
  constructor() {
    super(
      'This database is an unfinished copy: plat database copy was interrupted, or found differences from the source. Run the same command again to resume it, or with --restart to start again. The source is unchanged.',
    )
  }
}

type Applied = readonly { readonly name: string; readonly checksum: string }[]

/** The missing migrations. @throws MigrationError if the database is newer, or a released migration changed */
export const pendingOf = (migrations: readonly Migration[], applied: Applied, ddl: Ddl): Migration[] => {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  if (applied.some(({ name }) => name === UNFINISHED_COPY)) throw new UnfinishedCopyError()
  for (const { name, checksum: stored } of applied) {
    const migration = known.get(name)
    if (!migration)
      throw new MigrationError(
        `The database was written by a newer Plat: it has the migration ${name}, which this version doesn't know. Use that version or a newer one.`,
      )
    if (checksum(migration.statements(ddl)) !== stored)
      throw new MigrationError(
        `The migration ${name} is not the one that made this database. Use the release that made it, or restore a backup.`,
      )
  }
  const done = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !done.has(name))
}

/** Without a time limit, also for waiting for another process that migrates. */
const LONG = { exclusive: true }

export type MigrateOptions = {
  readonly migrations: readonly Migration[]
  readonly now: () => Date
  /** Called once before the first change to a database with content. */
  readonly beforeUpgrade?: (applied: readonly string[]) => Promise<void>
}

/** Applies the missing migrations and returns their names. Safe if several processes start concurrently. */
export const migrate = async <Tables>(db: Db<Tables>, options: MigrateOptions): Promise<string[]> => {
  const ddl = ddlFor(db.engine)
  const ordered = [...options.migrations].sort((a, b) => (a.name < b.name ? -1 : 1))
  await db.write(async ({ db: tx }) => {
    // The type of the lock does not depend on the tables.
    await db.sql.lockNames(tx, ['migrations'])
    await sql
      .raw(
        `CREATE TABLE IF NOT EXISTS migrations (name ${ddl.text} PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL)`,
      )
      .execute(tx)
    await sql
      .raw(
        `CREATE TABLE IF NOT EXISTS revisions (name ${ddl.text} NOT NULL, shard INTEGER NOT NULL, n ${ddl.bigint} NOT NULL, PRIMARY KEY (name, shard))`,
      )
      .execute(tx)
  }, LONG)
  const appliedTo = async (on: Kysely<Tables>): Promise<Applied> =>
    (await sql<MigrationTables['migrations']>`SELECT name, checksum FROM migrations ORDER BY name`.execute(on)).rows

  const apply = async (tx: Kysely<Tables>, { name, statements }: Migration): Promise<void> => {
    const texts = statements(ddl)
    for (const statement of texts) await tx.executeQuery(CompiledQuery.raw(statement))
    await sql`INSERT INTO migrations (name, checksum, applied_at) VALUES (${name}, ${checksum(texts)}, ${options.now().toISOString()})`.execute(
      tx,
    )
  }

  const applied = await appliedTo(db.read)
  const pending = pendingOf(ordered, applied, ddl)
  const isEmpty = applied.length === 0
  if (pending.length > 0 && !isEmpty) await options.beforeUpgrade?.(applied.map(({ name }) => name))
  // An empty database gets all of them in one commit; others keep the migrations before a failure.
  const steps = isEmpty ? [pending] : pending.map((migration) => [migration])
  const done: string[] = []
  for (const step of steps) {
    const missing = await db.write(async ({ db: tx }) => {
      // The type of the lock does not depend on the tables.
      await db.sql.lockNames(tx, ['migrations'])
      // Another process may have been faster.
      const taken = new Set((await appliedTo(tx)).map(({ name }) => name))
      const missing = step.filter(({ name }) => !taken.has(name))
      for (const migration of missing) await apply(tx, migration)
      return missing
    }, LONG)
    done.push(...missing.map(({ name }) => name))
  }
  return done
}
