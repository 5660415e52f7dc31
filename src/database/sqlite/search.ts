/** Searches words in `search_text` on SQLite with an FTS5 index of trigrams beside each table. */
import { type QueryExecutorProvider, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Word } from '../../net/words/word.ts'
import { escapeLike, type Part, type Sql } from '../database.ts'
import { SLOW } from './slow-reads.ts'

/** The number of matches that are fetched and sorted, which is faster than scanning all names. */
const SORTED_MATCHES = { least: 500, leastFound: 1500, oneOf: 70 }
/** Beyond this number, a scan of the rows in their order, without the index, may find the first ones soon. */
const MAX_MATCHES_READ_FROM_INDEX = 4000
/** The number of rows that such a scan may read. */
const SOON = 10_000
/** If at least one of this many rows matches, a scan always finds the next match soon. */
const DENSE = 4
/** Matches in a table of so many rows are counted on another thread, which takes a tenth longer. In a smaller one no request waits for 50 ms. */
const MAX_ROWS_COUNTED_IN_PLACE = 150_000
/** Shorter words have no trigram. */
const SHORTEST = 3

const isIndexed = (word: Word): boolean => word.every((spelling) => [...spelling].length >= SHORTEST)

const buildContains = (table: string, word: Word): RawBuilder<SqlBool> => {
  const text = sql.ref(`${table}.search_text`)
  const holds = word.map((spelling) => sql<SqlBool>`${text} LIKE ${`%${escapeLike(spelling)}%`} ESCAPE '\\'`)
  return sql`(${sql.join(holds, sql` OR `)})`
}

const joinConditions = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  sql`(${sql.join(conditions, sql` AND `)})`

const buildContainsAll = (table: string, words: readonly Word[]): RawBuilder<SqlBool> =>
  joinConditions(words.map((word) => buildContains(table, word)))

/** Returns the words as an expression of FTS5: every word, in any of its spellings. */
const formatMatch = (words: readonly Word[]): string =>
  words.map((word) => `(${word.map((spelling) => `"${spelling.replaceAll('"', '""')}"`).join(' OR ')})`).join(' AND ')

/** Returns the row numbers that match every indexed word; undefined without such a word. */
const buildMatches = (table: string, words: readonly Word[]): RawBuilder<{ rowid: number }> | undefined => {
  const indexed = words.filter(isIndexed)
  if (indexed.length === 0) return undefined
  const match = formatMatch(indexed)
  const index = sql.table(`${table}_search`)
  return sql`SELECT rowid FROM ${index} WHERE ${index} MATCH ${match}`
}

/** Estimates the number of rows at once; counting them takes time. */
const estimateRowCount = async (db: QueryExecutorProvider, table: string): Promise<number> => {
  const { rows } = await sql<{ size: number | null }>`SELECT max(seq) AS size FROM ${sql.table(table)}`.execute(db)
  return rows[0]?.size ?? 0
}

export const areFew: Sql['areFew'] = async (db, table, rows) => {
  const few = Math.max(SORTED_MATCHES.least, Math.floor((await estimateRowCount(db, table)) / SORTED_MATCHES.oneOf))
  return (await countRows(db, sql`${rows} LIMIT ${few + 1}`)) <= few
}

/** SQLite without statistics takes an equal column, such as an area, for more selective than a range (sqlite.org/lang_corefunc.html, 'likelihood'). */
export const selective: Sql['selective'] = (condition) => sql<SqlBool>`likelihood(${condition}, 0.0001)`

export const matchesWords: Sql['matchesWords'] = (table, words) => {
  const matches = buildMatches(table, words)
  const short = words.filter((word) => !isIndexed(word)).map((word) => buildContains(table, word))
  return joinConditions(matches ? [...short, sql`${sql.ref(`${table}.seq`)} IN (${matches})`] : short)
}

export const matchesColumns: Sql['matchesColumns'] = ({ table, columns, custom }, words, most = -1) => {
  const indexed = words.filter(isIndexed)
  if (indexed.length === 0) return undefined
  const index = sql.table(`${table}_search`)
  const searched = custom === 'searched' ? [...columns, 'custom'] : columns
  const match = `{${searched.join(' ')}} : (${formatMatch(indexed)})`
  return sql<SqlBool>`${sql.ref(`${table}.id`)} IN (SELECT id FROM ${index} WHERE ${index} MATCH ${match} LIMIT ${most})`
}

const countRows = async (db: QueryExecutorProvider, rows: RawBuilder<unknown>, mark = sql``): Promise<number> => {
  const { rows: counted } = await sql<{ n: number }>`SELECT count(*) AS n FROM (${rows}) ${mark}`.execute(db)
  return counted[0]?.n ?? 0
}

/** Like `countRows`, for any number of rows of a table. */
const countMany = async (db: QueryExecutorProvider, table: string, rows: RawBuilder<unknown>): Promise<number> =>
  countRows(db, rows, (await estimateRowCount(db, table)) < MAX_ROWS_COUNTED_IN_PLACE ? sql`` : SLOW)

export const countWords: Sql['countWords'] = async (db, table, words) => {
  const matches = buildMatches(table, words)
  // Only the index knows the number.
  if (matches && words.every(isIndexed)) return countMany(db, table, matches)
  return countMany(db, table, sql`SELECT 1 FROM ${sql.table(table)} WHERE ${matchesWords(table, words)}`)
}

type Looked = { readonly table: string; readonly condition: RawBuilder<SqlBool>; readonly wanted: number }

/** Returns true if the wanted number of matches is among the first rows. */
const comeSoon = async (db: QueryExecutorProvider, { table, condition, wanted }: Looked): Promise<boolean> => {
  const first = sql`SELECT search_text FROM ${sql.table(table)} ORDER BY name_order, id LIMIT ${SOON}`
  const found = sql`SELECT 1 FROM (${first}) AS ${sql.table(table)} WHERE ${condition} LIMIT ${wanted}`
  // The first time, each of the rows may have to be read from the disk.
  return (await countMany(db, table, found)) === wanted
}

/** The result of the index is passed on as a list, which is faster than querying it again. */
type Listed = { readonly list: string; readonly count: number }

const listMatches = async (db: QueryExecutorProvider, matches: RawBuilder<unknown>): Promise<Listed> => {
  const query = sql<Listed>`SELECT json_group_array(rowid) AS list, count(*) AS count FROM (${matches})`
  return (await query.execute(db)).rows[0] ?? { list: '[]', count: 0 }
}

export const matchesWordsInOrder: Sql['matchesWordsInOrder'] = async (
  db,
  table,
  { words, most = MAX_MATCHES_READ_FROM_INDEX },
) => {
  const matches = buildMatches(table, words)
  const byText = buildContainsAll(table, words)
  if (!matches) return { condition: async () => byText, count: undefined }
  const size = await estimateRowCount(db, table)
  const short = words.filter((word) => !isIndexed(word)).map((word) => buildContains(table, word))
  const seq = sql.ref(`${table}.seq`)
  const among = ({ list, count }: Listed): RawBuilder<SqlBool> => {
    const inside = sql<SqlBool>`${seq} IN (SELECT value FROM json_each(${list}))`
    // The sign keeps SQLite from fetching and then sorting the matches (sqlite.org/optoverview.html, 'unary +').
    return joinConditions([
      ...short,
      count > Math.max(SORTED_MATCHES.leastFound, size / SORTED_MATCHES.oneOf) ? sql<SqlBool>`+${inside}` : inside,
    ])
  }
  const first = await listMatches(db, sql`${matches} LIMIT ${most + 1}`)
  if (first.count <= most)
    return { condition: async () => among(first), count: short.length === 0 ? first.count : undefined }
  const isSoon = async ({ wanted, count }: Part): Promise<boolean> =>
    wanted === undefined ? count > size / DENSE : comeSoon(db, { table, condition: byText, wanted })
  return {
    condition: async (part) => ((await isSoon(part)) ? byText : among(await listMatches(db, matches))),
    count: undefined,
  }
}

const countUpTo = async (db: QueryExecutorProvider, rows: RawBuilder<unknown>, most: number): Promise<number> =>
  countRows(db, sql`${rows} LIMIT ${most + 1}`)

const isFrequent = async (db: QueryExecutorProvider, table: string, words: readonly Word[]): Promise<boolean> => {
  const matches = buildMatches(table, words)
  return !matches || (await countUpTo(db, matches, MAX_MATCHES_READ_FROM_INDEX)) > MAX_MATCHES_READ_FROM_INDEX
}

/**
 * SQLite reads the rows of a part by the index of areas, which has their names: with frequent words, the text of these
 * rows finds the first ones soon. The sign keeps SQLite from fetching all matches of the whole table
 * (sqlite.org/optoverview.html, 'unary +').
 */
export const inPart: Sql['inPart'] = {
  matchesWordsInOrder: async (db, table, { words }) => {
    const isRead = await isFrequent(db, table, words)
    return {
      condition: async ({ wanted }) =>
        isRead && wanted !== undefined ? buildContainsAll(table, words) : matchesWords(table, words),
      count: undefined,
    }
  },
  countWords: async (db, table, words) => {
    const rows = sql`SELECT 1 FROM ${sql.table(table)}`
    const conditionOfMany = async (): Promise<RawBuilder<SqlBool>> => {
      const matches = words.every(isIndexed) ? buildMatches(table, words) : undefined
      if (!matches || (await countUpTo(db, rows, MAX_MATCHES_READ_FROM_INDEX)) <= MAX_MATCHES_READ_FROM_INDEX)
        return buildContainsAll(table, words)
      return sql<SqlBool>`+${sql.ref(`${table}.seq`)} IN (${matches})`
    }
    const areMany = await isFrequent(db, table, words)
    return countMany(db, table, sql`${rows} WHERE ${areMany ? await conditionOfMany() : matchesWords(table, words)}`)
  },
}
