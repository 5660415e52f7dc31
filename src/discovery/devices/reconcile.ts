/** Matches reported hosts with discovered devices: known by a key, at an address, or new. Pure. */
import { type IpKey, parseIpKeyOrThrow, type SpaceKey } from '../../net/ip.ts'
import { isRandomMac } from '../../net/mac.ts'
import type { ScanType, Stage } from '../../scanner/protocol.ts'
import {
  compareIdentity,
  isConstantKey,
  isIdentifying,
  listIdentityKeys,
  listKeysOfTwo,
  pickIdentity,
} from './identity.ts'
import { isLeased, mergeObservation } from './observe.ts'
import {
  createRecord,
  type DiscoveredRecord,
  filterIdentifyingKeys,
  isPromoted,
  mergeRecords,
  type Observation,
  putAddress,
  type Records,
  refreshKeys,
  type Seen,
  shareKeys,
} from './records.ts'

export type ScanMoment = {
  /** Empty for leases, and for hosts that were heard. */
  readonly scanId: string
  readonly type: ScanType
  readonly stage: Stage
  readonly now: string
  /** The address space of the network. */
  readonly space: SpaceKey
}

/** Maximum number of addresses of one MAC; more belong to a router that answers for others (proxy ARP, RFC 1027). */
export const MAX_ADDRESSES_OF_MAC = 8

/** Records that share an identity key with the host, the strongest key first. */
const matchRecords = (records: Records, keys: readonly string[]): DiscoveredRecord[] => {
  const found = new Set<DiscoveredRecord>()
  for (const key of keys) {
    const record = records.byKey.get(key)
    if (record && compareIdentity(keys, record.keys) === 'same') found.add(record)
  }
  return [...found]
}

const getFirstSeen = ({ doc, addresses, id }: DiscoveredRecord): string =>
  [doc?.first_seen ?? [...addresses.values()].map((seen) => seen.first_seen).sort()[0] ?? '', id].join(' ')

/** Returns the record that stays when several are one device: the documented one, else the oldest. */
const selectSurvivor = (all: readonly DiscoveredRecord[]): DiscoveredRecord | undefined => {
  const documented = all.filter(isPromoted)
  const candidates = documented.length > 0 ? documented : all
  return [...candidates].sort((a, b) => (getFirstSeen(a) < getFirstSeen(b) ? -1 : 1))[0]
}

/** Merges the other records into the survivor. Documented ones are left for people to decide. */
const mergeMatches = (records: Records, matches: readonly DiscoveredRecord[]): DiscoveredRecord | undefined => {
  const survivor = selectSurvivor(matches)
  if (!survivor) return undefined
  for (const other of matches) if (other !== survivor && !isPromoted(other)) mergeRecords(records, survivor, other)
  return survivor
}

const formatIdentity = (keys: Iterable<string>, { mac, ip }: { readonly mac: string; readonly ip: string }): string => {
  const { kind, value } = pickIdentity(keys, ip)
  return kind === 'address' ? mac || ip : kind === 'mac' ? value : `${kind} ${value}`
}

/** Phones with private MACs, and clients of DHCP, hand addresses on to each other all day. A documented device is a different matter. */
const isOrdinaryChange = ({ doc }: DiscoveredRecord, before: Observation | undefined, host: Observation): boolean => {
  if ((doc?.matched_device_id ?? null) !== null) return false
  const isOfClients = isLeased(host) || (before !== undefined && isLeased(before))
  return isOfClients || (isRandomMac(before?.mac ?? '') && isRandomMac(host.mac))
}

const addLeaseConflict = (record: DiscoveredRecord, holder: DiscoveredRecord, host: Observation): void => {
  const before = formatIdentity(holder.keys, { mac: holder.doc?.mac_address ?? '', ip: host.ip })
  const after = formatIdentity(listIdentityKeys(host), host)
  record.conflicts = [
    ...record.conflicts.filter((one) => one.kind !== 'lease' || one.ip !== host.ip),
    { kind: 'lease', ip: host.ip, otherId: holder.id, before, after },
  ]
}

/** An address, by its key, and the record that has it. */
type Held = { readonly key: IpKey; readonly holder: DiscoveredRecord }

/** True if another device answers at the address now: its keys differ, or its MAC is not the one that was seen there. */
const isOtherDevice = (
  records: Records,
  { host, keys, at: { holder, key } }: { host: Observation; keys: readonly string[]; at: Held },
): boolean => {
  const verdict = compareIdentity(keys, holder.keys)
  if (verdict !== 'unknown') return verdict === 'other'
  const before = holder.addresses.get(key)?.observation.mac ?? ''
  const isSameMac = host.mac === '' || before === '' || host.mac === before || holder.keys.has(`mac:${host.mac}`)
  if (isSameMac) return false
  // A MAC shared by many addresses is a router's (proxy ARP): another one says nothing of the device behind.
  const isOfRouter = isIdentifying(before) && !holder.keys.has(`mac:${before}`)
  return !(isOfRouter && records.byKey.get(`mac:${host.mac}`) === null)
}

/** Shares MACs that the host and an agent at another address both report although they are two devices. Returns true if there are any. */
const shareKeysOfTwo = (records: Records, host: Observation, key: IpKey): boolean => {
  if (!host.snmp) return false
  const owners = new Set(listIdentityKeys(host).map((one) => records.byKey.get(one)))
  const others = [...owners].flatMap((owner) => [...(owner?.addresses.values() ?? [])])
  const shared = others.flatMap((seen) => (seen.ip_key === key ? [] : listKeysOfTwo(host, seen.observation)))
  shareKeys(records, shared)
  return shared.length > 0
}

/** Returns the observation of the address by which a record is known, if an agent answers there. */
const getHome = ({ doc, addresses }: DiscoveredRecord, host: Observation): Observation => {
  const home = [...addresses.values()].find(({ ip }) => ip === doc?.ip)?.observation
  return home?.snmp ? home : host
}

/**
 * Splits a record of agents that were joined only by MACs that identify no device any more. Addresses that share a key with the one by
 * which the record is known, or with each other, stay together.
 */
const separateAgents = (records: Records, record: DiscoveredRecord, host: Observation): void => {
  const listKeys = (observation: Observation) => filterIdentifyingKeys(records, listIdentityKeys(observation))
  const own = new Set(listKeys(getHome(record, host)))
  for (let size = -1; size !== own.size; ) {
    size = own.size
    for (const { observation } of record.addresses.values()) {
      const keys = listKeys(observation)
      if (keys.some((one) => own.has(one))) for (const one of keys) own.add(one)
    }
  }
  const leaving = [...record.addresses.values()].filter(
    ({ observation }) => observation.snmp && compareIdentity(listKeys(observation), own) === 'other',
  )
  for (const seen of leaving) {
    const found = matchRecords(records, listKeys(seen.observation)).find((one) => one !== record)
    putAddress(records, found ?? createRecord(records), seen)
  }
}

const recordFor = (records: Records, host: Observation, at: Held | undefined): DiscoveredRecord => {
  const keys = filterIdentifyingKeys(records, listIdentityKeys(host))
  const matches = matchRecords(records, keys)
  const holder = at && !isOtherDevice(records, { host, keys, at }) ? at.holder : undefined
  if (matches.length === 0) return holder ?? createRecord(records)
  // A record that was known only by its address gets the keys that are seen now.
  const isNameless = holder !== undefined && holder.keys.size === 0 && holder.addresses.size <= 1
  const all = isNameless && !matches.includes(holder) ? [...matches, holder] : matches
  return mergeMatches(records, all) ?? createRecord(records)
}

/** Addresses that belong to the record only by the MAC. */
const filterUnexplained = ({ addresses }: DiscoveredRecord, mac: string): Seen[] => {
  const ofMac = [...addresses.values()].filter(({ observation }) => observation.mac === mac)
  const own = new Set(
    [...addresses.values()].flatMap(({ observation }) =>
      (observation.snmp?.interfaces ?? []).flatMap((one) => one.addresses),
    ),
  )
  const counts = new Map<string, number>()
  const listStrongKeys = ({ observation }: Seen) =>
    listIdentityKeys(observation).filter((key) => !key.startsWith('mac:'))
  for (const key of ofMac.flatMap(listStrongKeys)) counts.set(key, (counts.get(key) ?? 0) + 1)
  return ofMac.filter((seen) => !own.has(seen.ip) && !listStrongKeys(seen).some((key) => (counts.get(key) ?? 0) > 1))
}

/** Splits a record with the MAC of a router (proxy ARP): each address becomes a record again. */
const guardAgainstProxy = (records: Records, record: DiscoveredRecord, mac: string): void => {
  if (record.addresses.size <= MAX_ADDRESSES_OF_MAC) return
  const lone = filterUnexplained(record, mac)
  if (lone.length <= MAX_ADDRESSES_OF_MAC) return
  shareKeys(records, [`mac:${mac}`])
  const [first, ...others] = lone.sort((a, b) => (a.first_seen + a.ip_key < b.first_seen + b.ip_key ? -1 : 1))
  const leaving = record.addresses.size > lone.length && first ? [first, ...others] : others
  for (const seen of leaving) putAddress(records, createRecord(records), seen)
  refreshKeys(records, record)
}

const placeHost = (records: Records, host: Observation, moment: ScanMoment): void => {
  const key = parseIpKeyOrThrow(host.ip, moment.space)
  const isShared = shareKeysOfTwo(records, host, key)
  const holder = records.byAddress.get(key)
  const prior = holder?.addresses.get(key)
  const record = recordFor(records, host, holder && { key, holder })
  const isMoved = holder !== undefined && holder !== record && records.byId.has(holder.id)
  if (isMoved && !isOrdinaryChange(holder, prior?.observation, host)) addLeaseConflict(record, holder, host)
  // The earlier observation is of another device.
  const before = isMoved ? undefined : prior
  const { scanId, now } = moment
  // Earlier versions took the known constants for keys.
  const isJoined = isShared || [...record.keys].some(isConstantKey)
  putAddress(records, record, {
    ip: host.ip,
    ip_key: key,
    status: 'up',
    first_seen: before?.first_seen ?? now,
    last_seen: now,
    last_scan_id: scanId || (before?.last_scan_id ?? ''),
    ports_scan_id: host.openPorts.length > 0 ? scanId : (before?.ports_scan_id ?? ''),
    observation: mergeObservation(before, host, moment),
  })
  if (isJoined && host.snmp && record.addresses.size > 1) separateAgents(records, record, host)
  if (host.mac) guardAgainstProxy(records, record, host.mac)
}

/** Finds or creates the record of each host, and stores its observation there. */
export const reconcile = (records: Records, hosts: readonly Observation[], moment: ScanMoment): void => {
  for (const host of hosts) placeHost(records, host, moment)
}
