/**
 * Words in `search_text` on PostgreSQL: an index of trigrams, which knows none that goes across a dot (pg_trgm takes only those of
 * letters and digits). So what separates the parts of addresses and names stands in it as a letter.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike, type Sql } from '../database.ts'

/** What separates, and the letter that stands for it: seldom in English, and a letter in every locale. */
const LETTERS = { '.': 'q', ':': 'x', '-': 'z' } as const
const SEPARATOR = /[.:-]/g
/** A word with one of these may be found where another one stands. */
const AMBIGUOUS = /[.:\-qxz]/
const TRIGRAM = 3

/** What is in the index, as SQL (`translate` would take five times as long). Part of a migration: it stays as it is. */
export const asLetters = (column: string): string =>
  Object.entries(LETTERS).reduce((text, [separator, letter]) => `replace(${text}, '${separator}', '${letter}')`, column)

const lettersOf = (word: string): string =>
  word.replace(SEPARATOR, (separator) => LETTERS[separator as keyof typeof LETTERS])

const like = (text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> =>
  sql`${text} LIKE ${`%${escapeLike(part)}%`} ESCAPE '\\'`

export const matchesWords: Sql['matchesWords'] = (table, words) => {
  const text = sql.ref(`${table}.search_text`)
  // Of a table that we name ourselves.
  const letters = sql.raw(asLetters(`"${table}"."search_text"`))
  const conditions = words.flatMap((word) => {
    // There is no trigram of fewer letters, and to look at the text itself is half the work.
    if ([...word].length < TRIGRAM) return [like(text, word)]
    const found = like(letters, lettersOf(word))
    return AMBIGUOUS.test(word) ? [found, like(text, word)] : [found]
  })
  return sql`(${sql.join(conditions, sql` AND `)})`
}

/** The planner knows how many there are. */
export const matchesWordsInOrder: Sql['matchesWordsInOrder'] = async (_db, table, { words }) => ({
  condition: async () => matchesWords(table, words),
  count: undefined,
})

export const countWords: Sql['countWords'] = async (db, table, words) => {
  const matching = matchesWords(table, words)
  const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${matching}`.execute(db)
  return Number(rows[0]?.n)
}
