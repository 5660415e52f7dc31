/** The columns of spreadsheets of a resource. Browser-safe. */
import type { CellKind } from '../csv/cells.ts'
import { CUSTOM_PREFIX, getCustomName } from '../csv/custom-columns.ts'
import { normalizeWord, rankWord } from './words.ts'

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
  /** The labels of the custom fields of a kind, by their columns, such as `custom.rate`. */
  readonly labels?: Readonly<Record<string, string>>
}

/** The kind of the objects of a sheet, with the labels of its custom fields by their names. */
export type SheetKind = { readonly id: string; readonly labels: Readonly<Record<string, string>> }

/** The fields that every row of a kind has alike. */
const KIND_FIELDS: ReadonlySet<string> = new Set(['kind', 'kind_id'])

/** Returns the columns of the objects of a kind. */
export const withKind = (sheet: Sheet, { labels }: SheetKind): Sheet => ({
  ...sheet,
  fields: Object.fromEntries(Object.entries(sheet.fields).filter(([name]) => !KIND_FIELDS.has(name))),
  readOnly: sheet.readOnly.union(KIND_FIELDS),
  labels: Object.fromEntries(Object.entries(labels).map(([name, label]) => [`${CUSTOM_PREFIX}${name}`, label])),
})

/** The fields that a column may hold: those of the row, of its addresses, and pieces of fields. */
export const getSheetField = (sheet: Sheet, name: string): SheetField | undefined => {
  for (const fields of [sheet.fields, sheet.parts, sheet.pieces]) if (Object.hasOwn(fields, name)) return fields[name]
  return undefined
}

/** Returns the names of all fields that a column may hold. */
export const listSheetFields = ({ fields, parts, pieces, labels = {} }: Sheet): string[] => [
  ...Object.keys(fields),
  ...Object.keys(parts),
  ...Object.keys(pieces),
  ...Object.keys(labels),
]

/**
 * Returns how surely a column holds a field of a sheet, by the normalized name of the column: see `rankWord`. The names and labels of custom
 * fields are surer than other words for a field.
 */
export const rankField = ({ resource, labels = {} }: Sheet, field: string, word: string): number | undefined => {
  const rank = rankWord(resource, field, word)
  if (rank !== undefined || !Object.hasOwn(labels, field)) return rank
  return word === normalizeWord(getCustomName(field)) || word === normalizeWord(labels[field] ?? '') ? 1 : undefined
}
