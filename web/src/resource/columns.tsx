/** The columns of a table and the rows of a page of details, from the declarations of the fields. */
import type { ReactNode } from 'react'
import type { Column } from '../table/column.ts'
import { TimeAgo } from '../ui/primitives.tsx'
import { type Declared, type Fields, getColumnId, joinText, listColumnFields, listShownFields } from './fields.ts'

type ColumnOptions<T, Row> = {
  /** Names of the fields with the first columns, in their order. */
  readonly first: readonly string[]
  readonly formatCell: (row: Row, field: Declared<T>) => string
  /** The text in a file; the text of the cell by default. */
  readonly toText?: (row: Row, field: Declared<T>) => string
  /** In the place of the text, by the names of the fields. */
  readonly cells?: Readonly<Record<string, (row: Row) => ReactNode>>
}

const USUAL_WIDTH = 148

export const buildColumns = <T extends object, Row = T>(
  fields: Fields<T>,
  { first, formatCell, toText = formatCell, cells = {} }: ColumnOptions<T, Row>,
): readonly Column<Row>[] =>
  listColumnFields(fields, first).map((one) => {
    const { name, field } = one
    const { text = field.label, width = USUAL_WIDTH, least, isMono, isRight, isEssential } = field.column || {}
    const plain = (row: Row) => (isMono ? <span className="mono">{formatCell(row, one)}</span> : formatCell(row, one))
    return {
      id: getColumnId(one),
      text,
      width,
      least,
      isSortable: field.sort !== false,
      isRight: isRight === true,
      isEssential: isEssential === true,
      toText: (row) => toText(row, one),
      cell: cells[name] ?? plain,
    }
  })

/** Returns the columns of rows that are the objects themselves. */
export const buildOwnColumns = <T extends object>(
  fields: Fields<T>,
  first: readonly string[],
  cells: Readonly<Record<string, (row: T) => ReactNode>> = {},
): readonly Column<T>[] =>
  buildColumns<T>(fields, {
    first,
    cells: { updated_at: (row) => <TimeAgo at={String(Reflect.get(row, 'updated_at'))} />, ...cells },
    formatCell: (row, { read }) => joinText(read(row)),
    toText: (row, { read }) => [read(row)].flat().join('; '),
  })

/** Pairs for `Facts`; `given` replaces the text of a field. */
export const listFacts = <T extends object>(
  fields: Fields<T>,
  row: T,
  first: readonly string[],
  given: Readonly<Record<string, ReactNode>> = {},
): (readonly [string, ReactNode])[] =>
  listShownFields(fields, 'isDetail', first)
    .filter(({ field, read }) => !field.isOptional || joinText(read(row)) !== '')
    .map(({ name, field, read }) => [field.label, given[name] ?? joinText(read(row))])
