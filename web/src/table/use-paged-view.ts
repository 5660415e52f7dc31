/** The rows of an infinite query as a table shows them. The next page is loaded when the end of the list comes near. */
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TableView } from './view.ts'

/** The distance from the last row, in rows, at which the next page is requested. */
const AHEAD = 40

type Page<Row> = { readonly rows: readonly Row[]; readonly total: number }

export const usePagedView = <Row extends { readonly id: string }>(
  query: UseInfiniteQueryResult<InfiniteData<Page<Row>>>,
) => {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const rows = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.rows) ?? []
    // A new row shifts the last row of a page to the next page, and two of one millisecond may be on both sides.
    return [...new Map(all.map((row) => [row.id, row])).values()]
  }, [data])
  const total = Math.max(rows.length, ...(data?.pages.map((page) => page.total) ?? []))
  const view: TableView<Row> = useMemo(
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
