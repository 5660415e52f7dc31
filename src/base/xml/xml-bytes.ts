/** Decodes the bytes of XML in UTF-8 piece by piece. Browser-safe. */
import { invalidField } from '../../contract/errors.ts'
import { BytePieces } from './byte-pieces.ts'

const PIECE_BYTES = 256 * 1024
const TAG_END = 0x3e

export class XmlBytes extends BytePieces {
  /** `next` and `grow` throw an AppError VALIDATION_ERROR on `file` for bytes that are not UTF-8. */
  constructor(bytes: Uint8Array) {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const decode = (from: number, to: number): string => {
      try {
        return decoder.decode(bytes.subarray(from, to))
      } catch {
        throw invalidField('file', `byte ${from}: is not UTF-8`)
      }
    }
    super({ bytes, last: TAG_END, pieceBytes: PIECE_BYTES, decode })
  }
}
