/** Mappings that this browser keeps by the columns of a file, and mappings as files of `plat import csv --mapping`. */
import { DESCRIBED } from '../../../src/base/sheets/described.ts'
import type { ResourceName } from '../export/fields.ts'
/** The field of each column; '' for one that is left out. */
export type Mapping = readonly string[]

const buildKey = (resource: ResourceName, columns: readonly string[]): string =>
  `plat.mapping.${resource}.${JSON.stringify(columns)}`

export const loadMapping = (resource: ResourceName, columns: readonly string[]): Mapping | undefined => {
  try {
    const text = localStorage.getItem(buildKey(resource, columns))
    // Only `keepMapping` writes this key.
    return text === null ? undefined : (JSON.parse(text) as Mapping)
  } catch {
    return undefined
  }
}

export const keepMapping = (resource: ResourceName, columns: readonly string[], mapping: Mapping): void => {
  try {
    localStorage.setItem(buildKey(resource, columns), JSON.stringify(mapping))
  } catch {
    // The columns are guessed again if there is no storage.
  }
}

/** Returns the mapping as a file. A column without a field is left out. */
export const formatMapping = (resource: ResourceName, columns: readonly string[], mapping: Mapping): string =>
  `${JSON.stringify({ resource, columns: Object.fromEntries(columns.map((one, at) => [one, mapping[at] ?? ''])) }, undefined, 2)}\n`

/** Returns the field of each column. One that the file does not name goes into the description. @throws SyntaxError with words for a person */
export const parseMapping = async (
  text: string,
  { resource, columns, fields }: { resource: ResourceName; columns: readonly string[]; fields: readonly string[] },
): Promise<Mapping> => {
  const { parse } = await import('yaml')
  const value: unknown = parse(text)
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  if (typeof given.columns !== 'object' || given.columns === null) throw new SyntaxError('It has no columns')
  if (given.resource !== undefined && given.resource !== resource)
    throw new SyntaxError(`It is a mapping of ${String(given.resource)}`)
  const byColumn = new Map(Object.entries(given.columns))
  const bad = [...byColumn.values()].find((field) => field !== '' && !fields.includes(String(field)))
  if (bad !== undefined) throw new SyntaxError(`There is no field ${String(bad)} of ${resource}`)
  return columns.map((column) => String(byColumn.get(column) ?? DESCRIBED))
}
