// The words of a search, each in the spellings in which stored texts may have it. Pure, for server and browser.
import { parseMac } from '../mac.ts'
import { extractHost, extractIp } from './host-text.ts'
import type { Word } from './word.ts'

const joinPairs = (digits: string): string => digits.replace(/..(?=.)/g, '$&:')
/** The same where the first digit is the second one of an octet. */
const joinPairsFromEnd = (digits: string): string =>
  digits.length % 2 === 0 ? joinPairs(digits) : joinPairs(`0${digits}`).slice(1)

/** The least number of digits without colons that are taken for a part of a MAC: a decimal number rarely is one. */
const LEAST_DIGITS = 4
const LEAST_DECIMAL_DIGITS = 6
const LEAST_DIGITS_WITH_SEPARATOR = 5
const MAC_DIGITS = 12
const SEPARATED_PART = /^[0-9a-f]{0,6}([.-])[0-9a-f]{0,6}(?:\1[0-9a-f]{0,6})*$/
const SHORT_OCTETS = /^[0-9a-f]{0,2}(?::[0-9a-f]{1,2}){1,4}(?::[0-9a-f]{0,2})?$/

const listBareParts = (digits: string): string[] => {
  const least = /^\d+$/.test(digits) ? LEAST_DECIMAL_DIGITS : LEAST_DIGITS
  if (digits.length < least || digits.length >= MAC_DIGITS) return []
  // The first digit may be either one of its octet.
  return [joinPairs(digits), `${digits.slice(0, 1)}:${joinPairs(digits.slice(1))}`]
}

const listSeparatedParts = (word: string): string[] => {
  if (!SEPARATED_PART.test(word)) return []
  const groups = word.split(/[.-]/)
  const [first = '', ...others] = groups
  const last = others.at(-1) ?? ''
  const inner = others.slice(0, -1)
  const digits = groups.join('').length
  // Numbers between dots are rather a part of an IPv4 address, or a version.
  const isDecimal = word.includes('.') && /^[\d.]*$/.test(word) && !groups.some(({ length }) => length >= 4)
  if (isDecimal || digits < LEAST_DIGITS_WITH_SEPARATOR || digits >= MAC_DIGITS) return []
  if (!inner.every(({ length }) => length === inner[0]?.length && (length === 2 || length === 4))) return []
  return [[joinPairsFromEnd(first), ...inner.map(joinPairs), joinPairs(last)].join(':')]
}

/** Octets without leading zeros between colons: the last one may be typed in part. */
const listShortParts = (word: string): string[] => {
  if (!SHORT_OCTETS.test(word)) return []
  const octets = word.split(':')
  const padded = octets.map((octet, i) => (i === 0 || octet === '' ? octet : octet.padStart(2, '0')))
  return [[...padded.slice(0, -1), octets.at(-1)].join(':'), padded.join(':')]
}

/** Returns the parts of a canonical MAC that a part in another spelling may stand for. */
const listMacParts = (word: string): string[] => {
  const bare = /^(?:0x)?([0-9a-f]+)$/.exec(word)?.[1]
  if (bare !== undefined) return listBareParts(bare)
  return word.includes(':') ? listShortParts(word) : listSeparatedParts(word)
}

const trimZeros = (group: string): string => group.replace(/^0+(?=.)/, '')

/** Tells whether groups without leading zeros have several zero groups beside another one. */
const hasShortZeros = (groups: readonly string[]): boolean =>
  groups.every((group) => group !== '' && group === trimZeros(group)) &&
  groups.some((group, i) => group === '0' && groups[i + 1] === '0') &&
  groups.some((group) => group !== '0')

/** Returns the forms of RFC 5952 in which a part of an address with leading zeros or zero groups may be stored. */
const listIpv6Parts = (word: string): string[] => {
  if (!/^[0-9a-f:]+$/.test(word) || !word.includes(':')) return []
  const groups = word.split(':')
  if (groups.length > 8 || groups.some(({ length }) => length > 4)) return []
  // Groups of at most two digits are rather octets, unless there are zero groups as only an address has them.
  if (!groups.some(({ length }) => length > 2) && !hasShortZeros(groups)) return []
  const halves = word.split('::')
  if (halves.length > 2) return []
  if (halves.length === 2) {
    const [left = '', right = ''] = halves.map((half) => half.split(':').map(trimZeros).join(':'))
    return [`${left.replace(/(?:^|:)0(?::0)*$/, '')}::${right.replace(/^0(?::0)*(?::|$)/, '')}`]
  }
  const short = groups.map(trimZeros)
  const last = short.length - 1
  // A last group of fewer than four digits may be the beginning of one: its zeros may precede others.
  const isOpen = short[last] === '0' && (groups[last]?.length ?? 0) > 1 && (groups[last]?.length ?? 0) < 4
  const forms = [short.join(':'), ...(isOpen ? [[...short.slice(0, -1), ''].join(':')] : [])]
  for (let from = 0; from <= last; from++) {
    if (short[from] !== '0' || short[from - 1] === '0') continue
    let to = from
    while (short[to + 1] === '0') to++
    // A single zero group is not shortened, but at an end of the part it may belong to a run.
    const mayBeRun = to > from || from === 0 || to === last
    if (mayBeRun) forms.push(`${short.slice(0, from).join(':')}::${short.slice(to + 1).join(':')}`)
  }
  return forms
}

/** A letter beyond the hexadecimal ones, and no separator: most words are neither addresses nor parts of one. */
const IS_PLAIN = /^(?!0x)[^:/[%.-]*[g-z_][^:/[%.-]*$/

const isPart = (text: string): boolean => text.length > 1

/**
 * Returns a word with the spellings in which it is stored: of a MAC address and of an IP address, whole or in part, and of the host of a URL.
 * @param word in lower case
 * @example listSpellings('001b.21') // ['001b.21', '00:1b:21']
 */
export const listSpellings = (word: string): Word => {
  if (IS_PLAIN.test(word)) return [word]
  const host = extractHost(word)
  const whole = extractIp(word) ?? parseMac(word)
  const others = whole === undefined ? [...listMacParts(word), ...listIpv6Parts(word)] : [whole]
  const all = new Set([...others, ...(host === undefined || whole !== undefined ? [] : [host])].filter(isPart))
  all.delete(word)
  return [word, ...all]
}

/**
 * Splits a search into its words. A text that is one MAC address, in any spelling, is one word.
 * @param text in lower case, not blank
 */
export const splitWords = (text: string): Word[] => {
  const whole = text.trim()
  if (parseMac(whole) !== undefined) return [listSpellings(whole)]
  return [...new Set(whole.split(/\s+/))].map(listSpellings)
}
