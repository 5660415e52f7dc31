/** The columns of spreadsheets, which this folder does not import. */
import type { Sheet } from '../base/sheets/sheet.ts'
import type { Resource } from '../inventory/resources.ts'

export type RowSchemas = { readonly getSheet: (resource: Resource) => Sheet }
