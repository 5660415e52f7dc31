/** The filters of names by a part of them: case-insensitive, with `%` and `_` taken literally. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { SEPARATOR, toNameKey } from '../../net/name-order.ts'
import { escapeLike } from '../database.ts'

/** True if the column contains `text` in any case: of every script with lower-case columns like `name_key`. */
export const containsText = (column: string, text: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) LIKE ${`%${escapeLike(toNameKey(text))}%`} ESCAPE '\\'`

/** True if the name of a collation key contains `text`, or begins with it. An index of the collation key has all that this needs. */
export const matchName = (orderColumn: string, text: string, where: 'anywhere' | 'first'): Expression<SqlBool> => {
  const pattern = `%${SEPARATOR}${where === 'first' ? '' : '%'}${escapeLike(toNameKey(text))}%`
  return sql<SqlBool>`${sql.ref(orderColumn)} LIKE ${pattern} ESCAPE '\\'`
}
