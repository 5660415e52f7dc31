/** The flags of every command. Their fields begin with `@`, which no field of a contract does. */
import {
  type Flag,
  flag,
  type Globals,
  isOn,
  OUTPUT_FORMATS,
  type OutputFormat,
  type Texts,
  textOf,
} from './command.ts'
import { didYouMean } from './suggest.ts'
import { usageError } from './usage-error.ts'

const global = (made: Flag): Flag => ({ ...made, field: `@${made.field}` })

export const GLOBAL_FLAGS: readonly Flag[] = [
  flag('output', 'Output format', { short: 'o', choices: OUTPUT_FORMATS, hint: 'FORMAT' }),
  flag('no-headers', 'Omit the header line of tables and CSV'),
  flag('quiet', 'Print ids only', { short: 'q' }),
  flag('url', 'URL of the server; default PLAT_URL, the server of plat login, or http://localhost:8080', {
    hint: 'URL',
  }),
  flag('token', 'API key; default PLAT_TOKEN, or the key of plat login', { hint: 'KEY' }),
  flag('help', 'Show this help', { short: 'h' }),
].map(global)

const formatOf = (text: string | undefined): OutputFormat => {
  if (text === undefined) return 'table'
  const format = OUTPUT_FORMATS.find((one) => one === text)
  if (format) return format
  throw usageError(`--output must be one of ${OUTPUT_FORMATS.join(', ')}${didYouMean(text, OUTPUT_FORMATS)}`)
}

/** @throws AppError INVALID_INPUT for an unknown output format */
export const globalsOf = (texts: Texts): Globals => ({
  output: formatOf(textOf(texts, '@output')),
  hasHeaders: !isOn(texts, '@no-headers'),
  isQuiet: isOn(texts, '@quiet'),
  url: textOf(texts, '@url'),
  token: textOf(texts, '@token'),
})

export const wantsHelp = (texts: Texts): boolean => isOn(texts, '@help')

/** Returns true if the words request JSON, even if they are otherwise invalid: errors are then JSON too. */
export const asksForJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, i) => /^(-o=?|--output=)json$/.test(word) || (/^(-o|--output)$/.test(word) && argv[i + 1] === 'json'),
  )
