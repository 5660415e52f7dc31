/** The usual spellings of yes and no in English, German and French. Browser-safe. */

const TRUE: ReadonlySet<string> = new Set('true yes y 1 x ja j oui o wahr vrai on enabled up'.split(' '))
const FALSE: ReadonlySet<string> = new Set('false no n 0 nein non falsch faux off disabled down'.split(' '))

/** @example parseFlag('Ja') // true @example parseFlag('maybe') // undefined */
export const parseFlag = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : undefined
}
