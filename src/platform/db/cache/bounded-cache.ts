/** Caches texts by key, bounded in bytes; evicts the oldest first. */

/** Approximate bound of the whole cache, in bytes. */
const MAX_BYTES = 8 * 1024 * 1024
/**
 * Eviction goes down to this size, so that it runs rarely: each deleted entry leaves a gap at the beginning of the map, which every
 * search for the oldest entry passes. A long-lived iterator would keep replaced entries alive.
 */
const LOW_BYTES = (MAX_BYTES / 8) * 7
/** Overhead of an entry beside its key and its text, in bytes. */
const ENTRY_BYTES = 100
/** Longer texts are not cached, in characters. */
const MAX_LENGTH = 256 * 1024

type Cached = { readonly text: string }

const sizeOf = (key: string, { text }: Cached): number => key.length + text.length + ENTRY_BYTES

export class BoundedCache<Entry extends Cached = Cached> {
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  /** Replaces the entry of the key. */
  set(key: string, entry: Entry): void {
    this.#delete(key)
    if (entry.text.length > MAX_LENGTH) return
    this.#entries.set(key, entry)
    this.#bytes += sizeOf(key, entry)
    if (this.#bytes > MAX_BYTES) this.#evict()
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= LOW_BYTES) return
      this.#delete(key)
    }
  }

  #delete(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#bytes -= sizeOf(key, entry)
  }
}
