/** Compares discovered devices with documented ones, and assigns each to a bucket of the inbox. */

import type { Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, getSpaceKey, type IpKey, type SpaceKey } from '../../net/ip.ts'
import { toComparable } from '../devices/derive.ts'
import * as store from '../devices/discovered-store.ts'
import { isHeard } from '../devices/observe.ts'
import { type Conflict, type DiscoveredRecord, getMacs } from '../devices/records.ts'
import type { DiscoveredDevice } from '../schema.ts'
import type { DiscoveredRow } from '../table.ts'
import * as documented from './documented-store.ts'
import { buildSignature, compareFindings, type Link, listLinkedIds, type Neighbour } from './findings.ts'

/** A record to be stored: the device as it will be sent, and its internal columns. */
export type Draft = {
  readonly record: DiscoveredRecord
  readonly device: DiscoveredDevice
  readonly ipKey: IpKey
  readonly marks: Pick<
    DiscoveredRow,
    'first_scan_id' | 'unseen_scan_id' | 'returned_scan_id' | 'baseline' | 'is_changed'
  >
  readonly conflicts: readonly Conflict[]
  readonly links: readonly Link[]
}

const filterPresent = (ids: readonly (string | null | undefined)[]): string[] => [
  ...new Set(ids.filter((id) => id !== null && id !== undefined)),
]

type Linked = {
  readonly switchNames: ReadonlyMap<string, string>
  /** The documented device of a discovered one. */
  readonly matches: ReadonlyMap<string, string>
}

/** Links to and from devices of other spaces count for nothing: their network was in this one before. */
const loadLinked = async (ctx: Ctx, drafts: readonly Draft[], space: SpaceKey): Promise<Linked> => {
  const ids = filterPresent(drafts.flatMap(({ links }) => listLinkedIds(links)))
  if (ids.length === 0) return { switchNames: new Map(), matches: new Map() }
  const { byId } = await store.loadByIds(ctx, ids)
  const docs = [...byId.values()].flatMap(({ row, doc }) =>
    row && doc && getSpaceKey(row.ip_key) === space ? [doc] : [],
  )
  return {
    switchNames: new Map(docs.map(({ id, hostname, ip }) => [id, hostname || ip])),
    matches: new Map(docs.flatMap(({ id, matched_device_id }) => (matched_device_id ? [[id, matched_device_id]] : []))),
  }
}

type Known = {
  /** Devices with their addresses in the space of the network. */
  readonly devices: ReadonlyMap<string, Device>
  readonly locks: Awaited<ReturnType<typeof documented.findLocks>>
  readonly linked: Linked
}

/** Returns documented neighbors without a `connected_to` relationship. */
const findNeighbours = async (
  ctx: Ctx,
  deviceId: string,
  links: readonly Link[],
  known: Known,
): Promise<Neighbour[]> => {
  const claimed = links.flatMap((link) => {
    const id = link.kind === 'neighbour' ? known.linked.matches.get(link.targetId) : undefined
    return id === undefined || id === deviceId ? [] : [[id, link.because] as const]
  })
  if (claimed.length === 0) return []
  const connected = await documented.findConnectedIds(ctx, deviceId)
  return [...new Map(claimed)].flatMap(([id, because]) => {
    const device = known.devices.get(id)
    return device && !connected.has(id) ? [{ id, name: device.name, because }] : []
  })
}

const buildClassified = async (
  ctx: Ctx,
  draft: Draft,
  matchedId: string | null,
  known: Known,
): Promise<store.Classified> => {
  const { record, ipKey, marks, conflicts, links } = draft
  const { row } = record
  const device: DiscoveredDevice = { ...draft.device, matched_device_id: matchedId }
  const verdict = compareFindings({
    discovered: device,
    documented: matchedId === null ? undefined : known.devices.get(matchedId),
    locked: (matchedId !== null && known.locks.get(matchedId)) || new Set(),
    conflicts,
    macs: getMacs(record),
    isHeard: isHeard(record),
    links,
    switchNames: known.linked.switchNames,
    neighbours: matchedId === null ? [] : await findNeighbours(ctx, matchedId, links, known),
  })
  const isIgnored = row !== undefined && row.is_ignored === 1 && row.ignored_findings === buildSignature(verdict)
  const classifiedRow: DiscoveredRow = {
    id: device.id,
    network_id: device.network_id,
    ip_key: ipKey,
    status: device.status,
    confidence: device.confidence,
    last_seen: device.last_seen,
    last_scan_id: device.last_scan_id,
    ...marks,
    promoted_to_device_id: device.promoted_to_device_id,
    matched_device_id: matchedId,
    bucket: verdict.bucket,
    bucket_since: row && row.bucket === verdict.bucket ? row.bucket_since : ctx.now,
    is_ignored: isIgnored ? 1 : 0,
    ignored_findings: isIgnored ? row.ignored_findings : '',
    findings: JSON.stringify(verdict.findings),
    conflicts: JSON.stringify(conflicts),
    links: JSON.stringify(links),
    random_mac: device.random_mac ? 1 : 0,
    doc: JSON.stringify(device),
  }
  return { row: classifiedRow, device, before: record }
}

/** Returns documented devices with their addresses in a space. */
const findDevicesInSpace = async (
  ctx: Ctx,
  space: SpaceKey,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Device>> => {
  const devices = await documented.findDevicesByIds(ctx, ids)
  const isInSpace = await documented.loadSpaceFilter(ctx, space, devices.values())
  for (const [id, device] of devices)
    if (!device.addresses.every(isInSpace))
      devices.set(id, { ...device, addresses: device.addresses.filter(isInSpace) })
  return devices
}

/** Returns the rows to be stored, each with its bucket. All drafts are of one network. */
export const classify = async (
  ctx: Ctx,
  networkId: string,
  drafts: readonly Draft[],
  /** Documented devices that are about to be deleted. */
  except?: ReadonlySet<string>,
): Promise<store.Classified[]> => {
  if (drafts.length === 0) return []
  const keys = drafts.flatMap(({ record, ipKey }) => [...record.addresses.keys(), ipKey])
  const at = await documented.findDevicesAt(ctx, networkId, keys, except)
  const getMatchedId = ({ record, device }: Draft): string | null => {
    if (device.promoted_to_device_id !== null) return device.promoted_to_device_id
    // An address that another record has now says nothing about this one.
    for (const key of record.addresses.keys()) {
      const id = at.get(key)
      if (id !== undefined) return id
    }
    return null
  }
  const matches = drafts.map(getMatchedId)
  const space = getSpaceKey(drafts[0]?.ipKey ?? DEFAULT_SPACE)
  const linked = await loadLinked(ctx, drafts, space)
  const locks = await documented.findLocks(ctx, filterPresent(matches))
  const devices = await findDevicesInSpace(ctx, space, filterPresent([...matches, ...linked.matches.values()]))
  const known = { devices, locks, linked }
  const all: store.Classified[] = []
  for (const [i, draft] of drafts.entries()) all.push(await buildClassified(ctx, draft, matches[i] ?? null, known))
  return all
}

/** Returns a stored record as a draft, to be classified again because something else has changed. */
export const toDrafts = (
  record: DiscoveredRecord,
  changes: Partial<Pick<Draft, 'device' | 'conflicts' | 'links'>> = {},
): Draft[] => {
  const { row, doc, conflicts } = record
  if (!row || !doc) return []
  const { first_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed } = row
  const marks = { first_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed }
  return [{ record, device: doc, ipKey: row.ip_key, marks, conflicts, links: store.parseLinks(row), ...changes }]
}

/** Classifies stored records again. */
export const reclassify = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  const { byId } = await store.loadByIds(ctx, ids)
  const drafts = [...byId.values()].flatMap((record) => toDrafts(record))
  for (const [networkId, all] of Map.groupBy(drafts, ({ device }) => device.network_id)) {
    await store.save(ctx, await classify(ctx, networkId, all))
  }
}

/** Returns the compared fields of a device as JSON, to find its changes since the scan before. */
export const buildBaseline = (device: DiscoveredDevice): string => JSON.stringify(toComparable(device))
