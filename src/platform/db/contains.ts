/** The substring filter of names: any case, `%` and `_` taken literally. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { escapeLike } from './database.ts'

/** True where the column holds `text` in any case. Lower-case columns, like `name_key`, fold every script; others ASCII alone on SQLite. */
export const containsText = (column: string, text: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) LIKE ${`%${escapeLike(text.toLowerCase())}%`} ESCAPE '\\'`
