/** What the page of conflicts asks for. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Conflict } from '../api/contracts.ts'

/** More than anybody looks through; the number beside the tab counts all of them. */
const MOST = 2000

export type Status = Conflict['status']

export const STATUSES: readonly Status[] = ['active', 'ignored', 'resolved']

export const conflictListQuery = (status: Status) =>
  queryOptions({
    // The active ones are those that every page knows of.
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
