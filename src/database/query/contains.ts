/** The substring filter of names: case-insensitive, with `%` and `_` taken literally. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { toNameKey } from '../../net/name-order.ts'
import { escapeLike } from '../database.ts'

/** True if the column contains `text` in any case: of every script with lower-case columns like `name_key`. */
export const containsText = (column: string, text: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) LIKE ${`%${escapeLike(toNameKey(text))}%`} ESCAPE '\\'`
