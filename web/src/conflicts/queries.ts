/** The queries of the conflicts page. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Conflict } from '../api/contracts.ts'

/** The most rows that the page loads. The number beside the tab counts all of them. */
const MOST = 2000

export type Status = Conflict['status']

export const STATUSES: readonly Status[] = ['active', 'ignored', 'resolved']

export const conflictListQuery = (status: Status) =>
  queryOptions({
    // The active conflicts share the cache entry of the other pages.
    queryKey: status === 'active' ? ['conflicts'] : ['conflicts', status],
    queryFn: () => api.conflicts.list(status === 'active' ? { status } : { status, limit: MOST }),
  })

export const summaryQuery = queryOptions({
  queryKey: ['conflicts', 'summary'],
  queryFn: () => api.conflicts.summary(),
})

export const conflictQuery = (id: string) =>
  queryOptions({
    queryKey: ['conflicts', 'one', id],
    queryFn: () => api.conflicts.get({ id }),
    placeholderData: keepPreviousData,
  })
