/** The order in which addresses are tried: scattered, so that no switch or /24 gets them in a burst. Pure. */

/** 2^32 / golden ratio: neighbors in the order are far apart in the block, at any size of it. */
const STRIDE = 0x9e3779b1
const OFFSET = 0x5bd1e995

/**
 * Returns the index that comes at that place of the order. Every index comes exactly once, and a place is all there is to remember: a
 * linear congruence with an odd factor is a permutation of any power of two.
 *
 * @param place 0 to size - 1
 * @param size a power of two, at most 2^32
 */
export const computeIndex = (place: number, size: number): number =>
  (((Math.imul(place, STRIDE) + OFFSET) >>> 0) & (size - 1)) >>> 0
