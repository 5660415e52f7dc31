/** Columns that a query of the past selects for its order, or to be read in steps: see `PastSql.inIndexOrder`. */

/** The beginning of their names; no column of a table begins with it. */
export const ORDER_COLUMN = 'order_column_'
/** 0 in rows that are not of the past. */
export const IS_THEN = `${ORDER_COLUMN}is_then`

type Selected = Record<string, unknown>

/** Removes these columns, and the rows that are not of the past. */
export const removeOrder = <Row>(rows: Row[]): Row[] => {
  // Rows are plain objects of this module's caller.
  const selected = rows as Selected[]
  const columns = Object.keys(selected[0] ?? {}).filter((name) => name.startsWith(ORDER_COLUMN))
  if (columns.length === 0) return rows
  const kept = columns.includes(IS_THEN) ? selected.filter((row) => row[IS_THEN] !== 0) : selected
  for (const row of kept) for (const name of columns) delete row[name]
  return kept as Row[]
}
