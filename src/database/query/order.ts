/** The order of a list by one of its fields. */
import type { SelectQueryBuilder, StringReference } from 'kysely'
import type { Sort } from '../../contract/fields/sort.ts'

/** The columns of the name, and the times, by which every list can be sorted. */
const BY_NAME: readonly string[] = ['name_order', 'id']
const TIMES: readonly string[] = ['created_at', 'updated_at']

/**
 * Returns the query in the order of a field in place of its own. The reverse order reverses ties as well, so that one index
 * serves both.
 * @param own the columns of further fields; those of `name` also order objects of equal times
 */
export const orderQuery = <DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { by, isReverse }: Sort,
  own: Readonly<Record<string, readonly string[]>> = {},
): SelectQueryBuilder<DB, TB, Row> => {
  const { name = BY_NAME } = own
  const usual = by === 'name' ? name : TIMES.includes(by) ? [by, ...name] : undefined
  const columns = own[by] ?? usual
  if (!columns) throw new Error(`no list is sorted by ${by}`)
  const direction = isReverse ? 'desc' : 'asc'
  return columns.reduce(
    // The names are those of columns of the query. A reference, not raw SQL, lets SQLite read the past in the order of an index.
    (ordered, column) => ordered.orderBy(({ ref }) => ref(column as StringReference<DB, TB>), direction),
    query.clearOrderBy() as SelectQueryBuilder<DB, TB, Row>,
  )
}
