/** Text for eyes: hostile characters made visible, widths as terminals count them, cuts that don't split a character. */
import { HIDDEN } from '../contract/hidden-characters.ts'

/** Controls move the cursor and recolour the screen. */
const UNPRINTABLE = new RegExp(`[\\p{Cc}${HIDDEN}]`, 'u')
const EVERY_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu')
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const hex = (character: string, digits: number): string => character.charCodeAt(0).toString(16).padStart(digits, '0')

export const isPrintable = (text: string): boolean => !UNPRINTABLE.test(text)

/**
 * Text that does nothing to a terminal but show.
 * @example printable('a\u001b[2Jb') // 'a\\x1b[2Jb'
 */
export const printable = (text: string): string =>
  isPrintable(text)
    ? text
    : text.replace(EVERY_UNPRINTABLE, (c) => SHORT[c] ?? (c <= '\u00ff' ? `\\x${hex(c, 2)}` : `\\u${hex(c, 4)}`))

/** JSON text with the characters escaped that JSON itself leaves as they are; it still parses to the same value. */
export const printableJson = (json: string): string =>
  // A line feed is the layout of the JSON itself: inside its strings it is escaped already.
  json.replace(EVERY_UNPRINTABLE, (c) => (c === '\n' ? c : `\\u${hex(c, 4)}`))

const ASCII = /^[\x20-\x7e]*$/

/** Columns that printable text takes on a terminal. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : Bun.stringWidth(text))

/** Made when a text is cut: making one takes longer than most commands. */
let graphemes: Intl.Segmenter | undefined
const DOTS = '...'

/** @example cut('datacenter', 8) // 'datac...' */
export const cut = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const room = width - DOTS.length
  let taken = ''
  let used = 0
  graphemes ??= new Intl.Segmenter()
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment)
    if (used > room) break
    taken += segment
  }
  return taken + DOTS.slice(0, width)
}

export const padEnd = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))
