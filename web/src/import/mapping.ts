/** Which column is which field, guessed and then applied. */

import { readCell } from '../../../src/base/csv/cells.ts'
import { CUSTOM, getCustomName, isCustomColumn } from '../../../src/base/csv/custom-columns.ts'
import { guessFields } from '../../../src/base/csv/guess.ts'
import { FACTS } from '../../../src/inventory/resources.ts'
import { parseIp } from '../../../src/net/ip.ts'
import { listFields, type ResourceFacts } from '../../../src/resource/facts.ts'
import { FIELDS, type ImportRow, listColumnFields, type ResourceName } from '../export/fields.ts'
import type { Source } from './read.ts'

/** The field of each column; '' for one that is left out. */
export type Mapping = readonly string[]

/**
 * Guesses each field at most once: names as they are first, then other words for them, then the bare names of custom fields.
 * @param custom columns of custom fields
 */
export const guessMapping = (
  resource: ResourceName,
  columns: readonly string[],
  custom: readonly string[] = [],
): Mapping => {
  const guessed = guessFields(listColumnFields(resource, custom), columns)
  const taken = new Set(guessed)
  return guessed.map((field, at) => {
    const own = `${CUSTOM}.${columns[at]?.trim().toLowerCase()}`
    if (field !== '' || taken.has(own) || !custom.includes(own)) return field
    taken.add(own)
    return own
  })
}

type MapOptions = {
  readonly mapping: Mapping
  /** Otherwise a field is left as it is. */
  readonly emptyClears: boolean
  /** Lower-case name -> id. */
  readonly datacenters: ReadonlyMap<string, string>
}

/** Returns the fields that name a datacenter. */
const listDatacenterFields = (resource: ResourceName): ReadonlySet<string> =>
  new Set(
    listFields(FACTS[resource]).flatMap(([name, field]) =>
      field.type === 'reference' && field.to === FACTS.datacenters.name ? name : [],
    ),
  )

/** People know a datacenter by its name; the contract by its id. */
const toDatacenterId = (value: unknown, datacenters: ReadonlyMap<string, string>): unknown =>
  typeof value === 'string' ? (datacenters.get(value.trim().toLowerCase()) ?? value) : value

/** Returns the rows as the server takes them, and the errors that are visible without it. */
export const mapRows = (
  resource: ResourceName,
  source: Source,
  { mapping, emptyClears, datacenters }: MapOptions,
): { readonly rows: readonly ImportRow[]; readonly problems: ReadonlyMap<number, string> } => {
  const kinds = FIELDS[resource]
  const places = listDatacenterFields(resource)
  const problems = new Map<number, string>()
  const rows = source.rows.map((cells, at): ImportRow => {
    const row: Record<string, unknown> = {}
    for (const [column, field] of mapping.entries()) {
      const cell = cells[column]
      if (field === '' || cell === undefined) continue
      // An id can't be cleared: without one the name counts.
      if (cell === '' && (!emptyClears || field === 'id')) continue
      if (isCustomColumn(field)) {
        row[CUSTOM] = { ...(row[CUSTOM] as object | undefined), [getCustomName(field)]: cell }
        continue
      }
      try {
        const value = source.format === 'CSV' ? readCell(kinds[field] ?? 'text', String(cell)) : cell
        row[field] = places.has(field) ? toDatacenterId(value, datacenters) : value
      } catch {
        problems.set(at, `${field}: is not valid JSON`)
      }
    }
    const problem = validateRow(resource, row)
    if (problem !== undefined && !problems.has(at)) problems.set(at, problem)
    return row
  })
  return { rows, problems }
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
