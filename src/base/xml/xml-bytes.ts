/** Decodes the bytes of XML in UTF-8 piece by piece. Browser-safe. */
import { invalidField } from '../../contract/errors.ts'
import type { TextPieces } from './xml.ts'

const PIECE_BYTES = 256 * 1024
const TAG_END = 0x3e

export class XmlBytes implements TextPieces {
  text = ''
  readonly #bytes: Uint8Array
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #at = 0
  #size = PIECE_BYTES

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isLast(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** @throws AppError VALIDATION_ERROR on `file` for bytes that are not UTF-8 */
  next(): boolean {
    if (this.isLast) return false
    this.#size = PIECE_BYTES
    this.text = this.#read()
    return true
  }

  /** Pieces double, so that a long part is read in linear time. @throws AppError VALIDATION_ERROR on `file` for bytes that are not UTF-8 */
  grow(from: number): void {
    this.text = this.text.slice(from) + this.#read()
    this.#size *= 2
  }

  #read(): string {
    const from = this.#at
    const end = this.#bytes.indexOf(TAG_END, Math.min(from + this.#size, this.#bytes.length))
    this.#at = end < 0 ? this.#bytes.length : end + 1
    try {
      return this.#decoder.decode(this.#bytes.subarray(from, this.#at))
    } catch {
      throw invalidField('file', `byte ${from}: is not UTF-8`)
    }
  }
}
