/**
 * The filter language of every list: terms with blanks between them, all of which must hold. `-` before a term turns it
 * round, `field:` keeps it to one field, quotes keep blanks together. Text is searched as it is: nothing is fuzzy.
 */

import { toNameKey } from '../../../src/net/name-order.ts'

export type Term = {
  readonly isNegated: boolean
  /** '' for any text of the row. */
  readonly field: string
  /** In the form of name keys: in lower case, with composed letters. */
  readonly value: string
  /** Where it stands in the text. */
  readonly start: number
  readonly end: number
}

const TOKEN = /(?:[^\s"]|"[^"]*(?:"|$))+/g

const removeQuotes = (text: string): string => text.replace(/"/g, '')

/**
 * @example parseFilter('-tag:edge fra', ['tag']) // tag edge turned round, and any text with fra
 */
export const parseFilter = (text: string, fields: readonly string[]): Term[] =>
  [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }): Term[] => {
    const isNegated = token.length > 1 && /^[-!]/.test(token)
    const body = isNegated ? token.slice(1) : token
    const at = body.indexOf(':')
    const name = body.slice(0, Math.max(at, 0)).toLowerCase()
    // An IPv6 address and a MAC have colons too.
    const isField = at > 0 && fields.includes(name)
    const value = toNameKey(removeQuotes(isField ? body.slice(at + 1) : body))
    if (value === '') return []
    return [{ isNegated, field: isField ? name : '', value, start: index, end: index + token.length }]
  })

/** Returns the text without one of its terms. */
export const removeTerm = (text: string, { start, end }: Term): string =>
  `${text.slice(0, start)} ${text.slice(end)}`.replace(/\s+/g, ' ').trim()

/** Formats a term as it is written. @example formatTerm('os', 'Debian 12') // 'os:"Debian 12"' */
export const formatTerm = (field: string, value: string): string =>
  `${field === '' ? '' : `${field}:`}${/\s/.test(value) ? `"${value}"` : value}`

export type Completion = { readonly text: string; readonly label: string; readonly note: string }

/** The completions of each field: `tag` -> `prod`, how often; 0 if that is not known. */
export type Facets = Readonly<Record<string, readonly (readonly [value: string, count: number])[]>>

const MOST = 8

/** Returns the completions of the last word of the text. */
export const listCompletions = (text: string, fields: readonly string[], facets: Facets): Completion[] => {
  const last = /(?:[^\s"]|"[^"]*"?)*$/.exec(text)?.[0] ?? ''
  const before = text.slice(0, text.length - last.length)
  const sign = /^[-!]/.test(last) ? last.slice(0, 1) : ''
  const word = last.slice(sign.length)
  const at = word.indexOf(':')
  const field = word.slice(0, Math.max(at, 0)).toLowerCase()
  if (at > 0 && fields.includes(field)) {
    const wanted = toNameKey(removeQuotes(word.slice(at + 1)))
    return (facets[field] ?? [])
      .filter(([value]) => toNameKey(value).includes(wanted) && toNameKey(value) !== wanted)
      .slice(0, MOST)
      .map(([value, count]) => ({
        text: `${before}${sign}${formatTerm(field, value)} `,
        label: `${sign}${formatTerm(field, value)}`,
        note: count > 0 ? count.toLocaleString('en-US') : '',
      }))
  }
  return fields
    .filter((one) => one.startsWith(word.toLowerCase()))
    .slice(0, MOST)
    .map((one) => ({ text: `${before}${sign}${one}:`, label: `${sign}${one}:`, note: '' }))
}
