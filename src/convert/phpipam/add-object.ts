/** Adds the object of a kind that a row of a table becomes. */
import type { EstateRow } from '../converter.ts'
import type { ObjectRows } from '../objects/object-rows.ts'
import { fitsPackField } from '../objects/packs.ts'
import type { Line } from '../report-builder.ts'
import { listLines, type Mapping, toRefs } from './mapping.ts'
import type { Row } from './tables.ts'

export type Made = {
  readonly table: string
  readonly row: Row
  readonly id: string
  readonly kind: string
  /** The name of the objects in refs. */
  readonly ref: string
  readonly name: string
  readonly used: readonly string[]
  readonly values?: EstateRow
  readonly lines?: readonly Line[]
}

/** Adds the object of a row. */
export const addObject = (mapping: Mapping, rows: ObjectRows, made: Made): void => {
  const { report, done, custom } = mapping
  const { table, row, id, kind, name, values = {}, lines = [] } = made
  const used = new Set(['description', ...made.used])
  // A value that its field does not take is a line.
  const unfit = Object.entries(values).filter(
    ([field, value]) => value !== undefined && !fitsPackField(kind, field, value),
  )
  const fitting = Object.fromEntries(Object.entries(values).filter(([field]) => !unfit.some(([one]) => one === field)))
  rows.add({
    kind,
    place: { what: table, id },
    name,
    description: report.describe(table, id, row.description ?? '', [
      ...listLines(mapping, { table, row, used }),
      ...unfit.map(([key, value]) => ({ key, value })),
      ...lines,
    ]),
    custom: custom.ofKind(kind, fitting, { what: table, id, row }),
    refs: toRefs(made.ref, id),
  })
  done.add(row)
}

/** Returns the rows of a table with their numbers, each once. */
export const listNumbered = ({ tables }: Mapping, table: string): { readonly id: string; readonly row: Row }[] =>
  tables
    .of(table)
    .flatMap((row) => (row.id !== undefined && tables.find(table, row.id) === row ? [{ id: row.id, row }] : []))
