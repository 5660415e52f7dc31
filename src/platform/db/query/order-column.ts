/** Columns that a query selects for its order alone: see `PastSql.inIndexOrder`. */

/** The beginning of their names; no column of a table begins with it. */
export const ORDER_COLUMN = 'order_column_'

/** Removes them from rows. */
export const withoutOrder = <Row>(rows: Row[]): Row[] => {
  const columns = Object.keys((rows[0] ?? {}) as object).filter((name) => name.startsWith(ORDER_COLUMN))
  // Rows are plain objects of this module's caller.
  if (columns.length > 0)
    for (const row of rows as Record<string, unknown>[]) for (const name of columns) delete row[name]
  return rows
}
