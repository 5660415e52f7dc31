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

  /** The first that hold every one of the words, which are in lower case. */
  find(words: readonly string[], most: number): Entry[] {
    // The longest one is in the fewest.
    const [longest = '', ...others] = words.toSorted((a, b) => b.length - a.length)
    const found: Entry[] = []
    for (let place = this.#text.indexOf(longest); place >= 0 && found.length < most; ) {
      const at = this.#entryAt(place)
      const end = this.#starts[at + 1] ?? this.#text.length
      const text = this.#text.slice(this.#starts[at], end)
      const entry = this.#entries[at]
      if (entry && others.every((word) => text.includes(word))) found.push(entry)
      place = this.#text.indexOf(longest, end)
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
