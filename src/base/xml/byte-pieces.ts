/** Reads bytes as text piece by piece. Browser-safe. */
import type { TextPieces } from './xml.ts'

type Options = {
  readonly bytes: Uint8Array
  /** The byte behind which a piece ends. */
  readonly last: number
  /** The number of bytes of the first piece, and of each that replaces another. */
  readonly pieceBytes: number
  /** Decodes a part of the bytes. */
  readonly decode: (from: number, to: number) => string
}

export class BytePieces implements TextPieces {
  text = ''
  readonly #options: Options
  #at = 0
  #size: number

  constructor(options: Options) {
    this.#options = options
    this.#size = options.pieceBytes
  }

  get isLast(): boolean {
    return this.#at >= this.#options.bytes.length
  }

  next(): boolean {
    if (this.isLast) return false
    this.#size = this.#options.pieceBytes
    this.text = this.#read()
    return true
  }

  /** Pieces double, so that a long part is read in linear time. */
  grow(from: number): void {
    this.text = this.text.slice(from) + this.#read()
    this.#size *= 2
  }

  #read(): string {
    const { bytes, last, decode } = this.#options
    const from = this.#at
    const end = bytes.indexOf(last, Math.min(from + this.#size, bytes.length))
    this.#at = end < 0 ? bytes.length : end + 1
    return decode(from, this.#at)
  }
}
