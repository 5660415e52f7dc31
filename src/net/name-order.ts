/**
 * The order of names: natural, so that numbers sort by their value, and the same in every locale, on the server, in both databases and
 * in the browser. A name has a key that tells it from others in any case, and a collation key that is sorted by code points.
 */

/** Code points of the sorted part of a collation key. Longer names with the same beginning sort by the rest of their name key. */
const MAX_SORTED = 300
/** A number of fewer digits has its length in one digit, a longer one behind a 9 in four. */
const LONG_NUMBER = 9
/** Separates the sorted part from the name key. Sorts before all characters of the sorted part. */
const SEPARATOR = '\u0001'

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

/** The zeros of the scripts with decimal digits, which NFKD keeps. Nine more digits follow each. */
const ZEROS = [
  ...[0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50],
  ...[0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50],
  ...[0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0x104a0, 0x10d30, 0x10d40, 0x11066, 0x110f0, 0x11136],
  ...[0x111d0, 0x112f0, 0x11450, 0x114d0, 0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0, 0x11950, 0x11bf0],
  ...[0x11c50, 0x11d50, 0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70, 0x1e140, 0x1e2f0],
  ...[0x1e4f0, 0x1e5f1, 0x1e950],
]
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu

const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  const zero = ZEROS.find((one) => code >= one && code < one + 10)
  return zero === undefined ? digit : String(code - zero)
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
