/** The objects below others in the tree of their resource, such as the rooms of a datacenter. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type CacheScope, getCachedList } from '../cache/query-cache.ts'

type Tree<Tables> = {
  /** The table, with a column `parent_id`. */
  readonly table: keyof Tables & string
  readonly id: string
}

/**
 * Returns the ids of an object and of all objects below it. The first is its own, also if the caller does not see the object.
 * @example await findBelow(ctx, { table: 'datacenters', id: region })
 */
export const findBelow = <Tables>(scope: CacheScope<Tables>, { table, id }: Tree<Tables>): Promise<string[]> =>
  getCachedList(scope, table, `below ${id}`, async () => {
    // UNION drops rows that are there already.
    const { rows } = await sql<{ id: string }>`WITH RECURSIVE below (id) AS (
      SELECT id FROM ${sql.table(table)} WHERE parent_id = ${id}
      UNION SELECT o.id FROM ${sql.table(table)} AS o JOIN below ON o.parent_id = below.id
    ) SELECT id FROM below`.execute(scope.db)
    return [id, ...rows.flatMap((row) => (row.id === id ? [] : row.id))]
  })

/** Returns the ids of the objects above an object, the nearest first. */
export const findAbove = <Tables>(scope: CacheScope<Tables>, { table, id }: Tree<Tables>): Promise<string[]> =>
  getCachedList(scope, table, `above ${id}`, async () => {
    const { rows } = await sql<{ id: string }>`WITH RECURSIVE above (id, step) AS (
      SELECT parent_id, 1 FROM ${sql.table(table)} WHERE id = ${id} AND parent_id IS NOT NULL
      UNION SELECT o.parent_id, step + 1 FROM ${sql.table(table)} AS o JOIN above ON o.id = above.id
      WHERE o.parent_id IS NOT NULL AND step < ${MAX_LEVELS}
    ) SELECT id FROM above ORDER BY step`.execute(scope.db)
    return rows.map((row) => row.id)
  })

/** Returns the number of levels that begin with an object; one more than a tree may have if there are more. */
export const countLevels = async <Tables>({ db }: CacheScope<Tables>, { table, id }: Tree<Tables>): Promise<number> => {
  const { rows } = await sql<{ levels: number | null }>`WITH RECURSIVE below (id, level) AS (
    SELECT id, 2 FROM ${sql.table(table)} WHERE parent_id = ${id}
    UNION SELECT o.id, level + 1 FROM ${sql.table(table)} AS o JOIN below ON o.parent_id = below.id
    WHERE level <= ${MAX_LEVELS}
  ) SELECT max(level) AS levels FROM below`.execute(db)
  return rows[0]?.levels ?? 1
}

/** The number of levels of a tree. */
export const MAX_LEVELS = 20

/** The characters of ids, none of which ends a text of SQL. */
const ID = /^[A-Za-z0-9._-]+$/

/** Returns a list of ids for `IN`. Hundreds of parameters would take longer than the query. */
export const listIds = (ids: readonly string[]): RawBuilder<unknown> =>
  ids.every((id) => ID.test(id)) ? sql.raw(ids.map((id) => `'${id}'`).join(', ')) : sql.join(ids)

/**
 * Returns the condition that a column holds one of the ids.
 * @param column with its table, such as `devices.datacenter_id`
 */
export const isOneOf = (column: string, ids: readonly string[]): RawBuilder<SqlBool> =>
  ids.length === 1
    ? sql<SqlBool>`${sql.ref(column)} = ${ids[0]}`
    : sql<SqlBool>`${sql.ref(column)} IN (${listIds(ids)})`
