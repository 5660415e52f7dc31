/** The summary of changes in words, for the history and for plans. */

export type Verb = 'create' | 'update' | 'delete'

/** The number of objects of each noun, by the type of change. */
export type Counts = Partial<Record<Verb, Record<string, number>>>

/** The number of changes of a kind, or of a noun; one for a change. */
export type Counted = { readonly kind: string; readonly change: Verb; readonly n?: number }

/** Counts changes by their type, and by kind or noun. */
export const countChanges = (changes: readonly Counted[]): Counts => {
  const counts: Counts = {}
  for (const { kind, change, n = 1 } of changes) {
    const own = counts[change] ?? {}
    counts[change] = own
    own[kind] = (own[kind] ?? 0) + n
  }
  return counts
}

const PHRASES: readonly (readonly [Verb, string])[] = [
  ['delete', 'deletes'],
  ['update', 'changes'],
  ['create', 'creates'],
]

/** @example toPlural('relationship') // 'relationships' */
export const toPlural = (noun: string): string =>
  noun.endsWith('y') && !/[aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`

const formatCount = (noun: string, n: number): string => `${n} ${n === 1 ? noun : toPlural(noun)}`

/** @example formatSummary({ delete: { device: 1, relationship: 2 } }) // 'deletes 1 device and 2 relationships' */
export const formatSummary = (counts: Counts): string => {
  const phrases = PHRASES.flatMap(([verb, word]) => {
    const kinds = Object.entries(counts[verb] ?? {}).map(([noun, n]) => formatCount(noun, n))
    const last = kinds.pop()
    return last === undefined ? [] : [`${word} ${kinds.length === 0 ? last : `${kinds.join(', ')} and ${last}`}`]
  })
  return phrases.join('; ') || 'changes nothing'
}
