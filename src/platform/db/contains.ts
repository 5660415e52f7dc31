/** The substring filter of names: case-insensitive, with `%` and `_` taken literally. */
import { type Expression, type SqlBool, sql } from 'kysely'
import { escapeLike } from './database.ts'

/**
 * Returns true if the column contains `text` in any case. Lower-case columns, like `name_key`, fold every script;
 * others fold ASCII alone on SQLite.
 */
export const containsText = (column: string, text: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) LIKE ${`%${escapeLike(text.toLowerCase())}%`} ESCAPE '\\'`
