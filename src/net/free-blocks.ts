// The free space of a block, and the lowest free blocks of one length in it. Both stop as soon as the caller does.

import type { Cidr } from './cidr.ts'
import { getAddressBits } from './ip.ts'
import { type Span, splitSpan } from './span.ts'

/**
 * Yields the fewest blocks that cover exactly the addresses of `outer` outside of all spans, in order.
 *
 * @param covered spans in `outer` by their first address; they may overlap
 * @example
 * [...freeBlocks(parseCidrOrThrow('10.0.0.0/30'), [parseCidrOrThrow('10.0.0.2/31')])].map(formatCidr) // ['10.0.0.0/31']
 */
export function* listFreeBlocks({ family, first, last }: Cidr, covered: Iterable<Span>): Generator<Cidr> {
  const bits = getAddressBits(family)
  const between = (from: bigint, to: bigint) =>
    splitSpan({ first: from, last: to }, bits).map((block): Cidr => ({ family, ...block }))
  let next = first
  for (const span of covered) {
    if (span.first > next) yield* between(next, span.first - 1n)
    if (span.last >= next) next = span.last + 1n
  }
  if (next <= last) yield* between(next, last)
}

/** Returns a span that overlaps the block; undefined if there is none. Blocks are asked for in ascending order. */
export type ObstacleIn = (block: Cidr) => Span | undefined | Promise<Span | undefined>

/** Yields the aligned blocks of a length, at least that of `outer`, that have no obstacle. The lowest comes first. */
export const findAlignedBlocks = async function* (
  outer: Cidr,
  prefix: number,
  obstacleIn: ObstacleIn,
): AsyncGenerator<Cidr> {
  const { family } = outer
  const size = 1n << BigInt(getAddressBits(family) - prefix)
  for (let first = outer.first; first <= outer.last; ) {
    const block = { family, prefix, first, last: first + size - 1n }
    const obstacle = await obstacleIn(block)
    if (!obstacle) yield block
    first = obstacle ? (obstacle.last / size + 1n) * size : first + size
  }
}

/** Disjoint spans in ascending order, and whether these are all up to the end. */
export type SpanPage = { readonly spans: readonly Span[]; readonly areAll: boolean }

/**
 * Finds obstacles among spans that are read in pages.
 * @param read returns the next spans; spans that end before `from` are not needed
 */
export const createObstacleFinder = (read: (from: bigint) => Promise<SpanPage>): ObstacleIn => {
  let page: SpanPage = { spans: [], areAll: false }
  let at = 0
  return async ({ first, last }) => {
    for (;;) {
      let span = page.spans[at]
      while (span && span.last < first) span = page.spans[++at]
      if (span) return span.first <= last ? span : undefined
      if (page.areAll) return undefined
      page = await read(first)
      at = 0
    }
  }
}
