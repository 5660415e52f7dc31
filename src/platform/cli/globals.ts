/** The flags that every command takes. Their fields begin with `@`, which no field of a contract does. */
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
  flag('output', 'How to print', { short: 'o', choices: OUTPUT_FORMATS, hint: 'FORMAT' }),
  flag('no-headers', 'Tables and CSV without the line of headings'),
  flag('quiet', 'Only ids, and nothing where there is none', { short: 'q' }),
  flag('url', 'The server; PLAT_URL, or http://localhost:8080', { hint: 'URL' }),
  flag('token', 'An API key; PLAT_TOKEN, or what plat login stored', { hint: 'KEY' }),
  flag('help', 'Show how to use it', { short: 'h' }),
].map(global)

const formatOf = (text: string | undefined): OutputFormat => {
  if (text === undefined) return 'table'
  const format = OUTPUT_FORMATS.find((one) => one === text)
  if (format) return format
  throw usageError(`--output must be one of ${OUTPUT_FORMATS.join(', ')}${didYouMean(text, OUTPUT_FORMATS)}`)
}

/** @throws AppError INVALID_INPUT for an output format that doesn't exist */
export const globalsOf = (texts: Texts): Globals => ({
  output: formatOf(textOf(texts, '@output')),
  hasHeaders: !isOn(texts, '@no-headers'),
  isQuiet: isOn(texts, '@quiet'),
  url: textOf(texts, '@url'),
  token: textOf(texts, '@token'),
})

export const wantsHelp = (texts: Texts): boolean => isOn(texts, '@help')

/** Whether the words ask for JSON, even where they are not understood otherwise: errors then come as JSON too. */
export const asksForJson = (argv: readonly string[]): boolean =>
  argv.some(
    (word, i) => /^(-o=?|--output=)json$/.test(word) || (/^(-o|--output)$/.test(word) && argv[i + 1] === 'json'),
  )
