/** The patterns of a source, and where they put the rows of a place. Browser-safe. */
import type { PlaceRule } from './schema.ts'

/** Returns true if a text matches a pattern in any case; `*` is any text. Takes linear time for each `*`. */
export const matchesPattern = (pattern: string, text: string): boolean => {
  const [first = '', ...inner] = pattern.toLowerCase().split('*')
  const lower = text.toLowerCase()
  const last = inner.pop()
  if (last === undefined) return lower === first
  if (!lower.startsWith(first) || !lower.endsWith(last)) return false
  const end = lower.length - last.length
  let at = first.length
  for (const part of inner) {
    const found = lower.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= end
}

/** Where a source puts rows that say nothing of their space. */
export type Placing = {
  readonly spaceId: string | null
  readonly places: readonly Pick<PlaceRule, 'match' | 'space_id'>[]
}

/** Returns the space of the rows of a place. The first rule that matches wins. */
export const findSpaceId = ({ spaceId, places }: Placing, place: string): string | null => {
  const rule = places.find(({ match }) => matchesPattern(match, place))
  return rule?.space_id ?? spaceId
}
