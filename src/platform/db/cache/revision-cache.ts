/** What was read of some tables, kept in memory for as long as no commit touched them. */
import type { ReadPoint } from '../database.ts'

/**
 * Another process may write an SQLite file (`plat user reset-password` does), and only this process's own commits are
 * counted there; so nothing is believed for longer than this.
 */
const MAX_AGE_MS = 1000

export type RevisionCacheOptions<Entries> = {
  readonly tables: readonly string[]
  readonly now: () => Date
  /** Makes empty memos. */
  readonly empty: (revision: string, readPoint: ReadPoint) => Entries
}

/**
 * Answers with the entries that still hold as things stand. Ask again before each use: entries belong to one revision, and
 * whatever is read into them was read after it.
 */
export const createRevisionCache = <Entries>({
  tables,
  now,
  empty,
}: RevisionCacheOptions<Entries>): ((readPoint: ReadPoint) => Entries) => {
  let held: { readonly revision: string; readonly sinceMs: number; readonly entries: Entries } | undefined
  return (readPoint) => {
    const revision = readPoint.revision(tables)
    const ms = now().getTime()
    // The clock may be set back.
    const isFresh = held?.revision === revision && Math.abs(ms - held.sinceMs) < MAX_AGE_MS
    // A new object, never an emptied one: a read that began earlier ends in the old one.
    if (!held || !isFresh) held = { revision, sinceMs: ms, entries: empty(revision, readPoint) }
    return held.entries
  }
}

export type Memo<T> = (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>

/** Remembers what `read` found, for at most `maxEntries` keys; nothing found is not remembered, so that guesses take no room. */
export const createMemo = <T>(maxEntries: number): Memo<T> => {
  const entries = new Map<string, Promise<T | undefined>>()
  return (key, read) => {
    const known = entries.get(key)
    if (known) return known
    const [oldest] = entries.keys()
    if (oldest !== undefined && entries.size >= maxEntries) entries.delete(oldest)
    const reading = read()
    entries.set(key, reading)
    const forget = () => entries.delete(key)
    reading.then((value) => value === undefined && forget(), forget)
    return reading
  }
}
