/** `--input FILE|-`: reads a JSON or YAML document from a file or from standard input. */
import { readFile } from 'node:fs/promises'
import { isRecord } from '../../../contract/unknown.ts'
import type { Io } from '../io.ts'
import { createUsageError } from './usage-error.ts'

const getMessage = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)

/** @throws AppError INVALID_INPUT for a text that is neither JSON nor YAML */
export const parseDocument = async (text: string, from: string): Promise<unknown> => {
  const bare = text.replace(/^\ufeff/, '')
  // JSON is tried first: it is fast, and large files are JSON.
  if (/^\s*[[{]/.test(bare)) {
    try {
      return JSON.parse(bare)
    } catch {
      // YAML's flow style looks like JSON. If it is not YAML either, YAML's message names line and column.
    }
  }
  const { parse } = await import('yaml')
  try {
    return parse(bare)
  } catch (error) {
    throw createUsageError(`${from} is neither JSON nor YAML: ${getMessage(error)}`)
  }
}

export const readText = async (io: Io, path: string): Promise<string> => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      path === '-' ? await io.stdin.readAll() : await readFile(path),
    )
  } catch (error) {
    throw createUsageError(`can't read ${path}: ${getMessage(error)}`)
  }
}

/** @throws AppError INVALID_INPUT for anything but one object */
export const readBody = async (io: Io, path: string): Promise<Record<string, unknown>> => {
  const from = path === '-' ? 'standard input' : path
  const body = await parseDocument(await readText(io, path), from)
  // An object that is not a list has text keys.
  if (isRecord(body)) return body as Record<string, unknown>
  throw createUsageError(`${from} must hold one object`)
}
