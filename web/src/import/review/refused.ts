/** The rows that are not imported, as a file: of a spreadsheet as they stand in it, else as JSON. Pure functions. */
import { formatCsv } from '../../../../src/base/csv/csv.ts'
import { type Draft, listNumbers } from '../draft.ts'
import type { ReviewRow } from './rows.ts'

export type BadFile = { readonly name: string; readonly type: string; readonly text: string }

/** @example getBaseName('devices.csv') // 'devices' */
const getBaseName = (name: string): string => name.replace(/(?<=.)\.[^.]*$/, '')

export const formatRefused = ({ name, sheet, documents }: Draft, refused: readonly ReviewRow[]): BadFile => {
  const base = `${getBaseName(name)}.refused`
  if (sheet) {
    const numbers = new Set(
      refused.flatMap(({ at, number, resource }) =>
        at === undefined ? [number] : resource === sheet.resource ? listNumbers(sheet, at) : [],
      ),
    )
    const { cells } = sheet
    const rows = cells.rows.filter((_, at) => numbers.has(cells.numbers[at] ?? 0)).map((row) => [...row])
    const text = formatCsv([cells.columns.map((column) => column.name), ...rows])
    return { name: `${base}.csv`, type: 'text/csv;charset=utf-8', text }
  }
  const lists = Map.groupBy(refused, ({ resource }) => resource)
  const document = Object.fromEntries(
    [...lists].map(([resource, rows]) => [resource, rows.map(({ at = -1 }) => documents[resource]?.[at])]),
  )
  return { name: `${base}.json`, type: 'application/json', text: `${JSON.stringify(document, undefined, 2)}\n` }
}
