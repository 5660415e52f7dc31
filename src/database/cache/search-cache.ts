/**
 * Caches search results until a matching row is added, changed or removed. Writes of other rows do not invalidate them: under many
 * writes, a cache by revision would never hit.
 */
import type { SearchMatch, SearchTexts } from '../database.ts'
import type { Read } from './query-cache.ts'
import type { CacheGroup, RevisionCache } from './revision-cache.ts'

/** Bounds of the changes that a lookup compares with a search, in texts and in characters: a fraction of a millisecond. */
const MAX_CHANGES = 1000
const MAX_CHARACTERS = 1024 * 1024

/**
 * The search texts that one transaction changes. Beyond the bounds it holds table names only: an import of a million rows holds no
 * texts.
 */
export class SearchChanges {
  #changes: { readonly table: string; readonly texts: SearchTexts }[] = []
  #characters = 0
  readonly #tables = new Set<string>()

  add(table: string, texts: SearchTexts): void {
    for (const text of texts.removed ?? []) this.#characters += text.length
    for (const text of texts.added ?? []) this.#characters += text.length
    if (this.#changes.length < MAX_CHANGES && this.#characters <= MAX_CHARACTERS) this.#changes.push({ table, texts })
    else this.#tables.add(table)
  }

  addAll(other: SearchChanges): void {
    for (const { table, texts } of other.#changes) this.add(table, texts)
    for (const table of other.#tables) this.#tables.add(table)
  }

  /** The position for `undo`. */
  get count(): number {
    return this.#changes.length
  }

  /** Drops the changes after the first `count`. Tables held by name only stay changed. */
  undo(count: number): void {
    this.#changes.length = count
  }

  applyTo({ changed, forget }: Pick<SearchCache, 'changed' | 'forget'>): void {
    for (const { table, texts } of this.#changes) changed(table, texts)
    for (const table of this.#tables) forget(table)
  }

  /** Invalidates whole tables, where a read between the commit and this call may have seen the changes. */
  invalidateTables({ forget }: Pick<SearchCache, 'forget'>): void {
    for (const table of new Set([...this.#tables, ...this.#changes.map(({ table }) => table)])) forget(table)
  }
}

/** A text that one row more or one row less has. */
type Change = { readonly text: string; readonly more: 1 | -1 }

/** The most recent changes of texts, by sequence number. */
class RecentChanges {
  readonly #changes = new Map<number, Change>()
  #first = 0
  #end = 0
  #characters = 0

  /** The sequence number of the next change. */
  get end(): number {
    return this.#end
  }

  add(change: Change): void {
    this.#changes.set(this.#end++, change)
    this.#characters += change.text.length
    while (this.#changes.size > MAX_CHANGES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#changes.get(this.#first)?.text.length ?? 0
      this.#changes.delete(this.#first++)
    }
  }

  /** Invalidates all results: the changes are unknown. */
  forget(): void {
    this.#changes.clear()
    this.#characters = 0
    this.#first = ++this.#end
  }

  /** Returns the result after the changes since it was cached; undefined if the search must run again. */
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

/** A result, and the sequence number that it is valid at. */
type Entry = { readonly text: string; readonly end: number }

export type SearchCacheKey = { readonly table: string; readonly key: string; readonly by: SearchMatch }

export type SearchCache = {
  /** Records changed texts. Called after the commit, before any other read. */
  readonly changed: (table: string, texts: SearchTexts) => void
  /** Invalidates all results of a table. */
  readonly forget: (table: string) => void
  readonly remember: (place: SearchCacheKey, read: Read) => string | Promise<string | undefined>
}

export const createSearchCache = (cache: RevisionCache): SearchCache => {
  const tables = new Map<string, { readonly recent: RecentChanges; readonly kept: CacheGroup<Entry> }>()
  const of = (table: string) => {
    // One revision: an entry says by itself after which change it is valid.
    const known = tables.get(table) ?? { recent: new RecentChanges(), kept: cache.at<Entry>(`search ${table}`, '') }
    tables.set(table, known)
    return known
  }
  return {
    changed: (table, { removed = [], added = [] }) => {
      const { recent } = of(table)
      for (const text of removed) recent.add({ text, more: -1 })
      for (const text of added) recent.add({ text, more: 1 })
    },
    forget: (table) => of(table).recent.forget(),
    remember: ({ table, key, by }, read) => {
      const { recent, kept } = of(table)
      const { end } = recent
      const known = kept.get(key)
      const text = known && recent.after(known, by)
      if (text !== undefined) {
        if (known?.end !== end) kept.set(key, { text, end }, text.length)
        return text
      }
      return read().then((found) => {
        // A change during the read may or may not be in the result.
        const isKnown = found !== undefined && recent.after({ text: found, end }, { finds: by.finds }) !== undefined
        if (isKnown) kept.set(key, { text: found, end: recent.end }, found.length)
        return found
      })
    },
  }
}
