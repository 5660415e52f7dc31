/**
 * Writes golden/ and the table of permissions in docs/access.md from the sources, so that a review shows every change.
 * `--check` writes nothing and fails when a file differs from the sources.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatEstateSchema } from '../src/exchange/apply/json-schema.ts'
import { proseText } from '../testing/rules/prose-files.ts'
import {
  accessPage,
  cliText,
  contractsText,
  openapiText,
  operationsText,
  permissionsText,
  postgresText,
  sqliteText,
  toolsText,
} from './golden-texts.ts'

const ROOT = dirname(import.meta.dirname)
const ACCESS_PAGE = 'docs/access.md'
/** The most lines of a difference that are shown. */
const MAX_LINES = 20
const MAX_WIDTH = 320

const read = (file: string): string => (existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8') : '')

/** The texts of files, by their paths. */
const texts: Readonly<Record<string, string>> = {
  'golden/operations.txt': `${operationsText()}\n`,
  'golden/contracts.txt': `${contractsText(read('src/kernel/context.ts'))}\n`,
  'golden/openapi.json': `${openapiText()}\n`,
  'golden/cli.txt': `${await cliText()}\n`,
  'golden/mcp-tools.txt': `${await toolsText()}\n`,
  'golden/estate.schema.json': formatEstateSchema(),
  'golden/permissions.txt': `${permissionsText()}\n`,
  'golden/schema.sqlite.sql': `${await sqliteText()}\n`,
  'golden/schema.postgres.sql': `${postgresText()}\n`,
  'golden/prose.txt': `${proseText()}\n`,
  [ACCESS_PAGE]: accessPage(read(ACCESS_PAGE)),
}

/** Returns the lines that the text has more often than the other. */
const onlyIn = (text: string, other: string): string[] => {
  const counts = new Map<string, number>()
  for (const line of other.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  return text.split('\n').filter((line) => {
    const left = counts.get(line) ?? 0
    counts.set(line, left - 1)
    return left <= 0
  })
}

const cut = (line: string): string => (line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH)}…` : line)

const summary = (name: string, old: string, now: string): string => {
  const gone = onlyIn(old, now).map((line) => `  - ${cut(line)}`)
  const added = onlyIn(now, old).map((line) => `  + ${cut(line)}`)
  const shown = [...gone.slice(0, MAX_LINES), ...added.slice(0, MAX_LINES)]
  const rest = gone.length + added.length - shown.length
  return [
    `${name} is out of date (${gone.length} lines gone, ${added.length} new):`,
    ...(shown.length > 0 ? shown : ['  the same lines in another order']),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n')
}

const isCheck = process.argv.includes('--check')
const stale = Object.entries(texts).filter(([name, text]) => read(name) !== text)

if (!isCheck) {
  mkdirSync(join(ROOT, 'golden'), { recursive: true })
  for (const [name, text] of stale) writeFileSync(join(ROOT, name), text)
  console.log(stale.length === 0 ? 'golden/ is up to date' : `wrote ${stale.map(([name]) => name).join(', ')}`)
} else if (stale.length > 0) {
  for (const [name, text] of stale) console.error(summary(name, read(name), text))
  console.error('\nRun `npm run golden`, look at what changed, and commit it with the change.')
  process.exit(1)
}
