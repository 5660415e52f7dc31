/** How many deletions can still be sent when the page goes away: such a request may carry 64 KiB (Fetch, 4.6 keepalive). */

/** Leaves room for the text around the ids. */
const MOST_BYTES = 60_000
/** Of one call. */
const MOST_OPERATIONS = 1000
/** `{"op":"delete","id":""},` */
const AROUND_AN_ID = 26

/** The first of the ids, as many as fit. */
export const fitting = (ids: readonly string[]): readonly string[] => {
  let bytes = 0
  const end = ids.findIndex((id, index) => {
    // An id has only ASCII letters.
    bytes += id.length + AROUND_AN_ID
    return bytes > MOST_BYTES || index === MOST_OPERATIONS
  })
  return end === -1 ? ids : ids.slice(0, end)
}
