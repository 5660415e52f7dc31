/** The queries of the DNS pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, callTagged, send } from '../api/client.ts'
import { type Contracts, contracts, type In, type Out } from '../api/contracts.ts'
import { zonesQuery } from './zones-query.ts'

export type Zone = Out<Contracts['dnsZones']['get']>
export type ZoneDraft = In<Contracts['dnsZones']['create']>
export type Server = Out<Contracts['dnsProviders']['get']>
export type ServerDraft = In<Contracts['dnsProviders']['create']>
export type OwnRecord = Out<Contracts['dnsRecords']['get']>
export type RecordDraft = In<Contracts['dnsRecords']['create']>
export type Rrset = Out<Contracts['dnsZones']['rrsets']>[number]
export type RrsetState = Rrset['state']
export type Drift = Out<Contracts['dnsZones']['drift']>
export type DriftEntry = Drift['entries'][number]
export type DriftKind = DriftEntry['kind']
export type SyncPlan = Exclude<Out<Contracts['dnsZones']['sync']>, Zone>

/** The polling interval while changes are on their way to a server. */
const PENDING_MS = 1500
/** The polling interval of zones that change by themselves, such as by a check. */
const SLOW_MS = 30_000

const computePollInterval = (zones: readonly Zone[]): number | false => {
  if (document.visibilityState !== 'visible') return false
  return zones.some(({ pending_count, status }) => pending_count > 0 && status !== 'held') ? PENDING_MS : SLOW_MS
}

/** The list as its page shows it: followed while it is open. */
export const followedZonesQuery = queryOptions({
  ...zonesQuery,
  refetchInterval: ({ state }) => computePollInterval(state.data ?? []),
})

/** The times at which the owner changed the settings of zones, by their ETags. */
const settingsTimes = new Map<string, string>()

export const readZone = async (id: string) => {
  const read = await callTagged(contracts.dnsZones.get, { id })
  settingsTimes.set(read.etag, read.value.updated_at)
  return read
}

/** @param etag of a version that this page has read */
export const getSettingsTime = (etag: string): string | undefined => settingsTimes.get(etag)

export const zoneQuery = (id: string) =>
  queryOptions({
    queryKey: ['dns-zone', id],
    queryFn: () => readZone(id),
    refetchInterval: ({ state }) => computePollInterval(state.data ? [state.data.value] : []),
  })

export const serversQuery = queryOptions({ queryKey: ['dns-providers'], queryFn: () => api.dnsProviders.list({}) })

export const recordsQuery = (zoneId: string) =>
  queryOptions({
    queryKey: ['dns-records', zoneId],
    queryFn: () => api.dnsRecords.list({ zone_id: zoneId }),
  })

export const driftQuery = (id: string) =>
  queryOptions({ queryKey: ['dns-zone', id, 'drift'], queryFn: () => api.dnsZones.drift({ id }) })

export type RrsetFilter = { readonly state?: RrsetState; readonly name?: string; readonly type?: string }
export type RrsetRow = Rrset & { readonly id: string }
type RrsetPage = { readonly rows: readonly RrsetRow[]; readonly total: number }

const PAGE = 200

export const withId = (rrset: Rrset): RrsetRow => ({ ...rrset, id: `${rrset.name} ${rrset.type}` })

/** Pages of a list that may be long. */
export const rrsetsQuery = (id: string, filter: RrsetFilter) =>
  infiniteQueryOptions({
    queryKey: ['dns-zone', id, 'rrsets', filter],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset }): Promise<RrsetPage> => {
      const response = await send(contracts.dnsZones.rrsets, { id, ...filter, limit: PAGE, offset })
      // The server returns values of the contract's type.
      const rows = ((await response.json()) as readonly Rrset[]).map(withId)
      return { rows, total: Number(response.headers.get('x-total-count') ?? rows.length) }
    },
    getNextPageParam: (last: RrsetPage, pages: readonly RrsetPage[]) => {
      const shown = pages.reduce((sum, { rows }) => sum + rows.length, 0)
      return last.rows.length === 0 || shown >= last.total ? undefined : shown
    },
    staleTime: 5000,
  })

/** First parts of the keys of all queries of zones. */
export const ZONE_KEYS = ['dns-zones', 'dns-zone', 'dns-records', 'me'] as const
