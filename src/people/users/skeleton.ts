/** Detects similar names: the skeleton of UTS 39 section 4, by Unicode's table of confusable characters. */
import table from './confusables.txt' with { type: 'text' }

const VERSION_LINE = /^# Version (\S+)\. /

/** The version of the table. Skeletons of another version must be computed again. */
export const CONFUSABLES_VERSION: string = VERSION_LINE.exec(table)?.[1] ?? ''

const parseCharacters = (hex: string): string[] =>
  hex.split(' ').map((codePoint) => String.fromCodePoint(Number.parseInt(codePoint, 16)))

const readTable = (): ReadonlyMap<string, string> => {
  const prototypes = new Map<string, string>()
  for (const line of table.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [target = '', sources = ''] = line.split(';')
    const prototype = parseCharacters(target).join('')
    for (const source of parseCharacters(sources)) prototypes.set(source, prototype)
  }
  return prototypes
}

// Loaded on demand, because few processes need it.
let prototypes: ReadonlyMap<string, string> | undefined

/** @example toSkeleton('раypal') === toSkeleton('paypal') // the first two letters are Cyrillic */
export const toSkeleton = (text: string): string => {
  prototypes ??= readTable()
  let skeleton = ''
  for (const character of text.normalize('NFD')) {
    if (/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
    skeleton += prototypes.get(character) ?? character
  }
  return skeleton.normalize('NFD')
}

const withOneSpace = (skeleton: string): string => skeleton.replace(/\s+/gu, ' ').normalize('NFD')
const withoutCase = (skeleton: string): string => withOneSpace(skeleton.toLowerCase())

/**
 * Returns the skeletons of a name as written, in lower case and in upper case. Usernames are case-insensitive, and a
 * name that looks like "SAM" need not look like "sam". Two names with a common skeleton are similar.
 */
export const computeLooks = (name: string): readonly [written: string, lower: string, upper: string] => [
  withoutCase(toSkeleton(name)),
  withoutCase(toSkeleton(name.toLowerCase())),
  // Keeps the upper case: in lower case the I of "ALI" looks like an l, so that the name would be "ALL".
  withOneSpace(toSkeleton(name.toUpperCase())),
]
