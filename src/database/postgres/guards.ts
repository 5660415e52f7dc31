/** Guards on PostgreSQL: a statement divides by a condition, so that it fails if that is false. */
import { SQL } from 'bun'
import type { Guard, Sql } from '../database.ts'
import { splitRevision, TIMELINE } from './standbys/timeline.ts'

/** No other statement divides. */
const DIVISION_BY_ZERO = '22012'

/** Counts a commit for each table that it has written. */
export const buildCountSql = (names: string, shard: string): string =>
  `INSERT INTO revisions (name, shard, n) SELECT name, ${shard}, 1 FROM unnest(string_to_array(${names}, ',')) AS names (name) ` +
  'ON CONFLICT (name, shard) DO UPDATE SET n = revisions.n + 1'

export const isGuardFailure = (error: unknown): boolean =>
  error instanceof SQL.PostgresError && error.errno === DIVISION_BY_ZERO

/** The condition only determines whether the statement fails. A division by a constant would fail in the planner. */
const unless = (condition: string, value: string): string => `${value} / (${condition})::int4`

export const guardAlone = (condition: string): string => `SELECT ${unless(condition, '1')}`

/** Returns one guard that demands what all do. @param guards at least one */
export const joinGuards = (guards: readonly Guard[]): Guard =>
  guards.reduce((all, { tables, condition, values }) => ({
    tables: [...all.tables, ...tables],
    condition: `${all.condition} AND ${condition.replaceAll(/\$(\d+)/g, (_, n) => `$${Number(n) + all.values.length}`)}`,
    values: [...all.values, ...values],
  }))

const counts = new Map<string, string>()

/** Like `buildCountSql`, with the names and the shard after the values of the guard. */
export const countGuarded = ({ condition, values }: Guard): string => {
  const known = counts.get(condition)
  if (known !== undefined) return known
  const at = values.length
  const text = buildCountSql(`$${at + 1}`, unless(condition, `$${at + 2}::int4`))
  counts.set(condition, text)
  return text
}

/** Names of tables and columns are the program's own. */
export const guard: NonNullable<Sql['guard']> = ({ rows, tables, revision }) => {
  const values: (string | number)[] = []
  const place = (value: string | number): string => `$${values.push(value)}`
  const conditions = rows.map(({ table, where }) => {
    const columns = Object.entries(where).map(([column, value]) =>
      value === null ? `${column} IS NULL` : `${column} = ${place(value)}`,
    )
    return `EXISTS (SELECT 1 FROM ${table} WHERE ${columns.join(' AND ')})`
  })
  if (tables.length > 0) {
    const { timeline, counts } = splitRevision(revision)
    if (timeline !== '') conditions.push(`${TIMELINE} = ${place(timeline)}`)
    // The counters only rise, so they are equal if their sum is.
    const sum = counts.split('.').reduce((total, count) => total + Number(count), 0)
    const names = tables.map((table) => `'${table}'`).join(', ')
    conditions.push(`(SELECT coalesce(sum(n), 0)::int8 FROM revisions WHERE name IN (${names})) = ${place(sum)}::int8`)
  }
  return { tables: [...tables, ...rows.map(({ table }) => table)], condition: conditions.join(' AND '), values }
}
