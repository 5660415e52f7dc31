/** For rows that hold others. */
export type Tree<Row> = {
  /** From 1. */
  readonly getLevel: (row: Row) => number
  /** Undefined for one that holds nothing. */
  readonly isExpanded: (row: Row) => boolean | undefined
  readonly toggle: (row: Row, isExpanded: boolean) => void
  /** The first cell of such a row takes the place of all cells. */
  readonly isWide?: (row: Row) => boolean
  /** Absent if all rows can be selected. */
  readonly isSelectable?: (row: Row) => boolean
}
