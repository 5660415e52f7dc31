/** Cleans the rows of converted documents: a bound, well-formed texts, and no control characters but tabs and line ends. */
import { isRecord } from '../../contract/unknown.ts'
import { SnapshotError } from './source-kind.ts'

/** The longest JSON of a row. The server parses it at once, and stores it. */
const MAX_ROW = 1024 * 1024

const CONTROLS = /[^\P{Cc}\t\n\r]/gu
/** JSON writes the controls below U+0020 and lone surrogates as escapes. */
const MAY_BE_UNCLEAN = /\\u(?:00[01]|d[89a-f])|\\[bf]|\p{Cc}/u

const cleanText = (text: string): string => text.replace(CONTROLS, '').toWellFormed()

const cleanValue = (value: unknown): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(cleanValue)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), cleanValue(one)]))
}

/** @param place of the row, for the message. @throws SnapshotError for a row that is too long */
export const cleanRow = <T extends object>(row: T, place: string): T => {
  const json = JSON.stringify(row)
  if (json.length > MAX_ROW) throw new SnapshotError(`${place}: is longer than ${MAX_ROW} characters`)
  // Texts become texts, and everything else stays: its type is the same.
  return MAY_BE_UNCLEAN.test(json) ? (cleanValue(row) as T) : row
}
