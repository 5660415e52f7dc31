// Spans of whole numbers. The tests of ranges and CIDRs compare them with models of addresses; these tests cover the
// rest.

import { expect, test } from 'bun:test'
import { mergeSpans, splitSpan, subtractSpans } from './span.ts'

test('merging or subtracting nothing', () => {
  expect(mergeSpans([])).toEqual([])
  expect(subtractSpans({ first: 3n, last: 3n }, [])).toEqual([{ first: 3n, last: 3n }])
})

test('a span inside an earlier one does not shorten it', () => {
  expect(
    mergeSpans([
      { first: 1n, last: 9n },
      { first: 2n, last: 3n },
      { first: 10n, last: 10n },
    ]),
  ).toEqual([{ first: 1n, last: 10n }])
})

test('the longest cover takes at most two blocks per bit, and no time', () => {
  const startedMs = performance.now()
  for (let run = 0; run < 100; run++) expect(splitSpan({ first: 1n, last: (1n << 128n) - 2n }, 128)).toHaveLength(254)
  expect(performance.now() - startedMs).toBeLessThan(500)
})
