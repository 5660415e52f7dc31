/** Caches values until a commit writes the tables that they were read from. All values of a database share one bound in bytes. */

/** Approximate bound, in bytes. */
const MAX_BYTES = 16 * 1024 * 1024
/** Larger values are not cached, because one of them would displace many others. */
const MAX_ENTRY_BYTES = 256 * 1024
/** Overhead of an entry beside its key and its value, in bytes. */
const ENTRY_BYTES = 100
/** Assumed size of a value that is an object, in bytes. An account with its permissions has 3 KB (viewer) to 9 KB (admin). */
const OBJECT_BYTES = 4096

/** The values of one name at one revision. */
export class CacheGroup<T> {
  readonly revision: string | number
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number }>()
  readonly #onGrowth: () => void
  bytes = 0

  constructor(revision: string | number, onGrowth: () => void) {
    this.revision = revision
    this.#onGrowth = onGrowth
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value
  }

  /** Replaces the entry of the key. @param size of the value in bytes, approximately */
  set(key: string, value: T, size: number): void {
    this.delete(key)
    if (size > MAX_ENTRY_BYTES) return
    const bytes = key.length + size + ENTRY_BYTES
    this.#entries.set(key, { value, bytes })
    this.bytes += bytes
    this.#onGrowth()
  }

  delete(key: string): void {
    this.bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.bytes = 0
  }
}

export class RevisionCache {
  readonly #groups = new Map<string, CacheGroup<unknown>>()

  /**
   * Returns the group at a revision. It is empty unless it was the last requested one. Request it before the values are read: a value
   * belongs to the revision of its group, and was read at it or after it.
   * @param name of one caller, with values of one type. `Db.remember` uses the names of tables.
   */
  at<T>(name: string, revision: string | number): CacheGroup<T> {
    const known = this.#groups.get(name)
    // The name belongs to one caller, and its values have this type.
    if (known?.revision === revision) return known as CacheGroup<T>
    // A new group, never a cleared one: a read that began earlier stores its result in the old one.
    const group = new CacheGroup<T>(revision, () => this.#evict())
    this.#groups.set(name, group as CacheGroup<unknown>)
    return group
  }

  /** Clears the largest group, so that one with many entries does not displace the others. */
  #evict(): void {
    let [bytes, largest]: [number, CacheGroup<unknown> | undefined] = [0, undefined]
    for (const group of this.#groups.values()) {
      bytes += group.bytes
      if (!largest || group.bytes > largest.bytes) largest = group
    }
    if (bytes > MAX_BYTES) largest?.clear()
  }
}

/** Reads each value once. Missing values and failures are not cached, so that guesses take no memory. */
export const memoized =
  <T>(group: CacheGroup<Promise<T>>): ((key: string, read: () => Promise<T>) => Promise<T>) =>
  (key, read) => {
    const known = group.get(key)
    if (known) return known
    const reading = read()
    group.set(key, reading, OBJECT_BYTES)
    const forget = () => {
      if (group.get(key) === reading) group.delete(key)
    }
    reading.then((value) => value === undefined && forget(), forget)
    return reading
  }
