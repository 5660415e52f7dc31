/** Words in `search_text` on SQLite: an FTS5 index of trigrams beside each table that is searched. */
import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike, type Part, type Sql } from '../database.ts'

/** So many rows are fetched and put in order, and in large tables one of so many: as long as that takes to look at all names. */
const FEW = { least: 500, leastFound: 1500, oneOf: 70 }
/** Of more matches the first may come soon when the rows are looked at in their order, without the index. */
const MANY = 4000
/** Soon is within so many rows. */
const SOON = 10_000
/** Where at least one of so many rows is a match, there is always a next one soon. */
const DENSE = 4
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

/** About how many rows there are; at once, which counting them is not. */
const sizeOf = async (db: QueryExecutorProvider, table: string): Promise<number> => {
  const { rows } = await sql<{ size: number | null }>`SELECT max(seq) AS size FROM ${sql.table(table)}`.execute(db)
  return rows[0]?.size ?? 0
}

export const areFew: Sql['areFew'] = async (db, table, rows) => {
  const few = Math.max(FEW.least, Math.floor((await sizeOf(db, table)) / FEW.oneOf))
  return (await countOf(db, sql`${rows} LIMIT ${few + 1}`)) <= few
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

type Looked = { readonly table: string; readonly condition: RawBuilder<SqlBool>; readonly wanted: number }

/** Whether as many as are wanted are among the first rows there are. */
const comeSoon = async (db: QueryExecutorProvider, { table, condition, wanted }: Looked): Promise<boolean> => {
  const first = sql`SELECT search_text FROM ${sql.table(table)} ORDER BY name_key, id LIMIT ${SOON}`
  const found = sql`SELECT 1 FROM (${first}) AS ${sql.table(table)} WHERE ${condition} LIMIT ${wanted}`
  return (await countOf(db, found)) === wanted
}

/** What the index says goes on as a list, which costs less than to ask it again. */
type Listed = { readonly list: string; readonly count: number }

const listOf = async (db: QueryExecutorProvider, matches: RawBuilder<unknown>): Promise<Listed> => {
  const query = sql<Listed>`SELECT json_group_array(rowid) AS list, count(*) AS count FROM (${matches})`
  return (await query.execute(db)).rows[0] ?? { list: '[]', count: 0 }
}

export const matchesWordsInOrder: Sql['matchesWordsInOrder'] = async (db, table, { words, most = MANY }) => {
  const matches = matchesOf(table, words)
  const byText = all(words.map((word) => holds(table, word)))
  if (!matches) return { condition: async () => byText, count: undefined }
  const size = await sizeOf(db, table)
  const short = words.filter((word) => !isIndexed(word)).map((word) => holds(table, word))
  const seq = sql.ref(`${table}.seq`)
  const among = ({ list, count }: Listed): RawBuilder<SqlBool> => {
    const inside = sql<SqlBool>`${seq} IN (SELECT value FROM json_each(${list}))`
    // The sign keeps SQLite from fetching the matches first and sorting them then (sqlite.org/optoverview.html, 'unary +').
    return all([...short, count > Math.max(FEW.leastFound, size / FEW.oneOf) ? sql<SqlBool>`+${inside}` : inside])
  }
  const first = await listOf(db, sql`${matches} LIMIT ${most + 1}`)
  if (first.count <= most)
    return { condition: async () => among(first), count: short.length === 0 ? first.count : undefined }
  const isSoon = async ({ wanted, count }: Part): Promise<boolean> =>
    wanted === undefined ? count > size / DENSE : comeSoon(db, { table, condition: byText, wanted })
  return {
    condition: async (part) => ((await isSoon(part)) ? byText : among(await listOf(db, matches))),
    count: undefined,
  }
}
