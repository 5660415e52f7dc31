/** Reads an estate document of JSON or YAML: an object of lists, or a list of rows of one resource. */
import { parse } from 'yaml'
import { getErrorMessage, isRecord } from '../../../contract/unknown.ts'
import type { EstateDocument, EstateRow } from '../../../convert/converter.ts'
import { INVENTORY, isResource, type Resource } from '../../../inventory/resources.ts'
import { SnapshotError } from '../source-kind.ts'

/** The depth of a row, as of every JSON that a source reads. */
const MAX_DEPTH = 64
/** An alias of YAML may not multiply its anchor without end. */
const MAX_ALIASES = 1000
const PACKS = 'packs'
/** Parts of a document that say how it is applied, by which schema it is checked, and lists that only the NetBox API reads. */
const PASSED_OVER = new Set(['$schema', 'lists', 'empty', 'managed_by', 'names'])

export type EstateFile = { readonly documents: EstateDocument; readonly packs: readonly string[] }

const isList = (key: string): boolean => isResource(key) || key === PACKS || PASSED_OVER.has(key)

/** The first key of a YAML, below comments and the mark of its begin. */
const FIRST_KEY = /^(?:\ufeff)?(?:[^\S\n]*(?:#[^\n]*|---[^\n]*|%[^\n]*)?\n)*["']?([\w$-]+)["']?[^\S\n]*:(?:\s|$)/

/** True for a YAML with a list of an estate document as its first key. */
export const looksLikeEstateYaml = (head: string): boolean => isList(FIRST_KEY.exec(head)?.[1] ?? '')

/** True for a JSON value of which all keys are parts of an estate document. */
export const isEstate = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).every(isList)

const checkDepth = (value: unknown, at: string, depth = 0): void => {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new SnapshotError(`${at}: is nested deeper than ${MAX_DEPTH}`)
  for (const inner of Object.values(value)) checkDepth(inner, at, depth + 1)
}

const readRows = (key: string, list: unknown): EstateRow[] => {
  if (list === null) return []
  if (!Array.isArray(list)) throw new SnapshotError(`${key}: must be a list`)
  return list.map((row: unknown, i) => {
    if (!isRecord(row)) throw new SnapshotError(`${key}[${i}]: must be an object`)
    checkDepth(row, `${key}[${i}]`)
    // The source owns the objects that it makes.
    const { managed_by: _, ...fields } = row
    return fields
  })
}

const readPacks = (value: unknown): string[] => {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value
  throw new SnapshotError(`${PACKS}: must be a list of names`)
}

/** @param resource of the rows of a list. @throws SnapshotError that names the place */
export const readEstate = (value: unknown, resource: Resource | undefined): EstateFile => {
  if (Array.isArray(value)) {
    if (resource === undefined) throw new SnapshotError('is a list: name the resource of its rows by options.resource')
    return { documents: { [resource]: readRows(resource, value) }, packs: [] }
  }
  if (!isRecord(value)) throw new SnapshotError('is no estate document: an object of lists, such as devices')
  const documents: EstateDocument = {}
  let packs: string[] = []
  for (const [key, list] of Object.entries(value)) {
    if (key === PACKS) packs = readPacks(list)
    else if (isResource(key)) documents[key] = readRows(key, list)
    else if (!PASSED_OVER.has(key))
      throw new SnapshotError(`${key.slice(0, 64)}: is no list of an estate document; it has ${INVENTORY.join(', ')}`)
  }
  return { documents, packs }
}

/** @throws SnapshotError for a text that is neither JSON nor YAML */
export const parseEstateText = (text: string): unknown => {
  try {
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : parse(text, { maxAliasCount: MAX_ALIASES, logLevel: 'silent' })
  } catch (error) {
    throw new SnapshotError(`is neither JSON nor YAML: ${getErrorMessage(error).split('\n')[0]}`, { cause: error })
  }
}
