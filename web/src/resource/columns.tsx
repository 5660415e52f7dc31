/** The columns of a table and the rows of a page of details, from the declarations of the fields. */
import type { ReactNode } from 'react'
import type { Column } from '../table/column.ts'

import { columnFields, columnId, type Declared, type Fields, joined, shownFields } from './fields.ts'

type ColumnOptions<T, Row> = {
  /** Names of the fields whose columns come first, in their order. */
  readonly first: readonly string[]
  readonly textOf: (row: Row, field: Declared<T>) => string
  /** In the place of the text, by the names of the fields. */
  readonly cells?: Readonly<Record<string, (row: Row) => ReactNode>>
}

const USUAL_WIDTH = 148

export const columnsOf = <T extends object, Row = T>(
  fields: Fields<T>,
  { first, textOf, cells = {} }: ColumnOptions<T, Row>,
): readonly Column<Row>[] =>
  columnFields(fields, first).map((one) => {
    const { name, field } = one
    const { text = field.label, width = USUAL_WIDTH, isMono, isRight, isEssential } = field.column || {}
    const plain = (row: Row) => (isMono ? <span className="mono">{textOf(row, one)}</span> : textOf(row, one))
    return {
      id: columnId(one),
      text,
      width,
      isSortable: field.sort !== false,
      isRight: isRight === true,
      isEssential: isEssential === true,
      cell: cells[name] ?? plain,
    }
  })

/** The columns of rows that are the objects themselves. */
export const ownColumns = <T extends object>(
  fields: Fields<T>,
  first: readonly string[],
  cells: Readonly<Record<string, (row: T) => ReactNode>> = {},
): readonly Column<T>[] => columnsOf<T>(fields, { first, cells, textOf: (row, { read }) => joined(read(row)) })

/** Pairs for `Facts`; `given` replaces the text of a field. */
export const factsOf = <T extends object>(
  fields: Fields<T>,
  row: T,
  first: readonly string[],
  given: Readonly<Record<string, ReactNode>> = {},
): (readonly [string, ReactNode])[] =>
  shownFields(fields, 'isDetail', first)
    .filter(({ field, read }) => !field.isOptional || joined(read(row)) !== '')
    .map(({ name, field, read }) => [field.label, given[name] ?? joined(read(row))])
