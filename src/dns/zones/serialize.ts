/** Zones and RRsets as they are sent: with their state as of this moment. */
import type { DbScope } from '../../kernel/ctx.ts'
import * as rrsets from './rrset-store.ts'
import type { DnsRrset, DnsZone, RrsetState, ZoneSettings } from './schema.ts'
import * as store from './store.ts'
import { toFullName } from './zone-index.ts'

/** The tables that a zone as it is sent is made of. */
export const ZONE_TABLES = ['dns_zones', 'dns_zone_states', 'dns_rrsets', 'dns_changes'] as const

type Parts = {
  readonly state: store.ZoneState | undefined
  readonly counts: ReadonlyMap<string, number>
  readonly changes: number
}

const getStatus = ({ state }: Parts, pending: number): Pick<DnsZone, 'status' | 'status_message'> => {
  const { error = '', transfer_error = '', held = '', drift_count = 0 } = state ?? {}
  const failure = error || transfer_error
  if (failure !== '') return { status: 'failed', status_message: failure }
  if (held !== '') return { status: 'held', status_message: held }
  if (pending > 0) return { status: 'pending', status_message: '' }
  if (drift_count > 0) {
    const subject = drift_count === 1 ? '1 RRset differs' : `${drift_count} RRsets differ`
    return { status: 'drift', status_message: `${subject} on the server` }
  }
  return { status: 'in_sync', status_message: '' }
}

const toZone = ({ created_at, updated_at, ...zone }: ZoneSettings, parts: Parts): DnsZone => {
  const { state, counts, changes } = parts
  const getCount = (name: string): number => counts.get(name) ?? 0
  const pending_count = getCount('pending') + changes
  return {
    ...zone,
    ...getStatus(parts, pending_count),
    ...{ serial: state?.serial ?? 0, server_serial: state?.server_serial ?? null },
    rrset_count: [...counts.values()].reduce((sum, n) => sum + n, 0),
    ...{ pending_count, conflict_count: getCount('conflict'), blocked_count: getCount('blocked') },
    drift_count: state?.drift_count ?? 0,
    ...{ last_synced_at: state?.last_synced_at ?? null, last_checked_at: state?.last_checked_at ?? null },
    ...{ created_at, updated_at },
  }
}

const mapByState = (counts: readonly rrsets.Counts[]): Map<string, number> =>
  new Map(counts.map(({ state, n }) => [state, n]))

/**
 * Returns one zone as it is sent. A lane turns changes into pending RRsets, and these into a serial. Read in this order, none that
 * moves concurrently is missed.
 */
export const serializeZone = async (scope: DbScope, zone: ZoneSettings): Promise<DnsZone> => {
  const changes = (await rrsets.changeCounts(scope, zone.id)).get(zone.id) ?? 0
  const counts = mapByState(await rrsets.countByState(scope, zone.id))
  return toZone(zone, { changes, counts, state: await store.findState(scope, zone.id) })
}

/** Returns the function that completes a zone, for lists. Reads in the order of `serializeZone`. */
export const createZoneSerializer = async (scope: DbScope): Promise<(zone: ZoneSettings) => DnsZone> => {
  const changes = await rrsets.changeCounts(scope)
  const counts = Map.groupBy(await rrsets.countByState(scope), ({ zone_id }) => zone_id)
  const states = await store.findAllStates(scope)
  return (zone) =>
    toZone(zone, {
      state: states.get(zone.id),
      counts: mapByState(counts.get(zone.id) ?? []),
      changes: changes.get(zone.id) ?? 0,
    })
}

/** Nothing is sent for a held zone. */
export const toShownState = (state: rrsets.StoredState, isHeld: boolean): RrsetState =>
  isHeld && state === 'pending' ? 'held' : state

/** Returns the state on record for a shown state; undefined if there are none. */
export const toStoredState = (state: RrsetState, isHeld: boolean): rrsets.StoredState | undefined => {
  if (state === 'held') return isHeld ? 'pending' : undefined
  return state === 'pending' && isHeld ? undefined : state
}

export const serializeRrset = (one: rrsets.Rrset, zone: string, isHeld: boolean): DnsRrset => ({
  ...{ name: one.name, fqdn: toFullName(one.name, zone), type: one.type },
  ttl: one.wanted === null ? one.published_ttl : one.wanted_ttl,
  ...{ values: [...(one.published ?? [])], wanted: [...(one.wanted ?? [])], source: one.source },
  ...{ device_ids: one.device_ids, record_ids: one.record_ids },
  ...{ state: toShownState(one.state, isHeld), message: one.message },
})
