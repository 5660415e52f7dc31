/** Working set of a batch: discovered devices with their addresses and identity keys. Pure. */
import type { IpKey } from '../../net/ip.ts'
import type { FoundHost } from '../../scanner/protocol.ts'
import type { DiscoveredDevice } from '../schema.ts'
import type { AddressRow, DiscoveredRow } from '../table.ts'
import { listIdentityKeys } from './identity.ts'

/** A contradiction about a device, kept until a user decides. */
export type Conflict =
  /** The address was another record's. */
  | {
      readonly kind: 'lease'
      readonly ip: string
      readonly otherId: string
      readonly before: string
      readonly after: string
    }
  /** The host key at the address is not the one that was pinned. */
  | { readonly kind: 'host_key'; readonly ip: string; readonly before: string; readonly after: string }

/** Everything that is known of an address: from scans, from listening, and from a lease of it. */
export type Observation = FoundHost & {
  /** The end of the lease; absent if none was reported. */
  readonly leaseExpiresAt?: string
  /** The last time that it was heard while no scan asked it; absent if it never was. Scans do not keep it. */
  readonly heardAt?: string
}

/** Columns that follow from the observation. */
type Derived = 'seen_mac' | 'seen_names' | 'ptr_names' | 'ptr_label' | 'lease_names' | 'lease_end'

export type Seen = Omit<AddressRow, 'place' | 'device_id' | 'observation' | Derived> & {
  readonly observation: Observation
}

/** Returns the names that are host names, between blanks. A system name may have blanks, and a certificate a pattern. */
const joinNames = ({ names }: Observation, isWanted: (source: string) => boolean): string =>
  names.flatMap(({ name, source }) => (isWanted(source) && !/[\s*]/.test(name) ? [name.toLowerCase()] : [])).join(' ')

export const deriveColumns = (observation: Observation): Pick<AddressRow, Derived> => {
  const ptr_names = joinNames(observation, (source) => source === 'ptr')
  return {
    seen_mac: observation.macSource === 'dhcp' ? '' : observation.mac,
    seen_names: joinNames(observation, (source) => source !== 'ptr' && source !== 'dhcp'),
    ptr_names,
    ptr_label: ptr_names.includes(' ') ? ' ' : ptr_names.replace(/\..*/, ''),
    lease_names: joinNames(observation, (source) => source === 'dhcp'),
    lease_end: observation.leaseExpiresAt ?? '',
  }
}

export type DiscoveredRecord = {
  readonly id: string
  readonly addresses: Map<IpKey, Seen>
  keys: Set<string>
  conflicts: readonly Conflict[]
  /** The stored row; undefined for a new one. */
  readonly row: DiscoveredRow | undefined
  readonly doc: DiscoveredDevice | undefined
}

/** Returns the MAC of each address that is up, except MACs that several devices share, as behind a proxy. */
export const getMacs = ({ addresses, keys }: Pick<DiscoveredRecord, 'addresses' | 'keys'>): Map<string, string> =>
  new Map(
    [...addresses.values()].flatMap(({ ip, status, observation: { mac } }) =>
      status === 'up' && keys.has(`mac:${mac}`) ? [[ip, mac] as const] : [],
    ),
  )

export type Records = {
  readonly byId: Map<string, DiscoveredRecord>
  readonly byAddress: Map<IpKey, DiscoveredRecord>
  /** Null for a key that many devices share. */
  readonly byKey: Map<string, DiscoveredRecord | null>
  readonly touched: Set<DiscoveredRecord>
  /** Ids of merged records, with the id of the record that they went into. */
  readonly merged: Map<string, string>
  readonly newId: () => string
}

export const createRecords = (newId: () => string): Records => ({
  byId: new Map(),
  byAddress: new Map(),
  byKey: new Map(),
  touched: new Set(),
  merged: new Map(),
  newId,
})

export const addRecord = (records: Records, record: DiscoveredRecord): void => {
  records.byId.set(record.id, record)
  for (const key of record.addresses.keys()) records.byAddress.set(key, record)
  for (const key of record.keys) if (!records.byKey.has(key)) records.byKey.set(key, record)
}

export const createRecord = (records: Records): DiscoveredRecord => {
  const record: DiscoveredRecord = {
    id: records.newId(),
    addresses: new Map(),
    keys: new Set(),
    conflicts: [],
    row: undefined,
    doc: undefined,
  }
  addRecord(records, record)
  return record
}

/** Leaves out keys that many devices share. */
export const filterIdentifyingKeys = (records: Records, keys: Iterable<string>): string[] =>
  [...keys].filter((key) => records.byKey.get(key) !== null)

/** Computes the identity keys from the observations. A record without addresses keeps its keys. */
export const refreshKeys = (records: Records, record: DiscoveredRecord): void => {
  if (record.addresses.size === 0) {
    record.keys = new Set(filterIdentifyingKeys(records, record.keys))
    return
  }
  const keys = new Set<string>(
    [...record.addresses.values()].flatMap(({ observation }) => listIdentityKeys(observation)),
  )
  for (const key of record.keys) if (!keys.has(key) && records.byKey.get(key) === record) records.byKey.delete(key)
  record.keys = new Set(filterIdentifyingKeys(records, keys))
  for (const key of record.keys) if (!records.byKey.has(key)) records.byKey.set(key, record)
}

/** Moves an address to a record, away from its holder. */
export const putAddress = (records: Records, record: DiscoveredRecord, seen: Seen): void => {
  const holder = records.byAddress.get(seen.ip_key)
  if (holder && holder !== record) {
    holder.addresses.delete(seen.ip_key)
    records.touched.add(holder)
    refreshKeys(records, holder)
  }
  record.addresses.set(seen.ip_key, seen)
  records.byAddress.set(seen.ip_key, record)
  records.touched.add(record)
  refreshKeys(records, record)
}

export const isPromoted = ({ doc }: DiscoveredRecord): boolean => (doc?.promoted_to_device_id ?? null) !== null

/** Merges the second record into the first. */
export const mergeRecords = (records: Records, into: DiscoveredRecord, from: DiscoveredRecord): void => {
  for (const [key, seen] of from.addresses) {
    into.addresses.set(key, seen)
    records.byAddress.set(key, into)
  }
  from.addresses.clear()
  for (const key of from.keys) {
    into.keys.add(key)
    if (records.byKey.get(key) === from) records.byKey.set(key, into)
  }
  into.conflicts = [...into.conflicts, ...from.conflicts].filter(
    (one) => one.kind !== 'lease' || (one.otherId !== into.id && one.otherId !== from.id),
  )
  records.byId.delete(from.id)
  records.touched.delete(from)
  records.touched.add(into)
  records.merged.set(from.id, into.id)
  refreshKeys(records, into)
}

/** Marks keys as shared: they identify no device any more. */
export const shareKeys = (records: Records, keys: Iterable<string>): void => {
  for (const key of keys) {
    const owner = records.byKey.get(key)
    records.byKey.set(key, null)
    if (owner) {
      owner.keys.delete(key)
      records.touched.add(owner)
    }
  }
}
