// Which addresses of a block of 256 are taken, as a bitmap in text: free space is found without walking addresses.
// A bitmap is 64 lower-case hexadecimal digits. Written out in binary, left to right, the first bit is offset 0 and
// the last is offset 255; 1 is taken. Digit d so holds offsets 4d to 4d + 3, the lowest of them worth 8.

import { getSpaceKey, type IpKey } from './ip.ts'

const DIGITS = '0123456789abcdef'
const BLOCK_SIZE = 256
const BITS_LENGTH = 64
const BITMAP = /^[0-9a-f]{64}$/
const BLOCK = /^(?:s[0-9a-f]{4})?(?:4[0-9a-f]{6}|6[0-9a-f]{30})$/

/** The bitmap of a block with no address taken. */
export const EMPTY_BLOCK = '0'.repeat(BITS_LENGTH)

/** The bitmap of a block with every address taken. */
export const FULL_BLOCK = 'f'.repeat(BITS_LENGTH)

/**
 * Returns the block of an IP key: the key without its last two digits.
 *
 * @param key made by `toIpKey`
 * @example
 * getBlock('40a000105') // '40a0001'
 */
export function getBlock(key: string): string {
  return key.slice(0, -2)
}

/**
 * Returns the place of an IP key in its block, 0 to 255.
 *
 * @param key made by `toIpKey`
 * @example
 * getOffset('40a0001ff') // 255
 */
export function getOffset(key: string): number {
  return Number.parseInt(key.slice(-2), 16)
}

/**
 * Returns the IP key at a place in a block.
 *
 * @param block made by `getBlock`
 * @param offset 0 to 255
 * @example
 * buildIpKey('40a0001', 5) // '40a000105'
 */
export function buildIpKey(block: string, offset: number): IpKey {
  // A block and two digits are a key.
  return `${block}${offset.toString(16).padStart(2, '0')}` as IpKey
}

/**
 * Returns the bitmap with these offsets set to taken or to free, the others as they were.
 *
 * @param offsets 0 to 255, in any order, repeats allowed
 * @throws RangeError on a malformed bitmap or an offset out of range: a bug, not user input
 * @example
 * withBits(EMPTY_BLOCK, [0, 2], true) // 'a000000000000000000000000000000000000000000000000000000000000000'
 * withBits(FULL_BLOCK, [255], false) // 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe'
 * withBits(EMPTY_BLOCK, [256], true) // throws RangeError
 */
export function withBits(bits: string, offsets: readonly number[], taken: boolean): string {
  if (!BITMAP.test(bits)) throw createBitmapError(bits)
  const codes = Array.from({ length: BITS_LENGTH }, (_, digit) => bits.charCodeAt(digit))
  for (const offset of offsets) {
    const digit = getDigitIndex(offset)
    const nibble = parseNibble(codes[digit] ?? 0)
    codes[digit] = DIGITS.charCodeAt(taken ? nibble | getMask(offset) : nibble & ~getMask(offset))
  }
  return String.fromCharCode(...codes)
}

/**
 * True when the address at this offset is taken.
 *
 * @param offset 0 to 255
 * @throws RangeError on a malformed bitmap or an offset out of range: a bug, not user input
 * @example
 * isTaken(FULL_BLOCK, 7) // true
 * isTaken(EMPTY_BLOCK, 7) // false
 */
export function isTaken(bits: string, offset: number): boolean {
  return (readNibble(bits, getDigitIndex(offset)) & getMask(offset)) !== 0
}

/**
 * Returns the lowest free offset between `from` and `to`, both included.
 *
 * @returns undefined when all of them are taken, and when `from` is above `to`
 * @throws RangeError on a malformed bitmap or an offset out of range: a bug, not user input
 * @example
 * findFirstFree(EMPTY_BLOCK, 10, 20) // 10
 * findFirstFree(FULL_BLOCK, 0, 255) // undefined
 */
export function findFirstFree(bits: string, from: number, to: number): number | undefined {
  if (from > to) return undefined
  const lastDigit = getDigitIndex(to)
  for (let digit = getDigitIndex(from); digit <= lastDigit; digit++) {
    // Eight is the top bit of four, so the leading zeros of the free bits say how far the first one is.
    const skipped = Math.max(0, from - digit * 4)
    const free = ~readNibble(bits, digit) & (15 >> skipped)
    if (free === 0) continue
    const offset = digit * 4 + Math.clz32(free) - 28
    return offset <= to ? offset : undefined
  }
  return undefined
}

/**
 * How many of the 256 addresses are taken.
 *
 * @throws RangeError on a malformed bitmap: a bug, not user input
 * @example
 * countTaken(FULL_BLOCK) // 256
 */
export function countTaken(bits: string): number {
  let count = 0
  for (let digit = 0; digit < BITS_LENGTH; digit++) {
    const nibble = readNibble(bits, digit)
    count += (nibble & 1) + ((nibble >> 1) & 1) + ((nibble >> 2) & 1) + (nibble >> 3)
  }
  return count
}

/**
 * Returns the block after this one in the same family and address space.
 *
 * @param block made by `getBlock`
 * @returns undefined at the end of the family's space
 * @throws RangeError on a malformed block: a bug, not user input
 * @example
 * getNextBlock('40a00ff') // '40a0100'
 * getNextBlock('4ffffff') // undefined
 * getNextBlock('s001f40a00ff') // 's001f40a0100'
 */
export function getNextBlock(block: string): string | undefined {
  if (!BLOCK.test(block)) throw new RangeError(`Not a block: ${block.slice(0, 64)}`)
  // Counting up in text avoids a BigInt: the last digit that is not f is incremented, and all digits after it become 0.
  const family = getSpaceKey(block).length
  let at = block.length - 1
  while (at > family && block[at] === 'f') at--
  if (at === family) return undefined
  const digit = DIGITS.charAt(Number.parseInt(block.charAt(at), 16) + 1)
  return block.slice(0, at) + digit + '0'.repeat(block.length - 1 - at)
}

function getDigitIndex(offset: number): number {
  if (!Number.isInteger(offset) || offset < 0 || offset >= BLOCK_SIZE) throw new RangeError(`Not an offset: ${offset}`)
  return offset >> 2
}

function getMask(offset: number): number {
  return 8 >> (offset & 3)
}

function readNibble(bits: string, digit: number): number {
  const nibble = bits.length === BITS_LENGTH ? parseNibble(bits.charCodeAt(digit)) : -1
  if (nibble < 0) throw createBitmapError(bits)
  return nibble
}

function parseNibble(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 102 ? code - 87 : -1
}

function createBitmapError(bits: string): RangeError {
  return new RangeError(`Not a bitmap of ${BITS_LENGTH} digits: ${bits.slice(0, 80)}`)
}
