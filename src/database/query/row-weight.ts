/** Bounds the chunks of streams by the number of rows and by the length of their texts. */

/** Returns the number of characters of all texts of a row. */
export const countCharacters = (row: object, columns: readonly string[]): number => {
  let length = 0
  for (const column of columns) {
    // A row of a query, by the names of its columns.
    const value = (row as Readonly<Record<string, unknown>>)[column]
    if (typeof value === 'string') length += value.length
  }
  return length
}

/** Returns true for a row that completes a chunk. @example const isFull = byWeight<Row>(500, 512 * 1024) */
export const createWeightLimit = <Row>(mostRows: number, mostLength: number): ((row: Row) => boolean) => {
  let columns: readonly string[] | undefined
  let rows = 0
  let length = 0
  return (row) => {
    // All rows of a query have the same columns.
    columns ??= Object.keys(row as object)
    rows++
    length += countCharacters(row as object, columns)
    if (rows < mostRows && length < mostLength) return false
    rows = 0
    length = 0
    return true
  }
}
