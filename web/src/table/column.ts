/** The columns of a table, and by which of them it is sorted. */
import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly id: string
  readonly text: string
  /** In pixels; what is left over is shared out. */
  readonly width: number
  readonly cell: (row: Row) => ReactNode
  readonly isSortable?: boolean
  readonly isRight?: boolean
  /** Kept on a phone. */
  readonly isEssential?: boolean
}

export type Sorting = { readonly sort: string; readonly isDescending: boolean }
