/**
 * What was found by the texts of rows, until a row that it finds comes or goes. What else is written does not matter: where
 * there are many writes, a search that is asked for again would have to be made again each time.
 */
import type { SearchMatch, SearchTexts } from '../database.ts'
import { BoundedCache } from './bounded-cache.ts'
import type { Read } from './query-cache.ts'

/** Changes that are looked through for what is found, in texts and in characters: a fraction of a millisecond. */
const MOST = 1000
const MOST_CHARACTERS = 1024 * 1024

/**
 * The texts that one transaction changes. Of more than are looked through only the tables are kept: an import of a million rows
 * holds none of their texts.
 */
export class SearchChanges {
  #changes: { readonly table: string; readonly texts: SearchTexts }[] = []
  #characters = 0
  readonly #tables = new Set<string>()

  add(table: string, texts: SearchTexts): void {
    for (const text of texts.removed ?? []) this.#characters += text.length
    for (const text of texts.added ?? []) this.#characters += text.length
    if (this.#changes.length < MOST && this.#characters <= MOST_CHARACTERS) this.#changes.push({ table, texts })
    else this.#tables.add(table)
  }

  addAll(other: SearchChanges): void {
    for (const { table, texts } of other.#changes) this.add(table, texts)
    for (const table of other.#tables) this.#tables.add(table)
  }

  /** For `undo`. */
  get count(): number {
    return this.#changes.length
  }

  /** Forgets those after the first `count`. A table of which the texts are not kept counts as changed all the same. */
  undo(count: number): void {
    this.#changes.length = count
  }

  tell({ changed, forget }: Pick<SearchCache, 'changed' | 'forget'>): void {
    for (const { table, texts } of this.#changes) changed(table, texts)
    for (const table of this.#tables) forget(table)
  }

  /** In place of `tell`, where a read between the commit and this call may have seen the changes. */
  forgetTables({ forget }: Pick<SearchCache, 'forget'>): void {
    for (const table of new Set([...this.#tables, ...this.#changes.map(({ table }) => table)])) forget(table)
  }
}

/** A text by which so many more rows are found: one, or one less. */
type Change = { readonly text: string; readonly more: 1 | -1 }

/** The texts that have come or gone lately, each by how many there were before it. */
class RecentChanges {
  readonly #changes = new Map<number, Change>()
  #first = 0
  #end = 0
  #characters = 0

  /** How many there have been. */
  get end(): number {
    return this.#end
  }

  add(change: Change): void {
    this.#changes.set(this.#end++, change)
    this.#characters += change.text.length
    while (this.#changes.size > MOST || this.#characters > MOST_CHARACTERS) {
      this.#characters -= this.#changes.get(this.#first)?.text.length ?? 0
      this.#changes.delete(this.#first++)
    }
  }

  /** Anything may have come and gone. */
  forget(): void {
    this.#changes.clear()
    this.#characters = 0
    this.#first = ++this.#end
  }

  /** What has been found is this by now; undefined when that is not known. */
  after({ text, end }: Entry, { finds, follow }: SearchMatch): string | undefined {
    if (end < this.#first) return undefined
    let [isSame, more] = [true, 0]
    for (let at = end; at < this.#end; at++) {
      const change = this.#changes.get(at)
      if (!change || !finds(change.text)) continue
      isSame = false
      more += change.more
    }
    return isSame ? text : follow?.(text, more)
  }
}

/** What was found when there had been so many changes. */
type Entry = { readonly text: string; readonly end: number }

export type SearchCacheKey = { readonly table: string; readonly key: string; readonly by: SearchMatch }

export type SearchCache = {
  /** Told after the commit, and before anything else is read. */
  readonly changed: (table: string, texts: SearchTexts) => void
  /** As `changed`, of a table of which it is not known what came and went. */
  readonly forget: (table: string) => void
  readonly remember: (place: SearchCacheKey, read: Read) => string | Promise<string | undefined>
}

export const createSearchCache = (): SearchCache => {
  const tables = new Map<string, { readonly recent: RecentChanges; readonly kept: BoundedCache<Entry> }>()
  const of = (table: string) => {
    const known = tables.get(table) ?? { recent: new RecentChanges(), kept: new BoundedCache<Entry>() }
    tables.set(table, known)
    return known
  }
  return {
    changed: (table, { removed: gone = [], added: come = [] }) => {
      const { recent } = of(table)
      for (const text of gone) recent.add({ text, more: -1 })
      for (const text of come) recent.add({ text, more: 1 })
    },
    forget: (table) => of(table).recent.forget(),
    remember: ({ table, key, by }, read) => {
      const { recent, kept } = of(table)
      const { end } = recent
      const known = kept.get(key)
      const text = known && recent.after(known, by)
      if (text !== undefined) {
        if (known?.end !== end) kept.set(key, { text, end })
        return text
      }
      return read().then((found) => {
        // It may have been read before or after what has changed meanwhile.
        const isKnown = found !== undefined && recent.after({ text: found, end }, { finds: by.finds }) !== undefined
        if (isKnown) kept.set(key, { text: found, end: recent.end })
        return found
      })
    },
  }
}
