/** Makes text safe to show: escapes hostile characters, measures widths like terminals, cuts between characters. */
import { HIDDEN } from '../../../contract/fields/hidden-characters.ts'

/** Control characters move the cursor and change colors. */
const UNPRINTABLE = new RegExp(`[\\p{Cc}${HIDDEN}]`, 'u')
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const formatHex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, '0')

export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text)

/** Escapes characters that affect a terminal. @example toPrintable('a\u001b[2Jb') // 'a\\x1b[2Jb' */
export const toPrintable = (text: string): string =>
  isPrintable(text)
    ? text
    : text.replace(
        EVERY_UNPRINTABLE,
        (c) => SHORT[c] ?? (c <= '\u00ff' ? `\\x${formatHex(c, 2)}` : `\\u${formatHex(c, 4)}`),
      )

/** Escapes the hostile characters that JSON permits in its text. The result parses to the same value. */
export const toPrintableJson = (json: string): string =>
  // A line feed is layout of the JSON: inside its strings it is escaped already.
  json.replace(EVERY_UNPRINTABLE, (c) => (c === '\n' ? c : `\\u${formatHex(c, 4)}`))

const ASCII = /^[\x20-\x7e]*$/

/** Returns the number of columns that printable text takes on a terminal. */
export const measureWidth = (text: string): number => (ASCII.test(text) ? text.length : Bun.stringWidth(text))

/** Created on first use: creating it takes longer than most commands. */
let graphemes: Intl.Segmenter | undefined
const DOTS = '...'

/** @example cut('datacenter', 8) // 'datac...' */
export const cut = (text: string, width: number): string => {
  if (measureWidth(text) <= width) return text
  const room = width - DOTS.length
  let taken = ''
  let used = 0
  graphemes ??= new Intl.Segmenter()
  for (const { segment } of graphemes.segment(text)) {
    used += measureWidth(segment)
    if (used > room) break
    taken += segment
  }
  return taken + DOTS.slice(0, width)
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - measureWidth(text)))
