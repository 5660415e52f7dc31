/** Which column is which field, guessed and then applied. */

import { CUSTOM, getCustomName, isCustomColumn } from '../../../src/base/csv/custom-columns.ts'
import { type BuiltRows, buildRows, type RejectedRow } from '../../../src/base/sheets/build-rows.ts'
import { guessColumns } from '../../../src/base/sheets/guess-columns.ts'
import type { RowOrigin } from '../../../src/base/sheets/sheet.ts'
import { FACTS } from '../../../src/inventory/resources.ts'
import { parseIp } from '../../../src/net/ip.ts'
import type { ResourceFacts } from '../../../src/resource/facts.ts'
import type { ImportRow, ResourceName } from '../export/fields.ts'
import { DATACENTER, DATACENTER_ID, getImportSheet } from './import-fields.ts'
import type { Source } from './read.ts'

/** The field of each column; '' for one that is left out. */
export type Mapping = readonly string[]

/**
 * Guesses each field at most once: names as they are first, then other words for them, then the bare names of custom fields. The cells of
 * a sheet decide between the fields of a word.
 * @param custom columns of custom fields
 */
export const guessMapping = (
  resource: ResourceName,
  columns: readonly string[],
  custom: readonly string[] = [],
  rows: readonly (readonly string[])[] = [],
): Mapping => {
  const guessed = guessColumns(getImportSheet(resource), { columns, rows })
  const taken = new Set(guessed)
  return guessed.map((field, at) => {
    const column = columns[at]?.trim() ?? ''
    const own = custom.includes(column) ? column : `${CUSTOM}.${column.toLowerCase()}`
    if (field !== '' || taken.has(own) || !custom.includes(own)) return field === DATACENTER ? DATACENTER_ID : field
    taken.add(own)
    return own
  })
}

/** Returns the cells of a sheet; none of JSON, whose columns have the names of fields. */
export const getCells = ({ format, rows }: Source): readonly (readonly string[])[] =>
  format === 'JSON' ? [] : rows.map((row) => row.map((cell) => String(cell ?? '')))

type MapOptions = {
  readonly mapping: Mapping
  /** Otherwise a field is left as it is. */
  readonly emptyClears: boolean
  /** Lower-case name -> id. */
  readonly datacenters: ReadonlyMap<string, string>
  /** The lower-case names of the objects of a resource. Without them, names that are not there are left to the server. */
  readonly known?: ReadonlyMap<string, ReadonlySet<string>>
}

export type MappedRows = {
  readonly rows: readonly ImportRow[]
  /** The errors that are visible without the server, by the place of the row. */
  readonly problems: ReadonlyMap<number, string>
  /** The rows of the file that each row was made of. */
  readonly origins: readonly RowOrigin[]
  /** Rows of the file that cannot be read. */
  readonly rejected: readonly RejectedRow[]
  /** Names of objects that are not there, by their resource. */
  readonly missing: ReadonlyMap<string, readonly string[]>
}

/** People know a datacenter by its name; the contract by its id. A name that is not there stays one, except in a column of ids. */
const placeDatacenter = (
  row: Record<string, unknown>,
  datacenters: ReadonlyMap<string, string>,
  isId: (text: string) => boolean,
): void => {
  const value = row[DATACENTER_ID] ?? row[DATACENTER]
  if (typeof value !== 'string' || value === '') return
  const id = datacenters.get(value.trim().toLowerCase())
  delete row[DATACENTER]
  delete row[DATACENTER_ID]
  if (id !== undefined || isId(value)) row[DATACENTER_ID] = id ?? value
  else row[DATACENTER] = value
}

const fromSheet = (resource: ResourceName, source: Source, { mapping, emptyClears }: MapOptions): BuiltRows =>
  buildRows(
    getImportSheet(resource),
    {
      columns: source.columns,
      rows: getCells(source).map((row) => [...row]),
      numbers: [...source.numbers],
      unit: source.unit,
    },
    {
      fields: mapping,
      emptyClears,
      getUse: () => 'leave',
      onLeft: () => {},
      describe: (_, text, lines) =>
        [text, ...lines.map(({ column, value }) => `${column}: ${value}`)].filter((line) => line !== '').join('\n'),
    },
  )

const fromJson = (source: Source, { mapping, emptyClears }: MapOptions): BuiltRows => ({
  rows: source.rows.map((cells) => {
    const row: Record<string, unknown> = {}
    for (const [column, field] of mapping.entries()) {
      const cell = cells[column]
      if (field === '' || cell === undefined) continue
      // An id can't be cleared: without one the name counts.
      if (cell === '' && (!emptyClears || field === 'id')) continue
      if (isCustomColumn(field)) row[CUSTOM] = { ...(row[CUSTOM] as object | undefined), [getCustomName(field)]: cell }
      else row[field] = cell
    }
    return row
  }),
  origins: source.numbers,
  rejected: [],
  named: new Map(),
})

/** Returns the rows as the server takes them, and the errors that are visible without it. */
export const mapRows = (resource: ResourceName, source: Source, options: MapOptions): MappedRows => {
  const { mapping, datacenters, known } = options
  const built = source.format === 'JSON' ? fromJson(source, options) : fromSheet(resource, source, options)
  const at = mapping.indexOf(DATACENTER_ID)
  const isIdColumn = source.columns[at] === DATACENTER_ID
  const ids = new Set(datacenters.values())
  const missing = new Map<string, Map<string, string>>()
  const addMissing = (to: string, name: unknown) => {
    if (typeof name !== 'string' || name === '' || known?.get(to)?.has(name.toLowerCase()) !== false) return
    const names = missing.get(to) ?? new Map<string, string>()
    missing.set(to, names)
    if (!names.has(name.toLowerCase())) names.set(name.toLowerCase(), name)
  }
  for (const row of built.rows) {
    if (at !== -1) placeDatacenter(row, datacenters, (text) => isIdColumn || ids.has(text))
    addMissing('datacenters', row[DATACENTER])
  }
  for (const name of built.named.get('spaces')?.keys() ?? []) addMissing('spaces', name)
  const problems = new Map<number, string>()
  for (const [index, row] of built.rows.entries()) {
    const problem = validateRow(resource, row)
    if (problem !== undefined) problems.set(index, problem)
  }
  const { rows, origins, rejected } = built
  return {
    rows,
    origins,
    rejected,
    problems,
    missing: new Map([...missing].map(([to, names]) => [to, [...names.values()]])),
  }
}

/** True for a resource of objects that always have a name of their own. */
const hasName = (resource: ResourceName): boolean => {
  const { name }: ResourceFacts['fields'] = FACTS[resource].fields
  return name?.type === 'name' || (name?.type === 'text' && name.required === true)
}

/** Returns the mistakes that need no server to be seen. The rules are the server's: it validates every row again. */
const validateRow = (resource: ResourceName, row: ImportRow): string | undefined => {
  if (hasName(resource) && !row.id && !row.name) return 'name: is required'
  if (!Array.isArray(row.addresses)) return undefined
  for (const [at, one] of row.addresses.entries()) {
    const ip: unknown = typeof one === 'object' && one !== null && 'ip' in one ? one.ip : one
    if (typeof ip !== 'string' || !parseIp(ip)) return `addresses[${at}].ip: must be an IPv4 or IPv6 address`
  }
  return undefined
}
