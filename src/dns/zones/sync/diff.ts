/** Compares the RRsets that a zone wants with the RRsets on record, and finds the state of each. */
import { isDeepStrictEqual } from 'node:util'
import type { Rrset, StoredState } from '../rrset-store.ts'
import type { ZoneSettings } from '../schema.ts'
import { buildRrsetKey, type Wanted } from './desired-rrsets.ts'

/** True for equal values in any order. Values on record are sorted. */
export const areSame = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((value, at) => value === b[at])

/** True if the server holds what the zone wants, as far as Plat knows. */
export const isSettled = ({ wanted, wanted_ttl, published, published_ttl, sending }: Rrset): boolean =>
  sending === null && areSame(wanted, published) && (wanted === null || wanted_ttl === published_ttl)

const createEmptyRrset = (name: string, type: string): Rrset => ({
  ...{ name, type, state: 'pending', message: '', source: 'device', device_ids: [], record_ids: [] },
  ...{ wanted: null, wanted_ttl: 0, published: null, published_ttl: 0, sending: null },
})

const getState = (after: Rrset, mode: ZoneSettings['mode']): StoredState =>
  mode === 'watched' ? 'watched' : isSettled(after) ? 'published' : 'pending'

const applyWanted = (before: Rrset, want: Wanted | undefined, mode: ZoneSettings['mode']): Rrset => {
  if (!want) {
    const gone: Rrset = { ...before, message: '', device_ids: [], record_ids: [], wanted: null }
    return { ...gone, state: getState(gone, mode) }
  }
  const { source, device_ids, record_ids, conflict } = want
  const claimed = { ...before, source, device_ids, record_ids }
  if (conflict !== '') {
    // It stays as it was, or absent.
    const { published, published_ttl } = before
    return { ...claimed, state: 'conflict', message: conflict, wanted: published, wanted_ttl: published_ttl }
  }
  const now: Rrset = { ...claimed, message: '', wanted: want.values, wanted_ttl: want.ttl }
  return { ...now, state: getState(now, mode) }
}

/**
 * Returns the RRsets that differ from the RRsets on record.
 * @param before all that are on record with the names that were computed
 */
export const listChangedRrsets = (
  before: readonly Rrset[],
  wanted: readonly Wanted[],
  mode: ZoneSettings['mode'],
): Rrset[] => {
  const stored = new Map(before.map((one) => [buildRrsetKey(one.name, one.type), one]))
  const wants = new Map(wanted.map((one) => [buildRrsetKey(one.name, one.type), one]))
  const found: Rrset[] = []
  for (const [key, one] of stored) {
    const next = applyWanted(one, wants.get(key), mode)
    if (!isDeepStrictEqual(one, next)) found.push(next)
  }
  for (const [key, want] of wants)
    if (!stored.has(key)) found.push(applyWanted(createEmptyRrset(want.name, want.type), want, mode))
  return found
}
