/** Finds the number of a text among millions, which it does not keep: it asks for the text of a number where hashes are equal. */
import { Numbers } from './text-store.ts'

const FIRST_SLOTS = 1024
const SEED_RANGE = 2 ** 32

export class TextIndex {
  /** One more than the number of a text; 0 for an empty slot. */
  #slots = new Uint32Array(FIRST_SLOTS)
  readonly #hashes = new Numbers()
  readonly #read: (number: number) => string
  /** Differs between processes, so that no file can have texts of one slot. */
  readonly #seed = Math.floor(Math.random() * SEED_RANGE)

  /** @param read returns the text with a number */
  constructor(read: (number: number) => string) {
    this.#read = read
  }

  get length(): number {
    return this.#hashes.length
  }

  /** @returns the number of a text; undefined for one that was not added */
  find(text: string): number | undefined {
    const found = this.#slots[this.#findSlot(text, this.#hash(text))] ?? 0
    return found === 0 ? undefined : found - 1
  }

  /** @returns the number of the text, which is `length` of before for a new one */
  add(text: string): number {
    const hash = this.#hash(text)
    const slot = this.#findSlot(text, hash)
    const found = this.#slots[slot] ?? 0
    if (found > 0) return found - 1
    this.#hashes.push(hash)
    this.#slots[slot] = this.#hashes.length
    if (this.#hashes.length * 2 > this.#slots.length) this.#grow()
    return this.#hashes.length - 1
  }

  #hash(text: string): number {
    return Bun.hash.xxHash32(text, this.#seed)
  }

  /** Returns the slot of the text, or the empty one in which it would be. */
  #findSlot(text: string, hash: number): number {
    for (let slot = hash % this.#slots.length; ; slot = (slot + 1) % this.#slots.length) {
      const found = this.#slots[slot] ?? 0
      if (found === 0 || (this.#hashes.get(found - 1) === hash && this.#read(found - 1) === text)) return slot
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let number = 0; number < this.#hashes.length; number++) {
      let slot = this.#hashes.get(number) % this.#slots.length
      while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length
      this.#slots[slot] = number + 1
    }
  }
}
