/** Finds the files of an import, and returns their rows as the server accepts them. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DOCUMENT_RULES } from '../../contract/fields/row-rules.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Io } from '../../surfaces/cli/io.ts'
import { parseDocument, readText } from '../../surfaces/cli/parse/body-file.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { findResource, getFileResource, isDataFile, sortFiles } from './cli-resources.ts'

export type SourceFile = {
  readonly name: string
  readonly resource: Resource
  /** A JSON array, or one object per line. Such a file is sent unchanged. */
  readonly body: () => Promise<Blob | string>
}

export type Sources = { readonly files: readonly SourceFile[]; readonly skipped: readonly string[] }

const readFirstCharacter = async (path: string): Promise<string> => {
  const start = await Bun.file(path).slice(0, 4096).text()
  return start.replace(/^\ufeff/, '').trimStart()[0] ?? ''
}

const isJson = (path: string): boolean => /\.(json|ndjson|jsonl)$/i.test(path)

const readBody = async (path: string): Promise<Blob | string> => {
  if (isJson(path)) return Bun.file(path)
  const rows = await parseDocument(await readFile(path, 'utf8'), path)
  if (Array.isArray(rows)) return JSON.stringify(rows)
  throw createUsageError(`${path} must hold a list`)
}

const buildSourceFile = (path: string, resource: Resource): SourceFile => ({
  name: basename(path),
  resource,
  body: () => readBody(path),
})

const listFolder = async (folder: string, only: Resource | undefined): Promise<Sources> => {
  const names = (await readdir(folder)).filter(isDataFile).sort()
  const known = names.map((name) => ({ name, resource: getFileResource(name) }))
  const files = known.flatMap(({ name, resource }) =>
    resource === undefined || (only !== undefined && resource !== only)
      ? []
      : [buildSourceFile(join(folder, name), resource)],
  )
  if (files.length === 0) throw createUsageError(`${folder} holds no file named after ${only ?? INVENTORY.join(', ')}`)
  return {
    files: sortFiles(files),
    skipped: known.filter(({ resource }) => resource === undefined).map(({ name }) => name),
  }
}

/** Reads the output of `plat export -`: one object with a list for each resource. */
const splitDocument = (document: unknown, path: string, only: Resource | undefined): Sources => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw createUsageError(`${path} must hold a list or an object of lists`)
  const lists = Object.entries(document).map(([key, rows]: [string, unknown]) => ({
    key,
    rows,
    resource: findResource(key),
  }))
  const files = lists.flatMap(({ key, rows, resource }) => {
    if (resource === undefined || (only !== undefined && resource !== only)) return []
    if (!Array.isArray(rows)) throw createUsageError(`${path}: ${key} must be a list`)
    return [{ name: key, resource, body: async () => JSON.stringify(rows) }]
  })
  if (files.length === 0) throw createUsageError(`${path} holds none of ${only ?? INVENTORY.join(', ')}`)
  return {
    files: sortFiles(files),
    skipped: lists
      .filter(({ resource, key }) => resource === undefined && !Object.hasOwn(DOCUMENT_RULES, key))
      .map(({ key }) => key),
  }
}

const readObject = async (path: string, only: Resource | undefined): Promise<Sources> =>
  splitDocument(await parseDocument(await readFile(path, 'utf8'), path), path, only)

const readInput = async (io: Io, only: Resource | undefined): Promise<Sources> => {
  const document = await parseDocument(await readText(io, '-'), 'standard input')
  if (!Array.isArray(document)) return splitDocument(document, 'standard input', only)
  if (!only) throw createUsageError('the resource of the list on standard input must be named with --resource')
  return {
    files: [{ name: 'standard input', resource: only, body: async () => JSON.stringify(document) }],
    skipped: [],
  }
}

const readSourceFile = async (path: string, only: Resource | undefined): Promise<Sources> => {
  const name = basename(path)
  if (!isDataFile(name)) throw createUsageError(`${path} is no .json, .yaml, .yml, .ndjson or .jsonl file`)
  const isList = /\.(ndjson|jsonl)$/i.test(path) || ['[', '-'].includes(await readFirstCharacter(path))
  const resource = only ?? getFileResource(name)
  if (!isList && /\.json$/i.test(path)) return readObject(path, only)
  if (resource) return { files: [buildSourceFile(path, resource)], skipped: [] }
  if (!isList) return readObject(path, only)
  throw createUsageError(`the resource of ${name} can't be derived from its name: use --resource`)
}

/** @throws AppError INVALID_INPUT for a missing path, or an unknown resource */
export const findSources = async (io: Io, path: string, resource: string | undefined): Promise<Sources> => {
  const only = resource === undefined ? undefined : findResource(resource)
  if (resource !== undefined && only === undefined)
    throw createUsageError(`--resource must be one of ${INVENTORY.join(', ')}${formatSuggestion(resource, INVENTORY)}`)
  if (path === '-') return readInput(io, only)
  const found = await stat(path).catch((error: unknown) => {
    throw createUsageError(`can't read ${path}: ${getErrorMessage(error)}`)
  })
  return found.isDirectory() ? listFolder(path, only) : readSourceFile(path, only)
}
