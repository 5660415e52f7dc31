/** The maths of addresses for the independent test of filters, by numbers of any size. */

export type Block = { readonly family: 4 | 6; readonly value: bigint; readonly mask: number; readonly hasMask: boolean }

const readV6 = (text: string): bigint => {
  const [head = '', tail] = text.split('::')
  const split = (part: string | undefined) => (part ? part.split(':') : [])
  const [before, after] = [split(head), split(tail)]
  const groups = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}

/** Returns an address with or without a mask. */
export const parseBlock = (text: string): Block => {
  const [ip = '', mask] = text.split('/')
  const family = ip.includes(':') ? 6 : 4
  const value = family === 6 ? readV6(ip) : ip.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
  const bits = family === 6 ? 128 : 32
  return { family, value, mask: mask === undefined ? bits : Number(mask), hasMask: mask !== undefined }
}

const shiftOut = ({ family, mask }: Block, value: bigint): bigint => value >> BigInt((family === 6 ? 128 : 32) - mask)

/** True if all of the second block is in the first one. */
export const holds = (outer: Block, inner: Block): boolean =>
  outer.family === inner.family &&
  inner.mask >= outer.mask &&
  shiftOut(outer, outer.value) === shiftOut(outer, inner.value)

/** True if an address is in a block, whatever its own mask is. */
export const holdsIp = (outer: Block, { family, value }: Block): boolean =>
  outer.family === family && shiftOut(outer, outer.value) === shiftOut(outer, value)

export const isSameIp = (one: Block, other: Block): boolean => one.family === other.family && one.value === other.value

/** True if the address is the wanted one; a mask counts unless it is that of one address. */
export const isAddress = (held: Block, wanted: Block): boolean =>
  isSameIp(held, wanted) &&
  (!wanted.hasMask || wanted.mask === (wanted.family === 6 ? 128 : 32) || wanted.mask === held.mask)
