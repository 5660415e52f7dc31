/** The columns of a table, and by which of them it is sorted. */
import type { ReactNode } from 'react'

export type Column<Row> = {
  readonly id: string
  readonly text: string
  /** In pixels; what is left over is shared out. */
  readonly width: number
  /** In pixels: it never shrinks further. By default it shrinks to its head. */
  readonly least?: number | undefined
  readonly cell: (row: Row) => ReactNode
  /** The text of the cell in a file; by default it is read from the drawn cell. */
  readonly toText?: ((row: Row) => string) | undefined
  readonly isSortable?: boolean
  readonly isRight?: boolean
  /** A column of times, whose first order has the newest first. */
  readonly isNewestFirst?: boolean
  /** The head is only read to screen readers. Such a column is always shown. */
  readonly isHeadHidden?: boolean
  /** In the head, in the place of the text. */
  readonly head?: ReactNode
  /** Kept on a phone. */
  readonly isEssential?: boolean
}

export type Sorting = { readonly sort: string; readonly isDescending: boolean }
