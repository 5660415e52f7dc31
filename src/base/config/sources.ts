// Reads the text of settings: flags override the environment, which overrides `.env`.
import { resolve } from 'node:path'
import { type Dotenv, parseDotenv } from './dotenv.ts'
import { InvalidValue } from './values.ts'
import { VARIABLES, type Variable } from './variables.ts'

/** Reads a text file or throws, as `node:fs` does. */
export type ReadFile = (path: string) => string

/** Texts by variable name; an empty text counts as unset. */
export type Layer = Readonly<Record<string, string | undefined>>

/** Flags by variable name, as camelCase or in kebab-case: `LISTEN_ADDR`, `listenAddr`, `listen-addr`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>

/** Returns the flags as a layer, without flags that are not settings. */
export function toFlagLayer(flags: Flags): Layer {
  const names = new Map(Object.values(VARIABLES).map(({ name }) => [normalizeName(name), name]))
  const layer: Record<string, string> = {}
  for (const [flag, value] of Object.entries(flags)) {
    const name = names.get(normalizeName(flag))
    if (name !== undefined && value !== undefined) layer[name] = String(value)
  }
  return layer
}

function normalizeName(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase()
}

/** Reads the `.env` file of a folder; empty if there is none. */
export function readDotenv(cwd: string, readFile: ReadFile): Dotenv {
  try {
    return parseDotenv(readFile(resolve(cwd, '.env')))
  } catch (error) {
    const code = getErrorCode(error)
    return { values: {}, problems: code === 'ENOENT' ? [] : [`.env: cannot be read (${code})`] }
  }
}

/**
 * Returns the text of a variable from the first layer that sets it; undefined if none does.
 *
 * @throws InvalidValue if one layer sets both NAME and NAME_FILE, or the file is empty or unreadable
 */
export function readText(
  { name, isSecret }: Variable<unknown>,
  layers: readonly Layer[],
  readFile: ReadFile,
): string | undefined {
  for (const layer of layers) {
    const direct = isSecret ? layer[name] : layer[name]?.trim()
    const path = isSecret ? layer[`${name}_FILE`] : undefined
    if (direct && path) throw new InvalidValue(`set it or ${name}_FILE, not both`)
    if (path) return readSecretFile(name, path, readFile)
    if (direct) return direct
  }
  return undefined
}

function readSecretFile(name: string, path: string, readFile: ReadFile): string {
  let content: string
  try {
    content = readFile(path)
  } catch (error) {
    throw new InvalidValue(`cannot read ${path}, which ${name}_FILE names (${getErrorCode(error)})`, { cause: error })
  }
  const secret = content.replace(/\r?\n$/, '')
  // The variable was set on purpose: ignoring it would disable a protection silently.
  if (secret === '') throw new InvalidValue(`${path}, which ${name}_FILE names, is empty`)
  return secret
}

function getErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return 'code' in error ? String(error.code) : error.message
}
