/** Checks before the first change that Plat can create its tables: no other application has theirs there, and the user may. */
import type { Engine } from './database.ts'

/** Returns the rows of a query without parameters. */
type Query = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** The columns of the table of migrations since the first release. */
const OWN_COLUMNS = ['name', 'checksum', 'applied_at']
const OWN_TABLES = ['migrations', 'revisions']
const MOST_NAMES = 8

const CREATES = /^\s*CREATE\s+(?:UNIQUE\s+|VIRTUAL\s+)?(?:TABLE|INDEX)\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/i

/** The names in the schema that new tables get: tables, indexes and views share them, and types must differ from tables. */
const NAMES: Readonly<Record<Engine, string>> = {
  sqlite: 'SELECT name FROM sqlite_schema',
  postgres: `SELECT c.relname AS name FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))
    UNION SELECT t.typname FROM pg_type AS t WHERE t.typnamespace = to_regnamespace(quote_ident(current_schema())) AND t.typtype IN ('d', 'e', 'r')`,
}

const MIGRATION_COLUMNS: Readonly<Record<Engine, string>> = {
  sqlite: "SELECT name FROM pragma_table_info('migrations')",
  postgres: `SELECT a.attname AS name FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relname = 'migrations' AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))
      AND a.attnum > 0 AND NOT a.attisdropped`,
}

const REMEDIES: Readonly<Record<Engine, string>> = {
  sqlite: 'Use another DATA_DIR',
  postgres:
    'Give Plat a database of its own, or a schema: CREATE SCHEMA plat, and ALTER ROLE ... SET search_path = plat',
}

/** PostgreSQL 15 and later let only the owner of a database create tables in its schema public. */
const PLACE = `SELECT current_schema() AS schema, has_schema_privilege(current_schema(), 'CREATE') AS may_create`

const loadNames = async (query: Query, sql: string): Promise<Set<string>> =>
  new Set((await query(sql)).map(({ name }) => String(name)))

/** Returns the names that the statements of migrations give to tables and indexes. */
export const listCreatedNames = (statements: readonly string[]): string[] =>
  statements.flatMap((statement) => CREATES.exec(statement)?.[1] ?? [])

export type SchemaProblem = { readonly reason: string; readonly remedy: string }

/** Returns the reason why no table can be created, whatever its name. */
const findClosedSchema = async (query: Query): Promise<SchemaProblem | undefined> => {
  const [place] = await query(PLACE)
  if (typeof place?.schema !== 'string')
    return {
      reason: 'No schema of search_path exists, or the user of DATABASE_URL may not use it',
      remedy: 'Create it: CREATE SCHEMA ... AUTHORIZATION ...',
    }
  if (place.may_create === true) return undefined
  return {
    reason: `The user of DATABASE_URL may not create tables in the schema ${place.schema}`,
    remedy: 'Make the user the owner of the database: ALTER DATABASE ... OWNER TO ...',
  }
}

/**
 * Looks at a database that may be empty, or Plat's.
 * @param statements those of all migrations
 * @returns the reason why Plat cannot create its tables, and what to do; undefined if it can, or has created them
 */
export const findSchemaProblem = async (
  query: Query,
  engine: Engine,
  statements: readonly string[],
): Promise<SchemaProblem | undefined> => {
  const columns = await loadNames(query, MIGRATION_COLUMNS[engine])
  const isOwn = OWN_COLUMNS.every((column) => columns.has(column))
  if (isOwn && (await query('SELECT 1 FROM migrations LIMIT 1')).length > 0) return undefined
  const closed = engine === 'postgres' && !isOwn ? await findClosedSchema(query) : undefined
  if (closed) return closed
  const names = await loadNames(query, NAMES[engine])
  const wanted = [...(isOwn ? [] : OWN_TABLES), ...listCreatedNames(statements)]
  const taken = [...new Set(wanted)].filter((name) => names.has(name)).sort()
  if (taken.length === 0) return undefined
  const further = taken.length > MOST_NAMES ? ` and ${taken.length - MOST_NAMES} more` : ''
  return {
    reason: `The database has tables of another application with names that Plat needs: ${taken.slice(0, MOST_NAMES).join(', ')}${further}`,
    remedy: REMEDIES[engine],
  }
}
