/** Reads the files of an estate document, and knows the place of each row. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isNode, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml'
import { DOCUMENT_RULES, EMPTY_RULES, LIST_RULES, type RowRules } from '../../contract/fields/row-rules.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Io } from '../../surfaces/cli/io.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { findResource, getFileResource, isDataFile } from './cli-resources.ts'

/** The place of a row: `sites/ams.yaml:12`, or its number in a large JSON file. */
export type Place = string

/** Finds the line and the cell of an error; undefined for a row of no spreadsheet. */
export type LocateCell = (
  resource: string,
  row: number,
  field: string,
) => { readonly place: Place; readonly cell: string } | undefined

export type EstateFiles = {
  readonly rows: { readonly [R in Resource]?: readonly unknown[] | undefined }
  readonly places: Readonly<Partial<Record<Resource, readonly Place[]>>>
  /** The packs that the rows need. */
  readonly packs?: readonly unknown[]
  /** Slugs, colors and descriptions of names. */
  readonly names?: readonly unknown[]
  readonly locate?: LocateCell
  /** The rules of the rows. The rules of an apply hold where they are undefined. */
  readonly rules: { readonly [R in keyof RowRules]?: RowRules[R] | undefined }
}

/** The name that `plat export --as-code` gives to the JSON Schema. */
export const SCHEMA_FILE = 'estate.schema.json'
/** JSON above this size is read without the lines of its rows, in characters. */
const MOST_WITH_LINES = 2 ** 20
/** An alias of YAML may not multiply its anchor without end. */
const MOST_ALIASES = 1000

/** The lists of a document that hold no rows. */
const OTHERS = ['packs', 'names'] as const
type Other = (typeof OTHERS)[number]

/** A row, or an entry of another list. `rules`: the rules of its document. */
type Row = {
  readonly resource: Resource | Other
  readonly value: unknown
  readonly place: Place
  readonly rules: RowRules
}
type File = { readonly name: string; readonly text: string }

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Returns the data files of a folder and of its folders, in byte order. */
const findFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => compareBytes(a.name, b.name))
  const found: string[] = []
  for (const entry of names) {
    const path = join(folder, entry.name)
    if ((entry.isSymbolicLink() ? await stat(path) : entry).isDirectory()) found.push(...(await findFiles(path)))
    else if (isDataFile(entry.name) && entry.name !== SCHEMA_FILE) found.push(path)
  }
  return found
}

const decodeUtf8 = (bytes: Uint8Array, name: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw createUsageError(`${name} is not UTF-8`)
  }
}

const readFiles = async (io: Io, path: string): Promise<File[]> => {
  if (path === '-') return [{ name: 'standard input', text: decodeUtf8(await io.stdin.readAll(), 'standard input') }]
  try {
    if (!(await stat(path)).isDirectory()) {
      if (!isDataFile(basename(path)))
        throw createUsageError(`${path} is no .yaml, .yml, .json, .ndjson or .jsonl file`)
      return [{ name: path, text: decodeUtf8(await readFile(path), path) }]
    }
    const paths = await findFiles(path)
    if (paths.length === 0) throw createUsageError(`${path} holds no .yaml, .yml, .json, .ndjson or .jsonl file`)
    return await Promise.all(paths.map(async (name) => ({ name, text: decodeUtf8(await readFile(name), name) })))
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'syscall' in error)
      throw createUsageError(`can't read ${path}: ${getErrorMessage(error)}`)
    throw error
  }
}

/** Returns the resource of a list without a name. */
const getResourceOrThrow = (name: string): Resource => {
  const resource = getFileResource(basename(name))
  if (resource) return resource
  throw createUsageError(`${name}: the resource of the list can't be derived from the name of the file`)
}

type PlaceOf = (path: readonly (string | number)[], row: number) => Place

/** Returns the rules that a document states. */
const readRules = (document: object, placeOf: (key: string) => Place): RowRules => {
  const readRule = <R extends string>(key: keyof RowRules, rules: readonly R[], usual: R): R => {
    const given: unknown = Object.hasOwn(document, key) ? Reflect.get(document, key) : usual
    const found = rules.find((one) => one === given)
    if (found === undefined) throw createUsageError(`${placeOf(key)}: ${key} must be one of ${rules.join(', ')}`)
    return found
  }
  return {
    lists: readRule('lists', LIST_RULES, DOCUMENT_RULES.lists),
    empty: readRule('empty', EMPTY_RULES, DOCUMENT_RULES.empty),
  }
}

/** Returns the rows of one document: an object of lists, or a list of the resource that the file's name tells. */
const toRows = (name: string, value: unknown, placeOf: PlaceOf): Row[] => {
  if (value === null || value === undefined) return []
  if (Array.isArray(value)) {
    const resource = getResourceOrThrow(name)
    return value.map((one: unknown, i) => ({ resource, value: one, place: placeOf([i], i), rules: DOCUMENT_RULES }))
  }
  if (typeof value !== 'object') throw createUsageError(`${name} must hold an object of lists, or a list`)
  const rules = readRules(value, (key) => placeOf([key], 0))
  return Object.entries(value).flatMap(([key, list]: [string, unknown]) => {
    if (key === '$schema' || Object.hasOwn(DOCUMENT_RULES, key)) return []
    const resource = OTHERS.find((other) => other === key) ?? findResource(key)
    const at = placeOf([key], 0)
    if (!resource)
      throw createUsageError(
        `${at}: ${key} is no list of an estate document${formatSuggestion(key, [...INVENTORY, ...OTHERS])}`,
      )
    if (list === null) return []
    if (!Array.isArray(list)) throw createUsageError(`${at}: ${key} must be a list`)
    return list.map((one: unknown, i) => ({ resource, value: one, place: placeOf([key, i], i), rules }))
  })
}

const parseLines = ({ name, text }: File): Row[] => {
  const resource = getResourceOrThrow(name)
  return text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return []
    const place = `${name}:${i + 1}`
    try {
      return [{ resource, value: JSON.parse(line) as unknown, place, rules: DOCUMENT_RULES }]
    } catch (error) {
      throw createUsageError(`${place}: is not JSON: ${getErrorMessage(error)}`)
    }
  })
}

const parseLargeJson = ({ name, text }: File): Row[] => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw createUsageError(`${name}: is not JSON: ${getErrorMessage(error)}`)
  }
  return toRows(name, value, (_, row) => `${name}: row ${row}`)
}

const parseYaml = ({ name, text }: File): Row[] => {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  // An empty text has no document.
  if (!Array.isArray(documents)) return []
  return documents.flatMap((document) => {
    const [error] = document.errors
    if (error) {
      const { line, col } = lines.linePos(error.pos[0])
      throw createUsageError(`${name}:${line}:${col}: ${error.message}`)
    }
    const formatPosition: PlaceOf = (path) => {
      const node = path.length > 0 ? document.getIn(path, true) : document.contents
      // A list starts after its name, which stands on the line before.
      const start = isNode(node) && !isSeq(node) ? (node as ParsedNode).range[0] : undefined
      return start === undefined ? name : `${name}:${lines.linePos(start).line}`
    }
    try {
      return toRows(name, document.toJS({ maxAliasCount: MOST_ALIASES }), formatPosition)
    } catch (cause) {
      if (cause instanceof ReferenceError) throw createUsageError(`${name}: ${cause.message}`)
      throw cause
    }
  })
}

const parseFile = (file: File): Row[] => {
  const bare = { ...file, text: file.text.replace(/^\ufeff/, '') }
  if (/\.(ndjson|jsonl)$/i.test(file.name)) return parseLines(bare)
  const isJson = /\.json$/i.test(file.name) || (file.name === 'standard input' && /^\s*[[{]/.test(bare.text))
  return isJson && bare.text.length > MOST_WITH_LINES ? parseLargeJson(bare) : parseYaml(bare)
}

/** @throws AppError INVALID_INPUT for rows of two documents with different rules: all of them are one document */
const requireSameRules = (first: Row, { rules, place }: Row): void => {
  for (const key of ['lists', 'empty'] as const)
    if (rules[key] !== first.rules[key])
      throw createUsageError(
        `${place}: the rule of its file is ${key}: ${rules[key]}, that of ${first.place} is ${key}: ${first.rules[key]}; apply them one after the other`,
      )
}

/** Joins the lists of all files in order. @throws AppError INVALID_INPUT that names file, line and column */
export const readEstate = async (io: Io, paths: readonly string[]): Promise<EstateFiles> => {
  const rows: Partial<Record<Resource, unknown[]>> = {}
  const places: Partial<Record<Resource, Place[]>> = {}
  const others: Record<Other, unknown[]> = { packs: [], names: [] }
  let first: Row | undefined
  for (const path of paths)
    for (const file of await readFiles(io, path))
      for (const row of parseFile(file)) {
        const { resource, value, place } = row
        first ??= row
        requireSameRules(first, row)
        if (resource === 'packs' || resource === 'names') {
          others[resource].push(value)
          continue
        }
        rows[resource] ??= []
        rows[resource].push(value)
        places[resource] ??= []
        places[resource].push(place)
      }
  const { packs, names } = others
  return {
    ...{ rows, places, rules: first?.rules ?? {} },
    ...(packs.length > 0 && { packs }),
    ...(names.length > 0 && { names }),
  }
}
