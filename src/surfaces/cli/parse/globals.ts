/** The flags of every command. Their fields begin with `@`, which no field of a contract does. */

import { formatSuggestion } from '../../../contract/suggest.ts'
import {
  createFlag,
  type Flag,
  type Globals,
  getText,
  isOn,
  OUTPUT_FORMATS,
  type OutputFormat,
  type Texts,
} from './command.ts'
import { createUsageError } from './usage-error.ts'

const global = (made: Flag): Flag => ({ ...made, field: `@${made.field}` })

export const GLOBAL_FLAGS: readonly Flag[] = [
  createFlag('output', 'Output format', { short: 'o', choices: OUTPUT_FORMATS, hint: 'FORMAT' }),
  createFlag('no-headers', 'Omit the header line of tables and CSV'),
  createFlag('quiet', 'Print ids only', { short: 'q' }),
  createFlag('url', 'URL of the server; default PLAT_URL, the server of plat login, or http://localhost:8080', {
    hint: 'URL',
  }),
  createFlag('token', 'API key; default PLAT_TOKEN, or the key of plat login', { hint: 'KEY' }),
  createFlag('help', 'Show this help', { short: 'h' }),
].map(global)

const parseFormat = (text: string | undefined): OutputFormat => {
  if (text === undefined) return 'table'
  const format = OUTPUT_FORMATS.find((one) => one === text)
  if (format) return format
  throw createUsageError(
    `--output must be one of ${OUTPUT_FORMATS.join(', ')}${formatSuggestion(text, OUTPUT_FORMATS)}`,
  )
}

/** @throws AppError INVALID_INPUT for an unknown output format */
export const parseGlobals = (texts: Texts): Globals => ({
  output: parseFormat(getText(texts, '@output')),
  hasHeaders: !isOn(texts, '@no-headers'),
  isQuiet: isOn(texts, '@quiet'),
  url: getText(texts, '@url'),
  token: getText(texts, '@token'),
})

const findFlagText = (words: readonly string[], flag: string): string | undefined => {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`))
  const word = words[at]
  return word === flag ? words[at + 1] : word?.slice(flag.length + 1)
}

/** Returns the server that a command line names and its key, also behind words of a command that is not known yet. */
export const findTarget = (texts: Texts, rest: readonly string[]): Pick<Globals, 'url' | 'token'> => ({
  url: findFlagText(rest, '--url') ?? getText(texts, '@url'),
  token: findFlagText(rest, '--token') ?? getText(texts, '@token'),
})

export const wantsHelp = (texts: Texts): boolean => isOn(texts, '@help')

/** Returns true if the words request JSON, even if they are otherwise invalid: errors are then JSON too. */
export const asksForJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, i) => /^(-o=?|--output=)json$/.test(word) || (/^(-o|--output)$/.test(word) && argv[i + 1] === 'json'),
  )
