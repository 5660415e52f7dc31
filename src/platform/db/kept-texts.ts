/** Texts by key, as many as may be kept in memory. */

/** About in bytes; what was kept first goes first. */
const MAX_TOTAL = 8 * 1024 * 1024
/** What an entry takes besides its key and its text. */
const ENTRY = 100
/** Characters of a text that is worth its room. */
const MAX_LENGTH = 256 * 1024

type Kept = { readonly text: string }

const sizeOf = (key: string, { text }: Kept): number => key.length + text.length + ENTRY

export class KeptTexts<Entry extends Kept = Kept> {
  readonly #entries = new Map<string, Entry>()
  /** Goes on from what was forgotten last: from the beginning it would pass all that was forgotten each time. */
  readonly #oldest = this.#entries.keys()
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
    while (this.#total > MAX_TOTAL) {
      const { value: first } = this.#oldest.next()
      if (first === undefined) break
      this.#forget(first)
    }
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#total -= sizeOf(key, entry)
  }
}
