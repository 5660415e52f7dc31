/**
 * Caches the texts of a table of thousands of rows, not of millions, until one of them changes. Searching them takes a
 * hundredth of the time of a database query.
 */

import { memoized } from '../../database/cache/revision-cache.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'

export type Entry = {
  readonly id: string
  readonly name: string
  readonly match: string
  /** null in the default space. */
  readonly space_id: string | null
}

/**
 * The texts that are searched, in any case. Words contain no blank, so none matches across two pieces or two entries.
 */
export type Described = Entry & { readonly pieces: readonly string[] }

export class Texts {
  readonly #entries: readonly Entry[]
  readonly #text: string
  /** The start of each entry, and the end of the last one. */
  readonly #starts: Uint32Array

  /** @param all in the order of results */
  constructor(all: readonly Described[]) {
    this.#entries = all.map(({ id, name, match, space_id }) => ({ id, name, match, space_id }))
    const texts = all.map(({ pieces }) => `${toNameKey(pieces.join('\n'))}\n`)
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
  #next(words: readonly string[], place: number): number | undefined {
    let from = place
    // The number of consecutive words that are known to be in the entry at `begin`.
    for (let known = 0, i = 0; known < words.length; i = (i + 1) % words.length) {
      const found = this.#text.indexOf(words[i] ?? '', from)
      if (found < 0) return undefined
      const begin = this.#starts[this.#entryAt(found)] ?? 0
      // No earlier entry contains this word.
      known = begin > from ? 1 : known + 1
      from = begin
    }
    return this.#entryAt(from)
  }

  /** Returns the first entries that contain all of the words, one or more and in lower case. */
  find(words: readonly string[], most: number): Entry[] {
    const found: Entry[] = []
    for (let place = 0; found.length < most; ) {
      const at = this.#next(words, place)
      const entry = at === undefined ? undefined : this.#entries[at]
      if (at === undefined || !entry) break
      found.push(entry)
      place = this.#starts[at + 1] ?? this.#text.length
    }
    return found
  }
}

/**
 * Caches the texts until one of the tables changes. They count as one small value in the bound of the cache, whatever their size:
 * each search needs all of them, and reading them again for each takes longer than a database query.
 * @param name of the cached texts, which no other caller uses
 * @param read returns all entries in order
 */
export const cacheTexts = (
  name: string,
  tables: readonly (keyof Tables & string)[],
  read: (ctx: Ctx) => Promise<readonly Described[]>,
): ((ctx: Ctx) => Promise<Texts>) => {
  return async (ctx) => {
    const { cache, revision } = ctx.store
    const texts = memoized<Texts>(cache.at(`texts of ${name}`, await revision(tables)))
    return texts('', async () => new Texts(await read(ctx)))
  }
}
