/**
 * What was found by the texts of rows, until a row with one of those texts comes or goes. What else is written does not matter:
 * where there are many writes, a search that is asked for again would have to be made again each time.
 */
import type { Concerns } from './database.ts'
import { KeptTexts } from './kept-texts.ts'
import type { Read } from './remembered.ts'

/** Changes that are looked through for one that concerns what was found, in texts and in characters: a fraction of a millisecond. */
const MOST = 1000
const MOST_CHARACTERS = 1024 * 1024

/** The texts that have come or gone lately, each by how many there were before it. */
class RecentTexts {
  readonly #texts = new Map<number, string>()
  #first = 0
  #end = 0
  #characters = 0

  /** How many there have been. */
  get end(): number {
    return this.#end
  }

  add(text: string): void {
    this.#texts.set(this.#end++, text)
    this.#characters += text.length
    while (this.#texts.size > MOST || this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#texts.get(this.#first)?.length ?? 0
      this.#texts.delete(this.#first++)
    }
  }

  /** Whether one of those since then concerns it, or is known no more. */
  concernSince(since: number, concerns: Concerns): boolean {
    if (since < this.#first) return true
    for (let at = since; at < this.#end; at++) if (concerns(this.#texts.get(at) ?? '')) return true
    return false
  }
}

type Entry = {
  readonly text: string
  /** So many changes had been when it was known to hold. */
  since: number
}

export type FoundPlace = { readonly table: string; readonly key: string; readonly concerns: Concerns }

export type Found = {
  /** Told after the commit, and before anything else is read. */
  readonly changed: (texts: { readonly table: string; readonly texts: readonly string[] }) => void
  readonly remember: (place: FoundPlace, read: Read) => string | Promise<string | undefined>
}

export const createFound = (): Found => {
  const tables = new Map<string, { readonly recent: RecentTexts; readonly kept: KeptTexts<Entry> }>()
  const of = (table: string) => {
    const known = tables.get(table) ?? { recent: new RecentTexts(), kept: new KeptTexts<Entry>() }
    tables.set(table, known)
    return known
  }
  return {
    changed: ({ table, texts }) => {
      const { recent } = of(table)
      for (const text of texts) recent.add(text)
    },
    remember: ({ table, key, concerns }, read) => {
      const { recent, kept } = of(table)
      // Before it is read: what changes meanwhile is looked at the next time.
      const since = recent.end
      const known = kept.get(key)
      if (known && !recent.concernSince(known.since, concerns)) {
        known.since = since
        return known.text
      }
      return read().then((text) => {
        if (text !== undefined) kept.set(key, { text, since })
        return text
      })
    },
  }
}
