/** The global search contract. Browser-safe. */
import { z } from 'zod'
import { SearchText } from '../../contract/fields/fields.ts'
import { SpaceOf } from '../../inventory/spaces/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const SearchResult = z
  .object({
    type: z.enum(['device', 'network', 'pool', 'datacenter', 'discovered_device']),
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
    summary:
      'Find devices, networks, pools, datacenters and discovered devices by name, address, subnet, tag or description',
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
