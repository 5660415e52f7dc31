/** The queries of discovery, and their polling intervals while a scan runs. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { AnyOperation, InputOf } from '../../../src/kernel/operation.ts'
import { api, send } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import type { Bucket, DiscoveredDevice, InboxItem, Scan, ScanType } from './shapes.ts'

/** The most rows of a list that are loaded. The server searches among the others. */
export const MOST_SCANS = 200
export const MAX_DISCOVERED = 2000
/** The most hosts of a running scan that are shown. */
export const MOST_HOSTS = 500
export const INBOX_PAGE = 50

/** First parts of the query keys that discovery affects. */
export const DISCOVERY_KEYS = ['scans', 'scan', 'discovered-devices', 'inbox', 'discovery-rules'] as const

const SEEN_MS = 3000
const HIDDEN_MS = 15_000

export const isActive = ({ status }: Pick<Scan, 'status'>): boolean => status === 'pending' || status === 'running'

/** Returns the polling interval, five times as long in a hidden tab, or false if nothing runs. */
export const pollMs = (isOn: boolean, seenMs = SEEN_MS): number | false =>
  isOn ? (document.visibilityState === 'hidden' ? HIDDEN_MS : seenMs) : false

export type Counted<T> = { readonly rows: readonly T[]; readonly total: number }

/** Loads a list with the number of all rows. */
const loadCounted = async <O extends AnyOperation, T>(op: O, input: InputOf<O>): Promise<Counted<T>> => {
  const response = await send(op, input)
  // The server returns values of the contract's type.
  const rows = (await response.json()) as readonly T[]
  return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
}

/** One request serves all running scans. A network loads only its scans. */
export const scansQuery = (networkId?: string) =>
  queryOptions({
    queryKey: networkId === undefined ? ['scans'] : ['scans', networkId],
    queryFn: () => api.scans.list({ limit: MOST_SCANS, ...(networkId === undefined ? {} : { network_id: networkId }) }),
    staleTime: SEEN_MS,
    refetchInterval: ({ state }) => pollMs(state.data?.some(isActive) === true),
    refetchIntervalInBackground: true,
  })

export const scanQuery = (id: string) =>
  queryOptions({
    queryKey: ['scan', id],
    queryFn: () => api.scans.get({ id }),
    staleTime: SEEN_MS,
    refetchInterval: ({ state }) => pollMs(state.data !== undefined && isActive(state.data)),
    refetchIntervalInBackground: true,
  })

export const scanDiffQuery = (id: string) =>
  queryOptions({ queryKey: ['scan', id, 'diff'], queryFn: () => api.scans.diff({ id }), staleTime: SEEN_MS })

type Wanted = { readonly network: string; readonly type: ScanType; readonly excludes: string }

/** Requests an estimate by a dry run: the request is a POST, but starts nothing. */
export const estimateQuery = ({ network, type, excludes }: Wanted) =>
  queryOptions({
    queryKey: ['estimate', network, type, excludes],
    queryFn: async () => {
      const answer = await api.scans.start({ id: network, scan_type: type, exclude_ips: excludes, dry_run: true })
      if (!('probes' in answer)) throw new Error('a dry run starts nothing')
      return answer
    },
    enabled: network !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })

type DiscoveredFilter = { readonly network_id: string; readonly q?: string; readonly limit?: number }

export const discoveredDevicesQuery = ({ limit = MAX_DISCOVERED, ...filter }: DiscoveredFilter) =>
  queryOptions({
    queryKey: ['discovered-devices', { ...filter, limit }],
    queryFn: () =>
      loadCounted<typeof contracts.discovery.list, DiscoveredDevice>(contracts.discovery.list, { ...filter, limit }),
    placeholderData: keepPreviousData,
    staleTime: SEEN_MS,
  })

export const discoveredDeviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['discovered-devices', 'one', id],
    queryFn: () => api.discovery.get({ id }),
    staleTime: SEEN_MS,
  })

export const rulesQuery = queryOptions({ queryKey: ['discovery-rules'], queryFn: () => api.discoveryRules.list() })

export type InboxFilter = { readonly bucket?: Bucket; readonly network_id?: string; readonly ignored?: boolean }

export const inboxQuery = (filter: InboxFilter) =>
  infiniteQueryOptions({
    queryKey: ['inbox', 'items', filter],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset }) =>
      loadCounted<typeof contracts.inbox.list, InboxItem>(contracts.inbox.list, {
        ...filter,
        limit: INBOX_PAGE,
        offset,
      }),
    getNextPageParam: (last: Counted<InboxItem>, pages: readonly Counted<InboxItem>[]) => {
      const shown = pages.reduce((sum, { rows }) => sum + rows.length, 0)
      return last.rows.length === 0 || shown >= last.total ? undefined : shown
    },
    staleTime: SEEN_MS,
  })

export const locksQuery = (deviceId: string) =>
  queryOptions({
    queryKey: ['inbox', 'locks', deviceId],
    queryFn: () => api.discoveryLocks.list({ device_id: deviceId }),
  })
