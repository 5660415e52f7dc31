/** Searches words by trigrams; pg_trgm ignores separators, so the index has letters in their place. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike, type Sql } from '../database.ts'

/** The separators, each with its letter: rare in English, and a letter in every locale. */
const LETTERS = { '.': 'q', ':': 'x', '-': 'z' } as const
const SEPARATOR = /[.:-]/g
/** A word with one of these also matches texts in which its counterpart occurs. */
const AMBIGUOUS = /[.:\-qxz]/
const TRIGRAM = 3

/** Builds the SQL of the indexed text (`translate` is five times slower). Migrations use it, so it never changes. */
export const toLettersSql = (column: string): string =>
  Object.entries(LETTERS).reduce((text, [separator, letter]) => `replace(${text}, '${separator}', '${letter}')`, column)

const toLetters = (word: string): string =>
  word.replace(SEPARATOR, (separator) => LETTERS[separator as keyof typeof LETTERS])

const like = (text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> =>
  sql`${text} LIKE ${`%${escapeLike(part)}%`} ESCAPE '\\'`

export const matchesWords: Sql['matchesWords'] = (table, words) => {
  const text = sql.ref(`${table}.search_text`)
  // The table names are the program's own.
  const letters = sql.raw(toLettersSql(`"${table}"."search_text"`))
  const conditions = words.flatMap((word) => {
    // Fewer letters have no trigram, and searching the text itself is half the work.
    if ([...word].length < TRIGRAM) return [like(text, word)]
    const found = like(letters, toLetters(word))
    return AMBIGUOUS.test(word) ? [found, like(text, word)] : [found]
  })
  return sql`(${sql.join(conditions, sql` AND `)})`
}

/** The planner estimates their number. */
export const matchesWordsInOrder: Sql['matchesWordsInOrder'] = async (_db, table, { words }) => ({
  condition: async () => matchesWords(table, words),
  count: undefined,
})

export const countWords: Sql['countWords'] = async (db, table, words) => {
  const matching = matchesWords(table, words)
  const { rows } = await sql<{ n: string }>`SELECT count(*) AS n FROM ${sql.table(table)} WHERE ${matching}`.execute(db)
  return Number(rows[0]?.n)
}
