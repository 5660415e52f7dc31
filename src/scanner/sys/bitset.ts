/** A set of small non-negative integers, one bit each. Pure. */

export type Bitset = {
  readonly bytes: Uint8Array
  readonly has: (index: number) => boolean
  /** @returns true if the index was not in the set */
  readonly add: (index: number) => boolean
  readonly remove: (index: number) => void
  readonly count: () => number
  /** The lowest member that is not below `from`. */
  readonly next: (from: number) => number | undefined
}

export const createBitset = (size: number, initial?: Uint8Array): Bitset => {
  const bytes = new Uint8Array(Math.ceil(size / 8))
  if (initial) bytes.set(initial.subarray(0, bytes.length))
  let count = 0
  for (const byte of bytes) for (let rest = byte; rest !== 0; rest &= rest - 1) count++
  const has = (index: number): boolean => ((bytes[index >> 3] ?? 0) & (1 << (index & 7))) !== 0
  return {
    bytes,
    has,
    add: (index) => {
      if (index < 0 || index >= size || has(index)) return false
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7))
      count++
      return true
    },
    remove: (index) => {
      if (!has(index)) return
      bytes[index >> 3] = (bytes[index >> 3] ?? 0) & ~(1 << (index & 7))
      count--
    },
    count: () => count,
    next: (from) => {
      for (let index = Math.max(0, from); index < size; index++) {
        // Skips a byte without members.
        if ((index & 7) === 0 && bytes[index >> 3] === 0) index += 7
        else if (has(index)) return index
      }
      return undefined
    },
  }
}
