// The index that finds the pools of an address, against a look at every pool.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DEFAULT_SPACE, toIpKey } from '../../net/ip.ts'
import { RangeIndex } from './pool-finder.ts'

const keyOf = (n: number) => toIpKey({ family: 4, value: BigInt(n) }, DEFAULT_SPACE)
const range = fc.tuple(fc.nat(60), fc.nat(20))

describe('an index of ranges', () => {
  test('finds the same ranges as a linear search', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 30 }), fc.array(fc.nat(90), { maxLength: 4 }), (spans, numbers) => {
        const ranges = spans.map(([first, length], i) => ({
          id: `pool ${i}`,
          start_key: keyOf(first),
          end_key: keyOf(first + length),
          subnet: '10.0.0.0/8',
        }))
        const keys = numbers.map(keyOf)
        const expected = ranges.filter(({ start_key, end_key }) =>
          keys.some((key) => key >= start_key && key <= end_key),
        )
        const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
        expect(new RangeIndex(ranges).holding(keys).toSorted(byId)).toEqual(expected.toSorted(byId))
      }),
    )
  })
})
