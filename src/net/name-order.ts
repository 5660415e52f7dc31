/**
 * The order of names: natural, so that numbers sort by their value, and the same in every locale, on the server, in both databases and
 * in the browser. A name has a key that tells it from others in any case, and a collation key that is sorted by code points.
 */

/** Code points of the sorted part of a collation key. Longer names with the same beginning sort by the rest of their name key. */
const MAX_SORTED = 300
/** A number of fewer digits has its length in one digit, a longer one behind a 9 in four. */
const LONG_NUMBER = 9
/** Separates the sorted part from the name key. Sorts before all characters of the sorted part. */
export const SEPARATOR = '\u0001'

const PRINTABLE_ASCII = /^[ -~]*$/
/** Diacritics, controls and invisible characters, which do not change the position of a name. */
const IGNORED = new RegExp(
  '[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f' +
    '\\u20d0-\\u20ff\\u3099\\u309a\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]',
  'g',
)
/** Latin letters without a decomposition, by the letters that they sort with (the ligatures and strokes of Unicode's DUCET). */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŋ: 'n', ŧ: 't' },
}
const LETTER = /[ßæœþøłđðħıŋŧ]/g

/** A digit of another script, which NFKD keeps. */
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu
const DIGIT = /\p{Nd}/u

/** The digits of a script follow each other from its zero on (Unicode 4.6), and digits in front of them are whole tens. */
const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let before = 0
  while (DIGIT.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}

/** Returns the text of a number that sorts by its value, among texts without such numbers where digits do. */
const encodeNumber = (digits: string): string => {
  const value = digits.replace(/^0+/, '')
  const { length } = value
  return length < LONG_NUMBER ? `${length}${value}` : `${LONG_NUMBER}${String(length).padStart(4, '0')}${value}`
}

/** Returns the letters that a name sorts by: without case, diacritics and compatibility forms, with ASCII digits. */
const toBaseLetters = (key: string): string =>
  key
    .normalize('NFKD')
    .replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
    .replace(IGNORED, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .replace(OTHER_DIGIT, toAsciiDigit)

/** Keeps the first code points of a text. */
const cut = (text: string): string => (text.length <= MAX_SORTED ? text : [...text].slice(0, MAX_SORTED).join(''))

/**
 * Returns the text by which names are the same: in lower case, and in one of the forms of composed letters (NFC, UAX #15).
 * @example toNameKey('A\u0308pfel') === toNameKey('äpfel') // true
 */
export const toNameKey = (name: string): string => {
  const lower = name.toLowerCase()
  return PRINTABLE_ASCII.test(lower) ? lower : lower.normalize('NFC')
}

/**
 * Returns the collation key of a name, to be compared by code points. It ends with the name key, so that a stored one tells whether it
 * belongs to the name key beside it. Migration 0071 computes the same in PostgreSQL.
 * @param key of `toNameKey`
 * @example toNameOrder('vm2') < toNameOrder('vm10') // true
 */
export const toNameOrder = (key: string): string => {
  const letters = PRINTABLE_ASCII.test(key) ? key : toBaseLetters(key)
  return `${cut(letters.replace(/[0-9]+/g, encodeNumber))}${SEPARATOR}${key}`
}

/** Returns the beginning that the collation keys of all names have that begin with a text. A number at its end may go on. */
export const toOrderPrefix = (key: string): string =>
  toNameOrder(key.replace(/\p{Nd}+$/u, '')).split(SEPARATOR, 1)[0] ?? ''

/** A range of collation keys. `to` is not part of it. */
export type OrderRange = { readonly from: string; readonly to: string }

/** No text contains this noncharacter (Unicode 23.7). */
const END = '\u{10ffff}'

/**
 * Returns the ranges with the collation keys of all names that begin with a text, and of few others. A number at its end may go on: there is
 * a range for each length.
 */
export const listOrderRanges = (key: string): OrderRange[] => {
  const prefix = toOrderPrefix(key)
  const value = /(?<!\p{Nd})0*([0-9]*)$/u.exec(key)?.[1] ?? ''
  const toRange = (from: string): OrderRange => ({ from, to: `${from}${END}` })
  if (value === '' || prefix.length + LONG_NUMBER > MAX_SORTED) return [toRange(prefix)]
  const lengths = Array.from({ length: Math.max(0, LONG_NUMBER - value.length) }, (_, i) => value.length + i)
  return [...lengths.map((length) => toRange(`${prefix}${length}${value}`)), toRange(`${prefix}${LONG_NUMBER}`)]
}

/** Returns the columns of a named row: of its name in any case and form, and of its order. */
export const buildNameKeys = (name: string): { readonly name_key: string; readonly name_order: string } => {
  const name_key = toNameKey(name)
  return { name_key, name_order: toNameOrder(name_key) }
}

/** Returns a code unit of UTF-16, moved to the position of its code point: units of pairs behind all others. */
const toRank = (unit: number): number => (unit < 0xd800 ? unit : unit >= 0xe000 ? unit - 0x800 : unit + 0x2000)

/** Compares texts by code points, as both databases do. */
export const compareCodePoints = (a: string, b: string): number => {
  const most = Math.min(a.length, b.length)
  for (let i = 0; i < most; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)]
    if (x !== y) return toRank(x) - toRank(y)
  }
  return a.length - b.length
}

/** Returns the collation key of a name. @example toSortKey('Gi1/0/2') < toSortKey('gi1/0/10') // true */
export const toSortKey = (name: string): string => toNameOrder(toNameKey(name))

/** Compares names. Names that only differ in case are equal. */
export const compareNames = (a: string, b: string): number =>
  a === b ? 0 : compareCodePoints(toSortKey(a), toSortKey(b))

/** Returns values in the order of their names, which are read once each. Values of equal names stay in their order. */
export const sortByName = <T>(values: Iterable<T>, getName: (value: T) => string): T[] =>
  Array.from(values, (value) => ({ value, order: toSortKey(getName(value)) }))
    .sort((a, b) => compareCodePoints(a.order, b.order))
    .map(({ value }) => value)
