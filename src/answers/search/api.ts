/** The global search contract. Browser-safe. */
import { z } from 'zod'
import { SearchText } from '../../contract/fields/fields.ts'
import { RESOURCES } from '../../inventory/resources.ts'
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
    name: z.string().describe('The name; of a reservation its address, of a cable without a label its ends'),
    match: z.string().describe('The value in which the text was found'),
    field: z
      .string()
      .describe(
        'The field of this value, such as `description`, `addresses.interface`, `custom.owner` or `ports.mac_address`',
      ),
    detail: z
      .string()
      .optional()
      .describe(
        'The subnet of a network, the range of a pool, the number of a VLAN, the device of a port, the ends of a cable',
      ),
    space_id: z
      .string()
      .optional()
      .describe('The address space of a network, a pool or a reservation; absent in the default one'),
    kind_id: z.string().optional().describe('The kind of an object of a kind'),
  })
  .meta({ id: 'SearchResult', columns: ['type', 'id', 'name', 'detail', 'match', 'field'] })
export type SearchResult = z.infer<typeof SearchResult>

/** The number of results of each type in an answer; the list operations return all. */
export const MAX_RESULTS_PER_TYPE = 50

export const search = {
  all: operation({
    name: 'search.all',
    summary:
      'Find objects of all kinds by a part of a name, number, address, MAC, tag, label, description or custom field',
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
