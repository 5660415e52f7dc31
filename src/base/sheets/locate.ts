/** Finds the cell of a file that an error of a row is about. Browser-safe. */
import { MERGED_FIELD } from './guess-columns.ts'
import type { RowOrigin } from './sheet.ts'

/** A sheet, with the field of each column. */
export type MappedTable = {
  readonly columns: readonly string[]
  readonly fields: readonly string[]
  /** The cells of a row by its number in the file. */
  readonly getCells: (number: number) => readonly string[] | undefined
}

export type CellPlace = {
  /** The line in which the row begins, or the number of a row in a workbook. */
  readonly number: number
  /** As in the header; absent if no column holds the field. */
  readonly column?: string
  readonly value?: string
}

const ADDRESS = /^addresses\[(\d+)\](?:\.(\w+))?/

const listNumbers = (origin: RowOrigin): readonly number[] => (typeof origin === 'number' ? [origin] : origin.rows)

/** Returns all rows of the file that a row was made of. */
export const listOriginRows = listNumbers

/** The fields by which a column may hold a field of an error, the surest first. */
const listHolders = (path: string): readonly string[] => {
  const [, , part] = ADDRESS.exec(path) ?? []
  if (path.startsWith(MERGED_FIELD))
    return part === undefined || part === 'ip' ? [MERGED_FIELD] : [part, `${part}_id`, MERGED_FIELD]
  const custom = /^custom\.\w+/.exec(path)?.[0]
  if (custom !== undefined) return [custom, 'custom']
  const root = /^\w+/.exec(path)?.[0] ?? ''
  const base = root.replace(/_id$/, '')
  const others: Readonly<Record<string, readonly string[]>> = {
    name: ['hostname', 'dns_name', MERGED_FIELD, 'subnet'],
    subnet: ['mask'],
    make_model: ['make'],
  }
  return [root, base, `${base}_id`, ...(others[root] ?? [])]
}

/** @param path the field of an error in its row, such as `addresses[0].ip` */
export const locateCell = ({ columns, fields, getCells }: MappedTable, origin: RowOrigin, path: string): CellPlace => {
  const numbers = listNumbers(origin)
  const address = Number(ADDRESS.exec(path)?.[1] ?? Number.NaN)
  const own = typeof origin === 'number' || Number.isNaN(address) ? undefined : origin.addresses[address]
  const rows = own === undefined ? numbers : [own]
  for (const holder of listHolders(path)) {
    const held = fields.flatMap((field, at) => (field === holder ? [at] : []))
    for (const number of rows)
      for (const at of held) {
        const value = getCells(number)?.[at] ?? ''
        if (value.trim() !== '') return { number, column: columns[at] || `column ${at + 1}`, value }
      }
    const [empty] = held
    if (empty !== undefined) return { number: rows[0] ?? 0, column: columns[empty] || `column ${empty + 1}`, value: '' }
  }
  return { number: rows[0] ?? 0 }
}

const MAX_SHOWN = 80

/** @example formatCell({ number: 2, column: 'IP', value: '10.0.0.300' }) // 'column IP, "10.0.0.300"' */
export const formatPlace = ({ column, value = '' }: CellPlace): string => {
  if (column === undefined) return ''
  const shown = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value
  return `column ${column}, ${shown === '' ? 'empty' : JSON.stringify(shown)}`
}
