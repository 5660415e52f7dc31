/** Deliveries as rows of a table, newest first. Later pages are loaded when the end of the list comes near. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TableView } from '../table/view.ts'
import { type Delivery, type DeliveryFilter, deliveriesQuery } from './queries.ts'

/** The distance from the last row, in rows, at which the next page is requested. */
const AHEAD = 40

export const useDeliveries = (webhookId: string, filter: DeliveryFilter) => {
  const query = useInfiniteQuery(deliveriesQuery(webhookId, filter))
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  // A new delivery shifts the last row of a page to the next page.
  const rows = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.rows) ?? []
    return [...new Map(all.map((delivery) => [delivery.id, delivery])).values()]
  }, [data])
  const total = Math.max(rows.length, data?.pages.at(-1)?.total ?? 0)
  const view: TableView<Delivery> = useMemo(
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
