/**
 * Scrolls through more rows than an element can be high: browsers end one at 17,900,000 pixels or more. The scroll bar
 * maps to all rows in proportion; the wheel and the keys move by rows.
 */
import { createStore } from '../api/store.ts'
import type { Tall } from './view.ts'

/** The largest height of the body. */
export const MOST_PX = 8_000_000
/** The head covers so much of the rows. */
const HEAD_PX = 30
/** A wheel moves less at once, and the scroll bar of so high a body more. */
const JUMP_PX = 3000
/** The position in the scroll bar is corrected after so long without a scroll event. */
const REST_MS = 200

type Height = { readonly count: number; readonly rowPx: number /** The largest offset. */; readonly mostPx: number }

/** Computes the number of rows that the body has room for. */
export const computeRoom = (count: number, rowPx: number): number => Math.min(count, Math.floor(MOST_PX / rowPx))

const computeMaxShift = ({ count, rowPx }: Height): number => count - computeRoom(count, rowPx)

/** Computes the number of rows that are left out above, in proportion. */
export const computeShift = (offset: number, height: Height): number =>
  height.mostPx <= 0 ? 0 : Math.round((Math.min(offset, height.mostPx) / height.mostPx) * computeMaxShift(height))

/** Returns the offset and the shift in proportion at which a row is the first. @param row with a fraction if it is cut off */
export const placeRow = (row: number, height: Height): { readonly offset: number; readonly shift: number } => {
  const { rowPx, mostPx } = height
  if (mostPx <= 0) return { offset: 0, shift: 0 }
  const most = computeMaxShift(height)
  const shift = computeShift(row / (1 / rowPx + most / mostPx), height)
  const offset = Math.max(0, Math.min(mostPx, (row - shift) * rowPx))
  return { offset, shift: Math.max(0, Math.min(most, Math.round(row - offset / rowPx))) }
}

export const createTall = (): Tall => {
  const shift = createStore(0)
  let lastPx = 0
  /** Set with the event of its offset, so that no rows in between are drawn. */
  let nextShift: number | undefined
  let rest: ReturnType<typeof setTimeout> | undefined

  const measureHeight = (element: HTMLElement, { count, rowPx }: Pick<Height, 'count' | 'rowPx'>): Height => ({
    count,
    rowPx,
    mostPx: computeRoom(count, rowPx) * rowPx + HEAD_PX - element.clientHeight,
  })

  const place = (element: HTMLElement, row: number, height: Height): void => {
    const next = placeRow(row, height)
    const beforePx = element.scrollTop
    element.scrollTop = next.offset
    lastPx = element.scrollTop
    if (lastPx === beforePx) shift.set(next.shift)
    else nextShift = next.shift
  }

  const computeFirstRow = (element: HTMLElement, { rowPx }: Height): number =>
    element.scrollTop / rowPx + (nextShift ?? shift.get())

  return {
    shift,
    computeRoom,
    resize: (element, rows) => {
      lastPx = element.scrollTop
      nextShift = undefined
      shift.set(computeShift(lastPx, measureHeight(element, rows)))
    },
    scrolled: (element, rows) => {
      const height = measureHeight(element, rows)
      const { scrollTop, clientHeight } = element
      const movedPx = Math.abs(scrollTop - lastPx)
      lastPx = scrollTop
      clearTimeout(rest)
      if (nextShift !== undefined) {
        shift.set(nextShift)
        nextShift = undefined
        return
      }
      if (computeMaxShift(height) === 0) return
      if (movedPx > JUMP_PX) {
        shift.set(computeShift(scrollTop, height))
        return
      }
      const correct = () => place(element, computeFirstRow(element, height), height)
      const isNearEdge =
        (scrollTop < clientHeight && shift.get() > 0) ||
        (scrollTop > height.mostPx - clientHeight && shift.get() < computeMaxShift(height))
      if (movedPx > 0 && isNearEdge) correct()
      else if (movedPx > 0) rest = setTimeout(correct, REST_MS)
    },
    scrollTo: (element, row, rows) => {
      const height = measureHeight(element, rows)
      const first = computeFirstRow(element, height)
      const shown = (element.clientHeight - HEAD_PX) / height.rowPx
      if (row < first) place(element, row, height)
      else if (row > first + shown - 1) place(element, row - shown + 1, height)
    },
  }
}
