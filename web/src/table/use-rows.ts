/** The rows of a table that are in sight, also after a return to it. All have one height, so that their places are computed and never measured. */
import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { flushSync } from 'react-dom'

/** Rows drawn above and below. Each costs time at every key in the filter. */
const OVERSCAN = 2
/** The head covers so much of the rows. */
const HEAD_PX = 31
const MAX_OFFSETS = 200

/** Offsets by entry of the history and list: back is back to the same rows. */
const offsets = new Map<string, number>()

/** Returns the key that the router gives each entry of the history. */
const getEntryKey = (): string => {
  const state: unknown = history.state
  const key = typeof state === 'object' && state !== null && '__TSR_key' in state ? String(state.__TSR_key) : ''
  return key
}

const buildName = (label: string): string => `${getEntryKey()} ${label}`

const scrollMemory = {
  get: (label: string): number => offsets.get(buildName(label)) ?? 0,
  keep: (label: string, offset: number): void => {
    if (offsets.size >= MAX_OFFSETS) offsets.clear()
    offsets.set(buildName(label), offset)
  },
}

type Options = {
  /** The name of the list. */
  readonly label: string
  readonly scroller: RefObject<HTMLElement | null>
  readonly count: number
  readonly rowPx: number
}

/** Returns the first row to draw and the one after the last, the number of rows in sight, and how to scroll. */
export const useRows = ({ label, scroller, count, rowPx }: Options) => {
  const [place, setPlace] = useState({ row: 0, rows: 0 })
  const measure = useCallback(() => {
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    const next = { row: Math.floor(scrollTop / rowPx), rows: Math.ceil(clientHeight / rowPx) }
    setPlace((old) => (old.row === next.row && old.rows === next.rows ? old : next))
  }, [scroller, rowPx])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the place is restored once
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollTop = scrollMemory.get(label)
  }, [scroller])
  useLayoutEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    if (scroller.current) observer.observe(scroller.current)
    return () => observer.disconnect()
  }, [scroller, measure])
  const scrollTo = (row: number) => {
    const { current: element } = scroller
    if (!element) return
    const [topPx, mostPx] = [row * rowPx, (row + 1) * rowPx + HEAD_PX - element.clientHeight]
    if (element.scrollTop > topPx) element.scrollTop = topPx
    else if (element.scrollTop < mostPx) element.scrollTop = mostPx
  }
  const scrolled = () => {
    scrollMemory.keep(label, scroller.current?.scrollTop ?? 0)
    // The rows are there when the browser paints.
    flushSync(measure)
  }
  const first = Math.max(0, Math.min(place.row, count) - OVERSCAN)
  const end = Math.min(count, place.row + place.rows + 1 + OVERSCAN)
  return { first, end, shown: place.rows, scrollTo, scrolled }
}
