/** Finds the end of a compressed frame in a file by the headers of its blocks (RFC 8878, sections 3.1.1 and 3.1.1.2). */
import { readSync } from 'node:fs'

const MAGIC = 0xfd2fb528
const LONGEST_HEADER = 18
const BLOCK_HEADER = 3
const CHECKSUM = 4
const RLE = 1
const RESERVED = 3

const readBytes = (descriptor: number, at: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at))
}

/** Returns the length of the frame header, and whether a checksum follows the last block; undefined for another format. */
const readHeader = (bytes: Buffer): { readonly length: number; readonly hasChecksum: boolean } | undefined => {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== MAGIC) return undefined
  const descriptor = bytes.readUInt8(4)
  const isSingleSegment = (descriptor & 0x20) !== 0
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  const dictionary = [0, 1, 2, 4][descriptor & 3] ?? 0
  return { length: 5 + (isSingleSegment ? 0 : 1) + dictionary + contentSize, hasChecksum: (descriptor & 4) !== 0 }
}

/**
 * Returns the position behind the frame that begins at `start`; it is behind the end of a file that was cut off. Undefined if no frame
 * begins there. Reads 3 bytes of each block, of which there is one in at most 128 KiB of content.
 */
export const findFrameEnd = (descriptor: number, start: number): number | undefined => {
  const header = readHeader(readBytes(descriptor, start, LONGEST_HEADER))
  if (!header) return undefined
  for (let at = start + header.length; ; ) {
    const bytes = readBytes(descriptor, at, BLOCK_HEADER)
    if (bytes.length < BLOCK_HEADER) return at + BLOCK_HEADER
    const block = bytes.readUIntLE(0, BLOCK_HEADER)
    const type = (block >> 1) & 3
    if (type === RESERVED) return undefined
    at += BLOCK_HEADER + (type === RLE ? 1 : block >> 3)
    if ((block & 1) === 1) return at + (header.hasChecksum ? CHECKSUM : 0)
  }
}
