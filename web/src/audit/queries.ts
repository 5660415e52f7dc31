/** The queries of the audit log. Pages are loaded as the list is scrolled. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, send } from '../api/client.ts'
import { type AuditEntry, contracts } from '../api/contracts.ts'
import type { AuditFilter } from './filter.ts'

const PAGE = 100

type EntryPage = { readonly rows: readonly AuditEntry[]; readonly total: number }
type PageParam = { readonly offset: number; readonly until: string | undefined }

export const entriesQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    initialPageParam: { offset: 0, until: undefined } as PageParam,
    queryFn: async ({ pageParam: { offset, until } }): Promise<EntryPage> => {
      const pinned = until === undefined ? {} : { end_time: until }
      const response = await send(contracts.audit.list, { ...filter, ...pinned, include: 'names', limit: PAGE, offset })
      // The server returns values of the contract's type.
      const rows = (await response.json()) as readonly AuditEntry[]
      return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
    },
    getNextPageParam: (last: EntryPage, pages: readonly EntryPage[]): PageParam | undefined => {
      if (last.rows.length < PAGE) return undefined
      const offset = pages.reduce((sum, { rows }) => sum + rows.length, 0)
      // The list ends at its first entry. Newer entries would shift the rows of later pages.
      return { offset, until: pages[0]?.rows[0]?.timestamp }
    },
    refetchOnWindowFocus: false,
    staleTime: 60_000,
  })

export const entryQuery = (id: string) =>
  queryOptions({ queryKey: ['audit-entry', id], queryFn: () => api.audit.get({ id }) })

const MOST_OLDER = 50

/** Earlier entries of the same object. */
export const olderQuery = ({ id, resource, resource_id, timestamp }: AuditEntry) =>
  queryOptions({
    queryKey: ['audit-older', id],
    queryFn: async () => {
      const entries = await api.audit.list({ resource, resource_id, end_time: timestamp, limit: MOST_OLDER })
      // Ids are in chronological order.
      return entries.filter((one) => one.id < id)
    },
    enabled: resource_id !== '',
  })
