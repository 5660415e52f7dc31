/**
 * The texts of a table of thousands of rows, not of millions, kept in memory for as long as none of them changes: to look
 * through them takes a hundredth of the time in which the database would.
 */
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'

export type Entry = { readonly id: string; readonly name: string; readonly match: string }

/** All that it is found by, in any case. Words hold no blank: none is found across two pieces, or two entries. */
export type Described = Entry & { readonly pieces: readonly string[] }

export class Texts {
  readonly #entries: readonly Entry[]
  readonly #text: string
  /** Where each entry begins, and where the last one ends. */
  readonly #starts: Uint32Array

  /** @param all in the order in which they are found */
  constructor(all: readonly Described[]) {
    this.#entries = all.map(({ id, name, match }) => ({ id, name, match }))
    const texts = all.map(({ pieces }) => `${pieces.join('\n').toLowerCase()}\n`)
    this.#text = texts.join('')
    this.#starts = new Uint32Array(texts.length + 1)
    let end = 0
    for (const [at, { length }] of texts.entries()) {
      end += length
      this.#starts[at + 1] = end
    }
  }

  /** The entry that a place in the text belongs to. */
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

  /** The first entry that holds every one of the words, from a place where one begins; undefined where there is none. */
  #next(words: readonly string[], place: number): number | undefined {
    let from = place
    // As many as are known to be in the entry that begins there.
    for (let known = 0, i = 0; known < words.length; i = (i + 1) % words.length) {
      const found = this.#text.indexOf(words[i] ?? '', from)
      if (found < 0) return undefined
      const begin = this.#starts[this.#entryAt(found)] ?? 0
      // None before that one holds this word.
      known = begin > from ? 1 : known + 1
      from = begin
    }
    return this.#entryAt(from)
  }

  /** The first that hold every one of the words, one or more and in lower case. */
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

type Held = { readonly revision: string; readonly texts: Promise<Texts> }

/**
 * Reads them again only when one of the tables has changed.
 * @param read what is there, in order
 */
export const keptTexts = (
  tables: readonly (keyof Tables & string)[],
  read: (ctx: Ctx) => Promise<readonly Described[]>,
): ((ctx: Ctx) => Promise<Texts>) => {
  // By what the database is read through, of which there is one for each.
  const held = new WeakMap<Ctx['db'], Held>()
  return async (ctx) => {
    const { read: db } = ctx.store
    const revision = await ctx.store.revision(tables)
    const known = held.get(db)
    if (known?.revision === revision) return known.texts
    const texts = read(ctx).then((all) => new Texts(all))
    held.set(db, { revision, texts })
    texts.catch(() => held.delete(db))
    return texts
  }
}
