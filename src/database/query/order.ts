/** The order of a list by one of its fields. */
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Sort } from '../../contract/fields/sort.ts'

/** The columns of the fields by which every list can be sorted. Other fields have the names of their columns. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  name: ['name_order', 'id'],
  created_at: ['created_at', 'name_order', 'id'],
  updated_at: ['updated_at', 'name_order', 'id'],
}

/**
 * Returns the query in the order of a field in place of its own. The reverse order reverses ties as well, so that one index
 * serves both.
 * @param own the columns of further fields
 */
export const orderQuery = <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { by, isReverse }: Sort,
  own: Readonly<Record<string, readonly string[]>> = {},
): SelectQueryBuilder<DB, TB, Row> => {
  const columns = own[by] ?? COLUMNS[by]
  if (!columns) throw new Error(`no list is sorted by ${by}`)
  const direction = isReverse ? 'desc' : 'asc'
  return columns.reduce(
    (ordered, column) => ordered.orderBy(sql.ref(column), direction),
    query.clearOrderBy() as SelectQueryBuilder<DB, TB, Row>,
  )
}
