/** CSV cells that neither a spreadsheet nor a terminal executes, and their inverse. Browser-safe. */
import { HIDDEN } from '../../contract/fields/hidden-characters.ts'

/** Spreadsheets take a cell that begins with one of these for a formula. The last four are their full-width forms. */
const FORMULA = '=+\\-@\\uff1d\\uff0b\\uff0d\\uff20'

/**
 * The positions at which a formula may begin: the start of a cell, and the place after a separator of cells or rows.
 * Spreadsheets of some locales split there even inside quotes, and may drop quotes and a blank at the start.
 */
const AHEAD = `(?=['"]*[${FORMULA}])`
const INSIDE = '(?<=[;\\t\\r\\n])'
const OPEN_INSIDE = new RegExp(`${INSIDE}${AHEAD}`, 'gu')
const OPEN = new RegExp(`(?:^|${INSIDE})${AHEAD}|^(?='*[\\t\\r\\n])`, 'gu')
const GUARD_INSIDE = new RegExp(`${INSIDE}'${AHEAD}`, 'gu')
const GUARD = new RegExp(`(?:^|${INSIDE})'${AHEAD}|^'(?='*[\\t\\r\\n])`, 'gu')

/** Recognizes most texts quickly: printable ASCII without anything that the patterns above could match. */
const HARMLESS = /^(?!['"=+\-@])[\x20-\x3a\x3c-\x7e]*$/

/** Line ends and tabs are part of a text. */
const INVISIBLE = `(?![\\t\\r\\n])[\\p{Cc}${HIDDEN}]`
const HAS_INVISIBLE = new RegExp(INVISIBLE, 'u')
const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu')

const formatHex = (character: string, digits: number): string =>
  character.charCodeAt(0).toString(16).padStart(digits, '0')
const escapeCharacter = (c: string): string => (c <= '\u00ff' ? `\\x${formatHex(c, 2)}` : `\\u${formatHex(c, 4)}`)
/** The escapes that `escapeCharacter` writes. */
const ESCAPE = '(?:x[0-9a-f]{2}|u[0-9a-f]{4})'
const EVERY_ESCAPE = new RegExp(`\\\\${ESCAPE}`, 'g')
const EVERY_LOOKALIKE = new RegExp(`\\\\(?=${ESCAPE})`, 'g')
/** Only a cell that begins with an apostrophe has escapes. Elsewhere they are text, as in a Windows path. */
const HAS_ESCAPES = new RegExp(`^'[^]*\\\\${ESCAPE}`)

/** @example escapeCell('=1+1') // "'=1+1" @example escapeCell('a;=1+1') // "a;'=1+1" */
export const escapeCell = (text: string): string => {
  if (HARMLESS.test(text)) return text
  const guarded = text.replace(OPEN, "'")
  if (!HAS_INVISIBLE.test(guarded) && !HAS_ESCAPES.test(guarded)) return guarded
  const visible = text.replace(EVERY_LOOKALIKE, '\\x5c').replace(EVERY_INVISIBLE, escapeCharacter)
  return `'${visible.replace(OPEN_INSIDE, "'")}`
}

/** Returns the text of a cell that `escapeCell` wrote. Any other cell is unchanged, unless it has the form of one. */
export const restoreCell = (cell: string): string =>
  HAS_ESCAPES.test(cell)
    ? cell
        .slice(1)
        .replace(GUARD_INSIDE, '')
        .replace(EVERY_ESCAPE, (found) => String.fromCharCode(Number.parseInt(found.slice(2), 16)))
    : cell.replace(GUARD, '')
