/** Validates values of custom fields by their definitions, and makes the keys by which they are found and sorted. No queries. */

import { parseFlag } from '../../base/sheets/flag.ts'
import { isStorable } from '../../contract/storable.ts'
import { DEFAULT_SPACE, normalizeIp, parseIpKey } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'
import { type CustomValue, MAX_TEXT, MAX_VALUES } from './fields.ts'
import { matchesPattern } from './pattern.ts'
import type { CustomField } from './schema.ts'

const MAX_URL = 2048
/** The largest number of characters of a key. Longer texts are compared in full once they are found. */
export const MAX_KEY = 200

/** The part of a definition that decides about values. */
export type Rule = Pick<
  CustomField,
  'type' | 'multiple' | 'choices' | 'pattern' | 'minimum' | 'maximum' | 'reference_to'
>

export type Checked = { readonly value: CustomValue } | { readonly message: string }

type Single = string | number | boolean
type CheckedSingle = { readonly value: Single } | { readonly message: string }

const buildRefusal = (message: string) => ({ message })

const validateText = ({ pattern }: Rule, given: unknown): CheckedSingle => {
  if (typeof given !== 'string') return buildRefusal('must be text')
  if (given.length > MAX_TEXT) return buildRefusal(`must have at most ${MAX_TEXT} characters`)
  if (!isStorable(given)) return buildRefusal('must be valid Unicode text without NUL characters')
  const value = given.trim()
  // A blank text is no value.
  if (value !== '' && pattern !== '' && !matchesPattern(pattern, value)) return buildRefusal(`must match ${pattern}`)
  return { value }
}

const INTEGER = /^[+-]?\d+$/
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Returns a number, also one that a text spells. */
const toNumber = (given: unknown, spelling: RegExp): unknown =>
  typeof given === 'string' && spelling.test(given.trim()) ? Number(given) : given

const validateNumber = ({ type, minimum, maximum }: Rule, given: unknown): CheckedSingle => {
  const isInteger = type === 'integer'
  const value = toNumber(given, isInteger ? INTEGER : NUMBER)
  if (typeof value !== 'number' || !Number.isFinite(value))
    return buildRefusal(isInteger ? 'must be a whole number' : 'must be a number')
  if (isInteger && !Number.isSafeInteger(value)) return buildRefusal('must be a whole number below 2^53')
  if (minimum !== null && value < minimum) return buildRefusal(`must be at least ${minimum}`)
  if (maximum !== null && value > maximum) return buildRefusal(`must be at most ${maximum}`)
  // JSON has no negative zero.
  return { value: value === 0 ? 0 : value }
}

const validateBoolean = (_: Rule, given: unknown): CheckedSingle => {
  const value = typeof given === 'string' ? parseFlag(given) : given
  return typeof value === 'boolean' ? { value } : buildRefusal('must be true or false')
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

const isDate = (text: string): boolean => {
  if (!DATE.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

const validateDate = (_: Rule, given: unknown): CheckedSingle =>
  typeof given === 'string' && isDate(given) ? { value: given } : buildRefusal('must be a date, like 2026-01-31')

const MAX_SHOWN_CHOICES = 20

/** Choices that older programs stored may have composed and decomposed letters. A value may have either form (NFC and NFD of UAX #15). */
const findChoice = (choices: readonly string[], given: string): string | undefined => {
  if (choices.includes(given)) return given
  const composed = given.normalize('NFC')
  return choices.find((choice) => choice.normalize('NFC') === composed)
}

const validateChoice = ({ choices }: Rule, given: unknown): CheckedSingle => {
  const value = typeof given === 'string' ? findChoice(choices, given) : undefined
  if (value !== undefined) return { value }
  const more = choices.length > MAX_SHOWN_CHOICES ? ', ...' : ''
  return buildRefusal(`must be one of ${choices.slice(0, MAX_SHOWN_CHOICES).join(', ')}${more}`)
}

const isWebAddress = (text: string): boolean => {
  if (!/^https?:\/\//i.test(text) || /[\s\p{Cc}]/u.test(text)) return false
  return Boolean(URL.parse(text)?.hostname)
}

const validateUrl = (_: Rule, given: unknown): CheckedSingle => {
  if (typeof given !== 'string' || !isStorable(given) || !isWebAddress(given))
    return buildRefusal('must be a URL that begins with http:// or https://')
  return given.length > MAX_URL ? buildRefusal(`must have at most ${MAX_URL} characters`) : { value: given }
}

/** @example validateIp(rule, '2001:DB8:0:0:0:0:0:1') // { value: '2001:db8::1' } */
const validateIp = (_: Rule, given: unknown): CheckedSingle => {
  const value = typeof given === 'string' ? given.trim() : given
  // A blank text is no value.
  if (value === '') return { value }
  const ip = typeof value === 'string' ? normalizeIp(value) : undefined
  return ip === undefined ? buildRefusal('must be an IPv4 or IPv6 address') : { value: ip }
}

const MAX_ID = 64

/** That the object exists is checked by a query. */
const validateReference = (_: Rule, given: unknown): CheckedSingle =>
  typeof given === 'string' && given.length <= MAX_ID && isStorable(given)
    ? { value: given }
    : buildRefusal('must be an id')

const VALIDATORS: Readonly<Record<CustomField['type'], (rule: Rule, given: unknown) => CheckedSingle>> = {
  text: validateText,
  integer: validateNumber,
  number: validateNumber,
  boolean: validateBoolean,
  date: validateDate,
  choice: validateChoice,
  url: validateUrl,
  ip: validateIp,
  reference: validateReference,
}

/** Returns the parts of a text with several values: `a;b` are two. */
const split = (text: string): string[] =>
  text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const validateList = (rule: Rule, given: unknown): Checked => {
  const list: unknown = typeof given === 'string' ? split(given) : given
  if (!Array.isArray(list)) return buildRefusal('must be a list')
  const values: string[] = []
  for (const one of list) {
    const checked = VALIDATORS[rule.type](rule, one)
    if ('message' in checked) return checked
    if (checked.value === '') continue
    // Only choices, addresses and references have several values, and they are texts.
    values.push(String(checked.value))
  }
  const distinct = [...new Set(values)]
  return distinct.length > MAX_VALUES ? buildRefusal(`must have at most ${MAX_VALUES} values`) : { value: distinct }
}

/** True for the inputs that clear a value: null, an empty text and an empty list. */
export const isCleared = (given: unknown): boolean =>
  given === null || given === '' || (Array.isArray(given) && given.length === 0)

/**
 * Returns the value in the form in which it is stored, or why it is none. The empty list of a field with several values
 * is no value.
 * @example validateValue({ ...rule, type: 'integer' }, '42') // { value: 42 }
 */
export const validateValue = (rule: Rule, given: unknown): Checked =>
  rule.multiple ? validateList(rule, given) : VALIDATORS[rule.type](rule, given)

/** True for a text that spells a stored value, whatever the rules for new values are: files hold every value as a text. */
export const spellsValue = (rule: Rule, given: unknown, stored: CustomValue): boolean => {
  if (typeof given !== 'string' || typeof stored === 'string') return false
  if (typeof stored === 'object') return JSON.stringify([...new Set(split(given))]) === JSON.stringify(stored)
  const checked = VALIDATORS[rule.type]({ ...rule, minimum: null, maximum: null }, given)
  return 'value' in checked && checked.value === stored
}

/** Cuts a text without dividing a surrogate pair. */
const cut = (text: string): string => {
  if (text.length <= MAX_KEY) return text
  const short = text.slice(0, MAX_KEY)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

const bits = new DataView(new ArrayBuffer(8))

/** Returns 16 hexadecimal digits that sort as the numbers do. */
const buildNumberKey = (value: number): string => {
  bits.setFloat64(0, value)
  const raw = bits.getBigUint64(0)
  // The bits of positive numbers sort like the numbers. The bits of negative ones sort in reverse and behind them.
  const isNegative = raw >> 63n === 1n
  const sorted = isNegative ? ~raw & 0xffff_ffff_ffff_ffffn : raw | (1n << 63n)
  return sorted.toString(16).padStart(16, '0')
}

/** Returns the number of a key of `buildNumberKey`. */
export const readNumberKey = (key: string): number => {
  const sorted = BigInt(`0x${key}`)
  const isNegative = sorted >> 63n === 0n
  bits.setBigUint64(0, isNegative ? ~sorted & 0xffff_ffff_ffff_ffffn : sorted & 0x7fff_ffff_ffff_ffffn)
  return bits.getFloat64(0)
}

const buildSingleKey = (type: CustomField['type'], value: Single): string => {
  if (typeof value === 'number') return buildNumberKey(value)
  if (typeof value === 'boolean') return String(value)
  // IPv4 comes before IPv6, each in the order of addresses.
  if (type === 'ip') return parseIpKey(value, DEFAULT_SPACE) ?? value
  return type === 'reference' ? value : cut(value.toLowerCase())
}

/** Returns the keys of a value: texts that sort as the values do, regardless of case. */
export const buildKeys = ({ type }: Pick<Rule, 'type'>, value: CustomValue): string[] =>
  // `Array.isArray` does not tell a list that is not written to.
  typeof value === 'object'
    ? [...new Set(value.map((one) => buildSingleKey(type, one)))]
    : [buildSingleKey(type, value)]

/** True if several values may have the key, which has to be compared in full. */
export const isCutKey = (type: CustomField['type'], key: string): boolean =>
  (type === 'text' || type === 'url') && key.length >= MAX_KEY - 1

/** True if searches find the values of a field. Addresses are always found. */
export const isSearched = ({ type, searchable }: Pick<CustomField, 'type' | 'searchable'>): boolean =>
  searchable || type === 'ip'

/** Checks values for equality, as filters and `unique` do: texts regardless of case. */
export const isSameValue = (type: CustomField['type'], one: CustomValue, other: CustomValue): boolean =>
  typeof one === 'string' && typeof other === 'string' && type !== 'reference'
    ? one.toLowerCase() === other.toLowerCase()
    : one === other

/** Returns the value that the text of a filter means, or why it is none of the field. */
export const filterValue = (rule: Rule, text: string): { readonly value: Single } | { readonly message: string } => {
  // Any text may be looked for, also one that is no longer valid.
  if (rule.type === 'text' || rule.type === 'url' || rule.type === 'reference') return { value: text }
  if (rule.type === 'choice') {
    const key = toNameKey(text)
    const choice = rule.choices.find((one) => toNameKey(one) === key)
    return choice === undefined ? validateChoice(rule, text) : { value: choice }
  }
  return VALIDATORS[rule.type]({ ...rule, minimum: null, maximum: null }, text)
}
