/** `struct sockaddr_in` and `sockaddr_in6` of Linux for the addresses of a scan. */

import type { Targets } from '../targets.ts'
import { AF_INET, AF_INET6 } from './libc.ts'

export type SocketAddress = {
  readonly bytes: Buffer
  readonly set: (index: number, port: number) => void
}

const SIZE_4 = 16
const SIZE_6 = 28

/** Bytes of an IPv6 address, most significant first. */
const toBytes = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(32, '0'), 'hex')

/** Returns a buffer that is rewritten for each probe. */
export const createSocketAddress = ({ family, block }: Targets): SocketAddress => {
  if (family === 4) {
    const bytes = Buffer.alloc(SIZE_4)
    bytes.writeUInt16LE(AF_INET, 0)
    const first = Number(block.first)
    return {
      bytes,
      set: (index, port) => {
        bytes.writeUInt16BE(port, 2)
        bytes.writeUInt32BE(first + index, 4)
      },
    }
  }
  const bytes = Buffer.alloc(SIZE_6)
  bytes.writeUInt16LE(AF_INET6, 0)
  toBytes(block.first).copy(bytes, 8)
  // A block of at most 2^16 aligned addresses differs only in the last two bytes.
  const low = Number(block.first & 0xffffn)
  return {
    bytes,
    set: (index, port) => {
      bytes.writeUInt16BE(port, 2)
      bytes.writeUInt16BE(low + index, 22)
    },
  }
}

/** Reads the address in `struct sockaddr_in` or `sockaddr_in6` at an offset as a distance from the first of the block; may be outside it. */
export const createIndexReader = ({ family, block }: Targets): ((buffer: Buffer, offset: number) => number) => {
  if (family === 4) {
    const first = Number(block.first)
    return (buffer, offset) => buffer.readUInt32BE(offset + 4) - first
  }
  return (buffer, offset) => {
    const value = (buffer.readBigUInt64BE(offset + 8) << 64n) | buffer.readBigUInt64BE(offset + 16)
    const index = value - block.first
    return index >= 0n && index <= 0xffffn ? Number(index) : -1
  }
}
