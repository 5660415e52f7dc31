// Parses the `.env` file: KEY=VALUE lines, comments, quotes, an optional `export`. An unreadable line is an error. The
// message does not repeat it, because it may contain a secret.

export type Dotenv = {
  readonly values: Readonly<Record<string, string>>
  readonly problems: readonly string[]
}

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$/
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/
const SINGLE_QUOTED = /^'([^']*)'\s*(?:#.*)?$/
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
])

/**
 * Parses the text of a `.env` file. Of two lines with one name the later counts.
 *
 * @example parseDotenv('export LOG_LEVEL="debug" # for now').values // { LOG_LEVEL: 'debug' }
 */
export function parseDotenv(content: string): Dotenv {
  const values: [string, string][] = []
  const problems: string[] = []
  for (const [index, rawLine] of content
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = rawLine.trim()
    if (line === '' || line.startsWith('#')) continue
    const [, name, rawValue] = ASSIGNMENT.exec(line) ?? []
    const value = rawValue === undefined ? undefined : parseValue(rawValue.trim())
    if (name === undefined || value === undefined) problems.push(`.env line ${index + 1}: must have the form KEY=VALUE`)
    else values.push([name, value])
  }
  return { values: Object.fromEntries(values), problems }
}

function parseValue(raw: string): string | undefined {
  if (raw.startsWith('"')) return DOUBLE_QUOTED.exec(raw)?.[1]?.replace(/\\(.)/g, replaceEscape)
  if (raw.startsWith("'")) return SINGLE_QUOTED.exec(raw)?.[1]
  // A # begins a comment only after a space, so that a password or a URL may contain it.
  return raw.replace(/(?:^|\s)\s*#.*$/, '').trimEnd()
}

function replaceEscape(sequence: string, character: string): string {
  return ESCAPES.get(character) ?? sequence
}
