/** Decides in which text of an object a search was found, and how well. */
import { invalidField } from '../../contract/errors.ts'
import { toNameKey } from '../../net/name-order.ts'
import { extractIp } from '../../net/words/host-text.ts'
import { splitWords } from '../../net/words/spellings.ts'
import { holdsWord, type Word } from '../../net/words/word.ts'

/** A text of an object that is searched, and its field. */
export type Piece = {
  readonly field: string
  readonly text: string
  /** The text in lower case, where it is kept. */
  readonly low?: string
}

/** An object that a search may find, with its texts, the most important first. */
export type Entry = {
  readonly id: string
  readonly name: string
  /** Tells objects of one name apart; '' for nothing. */
  readonly detail: string
  /** null in the default space. */
  readonly space_id: string | null
  /** The kind of an object of a kind. */
  readonly kind_id?: string
  readonly pieces: readonly Piece[]
}

/** A search: all of its words must occur. */
export type Query = {
  /** In lower case, with one blank between words. */
  readonly text: string
  readonly words: readonly Word[]
  /** The spellings of the whole text. */
  readonly whole: Word
  /** Matches the address that the whole text stands for, not within a longer one. Absent for any other text. */
  readonly address?: RegExp
}

/** The place of a result: by how well its texts match. */
export type Rank = 0 | 1 | 2

export type Match = { readonly match: string; readonly field: string; readonly rank: Rank }

const escapeRegExp = (text: string): string => text.replace(/[.:]/g, '\\$&')

const buildAddressPattern = (ip: string): RegExp =>
  ip.includes(':')
    ? new RegExp(`(?<![0-9a-f:])${escapeRegExp(ip)}(?![0-9a-f:])`)
    : new RegExp(`(?<![0-9]|[0-9]\\.)${escapeRegExp(ip)}(?![0-9]|\\.[0-9])`)

/** @throws AppError VALIDATION_ERROR for blank text */
export const parseQuery = (q: string): Query => {
  const text = toNameKey(q.trim()).replace(/\s+/g, ' ')
  if (text === '') throw invalidField('q', 'must not be blank')
  const words = splitWords(text)
  const [first = [text], ...others] = words
  const ip = extractIp(text)
  return { text, words, whole: others.length === 0 ? first : [text], ...(ip && { address: buildAddressPattern(ip) }) }
}

const holds = (text: string, word: Word, { address }: Query): boolean =>
  address ? address.test(text) : holdsWord(text, word)

/**
 * Returns the text in which a search was found: the one that equals it, else contains it, else has most of its words, also the
 * first. Undefined if a word is in none of the texts.
 */
export const findMatch = (pieces: readonly Piece[], query: Query): Match | undefined => {
  const { words, whole } = query
  const lower = pieces.map(({ text, low }) => low ?? toNameKey(text))
  const isOneWord = words.length === 1
  if (!isOneWord && !words.every((word) => lower.some((low) => holds(low, word, query)))) return undefined
  const toMatch = (at: number, rank: Rank): Match | undefined => {
    const piece = pieces[at]
    return piece && { match: piece.text, field: piece.field, rank }
  }
  const equal = lower.findIndex((low) => whole.includes(low))
  if (equal >= 0) return toMatch(equal, 0)
  const rank = lower.some((low) => whole.some((spelling) => low.startsWith(spelling))) ? 1 : 2
  const containing = lower.findIndex((low) => holds(low, whole, query))
  if (containing >= 0 || isOneWord) return toMatch(containing, rank)
  const counts = lower.map((low) => words.filter((word) => holds(low, word, query)).length)
  const most = Math.max(...counts)
  const hasFirst = lower.findIndex(
    (low, i) => counts[i] === most && words.slice(0, 1).some((word) => holds(low, word, query)),
  )
  return toMatch(hasFirst >= 0 ? hasFirst : counts.indexOf(most), rank)
}
