/** Makes names from the network safe to send to people. */
import { HIDDEN } from '../../contract/fields/hidden-characters.ts'

// Tabs and line ends become spaces; direction marks and other invisible characters are dropped.
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const UNSEEN = new RegExp(`[\\p{Cc}${HIDDEN}]`, 'gu')

/** The largest number of characters of a text that is cleaned: names may have a megabyte. */
const MAX_READ = 2000

const DOTS = '...'

/** Cuts a text to a number of characters, at most. A pair of surrogates is not divided. */
export const cutText = (text: string, max: number): string => {
  if (text.length <= max) return text
  const kept = text.slice(0, Math.max(0, max - DOTS.length))
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}${DOTS}`
}

/** Returns one line of at most `max` characters, without control characters and direction marks. */
export const cleanText = (text: string, max: number): string => {
  const read = cutText(text, MAX_READ).toWellFormed()
  return cutText(read.replace(BREAKS, ' ').replace(UNSEEN, '').trim(), max)
}

/** A character of zero width behind the sign: services find no mention, and people see the same text. */
const NO_MENTION = '@\u200b'

/** Keeps `@everyone`, `@here` and `@name` from being mentions. */
export const neutralizeMentions = (text: string): string => text.replace(/@(?=[^\s@])/g, NO_MENTION)

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => HTML[sign] ?? sign)
