/** The arithmetic of a list of which only parts are here: windows of rows, counted from the nearer end. Pure. */

/** The rows of one request. */
export const WINDOW = 200
/** The windows that are kept. */
export const MOST_WINDOWS = 20

/** Returns the numbers of the windows of the rows from one position up to and without another. */
export const listWindows = (from: number, to: number): number[] => {
  const first = Math.max(0, Math.floor(from / WINDOW))
  const end = Math.max(first, Math.ceil(to / WINDOW))
  return Array.from({ length: end - first }, (_, i) => first + i)
}

export type Place = {
  /** Counted from the end of the names. */
  readonly isFromEnd: boolean
  readonly offset: number
  readonly limit: number
}

type Span = { readonly from: number; readonly to: number; readonly count: number }

/** Returns how rows are requested. The server skips all rows before a page, so it counts from the nearer end. */
export const toPlace = ({ from, to, count }: Span): Place => {
  const end = Math.min(to, count)
  const limit = Math.max(0, end - from)
  return from > count - end
    ? { isFromEnd: true, offset: count - end, limit }
    : { isFromEnd: false, offset: from, limit }
}

/** Turns the positions of a list in reverse to the positions in order of names, and back. */
export const toReversedSpan = ({ from, to, count }: Span): Span => ({
  from: Math.max(0, count - to),
  to: count - from,
  count,
})

/** Returns the least recently used keys, so that `most` remain. @param keys in the order of their use */
export const listSurplus = <K>(keys: Iterable<K>, most: number): K[] => {
  const all = [...keys]
  return all.slice(0, Math.max(0, all.length - most))
}
