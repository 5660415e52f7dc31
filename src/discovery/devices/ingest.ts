/** Stores one batch of a scanner's reports, in the transaction of the caller. */

import type { Ctx } from '../../kernel/ctx.ts'
import { type IpKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import { findPinsAt, replacePins } from '../credential-store.ts'
import { buildBaseline, classify, type Draft } from '../inbox/classify.ts'
import { followMerges, recordSeen, snapshotSeen } from '../presence/opening.ts'
import type { DiscoveredDevice } from '../schema.ts'
import { saveCertificates } from './certificate-store.ts'
import { buildDevice, listFieldChanges, toComparable } from './derive.ts'
import * as store from './discovered-store.ts'
import { listIdentityKeys } from './identity.ts'
import { isHeard, isSeenUp } from './observe.ts'
import { reconcile, type ScanMoment } from './reconcile.ts'
import type { DiscoveredRecord, Observation, Records, Seen } from './records.ts'

export type Ingestion = Omit<ScanMoment, 'now' | 'space'> & {
  readonly networkId: string
  /** The completed scan of the network before this one; '' for the first. */
  readonly previousScanId: string
  /** True if a login by SSH is configured for the address: its host key is pinned when it is first seen. */
  readonly hasLogin?: (ip: string) => boolean
  /** Hosts that were heard. Absent for a scan, and for leases, which have no scan. */
  readonly source?: 'listen'
}

/** Adds the address space of the network, which must not change before the end of the transaction. */
export type InSpace<Of> = Of & Pick<ScanMoment, 'space'>

const MAX_TEXT = 512

/** Removes control characters: text from the network is untrusted. */
const stripControlCharacters = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT)

const normalizeHost = (host: Observation): Observation => ({
  ...host,
  mac: host.mac.toLowerCase(),
  vendor: stripControlCharacters(host.vendor),
  os: stripControlCharacters(host.os),
  names: host.names.flatMap((one) => {
    const name = stripControlCharacters(one.name).replace(/\.$/, '')
    return name === '' ? [] : [{ ...one, name }]
  }),
  openPorts: [...new Set(host.openPorts)].sort((a, b) => a - b),
})

type Marks = Draft['marks']

/** Returns the state of the device after the last completed scan, as JSON; empty if there was none. */
const getBaseline = ({ row, doc }: DiscoveredRecord, { scanId, previousScanId }: Ingestion): string => {
  if (!row || !doc || row.last_scan_id === '') return ''
  // A lease is no scan.
  if (scanId === '') return row.baseline
  const isGoingOn = row.last_scan_id === scanId
  // A scan that did not complete has updated the device, but published no difference.
  const wasInterrupted = row.status === 'up' && row.last_scan_id !== previousScanId
  return isGoingOn || wasInterrupted ? row.baseline : buildBaseline(doc)
}

const isDifferent = (baseline: string, device: DiscoveredDevice): boolean =>
  // The stored JSON was written by `buildBaseline`.
  baseline !== '' && listFieldChanges(JSON.parse(baseline) as Record<string, string>, toComparable(device)).length > 0

const parseBaselineMac = (baseline: string): string =>
  baseline === '' ? '' : ((JSON.parse(baseline) as Record<string, string>).mac_address ?? '')

/** True if a scan sees a device that the scan before has not seen, even if a lease has set it up since then. */
const isBack = ({ row }: DiscoveredRecord, { status }: DiscoveredDevice, ingestion: Ingestion): boolean => {
  const { scanId, previousScanId } = ingestion
  if (!row || scanId === '' || row.last_scan_id === '' || status === 'down') return false
  const wasUnseen = previousScanId !== '' && row.unseen_scan_id === previousScanId && row.last_scan_id !== scanId
  return row.status === 'down' || wasUnseen
}

/** Returns the key of one of the addresses of a record. */
const getIpKey = ({ addresses }: DiscoveredRecord, ip: string): IpKey => {
  for (const seen of addresses.values()) if (seen.ip === ip) return seen.ip_key
  throw new Error('the address of a device is one of its record')
}

const draftFor = (ctx: Ctx, record: DiscoveredRecord, ingestion: Ingestion): Draft => {
  const { row, doc, conflicts } = record
  const links = store.parseLinks(row)
  if (record.addresses.size === 0 && row && doc) {
    // Another device has its address now.
    const down = doc.addresses.map((one) => ({ ...one, status: 'down' as const }))
    const none = { status: 'down' as const, addresses: down, lease_expires_at: null }
    const device: DiscoveredDevice = { ...doc, ...none, updated_at: ctx.now }
    const { first_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed } = row
    const marks = { first_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed }
    return { record, device, ipKey: row.ip_key, marks, conflicts, links }
  }
  const { scanId, networkId } = ingestion
  const baseline = getBaseline(record, ingestion)
  const device = buildDevice(record, { networkId, now: ctx.now, scanId, macBefore: parseBaselineMac(baseline) })
  const marks: Marks = {
    first_scan_id: row?.first_scan_id || scanId,
    unseen_scan_id: row?.unseen_scan_id ?? '',
    returned_scan_id: isBack(record, device, ingestion) ? scanId : (row?.returned_scan_id ?? ''),
    baseline,
    is_changed: isDifferent(baseline, device) ? 1 : 0,
  }
  return { record, device, ipKey: getIpKey(record, device.ip), marks, conflicts, links }
}

/** Writes the identity keys that changed. */
const saveKeys = async (
  ctx: Ctx,
  { networkId, before, records }: { networkId: string; before: ReadonlyMap<string, string | null>; records: Records },
): Promise<void> => {
  const after = new Map([...records.byKey].map(([key, owner]) => [key, owner?.id ?? null]))
  const changed = [...after].filter(([key, id]) => !before.has(key) || before.get(key) !== id)
  const gone = [...before.keys()].filter((key) => !after.has(key))
  await store.saveIdentities(ctx, networkId, changed)
  await store.removeIdentities(ctx, networkId, gone)
}

export type Kept = {
  readonly records: Records
  readonly keys: ReadonlyMap<string, string | null>
  readonly owners: ReadonlyMap<IpKey, string>
  /** Ids of the devices that were seen before, by a scan or by listening. */
  readonly known: ReadonlySet<string>
  /** Ids of the devices that are up, by more than a lease. */
  readonly up: ReadonlySet<string>
}

const listIds = (records: Records, isMeant: (record: DiscoveredRecord) => boolean): Set<string> =>
  new Set([...records.byId.values()].flatMap((record) => (isMeant(record) ? [record.id] : [])))

/** Snapshots the keys, the holders of addresses and who is up, to write and tell only the differences later. */
export const keep = (records: Records): Kept => ({
  records,
  keys: new Map([...records.byKey].map(([key, owner]) => [key, owner?.id ?? null])),
  owners: new Map([...records.byAddress].map(([key, { id }]) => [key, id])),
  known: listIds(records, (record) => (record.doc?.last_scan_id ?? '') !== '' || isHeard(record)),
  up: listIds(records, isSeenUp),
})

/** Removes records that were made in this batch and lost their only address in it: there is nothing to store of them. */
const dropUnstored = (records: Records): void => {
  const dropped = [...records.touched].filter(({ row, addresses }) => row === undefined && addresses.size === 0)
  for (const record of dropped) {
    for (const key of record.keys) if (records.byKey.get(key) === record) records.byKey.delete(key)
    records.byId.delete(record.id)
  }
  const ids = new Set(dropped.map(({ id }) => id))
  if (ids.size === 0) return
  for (const record of records.touched)
    record.conflicts = record.conflicts.filter((one) => one.kind !== 'lease' || !ids.has(one.otherId))
}

/** Devices as they are sent. */
type Saved = {
  /** New ones, and devices that only leases told of before. */
  readonly found: readonly DiscoveredDevice[]
  /** Devices that were down, or up only by a lease. */
  readonly returned: readonly DiscoveredDevice[]
}

/** Writes all records that changed. */
export const saveChanged = async (
  ctx: Ctx,
  { records, keys, owners, known, up }: Kept,
  ingestion: Ingestion,
  isChanged: (seen: Seen) => boolean = () => true,
): Promise<Saved> => {
  const { networkId } = ingestion
  dropUnstored(records)
  const touched = [...records.touched].filter(({ id }) => records.byId.has(id))
  const drafts = touched.map((record) => draftFor(ctx, record, ingestion))
  const classified = await classify(ctx, networkId, drafts)
  await store.save(ctx, classified)
  await store.saveAddresses(ctx, { networkId, records: touched, owners }, isChanged)
  await saveCertificates(ctx, touched)
  await saveKeys(ctx, { networkId, before: keys, records })
  await followMerges(ctx, records)
  await store.remove(ctx, [...records.merged.keys()])
  const { found = [], returned = [] } = Object.groupBy(classified, ({ device, before: { doc } }) => {
    const record = records.byId.get(device.id)
    if (record === undefined) return 'other'
    if (!doc || (!known.has(device.id) && (device.last_scan_id !== '' || isHeard(record)))) return 'found'
    return !up.has(device.id) && isSeenUp(record) ? 'returned' : 'other'
  })
  return { found: found.map(({ device }) => device), returned: returned.map(({ device }) => device) }
}

/** Pins the host keys of hosts with a login, and records a contradiction where another key was pinned. */
const comparePins = async (
  ctx: Ctx,
  records: Records,
  { networkId, space, hasLogin }: InSpace<Ingestion>,
  hosts: readonly Observation[],
) => {
  const keyed = hosts.flatMap(({ ip, sshHostKey }) =>
    sshHostKey !== '' && hasLogin?.(ip) ? [{ ip, ip_key: parseIpKeyOrThrow(ip, space), fingerprint: sshHostKey }] : [],
  )
  if (keyed.length === 0) return
  const pins = await findPinsAt(
    ctx,
    networkId,
    keyed.map(({ ip_key }) => ip_key),
  )
  await replacePins(
    ctx,
    networkId,
    keyed.filter(({ ip_key }) => !pins.has(ip_key)),
  )
  for (const { ip, ip_key, fingerprint } of keyed) {
    const before = pins.get(ip_key)
    const record = records.byAddress.get(ip_key)
    if (!record || before === undefined) continue
    const others = record.conflicts.filter((one) => one.kind !== 'host_key' || one.ip !== ip)
    record.conflicts =
      before === fingerprint ? others : [...others, { kind: 'host_key', ip, before, after: fingerprint }]
  }
}

/**
 * Stores reported hosts, and emits an event for each one that is seen for the first time, or that was down. Leases are no sight of a
 * host. A host that is reported again is updated. Returns the new devices.
 */
export const ingest = async (
  ctx: Ctx,
  ingestion: InSpace<Ingestion>,
  reported: readonly Observation[],
): Promise<readonly DiscoveredDevice[]> => {
  if (reported.length === 0) return []
  const { networkId, scanId, space } = ingestion
  // Scans, listening and lists of leases may report the same address at once.
  await ctx.lock('discoveredDevices', [networkId])
  const hosts = reported.map(normalizeHost)
  const ipKeys = hosts.map(({ ip }) => parseIpKeyOrThrow(ip, space))
  const records = await store.load(ctx, { networkId, ipKeys, identityKeys: hosts.flatMap(listIdentityKeys) })
  const kept = keep(records)
  const before = snapshotSeen(records, ipKeys)
  reconcile(records, hosts, { ...ingestion, now: ctx.now })
  await comparePins(ctx, records, ingestion, hosts)
  const isSeen = (seen: Seen) => (scanId === '' || seen.last_scan_id === scanId) && seen.last_seen === ctx.now
  const { found, returned } = await saveChanged(ctx, kept, ingestion, isSeen)
  const source = ingestion.source ?? (scanId === '' ? 'lease' : 'scan')
  await recordSeen(ctx, { networkId, source, records, ipKeys, before })
  if (source === 'lease') return found
  for (const device of found) await ctx.emit('discovery.device_found', device)
  for (const device of returned) await ctx.emit('discovery.device_returned', device)
  return found
}
