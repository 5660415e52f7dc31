/**
 * Caches the texts of a table of thousands of rows, not of millions, until one of them changes. Searching them takes a
 * hundredth of the time of a database query.
 */

import { memoized } from '../../database/cache/revision-cache.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Word } from '../../net/words/word.ts'
import { MAX_RESULTS_PER_TYPE } from './api.ts'
import { type Entry, findMatch, type Query } from './matches.ts'

/** The next places of each spelling of a word. */
class Places {
  readonly #text: string
  readonly #spellings: { readonly spelling: string; next: number }[]

  constructor(text: string, word: Word) {
    this.#text = text
    this.#spellings = word.map((spelling) => ({ spelling, next: -1 }))
  }

  /** Returns the first place from `from` on, which grows from call to call; Infinity for none. */
  find(from: number): number {
    let first = Number.POSITIVE_INFINITY
    for (const one of this.#spellings) {
      if (one.next < from) {
        const found = this.#text.indexOf(one.spelling, from)
        one.next = found < 0 ? Number.POSITIVE_INFINITY : found
      }
      first = Math.min(first, one.next)
    }
    return first
  }
}

export class Texts {
  readonly #entries: readonly Entry[]
  readonly #text: string
  /** The start of each entry, and the end of the last one. */
  readonly #starts: Uint32Array

  /** @param all in the order of results. Words contain no blank, so none matches across two pieces or two entries. */
  constructor(all: readonly Entry[]) {
    this.#entries = all.map(({ pieces, ...entry }) => ({
      ...entry,
      pieces: pieces.map(({ field, text }) => ({ field, text, low: toNameKey(text) })),
    }))
    const texts = this.#entries.map(
      ({ pieces }) => `\n${pieces.map(({ low = '' }) => low.replace(/\s/g, ' ')).join('\n')}\n`,
    )
    this.#text = texts.join('')
    this.#starts = new Uint32Array(texts.length + 1)
    let end = 0
    for (const [at, { length }] of texts.entries()) {
      end += length
      this.#starts[at + 1] = end
    }
  }

  /** Returns the entry that contains a position of the text. */
  #entryAt(place: number): number {
    let from = 0
    let to = this.#entries.length - 1
    while (from < to) {
      const middle = (from + to + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= place) from = middle
      else to = middle - 1
    }
    return from
  }

  /** Returns the first entry that contains all of the words, from the start of an entry on; undefined without one. */
  #next(words: readonly Places[], place: number): number | undefined {
    let from = place
    // The number of consecutive words that are known to be in the entry at `begin`.
    for (let known = 0, i = 0; known < words.length; i = (i + 1) % words.length) {
      const found = words[i]?.find(from) ?? Number.POSITIVE_INFINITY
      if (found === Number.POSITIVE_INFINITY) return undefined
      const begin = this.#starts[this.#entryAt(found)] ?? 0
      // No earlier entry contains this word.
      known = begin > from ? 1 : known + 1
      from = begin
    }
    return this.#entryAt(from)
  }

  /** Adds the first entries that contain all of the words, until there are `most`. */
  #collect(words: readonly Word[], found: Set<Entry>, { most, accepts }: Limits): void {
    const places = words.map((word) => new Places(this.#text, word))
    for (let place = 0; found.size < most; ) {
      const at = this.#next(places, place)
      const entry = at === undefined ? undefined : this.#entries[at]
      if (at === undefined || !entry) return
      if (accepts(entry)) found.add(entry)
      place = this.#starts[at + 1] ?? this.#text.length
    }
  }

  /** Returns the first entries that a search finds. If there are more: with a text that equals it, that begins with it, then the others. */
  find({ words, whole }: Query, limits: Limits): Entry[] {
    const all = new Set<Entry>()
    this.#collect(words, all, limits)
    if (all.size < limits.most) return [...all]
    const best = new Set<Entry>()
    const withLines = (after: string): Word => {
      const [first, ...others] = whole.map((spelling) => `\n${spelling}${after}`)
      return [first ?? '', ...others]
    }
    this.#collect([withLines('\n')], best, limits)
    this.#collect([withLines('')], best, limits)
    return [...new Set([...best, ...all])].slice(0, limits.most)
  }
}

type Limits = { readonly most: number; readonly accepts: (entry: Entry) => boolean }

/** Limits a search to the objects of an answer. An address may stand within a longer one. */
export const acceptMatches = (query: Query): Limits => ({
  most: MAX_RESULTS_PER_TYPE,
  accepts: (entry) => query.address === undefined || findMatch(entry.pieces, query) !== undefined,
})

/**
 * Caches the texts until one of the tables changes. They count as one small value in the bound of the cache, whatever their size:
 * each search needs all of them, and reading them again for each takes longer than a database query.
 * @param name of the cached texts, which no other caller uses
 * @param read returns all entries in order
 */
export const cacheTexts = (
  name: string,
  tables: readonly (keyof Tables & string)[],
  read: (ctx: Ctx) => Promise<readonly Entry[]>,
): ((ctx: Ctx) => Promise<Texts>) => {
  return async (ctx) => {
    const { cache, revision } = ctx.store
    const texts = memoized<Texts>(cache.at(`texts of ${name}`, await revision(tables)))
    return texts('', async () => new Texts(await read(ctx)))
  }
}
