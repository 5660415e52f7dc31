/** Reads a large text piece by piece, so that the whole of it is in memory only as bytes. */
import { isUtf8 } from 'node:buffer'
import { BytePieces } from '../base/xml/byte-pieces.ts'
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

export class TextWindow extends BytePieces {
  /**
   * `next` and `grow` throw an AppError VALIDATION_ERROR on `file` that names the first line that is not UTF-8.
   * @throws AppError VALIDATION_ERROR on `file` for a file that is empty or packed
   */
  constructor(given: Uint8Array, { last, comment }: Options) {
    const bytes = toBuffer(given)
    checkUnpacked(bytes)
    let collectAt = COLLECT_BYTES
    const decode = (from: number, to: number): string => {
      if (to > collectAt) {
        Bun.gc(true)
        collectAt = to + COLLECT_BYTES
      }
      const piece = bytes.subarray(from, to)
      if (isUtf8(piece)) return piece.toString('utf8')
      if (comment === undefined) checkUtf8(bytes)
      return decodeLines(bytes, { from, to, comment: comment ?? '' })
    }
    super({ bytes, last: last.charCodeAt(0), pieceBytes: PIECE_BYTES, decode })
  }
}
