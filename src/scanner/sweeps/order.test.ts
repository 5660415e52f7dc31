import { expect, test } from 'bun:test'
import { computeIndex } from './order.ts'

test.each([1, 2, 4, 256, 4096, 65_536])('of %i places each index comes once', (size) => {
  const seen = new Set(Array.from({ length: size }, (_, place) => computeIndex(place, size)))
  expect([seen.size, Math.min(...seen), Math.max(...seen)]).toEqual([size, 0, size - 1])
})

test('no /24 of a /16 gets two probes out of a hundred in a row', () => {
  for (let start = 0; start + 100 <= 65_536; start += 997) {
    const blocks = Array.from({ length: 100 }, (_, i) => computeIndex(start + i, 65_536) >> 8)
    expect(new Set(blocks).size).toBeGreaterThan(60)
  }
})
