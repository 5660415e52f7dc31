/** PostgreSQL as source or target of a copy: one connection for the lifetime of the adapter. */
import { SQL } from 'bun'
import { AppError } from '../../contract/errors.ts'
import { getDdl, migrate, UNFINISHED_COPY } from '../../database/migrate.ts'
import { migrations } from '../../database/migrations/index.ts'
import { PROGRAM } from '../../database/migrations/program.ts'
import { formatProgramName } from '../../database/postgres/connections/program-name.ts'
import { DEFAULT_LIMITS } from '../../database/postgres/connections/settings.ts'
import { openPostgres } from '../../database/postgres/postgres.ts'
import { quoteName } from '../../database/query/quoted.ts'
import type { AppliedMigration } from '../../database/sqlite/file.ts'
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
import {
  buildColumn,
  buildTable,
  type Cell,
  copyLines,
  getKeyColumns,
  parseCell,
  type Row,
  type Table,
} from './form.ts'
import { type Connection, connect, formatPlace, refuseServers, runInTransaction } from './postgres-connection.ts'

const words: Words = {
  read: ({ name, kind }) => (kind === 'bytes' ? `encode(${quoteName(name)}, 'hex')` : `${quoteName(name)}::text`),
  parameter: (n, { kind, type }) => (kind === 'bytes' ? `decode($${n}::text, 'hex')` : `$${n}::text::${type}`),
}

/** Excludes concurrent copies: the number of all locks of Plat, and the one of this lock. */
const COPY_LOCK = `${0x504c4154}, 1000000`

/** Tables of extensions are not copied. */
const TABLES = `
  FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')`

const listTableNames = async ({ run }: Connection): Promise<string[]> =>
  (await run(`SELECT c.relname AS name ${TABLES} ORDER BY c.relname`)).map(({ name }) => String(name)).filter(isCopied)

const COLUMNS = `
  SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, array_position(x.indkey::int2[], a.attnum) AS key
  FROM pg_attribute a LEFT JOIN pg_index x ON x.indrelid = a.attrelid AND x.indisprimary
  WHERE a.attrelid = $1::text::regclass AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum`

const loadTable = async ({ run }: Connection, table: string): Promise<Table> => {
  const columns = await run(COLUMNS, [quoteName(table)])
  const key = columns.filter((column) => column.key !== null).sort((a, b) => Number(a.key) - Number(b.key))
  return buildTable(
    table,
    columns.map(({ name, type }) => buildColumn(table, String(name), String(type))),
    key.map(({ name }) => String(name)),
  )
}

const loadApplied = async ({ run }: Connection): Promise<AppliedMigration[]> => {
  const [row] = await run("SELECT to_regclass('migrations') IS NOT NULL AS is_there")
  if (row?.is_there !== true) return []
  const rows = await run('SELECT name, checksum FROM migrations ORDER BY name')
  return rows.map(({ name, checksum }) => ({ name: String(name), checksum: String(checksum) }))
}

const createSide = (connection: Connection, place: string): Side => {
  const { sql, run } = connection
  const read = async (statement: string, values: Row, columns: Table['columns']): Promise<Row[]> => {
    // Every column was selected as text.
    const rows: Cell[][] = await sql.unsafe(statement, [...values]).values()
    return rows.map((row) => row.map((cell, at) => parseCell(cell, columns[at]?.kind ?? 'text')))
  }
  return {
    engine: 'postgres',
    place,
    tableNames: () => listTableNames(connection),
    tables: async () => {
      const tables: Table[] = []
      for (const name of await listTableNames(connection)) tables.push(await loadTable(connection, name))
      return tables
    },
    applied: () => loadApplied(connection),
    count: async ({ name }) => Number((await run(`SELECT count(*)::text AS n FROM ${quoteName(name)}`))[0]?.n ?? 0),
    rows: (table, range, most) =>
      read(buildPageSql(table, range, { most, words }), [range.after ?? [], range.upTo ?? []].flat(), table.columns),
    lastKey: async (table) => (await read(buildLastKeySql(table, words), [], getKeyColumns(table)))[0],
    query: run,
    close: connection.close,
  }
}

/** Connects for the lifetime of the adapter that `open` makes. */
const withConnection = async <S extends Side>(
  url: string,
  open: (connection: Connection, place: string) => Promise<S>,
): Promise<S> => {
  const connection = await connect(url)
  const place = formatPlace(url)
  try {
    await refuseServers(connection, place)
    return await open(connection, place)
  } catch (error) {
    await connection.close()
    throw error
  }
}

export const openPostgresSource = (url: string): Promise<Source> =>
  withConnection(url, async (connection, place) => {
    await connection.run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    // The snapshot is that of the first statement.
    await connection.run('SELECT 1')
    return { ...createSide(connection, place), warning: `Writes to ${place} from now on are not copied` }
  })

/** Indexes except key indexes, then references, then triggers: the order of their restoration. */
const PARTS = `
  SELECT 1 AS turn, format('DROP INDEX %I', i.relname) AS loosen, pg_get_indexdef(i.oid) AS fasten
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
  WHERE i.relnamespace = current_schema()::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.oid)
  UNION ALL
  SELECT 2, format('ALTER TABLE %I DROP CONSTRAINT %I', t.relname, c.conname),
         format('ALTER TABLE %I ADD CONSTRAINT %I %s', t.relname, c.conname, pg_get_constraintdef(c.oid))
  FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
  WHERE c.contype = 'f' AND t.relnamespace = current_schema()::regnamespace
  UNION ALL
  SELECT 3, format('DROP TRIGGER %I ON %I', g.tgname, t.relname), pg_get_triggerdef(g.oid)
  FROM pg_trigger g JOIN pg_class t ON t.oid = g.tgrelid
  WHERE NOT g.tgisinternal AND t.relnamespace = current_schema()::regnamespace
  ORDER BY turn, fasten`

/** One statement, because one per part would take hundreds of round trips. */
const LOOSEN = `
  CREATE TABLE IF NOT EXISTS ${LOOSE_PARTS} (
    id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, turn INTEGER NOT NULL, loosen TEXT, fasten TEXT NOT NULL
  );
  INSERT INTO ${LOOSE_PARTS} (turn, loosen, fasten) ${PARTS};
  DO $$
  DECLARE part record;
  BEGIN
    FOR part IN SELECT loosen FROM ${LOOSE_PARTS} WHERE loosen IS NOT NULL ORDER BY turn DESC, id LOOP
      EXECUTE part.loosen;
    END LOOP;
  END $$;
  UPDATE ${LOOSE_PARTS} SET loosen = NULL`

/** Sequences continue after the existing numbers. */
const SEQUENCES = `
  SELECT c.relname AS "table", a.attname AS name
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> '' AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`

const advanceSequences = async ({ run }: Connection): Promise<void> => {
  for (const { table, name } of await run(SEQUENCES)) {
    const [tableName, column] = [quoteName(String(table)), quoteName(String(name))]
    await run(
      `SELECT setval(pg_get_serial_sequence($1, $2), coalesce(max(${column}), 1), max(${column}) IS NOT NULL) FROM ${tableName}`,
      [tableName, name],
    )
  }
}

/** Sets the revisions by the time, so that an ETag of an earlier PostgreSQL of this data is never current. */
const advanceRevisions = async ({ run }: Connection, tables: readonly Table[]): Promise<void> => {
  await run('TRUNCATE revisions')
  await run(
    'INSERT INTO revisions (name, shard, n) SELECT name, 0, $2::text::bigint FROM json_array_elements_text($1::text::json) AS tables (name)',
    [JSON.stringify(tables.map(({ name }) => name)), String(Date.now())],
  )
}

/** Returns the names of the functions that migrations create. */
const listFunctionNames = (): string[] => {
  const statements = migrations.flatMap((migration) => migration.statements(getDdl('postgres')))
  const found = statements.flatMap((statement) => [...statement.matchAll(/^CREATE (?:OR REPLACE )?FUNCTION (\w+)\(/gm)])
  return [...new Set(found.flatMap(([, name]) => name ?? []))]
}

/** Drops the functions of Plat in a database without tables. A wipe leaves them, and they would end the migration. */
const dropFunctions = async (connection: Connection): Promise<void> => {
  if ((await loadApplied(connection)).length > 0) return
  await connection.run(`DROP FUNCTION IF EXISTS ${listFunctionNames().map(quoteName).join(', ')}`)
}

const copyIn = async ({ sql }: Connection, table: Table, rows: readonly Row[]): Promise<void> => {
  const lines = copyLines(table, rows)
  const columns = table.columns.map(({ name }) => quoteName(name)).join(', ')
  const writer = sql
    .unsafe(`COPY ${quoteName(table.name)} (${columns}) FROM STDIN`)
    .writable()
    .getWriter()
  try {
    await writer.write(lines)
    await writer.close()
  } catch (cause) {
    // The server names the rejected line.
    const where = cause instanceof SQL.PostgresError && cause.where !== undefined ? ` (${cause.where})` : ''
    throw new AppError('INTERNAL_ERROR', `${table.name}: ${cause instanceof Error ? cause.message : cause}${where}`, {
      cause,
    })
  }
}

const createTarget = (connection: Connection, url: string): Target => {
  const { sql, run } = connection
  const together = runInTransaction(connection)
  const side = createSide(connection, formatPlace(url))
  return {
    ...side,
    prepare: async () => {
      await dropFunctions(connection)
      const db = openPostgres(url, DEFAULT_LIMITS, { name: formatProgramName(PROGRAM) })
      await migrate(db, { migrations, now: () => new Date() }).finally(db.close)
    },
    loosen: () =>
      together(async () => {
        await run(
          "INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, '', $2) ON CONFLICT (name) DO NOTHING",
          [UNFINISHED_COPY, new Date().toISOString()],
        )
        await sql.unsafe(LOOSEN).simple()
      }),
    clear: async ({ name }) => {
      await run(`TRUNCATE ${quoteName(name)}`)
    },
    insert: (table, rows) => copyIn(connection, table, rows),
    looseParts: async () => {
      const parts = await run(`SELECT id, fasten FROM ${LOOSE_PARTS} ORDER BY turn, id`)
      return parts.map(({ id, fasten }) => ({ id: Number(id), fasten: String(fasten) }))
    },
    fasten: async ({ id, fasten }) => {
      // Several statements in one message are one transaction.
      await sql.unsafe(`${fasten}; DELETE FROM ${LOOSE_PARTS} WHERE id = ${id}`).simple()
    },
    settle: async (tables) => {
      await advanceSequences(connection)
      await advanceRevisions(connection, tables)
      // The first queries would otherwise use plans for empty tables.
      await run('ANALYZE')
    },
    finish: () =>
      together(async () => {
        await run('SET LOCAL synchronous_commit = on')
        await run(`DROP TABLE ${LOOSE_PARTS}`)
        await run('DELETE FROM migrations WHERE name = $1', [UNFINISHED_COPY])
      }),
    wipe: async () => {
      const names = ['migrations', 'revisions', LOOSE_PARTS, ...(await side.tableNames())]
      await run(`DROP TABLE IF EXISTS ${names.map(quoteName).join(', ')} CASCADE`)
    },
  }
}

/** @throws AppError for a database with another encoding, or with a copy in progress */
export const openPostgresTarget = (url: string): Promise<Target> =>
  withConnection(url, async (connection, place) => {
    const [server] = await connection.run("SELECT current_setting('server_encoding') AS encoding")
    if (server?.encoding !== 'UTF8')
      throw new AppError(
        'INVALID_INPUT',
        `${place} stores text as ${server?.encoding}: make a database with ENCODING UTF8`,
      )
    const [lock] = await connection.run(`SELECT pg_try_advisory_lock(${COPY_LOCK}) AS is_ours`)
    if (lock?.is_ours !== true) throw new AppError('UNAVAILABLE', `Another copy to ${place} is under way`)
    // A crash of the server may lose the last batches, which are then copied again.
    await connection.run('SET synchronous_commit = off')
    return createTarget(connection, url)
  })
