/** For rows that hold others. */
export type Tree<Row> = {
  /** From 1. */
  readonly getLevel: (row: Row) => number
  /** Undefined for one that holds nothing. */
  readonly isExpanded: (row: Row) => boolean | undefined
  readonly toggle: (row: Row, isExpanded: boolean) => void
  /** Absent if all rows can be selected. */
  readonly isSelectable?: (row: Row) => boolean
}
