/** Searches words by trigrams; pg_trgm ignores separators, so the index has letters in their place. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Word } from '../../net/words/word.ts'
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

/** Builds the SQL of the columns of a row as one text in lower case. Migrations use it, so it never changes. */
export const joinColumnsSql = (columns: readonly string[], table = ''): string => {
  const texts = columns.map((column) => `coalesce(${table}${column}, '')`)
  return `lower((${texts.join(` || '\n' || `)}) COLLATE "default")`
}

const toLetters = (word: string): string =>
  word.replace(SEPARATOR, (separator) => LETTERS[separator as keyof typeof LETTERS])

const like = (text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> =>
  sql`${text} LIKE ${`%${escapeLike(part)}%`} ESCAPE '\\'`

/** A text, and the same with letters in place of separators, which the index has. */
type Searched = { readonly text: RawBuilder<unknown>; readonly letters: RawBuilder<unknown> }

const buildMatches = ({ text, letters }: Searched, words: readonly Word[]): RawBuilder<SqlBool> => {
  const holds = (spelling: string): RawBuilder<SqlBool> => {
    // Fewer letters have no trigram, and searching the text itself is half the work.
    if ([...spelling].length < TRIGRAM) return like(text, spelling)
    const found = like(letters, toLetters(spelling))
    return AMBIGUOUS.test(spelling) ? sql`(${found} AND ${like(text, spelling)})` : found
  }
  const hasWord = (word: Word) => sql`(${sql.join(word.map(holds), sql` OR `)})`
  return sql`(${sql.join(words.map(hasWord), sql` AND `)})`
}

export const matchesWords: Sql['matchesWords'] = (table, words) => {
  const text = sql.ref(`${table}.search_text`)
  // The table names are the program's own.
  return buildMatches({ text, letters: sql.raw(toLettersSql(`"${table}"."search_text"`)) }, words)
}

export const matchesColumns: Sql['matchesColumns'] = ({ table, columns, custom }, words) => {
  if (!words.some((word) => word.every((spelling) => [...spelling].length >= TRIGRAM))) return undefined
  const join = (names: readonly string[]) => joinColumnsSql(names, `"${table}".`)
  const whole = join([...columns, 'custom'])
  const found = buildMatches({ text: sql.raw(whole), letters: sql.raw(toLettersSql(whole)) }, words)
  if (custom === 'searched') return found
  const hasWord = (word: Word) =>
    sql`(${sql.join(
      word.map((spelling) => like(sql.raw(join(columns)), spelling)),
      sql` OR `,
    )})`
  return sql`(${found} AND ${sql.join(words.map(hasWord), sql` AND `)})`
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
