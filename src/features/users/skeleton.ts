/** Which names look alike: the skeleton of UTS 39 section 4, by Unicode's table of confusable characters. */
import table from './confusables.txt' with { type: 'text' }

const VERSION_LINE = /^# Version (\S+)\. /

/** Of the table: what was computed with another one has to be computed again. */
export const CONFUSABLES_VERSION: string = VERSION_LINE.exec(table)?.[1] ?? ''

const charactersOf = (hex: string): string[] =>
  hex.split(' ').map((codePoint) => String.fromCodePoint(Number.parseInt(codePoint, 16)))

const readTable = (): ReadonlyMap<string, string> => {
  const prototypes = new Map<string, string>()
  for (const line of table.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [target = '', sources = ''] = line.split(';')
    const prototype = charactersOf(target).join('')
    for (const source of charactersOf(sources)) prototypes.set(source, prototype)
  }
  return prototypes
}

// Few processes ever need it.
let prototypes: ReadonlyMap<string, string> | undefined

/** @example skeletonOf('раypal') === skeletonOf('paypal') // the first two letters are Cyrillic */
export const skeletonOf = (text: string): string => {
  prototypes ??= readTable()
  let skeleton = ''
  for (const character of text.normalize('NFD')) {
    if (/\p{Default_Ignorable_Code_Point}/u.test(character)) continue
    skeleton += prototypes.get(character) ?? character
  }
  return skeleton.normalize('NFD')
}

const withoutCase = (skeleton: string): string => skeleton.toLowerCase().replace(/\s+/gu, ' ').normalize('NFD')

/**
 * What a name looks like as it is written, and in lower case: names are compared in any case, and what looks like "SAM" need not look
 * like "sam". Names that share one of them must not be told from one another.
 */
export const looksOf = (name: string): readonly [written: string, lower: string] => [
  withoutCase(skeletonOf(name)),
  withoutCase(skeletonOf(name.toLowerCase())),
]
