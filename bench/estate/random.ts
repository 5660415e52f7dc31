/** Deterministic random numbers: a hash of their purpose, so that any row is generated without the earlier ones. */

/** Returns a number of 0 up to and without 1 for object number `index`. `salt` separates its properties. */
export type Random = (index: number, salt: number) => number

/** Murmur3's finalizer: spreads neighboring numbers over all of 32 bits. */
const scramble = (n: number): number => {
  let h = n | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** @example createRandom(1)(5, 2) === createRandom(1)(5, 2) // true */
export const createRandom =
  (seed: number): Random =>
  (index, salt) =>
    scramble(scramble(scramble(seed) + index) + Math.imul(salt, 0x9e3779b1)) / 2 ** 32

/** Returns one of the items, for a number of 0 up to and without 1. @throws RangeError for an empty list */
export const pick = <T>(items: readonly T[], at: number): T => {
  const item = items[Math.floor(at * items.length)]
  if (item === undefined) throw new RangeError('nothing to pick from')
  return item
}
