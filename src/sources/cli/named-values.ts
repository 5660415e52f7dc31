/** Reads the options and secrets of a command line: `--option NAME=VALUE` and `--secret NAME=FILE`. */

import type { z } from 'zod'
import type { Io } from '../../surfaces/cli/io.ts'
import { readText } from '../../surfaces/cli/parse/body-file.ts'
import type { Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { SOURCE_KINDS } from '../kinds/index.ts'
import type { SourceKind } from '../kinds/source-kind.ts'
import type { OptionSpec } from '../schema.ts'

type Type = z.infer<typeof OptionSpec>['type']

/** @throws AppError INVALID_INPUT for a kind that this program does not have */
export const findKind = (name: string): SourceKind => {
  const known: Readonly<Partial<Record<string, SourceKind>>> = SOURCE_KINDS
  const kind = known[name]
  if (!kind) throw createUsageError(`there is no kind ${name}: it is one of ${Object.keys(SOURCE_KINDS).join(', ')}`)
  return kind
}

const splitPair = (flag: string, text: string): readonly [name: string, value: string] => {
  const at = text.indexOf('=')
  if (at < 1) throw createUsageError(`--${flag} must be NAME=${flag === 'secret' ? 'FILE' : 'VALUE'}`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const readOption = (name: string, type: Type | undefined, text: string): unknown => {
  if (type === 'texts') return text === '' ? [] : text.split(',').map((part) => part.trim())
  if (type === 'flag' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'number' && text.trim() !== '') return Number(text)
  if (type !== 'object') return text
  try {
    return JSON.parse(text)
  } catch {
    throw createUsageError(`--option ${name} must be JSON`)
  }
}

/** Returns the given options in the types of the kind. The contract of the kind refuses unknown ones. */
export const readOptions = (kind: SourceKind, texts: Texts): Record<string, unknown> => {
  const types = new Map(kind.options.map(({ name, type }) => [name, type]))
  return Object.fromEntries(
    (texts.get('option') ?? []).map((text) => {
      const [name, value] = splitPair('option', text)
      return [name, readOption(name, types.get(name), value)]
    }),
  )
}

/** Editors end a file with a newline, which is no part of a token. */
const trimEnd = (text: string): string => text.replace(/\r?\n$/, '')

export const readSecrets = async (io: Io, texts: Texts): Promise<Record<string, string>> => {
  const secrets: Record<string, string> = {}
  for (const text of texts.get('secret') ?? []) {
    const [name, file] = splitPair('secret', text)
    secrets[name] = trimEnd(await readText(io, file))
  }
  return secrets
}

/**
 * Returns the secrets of files, and of the environment for others.
 *
 * @throws AppError INVALID_INPUT for a secret that the kind does not have, and for a missing one that it requires
 */
export const readLocalSecrets = async (io: Io, kind: SourceKind, texts: Texts): Promise<Record<string, string>> => {
  const given = await readSecrets(io, texts)
  const known = kind.secrets.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw createUsageError(
      `the kind ${kind.kind} has no secret ${unknown.join(', ')}: it has ${known.join(', ') || 'none'}`,
    )
  for (const { name } of kind.secrets) {
    const value = io.env[`PLAT_SOURCE_${name.toUpperCase()}`]
    if (value && given[name] === undefined) given[name] = value
  }
  const missing = kind.secrets.find(({ name, required }) => required && !given[name])
  if (missing)
    throw createUsageError(
      `the secret ${missing.name} is missing: --secret ${missing.name}=FILE, or PLAT_SOURCE_${missing.name.toUpperCase()}`,
    )
  return given
}

/** The secret that is asked for of a kind that requires none. */
const USUAL = 'token'

/** Asks for the secrets that the kind requires and that are missing, at a terminal. An empty answer is none. */
export const askSecrets = async (io: Io, kind: SourceKind, given: Readonly<Record<string, string>>) => {
  const secrets: Record<string, string> = { ...given }
  const required = kind.secrets.filter(({ required: isRequired }) => isRequired)
  const asked = required.length > 0 ? required : kind.secrets.filter(({ name }) => name === USUAL)
  if (!io.stdin.isTty || Object.keys(given).length > 0) return secrets
  for (const { name, description } of asked) {
    const answer = await io.stdin.ask(`${name} (${description}): `, { isSecret: true })
    if (answer !== '') secrets[name] = answer
  }
  return secrets
}
