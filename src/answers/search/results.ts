/** Results of a search from objects, in the order of how well they match. */
import { withSpace } from '../../inventory/spaces/fields.ts'
import { MAX_RESULTS_PER_TYPE, type SearchResult } from './api.ts'
import { type Entry, findMatch, type Query, type Rank } from './matches.ts'

export type Ranked = { readonly result: SearchResult; readonly rank: Rank }
type Type = SearchResult['type']

type Found = Pick<SearchResult, 'match' | 'field'>

const toResult = (type: Type, { id, name, detail, space_id }: Entry, { match, field }: Found): SearchResult =>
  withSpace({ type, id, name, match, field, ...(detail && { detail }) }, space_id)

/** Returns the results of objects that the query finds in their texts. */
export const rankEntries = (type: Type, entries: readonly Entry[], query: Query): Ranked[] =>
  entries.flatMap((entry) => {
    const found = findMatch(entry.pieces, query)
    return found ? [{ result: toResult(type, entry, found), rank: found.rank }] : []
  })

/** Returns the result of an object that contains the address or the block of the query, or lies in it. */
export const rankInRange = (type: Type, entry: Entry, found: Found): Ranked => ({
  result: toResult(type, entry, found),
  rank: 2,
})

/** Returns the best results of one type, each object once. */
export const selectBest = (all: readonly Ranked[]): Ranked[] => {
  const known = new Set<string>()
  const once = all.filter(({ result: { id } }) => !known.has(id) && known.add(id))
  return once.toSorted((a, b) => a.rank - b.rank).slice(0, MAX_RESULTS_PER_TYPE)
}

/** Returns the results of all types: first the types with a text that equals the search. Objects of an address keep their order. */
export const joinTypes = (types: readonly (readonly Ranked[])[], hasRange: boolean): SearchResult[] => {
  const isFirst = (ranked: readonly Ranked[]) => !hasRange && ranked.some(({ rank }) => rank === 0)
  const [equal, others] = [types.filter(isFirst), types.filter((ranked) => !isFirst(ranked))]
  return [...equal, ...others].flat().map(({ result }) => result)
}
