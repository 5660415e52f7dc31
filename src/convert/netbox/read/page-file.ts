/** A file with the pages of a NetBox, one after the other. The server writes it, and the process of a conversion reads it. */
import type { Spool } from '../../../base/runtime/spool.ts'
import { countPage, type FetchPage, type PageAnswer, readPages } from './read-api.ts'

/** The status and the number of bytes stand before each page, 32 bits each. */
const HEADER_BYTES = 8

const buildHeader = ({ status, body }: PageAnswer): Uint8Array => {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES))
  header.setUint32(0, status)
  header.setUint32(4, body.length)
  return new Uint8Array(header.buffer)
}

/** Reads all pages of a NetBox into a file. @returns its bytes. @throws AppError as `readPages` and `Spool.write` */
export const storePages = async (fetchPage: FetchPage, spool: Pick<Spool, 'write'>): Promise<number> => {
  let length = 0
  await readPages(async (path) => {
    const answer = await fetchPage(path)
    for (const piece of [buildHeader(answer), answer.body]) {
      length += piece.length
      await spool.write(piece)
    }
    return answer
  }, countPage)
  return length
}

/** Returns the pages of such a file, in their order: `readPages` asks for them in the same one. */
export const replayPages = (bytes: Uint8Array): FetchPage => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  return async () => {
    const [status, length] = [view.getUint32(at), view.getUint32(at + 4)]
    const begin = at + HEADER_BYTES
    at = begin + length
    return { status, body: bytes.subarray(begin, at) }
  }
}
