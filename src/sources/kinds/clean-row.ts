/** Cleans the rows of converted documents: they have a bound, and no control characters but tabs and line ends. */
import { isRecord } from '../../contract/unknown.ts'
import { SnapshotError } from './source-kind.ts'

/** The longest JSON of a row. The server parses it at once, and stores it. */
const MAX_ROW = 1024 * 1024

const CONTROLS = /[^\P{Cc}\t\n\r]/gu
/** JSON writes the controls below U+0020 as escapes. */
const MAY_HAVE_CONTROLS = /\\u00[01]|\\[bf]|\p{Cc}/u

const dropControls = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(CONTROLS, '')
  if (Array.isArray(value)) return value.map(dropControls)
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.replace(CONTROLS, ''), dropControls(one)]))
}

/** @param place of the row, for the message. @throws SnapshotError for a row that is too long */
export const cleanRow = <T extends object>(row: T, place: string): T => {
  const json = JSON.stringify(row)
  if (json.length > MAX_ROW) throw new SnapshotError(`${place}: is longer than ${MAX_ROW} characters`)
  // Texts become texts, and everything else stays: its type is the same.
  return MAY_HAVE_CONTROLS.test(json) ? (dropControls(row) as T) : row
}
