/** The text that asks for the next free number, in place of a number. Imports nothing, because the browser loads it. */

/** The pattern of the text: `next`, or `next:` and the bounds of the number. */
export const NEXT_PATTERN = 'next(?::(-?[0-9]{1,16})-(-?[0-9]{1,16}))?'

const isNextText = new RegExp(`^${NEXT_PATTERN}$`)

/** The least and the greatest number, undefined for the bounds of the field. */
export type NextRange = { readonly from?: number; readonly to?: number }

/** @example parseNext('next:64512-65534') // { from: 64512, to: 65534 } */
export const parseNext = (given: unknown): NextRange | undefined => {
  const [whole, from, to] = (typeof given === 'string' && isNextText.exec(given.trim())) || []
  if (whole === undefined) return undefined
  return from === undefined ? {} : { from: Number(from), to: Number(to) }
}

/** Returns a name of the fields of which an object gets the next number: writers of one field wait for each other. */
export const nameNext = (input: object): string | undefined => {
  const custom: unknown = Reflect.get(input, 'custom')
  if (typeof custom !== 'object' || custom === null) return undefined
  const names = Object.entries(custom).flatMap(([name, value]) => (parseNext(value) ? [name] : []))
  return names.length === 0 ? undefined : `next ${names.join(' ')}`
}

/** Returns why a range is none, or lies outside the bounds of its field. */
export const checkNext = (
  { from, to }: NextRange,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
): string | undefined => {
  if (from === undefined || to === undefined) return undefined
  if (from > to) return `begins at ${from}, above its end ${to}`
  if (from < minimum || to > maximum) return `must lie within ${minimum} to ${maximum}`
  return undefined
}
