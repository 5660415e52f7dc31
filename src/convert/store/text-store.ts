/** Keeps millions of short texts as bytes outside of the heap: an object each would take several times as much memory. */

const CHUNK_BYTES = 2 ** 20
const LINE_FEED = 0x0a
const PART_LENGTH = 2 ** 16

/** A list of unsigned integers of 32 bits. It grows by parts, so that no copy of it is garbage. */
export class Numbers {
  readonly #parts: Uint32Array[] = []
  length = 0

  get(at: number): number {
    return this.#parts[Math.floor(at / PART_LENGTH)]?.[at % PART_LENGTH] ?? 0
  }

  set(at: number, value: number): void {
    const part = this.#parts[Math.floor(at / PART_LENGTH)]
    if (part) part[at % PART_LENGTH] = value
  }

  push(value: number): void {
    if (this.length % PART_LENGTH === 0) this.#parts.push(new Uint32Array(PART_LENGTH))
    this.set(this.length++, value)
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
