/** More rows than an element can be high: every row can be reached, and the ends are at the ends of the scroll bar. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { computeRoom, computeShift, MOST_PX, placeRow } from './tall.ts'

const ROW_PX = 32
const SHOWN_PX = 800

const heightOf = (count: number) => ({ count, rowPx: ROW_PX, mostPx: computeRoom(count, ROW_PX) * ROW_PX - SHOWN_PX })

test('few rows are as high as they are', () => {
  expect([computeRoom(1000, ROW_PX), computeShift(5000, heightOf(1000))]).toEqual([1000, 0])
  expect(placeRow(500, heightOf(1000))).toEqual({ offset: 500 * ROW_PX, shift: 0 })
})

test('the ends of the scroll bar are the ends of the rows', () => {
  const height = heightOf(1_000_000)
  expect(computeRoom(1_000_000, ROW_PX) * ROW_PX).toBeLessThanOrEqual(MOST_PX)
  expect(placeRow(0, height)).toEqual({ offset: 0, shift: 0 })
  expect([computeShift(0, height), computeShift(height.mostPx, height)]).toEqual([0, 750_000])
  const last = placeRow(1_000_000 - SHOWN_PX / ROW_PX, height)
  expect([Math.round(last.offset), last.shift]).toEqual([height.mostPx, 750_000])
})

test('every row is placed where the scroll bar would look for it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 300_000, max: 3_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, part) => {
        const height = heightOf(count)
        const row = part * (count - SHOWN_PX / ROW_PX)
        const { offset, shift } = placeRow(row, height)
        expect(offset).toBeGreaterThanOrEqual(0)
        expect(offset).toBeLessThanOrEqual(height.mostPx)
        // The row is the first one that is shown.
        expect(Math.abs(offset / ROW_PX + shift - row)).toBeLessThanOrEqual(0.51)
        // Going back to the offset itself shows nearly the same rows.
        const perRow = (ROW_PX / height.mostPx) * (count - computeRoom(count, ROW_PX))
        expect(Math.abs(computeShift(offset, height) - shift)).toBeLessThanOrEqual(perRow + 2)
      },
    ),
  )
})
