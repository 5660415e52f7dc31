// The `.env` file: KEY=VALUE lines, comments, quotes, an optional `export`. A line it cannot read is a
// problem, never skipped, and never repeated in the message: it may hold a secret.

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
 * Reads the text of a `.env` file. Of two lines for one name the later counts.
 *
 * @example
 * parseDotenv('export LOG_LEVEL="debug" # for now').values // { LOG_LEVEL: 'debug' }
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
  if (raw.startsWith('"')) return DOUBLE_QUOTED.exec(raw)?.[1]?.replace(/\\(.)/g, unescaped)
  if (raw.startsWith("'")) return SINGLE_QUOTED.exec(raw)?.[1]
  // A # begins a comment only after a space, so that it may stand inside a password or a URL.
  return raw.replace(/(?:^|\s)\s*#.*$/, '').trimEnd()
}

function unescaped(sequence: string, character: string): string {
  return ESCAPES.get(character) ?? sequence
}
