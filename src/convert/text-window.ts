/** Reads a large text piece by piece, so that the whole of it is in memory only as bytes. */
import { isUtf8 } from 'node:buffer'
import { checkUnpacked, checkUtf8, decodeLines, toBuffer } from './file-text.ts'

const PIECE_BYTES = 64 * 1024
/** Garbage of this many bytes of text is collected at once: the engine would let it grow with the memory outside of the heap. */
const COLLECT_BYTES = 2 ** 19

type Options = {
  /** The byte behind which a piece ends: a character of ASCII. */
  readonly last: string
  /** The beginning of a comment, which may be of another encoding. */
  readonly comment?: string
}

export class TextWindow {
  /** The part of the text that is read. */
  text = ''
  readonly #bytes: Buffer
  readonly #last: number
  readonly #comment: string | undefined
  #at = 0
  #collectAt = COLLECT_BYTES
  #size = PIECE_BYTES

  /** @throws AppError VALIDATION_ERROR on `file` for a file that is empty or packed */
  constructor(bytes: Uint8Array, { last, comment }: Options) {
    this.#bytes = toBuffer(bytes)
    this.#last = last.charCodeAt(0)
    this.#comment = comment
    checkUnpacked(this.#bytes)
  }

  /** True if the window reaches to the end of the file. */
  get isLast(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** Replaces the text by the next piece. @returns false at the end of the file */
  next(): boolean {
    if (this.isLast) return false
    this.#size = PIECE_BYTES
    this.text = this.#read()
    return true
  }

  /** Drops the text before a position, and appends the next piece. Pieces double, so that a long part is read in linear time. */
  grow(from: number): void {
    const kept = this.text.slice(from)
    this.text = kept + this.#read()
    this.#size *= 2
  }

  /** @throws AppError that names the first line that is not UTF-8 */
  #read(): string {
    const from = this.#at
    const end = this.#bytes.indexOf(this.#last, Math.min(from + this.#size, this.#bytes.length))
    this.#at = end < 0 ? this.#bytes.length : end + 1
    if (this.#at > this.#collectAt) {
      Bun.gc(true)
      this.#collectAt = this.#at + COLLECT_BYTES
    }
    const piece = this.#bytes.subarray(from, this.#at)
    if (isUtf8(piece)) return piece.toString('utf8')
    if (this.#comment === undefined) checkUtf8(this.#bytes)
    return decodeLines(this.#bytes, { from, to: this.#at, comment: this.#comment ?? '' })
  }
}
