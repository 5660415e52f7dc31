/** How feeds are read, written, searched and sorted. */

import { invalidField } from '../../../src/contract/errors.ts'
import { CATALOGUE } from '../../../src/exchange/feeds/catalogue.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { contracts } from '../api/contracts.ts'
import { isCode } from '../api/errors.ts'
import { createCrud } from '../resource/crud.ts'
import type { Resource } from '../resource/resource.ts'
import type { TableSpec } from '../table/engine.ts'
import { buildFields, clearUnusedFields, type FeedParts } from './feed-fields.tsx'
import { filterInWords, type Names } from './labels.ts'
import { type Feed, feedQuery } from './queries.ts'

const CRUD = createCrud(contracts.feeds)

export const buildFeedResource = (parts: FeedParts): Resource<Feed> => ({
  noun: 'feed',
  fields: buildFields(parts),
  getName: ({ name }) => name,
  ...CRUD,
  create: async (input) => {
    try {
      return await CRUD.create(input)
    } catch (error) {
      // Names may repeat, ids may not.
      throw isCode(error, 'ALREADY_EXISTS') ? invalidField('id', error.message) : error
    }
  },
  update: (id, input, etag) => CRUD.update(id, { ...clearUnusedFields(input), ...input }, etag),
  changes: ['feeds', 'feed', 'keys'],
  queryKey: (id) => feedQuery(id).queryKey,
})

export const getTitle = (format: Feed['format']): string => CATALOGUE[format].title

export type Shown = {
  readonly names: Names
  /** The last use of the keys of each feed, by its id. */
  readonly used: ReadonlyMap<string, string>
}

export const buildFeedSpec = ({ names, used }: Shown): TableSpec<Feed> => {
  const title = ({ format }: Feed): string => getTitle(format)
  const words = (feed: Feed): string => filterInWords(feed, names)
  return {
    id: ({ id }) => id,
    text: (feed) => [feed.name, feed.url, feed.description, title(feed), words(feed)].join('\n'),
    sorts: {
      name: ({ name }) => toSortKey(name),
      format: (feed) => toSortKey(title(feed)),
      url: ({ url }) => url,
      devices: words,
      used: ({ id }) => used.get(id) ?? '',
      updated: ({ updated_at }) => -Date.parse(updated_at),
    },
    fields: {
      format: (feed, value) => feed.format.startsWith(value) || title(feed).toLowerCase().startsWith(value),
      tag: ({ tags }, value) => tags.some((tag) => tag.toLowerCase().startsWith(value)),
    },
    facets: { format: ({ format }) => [format], tag: ({ tags }) => tags },
  }
}
