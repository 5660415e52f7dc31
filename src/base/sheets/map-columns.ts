/** The field of each column of a sheet. Browser-safe. */
import { invalidField } from '../../contract/errors.ts'
import { getOwn } from '../../contract/own.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { CUSTOM, isCustomColumn } from '../csv/custom-columns.ts'
import { DESCRIBED } from './described.ts'
import { guessColumns, MERGED_FIELD } from './guess-columns.ts'
import { getSheetField, listSheetFields, type Sheet } from './sheet.ts'

/** True for a field that a column may hold: of a custom field, the server of the import knows whether it is defined. */
const isField = (sheet: Sheet, field: string): boolean =>
  getSheetField(sheet, field) !== undefined || (Object.hasOwn(sheet.fields, CUSTOM) && isCustomColumn(field))

type Table = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }

/**
 * Returns the field of each column: the given one, else the one that its name and its cells mean; '' for none.
 * @param given fields by the names of columns; '' for a column that is left out
 * @throws AppError VALIDATION_ERROR on `mapping.columns`
 */
export const mapColumns = (
  sheet: Sheet,
  { columns, rows }: Table,
  given: Readonly<Record<string, string>>,
): string[] => {
  const names = new Set(columns)
  for (const [column, field] of Object.entries(given)) {
    const at = `mapping.columns.${column}`
    if (!names.has(column)) throw invalidField(at, `is no column of the file${formatSuggestion(column, columns)}`)
    if (field !== '' && field !== DESCRIBED && !isField(sheet, field))
      throw invalidField(
        at,
        `${field} is not a field of a ${sheet.noun}${formatSuggestion(field, listSheetFields(sheet))}`,
      )
  }
  const taken = Object.values(given).filter((field) => field !== '' && field !== DESCRIBED)
  const isOpen = (column: string) => !Object.hasOwn(given, column) && !sheet.readOnly.has(column)
  const own = (column: string) =>
    isOpen(column) && isCustomColumn(column) && isField(sheet, column) && !taken.includes(column) ? column : ''
  const open = columns.map((column) => (isOpen(column) ? column : ''))
  const guessed = guessColumns(sheet, { columns: open, rows, taken })
  const fields = columns.map((column, at) => {
    const field = getOwn(given, column) ?? (guessed[at] || own(column))
    return field === DESCRIBED ? '' : field
  })
  const firsts = new Map<string, number>()
  for (const [at, field] of fields.entries()) {
    const first = firsts.get(field) ?? at
    firsts.set(field, first)
    if (field !== '' && field !== MERGED_FIELD && first !== at)
      throw invalidField(`mapping.columns.${columns[at]}`, `is ${field}, as ${columns[first]} is`)
  }
  return fields
}
