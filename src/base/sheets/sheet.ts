/** The columns of spreadsheets of a resource. Browser-safe. */
import type { CellKind } from '../csv/cells.ts'

/** A row of an estate document. */
export type SheetRow = Record<string, unknown>

/** A cell that becomes a line of the description. */
export type CellLine = { readonly column: string; readonly value: string }

/** The row of a file that a row was made of, or the rows, with the one of each address. */
export type RowOrigin = number | { readonly rows: readonly number[]; readonly addresses: readonly number[] }

export type SheetField = {
  readonly kind: CellKind
  /** The values of a choice. */
  readonly of?: readonly string[]
  /** The field names an object of this resource, which needs nothing but a name: the rows make it as well. */
  readonly makes?: string
}

export type Sheet = {
  readonly resource: string
  /** The singular. */
  readonly noun: string
  /** The fields of a row, names of other objects before their ids. */
  readonly fields: Readonly<Record<string, SheetField>>
  /** Columns of the addresses of a row, by their names there. Empty without addresses. */
  readonly parts: Readonly<Record<string, SheetField>>
  /** Columns that become a part of another field: `mask` of the subnet. */
  readonly pieces: Readonly<Record<string, SheetField>>
  /** Fields of answers that a row may have, and that have no effect. */
  readonly readOnly: ReadonlySet<string>
}

/** The fields that a column may hold: those of the row, of its addresses, and pieces of fields. */
export const getSheetField = (sheet: Sheet, name: string): SheetField | undefined => {
  for (const fields of [sheet.fields, sheet.parts, sheet.pieces]) if (Object.hasOwn(fields, name)) return fields[name]
  return undefined
}

/** Returns the names of all fields that a column may hold. */
export const listSheetFields = ({ fields, parts, pieces }: Sheet): string[] => [
  ...Object.keys(fields),
  ...Object.keys(parts),
  ...Object.keys(pieces),
]
