/** Texts by key, as many as may be kept in memory. */

/** About in bytes; what was kept first goes first. */
const MAX_TOTAL = 8 * 1024 * 1024
/**
 * What is left of that when something has to go. Several go at once: what goes leaves a gap at the beginning of a map, and whoever looks
 * for the oldest one by one passes all the gaps each time. An iterator that stays there holds on to everything that is replaced meanwhile.
 */
const LEFT_TOTAL = (MAX_TOTAL / 8) * 7
/** What an entry takes besides its key and its text. */
const ENTRY = 100
/** Characters of a text that is worth its room. */
const MAX_LENGTH = 256 * 1024

type Kept = { readonly text: string }

const sizeOf = (key: string, { text }: Kept): number => key.length + text.length + ENTRY

export class BoundedCache<Entry extends Kept = Kept> {
  readonly #entries = new Map<string, Entry>()
  #total = 0

  get(key: string): Entry | undefined {
    return this.#entries.get(key)
  }

  /** In place of what was kept under the key before. */
  set(key: string, entry: Entry): void {
    this.#forget(key)
    if (entry.text.length > MAX_LENGTH) return
    this.#entries.set(key, entry)
    this.#total += sizeOf(key, entry)
    if (this.#total > MAX_TOTAL) this.#forgetOldest()
  }

  #forgetOldest(): void {
    for (const key of this.#entries.keys()) {
      if (this.#total <= LEFT_TOTAL) return
      this.#forget(key)
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#total -= sizeOf(key, entry)
  }
}
