/** Finds the files of an import, and returns their rows as the server accepts them. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseDocument, readText } from '../../platform/cli/body-file.ts'
import type { Io } from '../../platform/cli/io.ts'
import { didYouMean } from '../../platform/cli/suggest.ts'
import { usageError } from '../../platform/cli/usage-error.ts'
import { INVENTORY, type Resource } from '../inventory.ts'
import { inOrder, isDataFile, resourceNamed, resourceOfFile } from './cli-resources.ts'
import { DOCUMENT_RULES } from './row-rules.ts'

export type SourceFile = {
  readonly name: string
  readonly resource: Resource
  /** A JSON array, or one object per line. Such a file is sent unchanged. */
  readonly body: () => Promise<Blob | string>
}

export type Sources = { readonly files: readonly SourceFile[]; readonly skipped: readonly string[] }

const firstCharacter = async (path: string): Promise<string> => {
  const start = await Bun.file(path).slice(0, 4096).text()
  return start.replace(/^\ufeff/, '').trimStart()[0] ?? ''
}

const isJson = (path: string): boolean => /\.(json|ndjson|jsonl)$/i.test(path)

const bodyOf = async (path: string): Promise<Blob | string> => {
  if (isJson(path)) return Bun.file(path)
  const rows = await parseDocument(await readFile(path, 'utf8'), path)
  if (Array.isArray(rows)) return JSON.stringify(rows)
  throw usageError(`${path} must hold a list`)
}

const sourceFile = (path: string, resource: Resource): SourceFile => ({
  name: basename(path),
  resource,
  body: () => bodyOf(path),
})

const ofFolder = async (folder: string, only: Resource | undefined): Promise<Sources> => {
  const names = (await readdir(folder)).filter(isDataFile).sort()
  const known = names.map((name) => ({ name, resource: resourceOfFile(name) }))
  const files = known.flatMap(({ name, resource }) =>
    resource === undefined || (only !== undefined && resource !== only)
      ? []
      : [sourceFile(join(folder, name), resource)],
  )
  if (files.length === 0) throw usageError(`${folder} holds no file named after ${only ?? INVENTORY.join(', ')}`)
  return {
    files: inOrder(files),
    skipped: known.filter(({ resource }) => resource === undefined).map(({ name }) => name),
  }
}

/** Reads the output of `plat export -`: one object with a list for each resource. */
const ofDocument = (document: unknown, path: string, only: Resource | undefined): Sources => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw usageError(`${path} must hold a list or an object of lists`)
  const lists = Object.entries(document).map(([key, rows]: [string, unknown]) => ({
    key,
    rows,
    resource: resourceNamed(key),
  }))
  const files = lists.flatMap(({ key, rows, resource }) => {
    if (resource === undefined || (only !== undefined && resource !== only)) return []
    if (!Array.isArray(rows)) throw usageError(`${path}: ${key} must be a list`)
    return [{ name: key, resource, body: async () => JSON.stringify(rows) }]
  })
  if (files.length === 0) throw usageError(`${path} holds none of ${only ?? INVENTORY.join(', ')}`)
  return {
    files: inOrder(files),
    skipped: lists
      .filter(({ resource, key }) => resource === undefined && !Object.hasOwn(DOCUMENT_RULES, key))
      .map(({ key }) => key),
  }
}

const ofObject = async (path: string, only: Resource | undefined): Promise<Sources> =>
  ofDocument(await parseDocument(await readFile(path, 'utf8'), path), path, only)

const ofInput = async (io: Io, only: Resource | undefined): Promise<Sources> => {
  const document = await parseDocument(await readText(io, '-'), 'standard input')
  if (!Array.isArray(document)) return ofDocument(document, 'standard input', only)
  if (!only) throw usageError('the resource of the list on standard input must be named with --resource')
  return {
    files: [{ name: 'standard input', resource: only, body: async () => JSON.stringify(document) }],
    skipped: [],
  }
}

const ofFile = async (path: string, only: Resource | undefined): Promise<Sources> => {
  const name = basename(path)
  if (!isDataFile(name)) throw usageError(`${path} is no .json, .yaml, .yml, .ndjson or .jsonl file`)
  const isList = /\.(ndjson|jsonl)$/i.test(path) || ['[', '-'].includes(await firstCharacter(path))
  const resource = only ?? resourceOfFile(name)
  if (!isList && /\.json$/i.test(path)) return ofObject(path, only)
  if (resource) return { files: [sourceFile(path, resource)], skipped: [] }
  if (!isList) return ofObject(path, only)
  throw usageError(`the resource of ${name} can't be derived from its name: use --resource`)
}

/** @throws AppError INVALID_INPUT for a missing path, or an unknown resource */
export const findSources = async (io: Io, path: string, resource: string | undefined): Promise<Sources> => {
  const only = resource === undefined ? undefined : resourceNamed(resource)
  if (resource !== undefined && only === undefined)
    throw usageError(`--resource must be one of ${INVENTORY.join(', ')}${didYouMean(resource, INVENTORY)}`)
  if (path === '-') return ofInput(io, only)
  const found = await stat(path).catch((error: unknown) => {
    throw usageError(`can't read ${path}: ${error instanceof Error ? error.message : String(error)}`)
  })
  return found.isDirectory() ? ofFolder(path, only) : ofFile(path, only)
}
