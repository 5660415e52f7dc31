/** Reads the standard input of a process that the server has started: lines of JSON, and bytes. */

const NEWLINE = 10

export class StandardInput {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: ReadableStream<Uint8Array> = Bun.stdin.stream()) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Returns the value of the next line. @returns undefined at the end of the input, where a begun line is dropped */
  async readLine(): Promise<unknown> {
    let searched = 0
    for (;;) {
      const at = this.#rest.indexOf(NEWLINE, searched)
      if (at !== -1) {
        const value: unknown = JSON.parse(this.#rest.toString('utf8', 0, at))
        this.#rest = this.#rest.subarray(at + 1)
        return value
      }
      searched = this.#rest.length
      const chunk = await this.#next()
      if (chunk === undefined) return undefined
      this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    }
  }

  /** Returns the next `length` bytes. @returns undefined if the input has fewer */
  async readBytes(length: number): Promise<Uint8Array | undefined> {
    const bytes = new Uint8Array(length)
    let filled = 0
    let chunk: Buffer | undefined = this.#rest
    while (chunk !== undefined) {
      const taken = chunk.subarray(0, length - filled)
      bytes.set(taken, filled)
      filled += taken.length
      this.#rest = chunk.subarray(taken.length)
      if (filled === length) return bytes
      chunk = await this.#next()
    }
    return undefined
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#chunks.next()
    return done ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}
