/** The slugs of names: each is unique in its kind. */
import { MAX_SLUG, toNameSlug } from '../../net/slug.ts'

/** A name with its number. */
export type Slugged = {
  readonly number: number
  readonly text: string
  /** The slug that was sent or stored; else it is made of the text. */
  readonly slug?: string | undefined
}

/** Returns the slug, or the first one with the number behind it that is free. */
export const pickFree = (slug: string, number: number, taken: Pick<ReadonlySet<string>, 'has'>): string => {
  if (slug !== '' && !taken.has(slug)) return slug
  for (let nth = 1; ; nth++) {
    const suffix = nth === 1 ? String(number) : `${number}-${nth}`
    const other = slug === '' ? suffix : `${slug.slice(0, MAX_SLUG - suffix.length - 1)}-${suffix}`
    if (!taken.has(other)) return other
  }
}

/**
 * Returns the slugs of the names of a kind, by number. Slugs that were sent come first, then the older names; a younger one with the same slug gets
 * its number behind it.
 */
export const makeSlugs = (names: readonly Slugged[]): ReadonlyMap<number, string> => {
  const inOrder = names.toSorted((a, b) => Number(!a.slug) - Number(!b.slug) || a.number - b.number)
  const taken = new Set<string>()
  const slugs = new Map<number, string>()
  for (const { number, text, slug } of inOrder) {
    const own = pickFree(slug || toNameSlug(text), number, taken)
    taken.add(own)
    slugs.set(number, own)
  }
  return slugs
}

/**
 * Returns slugs for some of the names of a kind, by number. A slug that another name answers gets the number of the name behind it.
 * @param given the wanted slugs by number
 */
export const giveSlugs = (
  names: readonly Slugged[],
  given: ReadonlyMap<number, string>,
): ReadonlyMap<number, string> => {
  const others = [...makeSlugs(names)].filter(([number]) => !given.has(number))
  const taken = new Set(others.map(([, slug]) => slug))
  const slugs = new Map<number, string>()
  for (const [number, slug] of [...given].sort(([a], [b]) => a - b)) {
    const own = pickFree(slug, number, taken)
    taken.add(own)
    slugs.set(number, own)
  }
  return slugs
}
