/** The windows of a long list: which rows they have, and from which end they are requested. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { listSurplus, listWindows, toPlace, toReversedSpan, WINDOW } from './windows.ts'

test.each([
  [0, 30, [0]],
  [190, 230, [0, 1]],
  [200, 400, [1]],
  [999_990, 1_000_000, [4999]],
  [5, 5, [0]],
  [0, 0, []],
] as const)('the rows from %p to %p are in the windows %p', (from, to, windows) => {
  expect(listWindows(from, to)).toEqual([...windows])
})

describe('a window', () => {
  test('is requested from the nearer end', () => {
    expect(toPlace({ from: 200, to: 400, count: 1_000_000 })).toEqual({ isFromEnd: false, offset: 200, limit: 200 })
    expect(toPlace({ from: 999_800, to: 1_000_000, count: 999_950 })).toEqual({
      isFromEnd: true,
      offset: 0,
      limit: 150,
    })
  })

  test('is the same rows from either end, and never behind the middle', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(15), (count, window) => {
        const rows = Array.from({ length: count }, (_, i) => i)
        const [from, to] = [window * WINDOW, (window + 1) * WINDOW]
        fc.pre(from < count)
        const { isFromEnd, offset, limit } = toPlace({ from, to, count })
        const ordered = isFromEnd ? rows.toReversed() : rows
        const page = ordered.slice(offset, offset + limit)
        expect(isFromEnd ? page.toReversed() : page).toEqual(rows.slice(from, to))
        expect(offset).toBeLessThanOrEqual(count / 2)
      }),
    )
  })

  test('of a list in reverse has the mirrored positions', () => {
    expect(toReversedSpan({ from: 0, to: 200, count: 450 })).toEqual({ from: 250, to: 450, count: 450 })
    expect(toReversedSpan(toReversedSpan({ from: 200, to: 450, count: 450 }))).toEqual({
      from: 200,
      to: 450,
      count: 450,
    })
  })
})

test('the windows that were used longest ago are given up', () => {
  expect(listSurplus([7, 3, 9], 2)).toEqual([7])
  expect(listSurplus([7, 3], 2)).toEqual([])
})
