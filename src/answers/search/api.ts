/** The global search contract. Browser-safe. */
import { z } from 'zod'
import { SearchText } from '../../contract/fields/fields.ts'
import { RESOURCES } from '../../inventory/resources.ts'
import { SpaceOf } from '../../inventory/spaces/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { sortByRank } from '../../resource/facts.ts'
import { type KindOf, toKind } from '../../resource/nouns.ts'

type SearchedFacts = Extract<(typeof RESOURCES)[number], { readonly search: readonly string[] }>
type ResultType = KindOf<SearchedFacts['name']> | 'discovered_device'

/** The resources with objects that the search finds. */
export const SEARCHED = sortByRank<(typeof RESOURCES)[number]>(RESOURCES, 'search').filter(
  (facts): facts is SearchedFacts => 'search' in facts,
)

const TYPES: readonly ResultType[] = [...SEARCHED.map(({ name }) => toKind(name)), 'discovered_device']

export const SearchResult = z
  .object({
    type: z.enum(TYPES),
    id: z.string(),
    name: z.string(),
    match: z.string().describe('The text that matched'),
    space_id: SpaceOf.describe('The address space of a network or a pool; absent in the default one'),
  })
  .meta({ id: 'SearchResult', columns: ['type', 'id', 'name', 'match'] })
export type SearchResult = z.infer<typeof SearchResult>

/** The number of results of each type in an answer; the list operations return all. */
export const MAX_RESULTS_PER_TYPE = 50

export const search = {
  all: operation({
    name: 'search.all',
    summary: `Find ${SEARCHED.map(({ name }) => name).join(', ')} and discovered devices by name, address, subnet, tag or description`,
    http: 'GET /api/search',
    supportsAsOf: true,
    access: 'search:read',
    scope: 'filterEach',
    mcp: 'listed',
    cli: { command: 'search', args: ['q'] },
    input: () => z.object({ q: SearchText }),
    output: () => z.object({ results: z.array(SearchResult) }).meta({ id: 'SearchResults' }),
  }),
}
