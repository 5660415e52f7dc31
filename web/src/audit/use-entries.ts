/** The audit entries as rows of a table. Later pages are loaded when the end of the list comes near. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { AuditEntry } from '../api/contracts.ts'
import type { TableView } from '../table/view.ts'
import type { AuditFilter } from './filter.ts'
import { entriesQuery } from './queries.ts'

/** The distance from the last row, in rows, at which the next page is requested. */
const AHEAD = 40

export const useEntries = (filter: AuditFilter, isAllowed: boolean) => {
  const query = useInfiniteQuery({ ...entriesQuery(filter), enabled: isAllowed })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const rows = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.rows) ?? []
    // Two entries of the same millisecond may be on both sides of a page boundary.
    return [...new Map(all.map((entry) => [entry.id, entry])).values()]
  }, [data])
  const total = Math.max(rows.length, data?.pages[0]?.total ?? 0)
  const view: TableView<AuditEntry> = useMemo(
    () => ({
      // One placeholder row stands for all pages that are not loaded.
      count: rows.length + (hasNextPage ? 1 : 0),
      total,
      rowAt: (position) => rows[position],
      idsOf: async (from, to) => rows.slice(from, to).map(({ id }) => id),
      ensure: (_, to) => {
        if (to > rows.length - AHEAD && hasNextPage && !isFetchingNextPage) void fetchNextPage()
      },
    }),
    [rows, total, hasNextPage, isFetchingNextPage, fetchNextPage],
  )
  return { query, view, total, rows }
}
