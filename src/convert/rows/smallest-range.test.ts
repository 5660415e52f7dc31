import { expect, test } from 'bun:test'
import { randomOf } from '../../../testing/hostile/hostile-files.ts'
import { findSmallestRanges, type Range } from './smallest-range.ts'

const ip = (value: number) => ({ family: 4 as const, value: BigInt(value) })

test('finds the same range as a look at each, on random ranges', () => {
  const random = randomOf(3)
  for (let round = 0; round < 200; round++) {
    const ranges: Range<number>[] = Array.from({ length: random(30) }, (_, item) => {
      const first = random(100)
      return { first: ip(first), last: ip(first + random(40)), item }
    })
    const addresses = Array.from({ length: random(30) }, () => BigInt(random(150)))
    const found = findSmallestRanges(ranges, addresses)
    for (const address of addresses) {
      const holding = ranges.filter(({ first, last }) => first.value <= address && address <= last.value)
      const size = ({ first, last }: Range<number>) => Number(last.value - first.value)
      const best = holding.sort((a, b) => size(a) - size(b) || Number(a.first.value - b.first.value) || a.item - b.item)
      const sizes = (item: number | undefined) => (item === undefined ? undefined : size(ranges[item] as Range<number>))
      expect(sizes(found.get(address))).toBe(best[0] && size(best[0]))
    }
  }
})

test('finds nothing among no ranges', () => {
  expect(findSmallestRanges([], [1n])).toEqual(new Map())
})
