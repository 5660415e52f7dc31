/** Caches values until a commit writes one of the tables that they were read from. */
import type { ReadPoint } from '../database.ts'

/**
 * Maximum age of entries. On SQLite only the commits of this process are counted, and another process may write the file
 * (`plat user reset-password` does).
 */
const MAX_AGE_MS = 1000

export type RevisionCacheOptions<Entries> = {
  readonly tables: readonly string[]
  readonly now: () => Date
  /** Makes empty entries for a revision. */
  readonly empty: (revision: string, readPoint: ReadPoint) => Entries
}

/**
 * Returns the entries of the current revision. Call it before each use: entries belong to one revision, and their values were
 * read at it or after it.
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
    // A new object, never a cleared one: a read that began earlier stores its result in the old one.
    if (!held || !isFresh) held = { revision, sinceMs: ms, entries: empty(revision, readPoint) }
    return held.entries
  }
}

export type Memo<T> = (key: string, read: () => Promise<T | undefined>) => Promise<T | undefined>

/** Memoizes `read` for at most `maxEntries` keys. Missing values are not cached, so that guesses take no memory. */
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
