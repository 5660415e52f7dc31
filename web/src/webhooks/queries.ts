/** The queries of the webhook pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, callTagged, send } from '../api/client.ts'
import { type Contracts, contracts, type Out } from '../api/contracts.ts'

export type Webhook = Out<Contracts['webhooks']['get']>
export type Delivery = Out<Contracts['webhooks']['delivery']>
export type DeliveryStatus = Delivery['status']
export type EventName = Webhook['events'][number]

export const STATUSES: readonly DeliveryStatus[] = ['pending', 'retrying', 'success', 'failed']

export const webhooksQuery = queryOptions({ queryKey: ['webhooks'], queryFn: () => api.webhooks.list() })

export const webhookQuery = (id: string) =>
  queryOptions({ queryKey: ['webhook', id], queryFn: () => callTagged(contracts.webhooks.get, { id }) })

/** Changes only with an upgrade of the server. */
export const eventsQuery = queryOptions({
  queryKey: ['webhook-events'],
  queryFn: () => api.webhooks.events(),
  staleTime: Number.POSITIVE_INFINITY,
})

const PAGE = 100
/** The polling interval for a pending delivery. */
const LOOK_MS = 1500
/** The page does not wait for retries that are later than this. */
const SOON_MS = 60_000

const isComing = ({ status, next_retry }: Delivery): boolean =>
  status === 'pending' || (status === 'retrying' && Date.parse(next_retry ?? '') - Date.now() < SOON_MS)

export type DeliveryFilter = { readonly status?: DeliveryStatus; readonly event?: string }
export type DeliveryPage = { readonly rows: readonly Delivery[]; readonly total: number }

export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    // Invalidated by every event (live/apply.ts).
    queryKey: ['deliveries', id, filter],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }): Promise<DeliveryPage> => {
      const response = await send(contracts.webhooks.deliveries, { id, ...filter, limit: PAGE, offset })
      // The server returns values of the contract's type.
      const rows = (await response.json()) as readonly Delivery[]
      return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
    },
    getNextPageParam: (last: DeliveryPage, pages: readonly DeliveryPage[]) => {
      const shown = pages.reduce((sum, { rows }) => sum + rows.length, 0)
      return last.rows.length === 0 || shown >= last.total ? undefined : shown
    },
    staleTime: 5000,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ rows }) => rows.some(isComing)) === true && document.visibilityState === 'visible'
        ? LOOK_MS
        : false,
  })

/** The newest delivery that succeeded. */
export const lastSuccessQuery = (id: string) =>
  queryOptions({
    // Invalidated by every event, as the list.
    queryKey: ['deliveries', id, 'last success'],
    queryFn: async () => (await api.webhooks.deliveries({ id, status: 'success', limit: 1 }))[0] ?? null,
    staleTime: 0,
  })

/** The polling interval while events wait: a message may have gone. */
const WAITING_LOOK_MS = 5000

export const waitingQuery = (id: string) =>
  queryOptions({
    // Invalidated by every event, as the list.
    queryKey: ['deliveries', id, 'waiting'],
    queryFn: () => api.webhooks.waiting({ id }),
    refetchInterval: ({ state }) =>
      (state.data?.count ?? 0) > 0 && document.visibilityState === 'visible' ? WAITING_LOOK_MS : false,
  })

export const deliveryQuery = (webhookId: string, id: string) =>
  queryOptions({
    queryKey: ['deliveries', webhookId, 'one', id],
    queryFn: () => api.webhooks.delivery({ id: webhookId, delivery_id: id }),
    refetchInterval: ({ state }) => (state.data && isComing(state.data) ? LOOK_MS : false),
  })
