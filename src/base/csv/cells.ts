/** The values of fields as cells of a CSV. Browser-safe. */
import { parseFlag } from '../sheets/flag.ts'

/**
 * How a field is written in a CSV. list, numbers: with `;` between, or JSON. addresses: the same, of addresses or objects. record:
 * as JSON. word: a text without blanks around it, as a name. vlan: a number, also behind a name, as `prod (100)`. ip: an address, whose
 * prefix length does not count.
 */
export type CellKind =
  | 'text'
  | 'word'
  | 'number'
  | 'vlan'
  | 'flag'
  | 'choice'
  | 'ip'
  | 'mac'
  | 'list'
  | 'numbers'
  | 'addresses'
  | 'record'

/** True for a value that is unambiguous in a list without quotes. */
export const isPlain = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value === value.trim() && !/[;[\]\n\r]/.test(value)

/** Returns a value as the cell of a CSV. Reading it as its kind gives the value again. */
export const formatCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) {
    if (value.length === 0) return ''
    return value.every(isPlain) ? value.join(';') : JSON.stringify(value)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Returns a list that is written as JSON. @throws SyntaxError for invalid JSON */
const parseJsonList = (text: string): readonly unknown[] | undefined => {
  if (!text.startsWith('[')) return undefined
  const parsed: unknown = JSON.parse(text)
  return Array.isArray(parsed) ? parsed : undefined
}

const splitList = (text: string): string[] =>
  text
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** What people write where there is no value. A text or a name may be one of these. */
const NOTHING: ReadonlySet<string> = new Set([
  '',
  '-',
  '--',
  '–',
  '—',
  'n/a',
  'na',
  'none',
  'null',
  'nil',
  'keine',
  'aucun',
  'aucune',
])

/** Returns true for a cell without a value of a kind other than text. */
export const isNothing = (text: string): boolean => {
  const word = text.trim().toLowerCase()
  return NOTHING.has(word) || /^none \(.*\)$/.test(word)
}

const DECIMAL_COMMA = /^[+-]?\d+,\d{1,2}$/

const parseNumber = (text: string): number | string => {
  const number = Number(DECIMAL_COMMA.test(text) ? text.replace(',', '.') : text)
  return Number.isNaN(number) ? text : number
}

const VLAN_NUMBER = /^(?:vlan)?[ #:_-]*(\d{1,5})$|\((\d{1,5})\)$/i

const parseVlan = (text: string): number | string => {
  const [, own, behind] = VLAN_NUMBER.exec(text) ?? []
  const digits = own ?? behind
  return digits === undefined ? parseNumber(text) : Number(digits)
}

const PREFIX_LENGTH = /\/\d{1,3}$/

/** @example removePrefixLength('192.0.2.1/24') // '192.0.2.1' */
const removePrefixLength = (text: string): string => text.replace(PREFIX_LENGTH, '')

/** People write addresses with commas and blanks between as well; no address has either. */
const SEPARATORS = /[\s,;]+/

/** One address as most cells have it. */
const PLAIN_ADDRESS = /^[0-9a-f.:]+$/i

const splitAddresses = (text: string): { ip: string }[] => {
  const found: { ip: string }[] = []
  for (const part of text.split(SEPARATORS))
    if (PLAIN_ADDRESS.test(part)) found.push({ ip: part })
    else if (!isNothing(part) && part !== '/' && part !== '&') found.push({ ip: removePrefixLength(part) })
  return found
}

const splitNumbers = (text: string): (number | string)[] =>
  text
    .split(SEPARATORS)
    .filter((part) => part !== '')
    .map(parseVlan)

const READ_PARTS = { numbers: splitNumbers, addresses: splitAddresses } as const

/** @throws SyntaxError for invalid JSON */
export const readCell = (kind: CellKind, cell: string): unknown => {
  if (kind === 'text') return cell
  const text = cell.trim()
  if (kind === 'word') return text
  if (kind === 'record') return text === '' ? null : JSON.parse(text)
  if (kind === 'list') return parseJsonList(text) ?? splitList(text)
  if (kind === 'numbers' || kind === 'addresses') {
    if (isNothing(text)) return []
    const readParts = READ_PARTS[kind]
    const list = parseJsonList(text)
    return list ? list.flatMap((one): unknown[] => (typeof one === 'string' ? readParts(one) : [one])) : readParts(text)
  }
  if (isNothing(text)) return null
  if (kind === 'number') return parseNumber(text)
  if (kind === 'vlan') return parseVlan(text)
  if (kind === 'flag') return parseFlag(text) ?? text
  return kind === 'ip' ? removePrefixLength(text) : text
}
