/** Words in `search_text` on SQLite: an FTS5 index of trigrams beside each table that is searched. */
import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike, type Sql } from './database.ts'

/** So many matches are fetched and put in order. */
const FEW = 1500
/** Beyond so many, the rows are met soon enough when all are looked at in their order, without the index. */
const MANY = 4000
/** Shorter words have no trigram. */
const SHORTEST = 3

const isIndexed = (word: string): boolean => [...word].length >= SHORTEST

const holds = (table: string, word: string): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${table}.search_text`)} LIKE ${`%${escapeLike(word)}%`} ESCAPE '\\'`

const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql`(${sql.join(conditions, sql` AND `)})`

/** The row numbers of what holds every indexed word; undefined without one. */
const matchesOf = (table: string, words: readonly string[]): RawBuilder<{ rowid: number }> | undefined => {
  const indexed = words.filter(isIndexed)
  if (indexed.length === 0) return undefined
  const match = indexed.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ')
  const index = sql.table(`${table}_search`)
  return sql`SELECT rowid FROM ${index} WHERE ${index} MATCH ${match}`
}

export const matchesWords: Sql['matchesWords'] = (table, words) => {
  const matches = matchesOf(table, words)
  const short = words.filter((word) => !isIndexed(word)).map((word) => holds(table, word))
  return all(matches ? [...short, sql`${sql.ref(`${table}.seq`)} IN (${matches})`] : short)
}

const countOf = async (db: QueryExecutorProvider, rows: RawBuilder<unknown>): Promise<number> => {
  const { rows: counted } = await sql<{ n: number }>`SELECT count(*) AS n FROM (${rows})`.execute(db)
  return counted[0]?.n ?? 0
}

export const countWords: Sql['countWords'] = async (db, table, words) => {
  const matches = matchesOf(table, words)
  // The index alone knows the number.
  if (matches && words.every(isIndexed)) return countOf(db, matches)
  return countOf(db, sql`SELECT 1 FROM ${sql.table(table)} WHERE ${matchesWords(table, words)}`)
}

export const matchesWordsInOrder: Sql['matchesWordsInOrder'] = async (db, table, words) => {
  const matches = matchesOf(table, words)
  const byText = () => all(words.map((word) => holds(table, word)))
  if (!matches) return { condition: byText(), count: undefined }
  const { rows } = await sql<{ rowid: number }>`${matches} LIMIT ${MANY + 1}`.execute(db)
  if (rows.length > MANY) return { condition: byText(), count: undefined }
  // The index has been asked; what it said goes on as a list, which costs less than to ask it again.
  const found = sql`(SELECT value FROM json_each(${JSON.stringify(rows.map(({ rowid }) => rowid))}))`
  const seq = sql.ref(`${table}.seq`)
  // The sign keeps SQLite from fetching the matches first and sorting them then (sqlite.org/optoverview.html, 'unary +').
  const inside = rows.length > FEW ? sql<SqlBool>`+${seq} IN ${found}` : sql<SqlBool>`${seq} IN ${found}`
  const short = words.filter((word) => !isIndexed(word)).map((word) => holds(table, word))
  return { condition: all([...short, inside]), count: short.length === 0 ? rows.length : undefined }
}
