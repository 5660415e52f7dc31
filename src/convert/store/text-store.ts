/** Keeps millions of short texts as bytes outside of the heap: an object each would take several times as much memory. */

const CHUNK_BYTES = 2 ** 20
const LINE_FEED = 0x0a
const FIRST_LENGTH = 1024

/** A list of unsigned integers of 32 bits that grows. */
export class Numbers {
  #values = new Uint32Array(FIRST_LENGTH)
  length = 0

  get(at: number): number {
    return this.#values[at] ?? 0
  }

  set(at: number, value: number): void {
    this.#values[at] = value
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const values = new Uint32Array(Math.ceil(this.length * 1.5))
      values.set(this.#values)
      this.#values = values
    }
    this.#values[this.length++] = value
  }
}

/** Texts without line feeds, by their numbers from 0 on. */
export class TextStore {
  readonly #chunks: Buffer[] = []
  readonly #starts = new Numbers()
  /** Texts that are longer than a chunk. */
  readonly #long = new Map<number, string>()
  #end = CHUNK_BYTES

  get length(): number {
    return this.#starts.length
  }

  /** @returns the number of the text */
  add(text: string): number {
    const number = this.#starts.length
    const size = Buffer.byteLength(text) + 1
    if (size > CHUNK_BYTES) {
      this.#long.set(number, text)
      this.#starts.push(0)
      return number
    }
    if (this.#end + size > CHUNK_BYTES) {
      this.#chunks.push(Buffer.allocUnsafeSlow(CHUNK_BYTES))
      this.#end = 0
    }
    const index = this.#chunks.length - 1
    const chunk = this.#chunks[index]
    chunk?.write(text, this.#end)
    if (chunk) chunk[this.#end + size - 1] = LINE_FEED
    this.#starts.push(index * CHUNK_BYTES + this.#end)
    this.#end += size
    return number
  }

  get(number: number): string {
    const long = this.#long.get(number)
    if (long !== undefined) return long
    const start = this.#starts.get(number)
    const at = start % CHUNK_BYTES
    const chunk = this.#chunks[Math.floor(start / CHUNK_BYTES)]
    return chunk?.toString('utf8', at, chunk.indexOf(LINE_FEED, at)) ?? ''
  }
}
