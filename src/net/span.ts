// Sets of whole numbers as inclusive spans: merge, subtract, cut into aligned blocks. Knows no families and no text.

/** All values from `first` to `last`, both included; `first <= last`. */
export type Span = { readonly first: bigint; readonly last: bigint }

/** An aligned block of 2^(bits - prefix) values that starts at `first`. */
export type Block = Span & { readonly prefix: number }

/**
 * Returns the same values as the fewest spans, in order: overlapping and adjacent spans are joined.
 *
 * @example
 * mergeSpans([{ first: 5n, last: 9n }, { first: 1n, last: 4n }]) // [{ first: 1n, last: 9n }]
 */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
  const merged: Span[] = []
  let open: { first: bigint; last: bigint } | undefined
  for (const { first, last } of sorted) {
    if (open !== undefined && first <= open.last + 1n) {
      if (last > open.last) open.last = last
    } else {
      open = { first, last }
      merged.push(open)
    }
  }
  return merged
}

/**
 * Returns `from` without the values of `minus`, as the fewest spans, in order. `minus` may be unsorted, overlapping and
 * reach outside `from`.
 *
 * @example
 * subtractSpans({ first: 0n, last: 9n }, [{ first: 3n, last: 5n }])
 * // [{ first: 0n, last: 2n }, { first: 6n, last: 9n }]
 */
export function subtractSpans(from: Span, minus: readonly Span[]): Span[] {
  const left: Span[] = []
  let next = from.first
  for (const hole of mergeSpans(minus.filter((span) => span.last >= from.first && span.first <= from.last))) {
    if (hole.first > next) left.push({ first: next, last: hole.first - 1n })
    next = hole.last + 1n
  }
  if (next <= from.last) left.push({ first: next, last: from.last })
  return left
}

/**
 * Returns the fewest aligned blocks that together are exactly the span, in order: at most 2 * bits of them.
 *
 * @param bits address length: 32 or 128
 * @example
 * splitSpan({ first: 1n, last: 3n }, 32)
 * // [{ first: 1n, last: 1n, prefix: 32 }, { first: 2n, last: 3n, prefix: 31 }]
 */
export function splitSpan(span: Span, bits: number): Block[] {
  const blocks: Block[] = []
  // Block sizes first only grow and then only shrink, so carrying the size over makes the whole walk O(bits).
  let size = 1n
  let prefix = bits
  let first = span.first
  while (first <= span.last) {
    while ((first & (size * 2n - 1n)) === 0n && first + size * 2n - 1n <= span.last) {
      size *= 2n
      prefix--
    }
    while ((first & (size - 1n)) !== 0n || first + size - 1n > span.last) {
      size /= 2n
      prefix++
    }
    blocks.push({ first, last: first + size - 1n, prefix })
    first += size
  }
  return blocks
}
