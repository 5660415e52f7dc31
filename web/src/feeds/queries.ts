/** The queries of the feed pages. */
import { queryOptions } from '@tanstack/react-query'
import { api, callTagged } from '../api/client.ts'
import { type Contracts, contracts, type In, type Out } from '../api/contracts.ts'

export type Feed = Out<Contracts['feeds']['get']>
export type FeedPreview = Out<Contracts['feeds']['preview']>
export type FeedDraft = In<Contracts['feeds']['create']>
export type PreviewDraft = In<Contracts['feeds']['preview']>

export const feedsQuery = queryOptions({ queryKey: ['feeds'], queryFn: () => api.feeds.list() })

export const feedQuery = (id: string) =>
  queryOptions({ queryKey: ['feed', id], queryFn: () => callTagged(contracts.feeds.get, { id }) })
