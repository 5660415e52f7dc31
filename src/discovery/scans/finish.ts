/** Completes a scan: marks absent devices, addresses and ports, and stores the changes. Uses short transactions. */

import { createScanCollector } from '../../base/runtime/gc.ts'
import { pause } from '../../base/runtime/pause.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { DEFAULT_SPACE, type IpKey, parseIp, replaceSpace } from '../../net/ip.ts'
import { parseExcludes, rangeHolds } from '../../net/range.ts'
import { DECAY, listFieldChanges, toComparable } from '../devices/derive.ts'
import * as queries from '../devices/discovered-queries.ts'
import * as store from '../devices/discovered-store.ts'
import { type Ingestion, keep, saveChanged } from '../devices/ingest.ts'
import { isHeardSince, withoutPorts } from '../devices/observe.ts'
import type { DiscoveredRecord, Records, Seen } from '../devices/records.ts'
import { refreshKeys } from '../devices/records.ts'
import { classify, type Draft, toDrafts } from '../inbox/classify.ts'
import { removeTopologyLinks, updateTopologyLinks } from '../inbox/topology-links.ts'
import { closeMissed, noteLeft } from '../presence/closing.ts'
import type { DiscoveredDevice, Scan } from '../schema.ts'
import type { ChangeRow } from '../table.ts'
import { processInBatches } from './batches.ts'
import * as scanStore from './scan-store.ts'

/** Devices that are looked at together for whether there is anything to do about them. */
const PAGE = 500

type Finishing = Omit<Ingestion, 'stage'> & {
  readonly isExcluded: (ip: string) => boolean
  readonly startedAt: string
}

const buildExclusionFilter = ({ exclude_ips }: Pick<Scan, 'exclude_ips'>): ((ip: string) => boolean) => {
  const { ranges } = parseExcludes(exclude_ips)
  return (text) => {
    const ip = parseIp(text)
    return ip !== undefined && ranges.some((range) => rangeHolds(range, ip))
  }
}

const buildChange = (
  device: DiscoveredDevice,
  { scanId }: Finishing,
  ipKey: IpKey,
): Omit<ChangeRow, 'kind' | 'changes'> => ({
  scan_id: scanId,
  discovered_id: device.id,
  ip: device.ip,
  ip_key: replaceSpace(ipKey, DEFAULT_SPACE),
  hostname: device.hostname.slice(0, 255),
  mac_address: device.mac_address,
})

/** Marks an absent device as down, and lowers its confidence with every scan. */
const buildUnseenDraft = (record: DiscoveredRecord, now: string, { scanId }: Finishing): Draft[] => {
  const [draft] = toDrafts(record)
  if (!draft) return []
  const { device, marks } = draft
  const confidence = Math.max(0, device.confidence - DECAY)
  const reasons = [`not seen since ${device.last_seen}`, ...device.reasons.filter((one) => !one.startsWith('not seen'))]
  const addresses = device.addresses.map((one) => ({ ...one, status: 'down' as const }))
  const gone: DiscoveredDevice = { ...device, status: 'down', confidence, reasons, addresses, updated_at: now }
  return [{ ...draft, links: [], device: gone, marks: { ...marks, unseen_scan_id: scanId } }]
}

/** True for a device that the scan before has seen. A lease sets one up that it has not seen. */
const isGone = ({ row, addresses }: DiscoveredRecord, { previousScanId }: Finishing): boolean => {
  if (!row || row.last_scan_id === '') return false
  // One that lost its address is down already.
  if (addresses.size === 0 && row.last_scan_id === previousScanId) return true
  return row.status === 'up' && (previousScanId === '' || row.unseen_scan_id !== previousScanId)
}

const markUnseen = async (ctx: Ctx, finishing: Finishing, ids: readonly string[]): Promise<void> => {
  const loaded = await store.loadByIds(ctx, ids)
  const { owners, up } = keep(loaded)
  // Excluded addresses were not probed, and addresses seen or heard since are not gone.
  const records = [...loaded.byId.values()].filter((record) => {
    const { row, doc, addresses } = record
    return (
      row?.last_scan_id !== finishing.scanId &&
      !isHeardSince(record, finishing.startedAt) &&
      ![...addresses.values(), ...(doc && addresses.size === 0 ? [doc] : [])].some(({ ip }) => finishing.isExcluded(ip))
    )
  })
  const drafts = records.flatMap((record) => buildUnseenDraft(record, ctx.now, finishing))
  const classified = await classify(ctx, finishing.networkId, drafts)
  await store.save(ctx, classified)
  await removeTopologyLinks(
    ctx,
    records.map(({ id }) => id),
  )
  for (const { addresses } of records)
    for (const [key, seen] of addresses) addresses.set(key, { ...seen, status: 'down' })
  await store.saveAddresses(ctx, { networkId: finishing.networkId, records, owners }, () => true)
  const gone = records.flatMap((record) => {
    const { row, doc } = record
    return row && doc && isGone(record, finishing) ? [{ row, doc }] : []
  })
  await scanStore.insertChanges(
    ctx,
    gone.map(({ row, doc }) => ({ ...buildChange(doc, finishing, row.ip_key), kind: 'gone', changes: '[]' })),
  )
  const moved = new Set(gone.flatMap(({ row, doc: { status } }) => (status === 'down' ? [row.id] : [])))
  for (const { device } of classified)
    if (up.has(device.id) || moved.has(device.id)) await ctx.emit('discovery.device_gone', device)
}

/** Addresses that a device which is there has left, and ports that are closed by now. Answers with the addresses that are to go. */
const dropStaleAddresses = (
  records: Records,
  record: DiscoveredRecord,
  { scanId, type, isExcluded, startedAt }: Finishing,
): Seen[] => {
  const left: Seen[] = []
  for (const [key, seen] of record.addresses) {
    const isHeard = (seen.observation.heardAt ?? '') >= startedAt
    if (seen.last_scan_id !== scanId && !isExcluded(seen.ip) && !isHeard) {
      record.addresses.delete(key)
      records.byAddress.delete(key)
      left.push(seen)
    } else if (
      type !== 'quick' &&
      seen.last_scan_id === scanId &&
      seen.ports_scan_id !== scanId &&
      seen.ports_scan_id !== ''
    ) {
      record.addresses.set(key, { ...seen, ports_scan_id: '', observation: withoutPorts(seen.observation) })
      records.touched.add(record)
    }
  }
  if (left.length > 0) {
    records.touched.add(record)
    refreshKeys(records, record)
  }
  return left
}

const listChanges = (row: queries.Place, record: DiscoveredRecord | undefined, finishing: Finishing): ChangeRow[] => {
  if (!record?.row || !record.doc) return []
  const { row: stored, doc } = record
  const change = buildChange(doc, finishing, row.ip_key)
  if (stored.returned_scan_id === finishing.scanId) return [{ ...change, kind: 'new', changes: '[]' }]
  if (stored.is_changed === 0 || stored.baseline === '') return []
  // The stored JSON was written by `buildBaseline`.
  const before = JSON.parse(stored.baseline) as Record<string, string>
  return [{ ...change, kind: 'changed', changes: JSON.stringify(listFieldChanges(before, toComparable(doc))) }]
}

/** Removes the contradiction that an address was another record's, if that record is somewhere else by now. */
const resolveLeaseConflicts = async (ctx: Ctx, records: Records): Promise<void> => {
  const others = [...records.byId.values()].flatMap(({ conflicts }) =>
    conflicts.flatMap((one) => (one.kind === 'lease' ? [one.otherId] : [])),
  )
  if (others.length === 0) return
  const known = await queries.findStatuses(ctx, others)
  for (const record of records.byId.values()) {
    const open = record.conflicts.filter((one) => one.kind !== 'lease' || known.get(one.otherId) === 'down')
    if (open.length === record.conflicts.length) continue
    record.conflicts = open
    records.touched.add(record)
  }
}

const hasSnmp = ({ addresses }: DiscoveredRecord): boolean =>
  [...addresses.values()].some(({ observation }) => observation.snmp !== null)

/** Returns the ids of devices that report neighbors. */
const finishPage = async (ctx: Ctx, finishing: Finishing, rows: readonly queries.Place[]): Promise<string[]> => {
  const records = await store.loadByIds(
    ctx,
    rows.map(({ id }) => id),
  )
  const kept = keep(records)
  const left = [...records.byId.values()].flatMap((record) => dropStaleAddresses(records, record, finishing))
  await resolveLeaseConflicts(ctx, records)
  const touched = new Set([...records.touched].map(({ id }) => id))
  await noteLeft(ctx, finishing.networkId, left)
  await store.removeAddresses(
    ctx,
    finishing.networkId,
    left.map(({ ip_key }) => ip_key),
  )
  await saveChanged(ctx, kept, { ...finishing, stage: 'services' })
  const fresh = touched.size > 0 ? (await store.loadByIds(ctx, [...touched])).byId : new Map<string, DiscoveredRecord>()
  await scanStore.insertChanges(
    ctx,
    rows.flatMap((row) => listChanges(row, fresh.get(row.id) ?? records.byId.get(row.id), finishing)),
  )
  return [...records.byId.values()].filter(hasSnmp).map(({ id }) => id)
}

type Step = {
  readonly isMeant: (place: queries.Place) => boolean
  readonly work: (tx: Ctx, some: readonly queries.Place[]) => Promise<void>
}

/** Goes through a network in pages, so that neither reading nor writing takes long at once. */
const processPages = async (ctx: Ctx, networkId: string, { isMeant, work }: Step): Promise<void> => {
  const collectAfter = createScanCollector()
  let after: readonly [string, string] = ['', '']
  for (;;) {
    const page = await queries.findPage(ctx, { networkId, after, limit: PAGE })
    const items = page.filter(isMeant)
    if (items.length > 0)
      await processInBatches(ctx, { items }, async (tx, some) => {
        await work(tx, some)
        return true
      })
    // Also where there was nothing to do: they have been read.
    collectAfter(page.length)
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    after = [last.ip_key, last.id]
    await pause()
  }
}

/** Works a scan up that has seen everything it looks at. Can be called again for a scan that it was interrupted in. */
export const finish = async (ctx: Ctx, scan: Scan, previousScanId: string): Promise<void> => {
  const { id: scanId, network_id: networkId, scan_type: type } = scan
  const startedAt = scan.started_at ?? scan.created_at
  const isExcluded = buildExclusionFilter(scan)
  const finishing: Finishing = { scanId, networkId, type, previousScanId, startedAt, isExcluded }
  const tellers = new Set<string>()
  await processPages(ctx, networkId, {
    isMeant: ({ last_scan_id, unseen_scan_id, status, confidence }) =>
      last_scan_id !== scanId && unseen_scan_id !== scanId && (status === 'up' || confidence > 0),
    work: (tx, some) =>
      markUnseen(
        tx,
        finishing,
        some.map(({ id }) => id),
      ),
  })
  await processPages(ctx, networkId, {
    isMeant: ({ last_scan_id }) => last_scan_id === scanId,
    work: async (tx, some) => {
      for (const id of await finishPage(tx, finishing, some)) tellers.add(id)
    },
  })
  await closeMissed(ctx, finishing)
  await updateTopologyLinks(ctx, networkId, [...tellers])
}
