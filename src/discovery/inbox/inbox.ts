/** The inbox: users accept observations into the documentation, or ignore them. Nothing is accepted automatically. */

import { AppError, invalidField } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { Tables } from '../../database/tables.ts'
import { connectIfFree } from '../../inventory/cables/connect.ts'
import { DevicePatch } from '../../inventory/devices/api.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { Address, Device } from '../../inventory/devices/schema.ts'
import * as relationships from '../../inventory/relationships/relationships.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Handlers } from '../../kernel/implement.ts'
import { countRows, listRows } from '../../kernel/list.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { getSpaceKey, parseIpKeyOrThrow } from '../../net/ip.ts'
import type { inbox } from '../api.ts'
import { replacePins } from '../credential-store.ts'
import * as store from '../devices/discovered-store.ts'
import { type DiscoveredRecord, getMacs } from '../devices/records.ts'
import type { Bucket, DiscoveredDevice, InboxField, InboxItem } from '../schema.ts'
import type { DiscoveredRow } from '../table.ts'
import { classify, reclassify, toDrafts } from './classify.ts'
import { loadSpaceFilter } from './documented-store.ts'
import { buildSignature, type Finding, type LinkedPorts, listNetworkAddresses } from './findings.ts'
import * as inboxStore from './inbox-store.ts'
import { loadOrThrow, processItems, promote } from './promote.ts'

type Choice = ParsedInputOf<typeof inbox.accept>['items'][number]

type Item = {
  readonly record: DiscoveredRecord & { readonly doc: DiscoveredDevice }
  readonly row: DiscoveredRow
  readonly bucket: Bucket
  readonly findings: readonly Finding[]
}

/** Returns the number of active conflicts of the inventory; null for callers who may not list them. */
const countConflicts = async (ctx: Ctx): Promise<number | null> =>
  ctx.caller.permissions.has('conflicts:list')
    ? countRows(ctx.db.selectFrom('conflicts').where('status', '=', 'active'))
    : null

/** @throws AppError NOT_FOUND for one that is not in the inbox */
const getItemOrThrow = async (ctx: Ctx, id: string): Promise<Item> => {
  const record = await loadOrThrow(ctx, id)
  const { row } = record
  if (!row || row.bucket === '') throw new AppError('NOT_FOUND', `Nothing about "${id}" is in the inbox`)
  // The stored JSON was written by this feature.
  return { record, row, bucket: row.bucket, findings: JSON.parse(row.findings) as Finding[] }
}

/** A documented device, as it is, and the discovered one, with a test for the addresses that are in the space of its network. */
type Pair = {
  readonly device: Device
  readonly record: Item['record']
  readonly isInSpace: (address: Address) => boolean
}

/** Merges the scanned addresses: new ones replace unseen ones of the network in order, the rest is added. */
const mergeObservedAddresses = ({ device, record, isInSpace }: Pair): DevicePatch['addresses'] => {
  const { doc: discovered } = record
  const macs = getMacs(record)
  const getMac = (ip: string): string => macs.get(ip) ?? discovered.mac_address
  const seen = discovered.addresses.filter(({ status }) => status === 'up').map(({ ip }) => ip)
  const known = device.addresses.filter(isInSpace)
  const all = new Set(known.map(({ ip }) => ip))
  const fresh = seen.filter((ip) => !all.has(ip))
  const stale = new Set(listNetworkAddresses({ addresses: known }, discovered).filter((ip) => !seen.includes(ip)))
  const { network_id } = discovered
  const moved = device.addresses.map((address) => {
    const next = isInSpace(address) && stale.has(address.ip) ? fresh.shift() : undefined
    // A pool need not hold the other address.
    return next === undefined
      ? address
      : { ...address, ip: next, network_id, pool_id: null, mac_address: getMac(next) || address.mac_address }
  })
  const type = (ip: string) => (ip.includes(':') ? 'ipv6' : 'ipv4')
  const added = fresh.map((ip) => ({
    ip,
    port: null,
    type: type(ip),
    label: '',
    network_id,
    switch_port: '',
    mac_address: getMac(ip),
    dns_name: '',
    pool_id: null,
  }))
  return [...moved, ...added]
}

const withSwitchPort = (
  addresses: readonly Address[],
  { record, isInSpace }: Pair,
  place: string,
): readonly Address[] => {
  const seen = new Set(record.doc.addresses.map(({ ip }) => ip))
  const at = addresses.findIndex((address) => isInSpace(address) && seen.has(address.ip))
  return addresses.map((address, i) => (i === at ? { ...address, switch_port: place } : address))
}

/** Returns undefined if no address has the earlier MAC. */
const withMac = (
  addresses: readonly Address[],
  { isInSpace }: Pair,
  { documented, observed }: Finding,
): readonly Address[] | undefined => {
  const has = (address: Address) => isInSpace(address) && address.mac_address === documented
  return addresses.some(has) ? addresses.map((one) => (has(one) ? { ...one, mac_address: observed } : one)) : undefined
}

const buildPatch = (pair: Pair, findings: readonly Finding[]): Partial<DevicePatch> => {
  const { device } = pair
  const patch: Record<string, unknown> = {}
  for (const { field, observed } of findings) {
    if (field === 'hostname' || field === 'make_model' || field === 'os' || field === 'status') patch[field] = observed
    if (field === 'addresses') patch.addresses = mergeObservedAddresses(pair)
  }
  const mac = findings.find(({ field }) => field === 'mac_address')
  // The patched addresses, or the present ones.
  const present = () => (patch.addresses ?? device.addresses) as Device['addresses']
  const remade = mac && withMac(present(), pair, mac)
  if (remade) patch.addresses = remade
  const place = findings.find(({ field }) => field === 'switch_port')
  if (place) patch.addresses = withSwitchPort(present(), pair, place.observed)
  return patch
}

const writeDocumented = async (ctx: Ctx, item: Item, findings: readonly Finding[]): Promise<void> => {
  const { record, row } = item
  const { matched_device_id: deviceId } = row
  if (deviceId === null) return
  const device = await devices.getOrThrow(ctx, deviceId)
  const isInSpace = await loadSpaceFilter(ctx, getSpaceKey(row.ip_key), [device])
  const patch = buildPatch({ device, record, isInSpace }, findings)
  if (Object.keys(patch).length > 0) {
    ctx.require('devices:update')
    await devices.updateNamed(ctx, parse(DevicePatch, { ...patch, id: deviceId }))
  }
  for (const { field, target_id, because } of findings) {
    if (field !== 'connected_to' || target_id === null) continue
    ctx.require('relationships:create')
    await relationships.create(ctx, { device_id: deviceId, child_id: target_id, type: 'connected_to', notes: because })
    for (const { local, remote, description } of await findLinkedPorts(ctx, row, target_id)) {
      const there = { device_id: target_id, port: remote, ...(description !== undefined && { description }) }
      await connectIfFree(ctx, { device_id: deviceId, port: local }, there)
    }
  }
}

/** Returns the ports by which LLDP says that a discovered device is connected to a documented one. */
const findLinkedPorts = async (ctx: Ctx, row: DiscoveredRow, deviceId: string): Promise<LinkedPorts[]> => {
  const links = store.parseLinks(row).flatMap((link) => (link.kind === 'neighbour' ? link : []))
  const { byId } = await store.loadByIds(
    ctx,
    links.map(({ targetId }) => targetId),
  )
  return links.flatMap(({ targetId, ports }) =>
    ports && byId.get(targetId)?.doc?.matched_device_id === deviceId ? ports : [],
  )
}

/** Resolves conflicts by the last observation: the new record keeps the address and takes over the promotion of the old one. */
const resolveConflicts = async (ctx: Ctx, { record, row }: Item, findings: readonly Finding[]): Promise<void> => {
  const fields = new Set(findings.map(({ field }) => field))
  const settled = record.conflicts.filter(({ kind }) => fields.has(kind === 'lease' ? 'mac_address' : 'ssh_host_key'))
  let device = record.doc
  for (const conflict of settled) {
    if (conflict.kind === 'host_key') {
      const { ip, after } = conflict
      await replacePins(ctx, device.network_id, [
        { ip, ip_key: parseIpKeyOrThrow(ip, getSpaceKey(row.ip_key)), fingerprint: after },
      ])
      continue
    }
    const other = (await store.loadByIds(ctx, [conflict.otherId])).byId.get(conflict.otherId)
    if (!other?.doc || other.doc.promoted_to_device_id === null || device.promoted_to_device_id !== null) continue
    const { promoted_to_device_id, promoted_at } = other.doc
    const released = { ...other.doc, promoted_to_device_id: null, promoted_at: null, updated_at: ctx.now }
    await store.save(ctx, await classify(ctx, released.network_id, toDrafts(other, { device: released })))
    device = { ...device, promoted_to_device_id, promoted_at, updated_at: ctx.now }
  }
  const conflicts = record.conflicts.filter((one) => !settled.includes(one))
  await store.save(ctx, await classify(ctx, device.network_id, toDrafts(record, { device, conflicts })))
}

const CONTRADICTIONS: ReadonlySet<InboxField> = new Set(['mac_address', 'ssh_host_key'])

const selectFindings = ({ findings }: Item, fields: Choice['fields']): readonly Finding[] => {
  const missing = fields?.filter((field) => !findings.some((one) => one.field === field)) ?? []
  if (missing.length > 0) throw invalidField('fields', `there is no change to accept for ${missing.join(', ')}`)
  return fields ? findings.filter(({ field }) => fields.includes(field)) : findings
}

const acceptOne = async (ctx: Ctx, { id, fields, name }: Choice): Promise<{ device_id: string | null }> => {
  const item = await getItemOrThrow(ctx, id)
  const { doc } = item.record
  if (item.bucket === 'new') {
    const device = await promote(ctx, { id, name: name ?? (doc.hostname || doc.ip) })
    return { device_id: device.id }
  }
  const findings = selectFindings(item, fields)
  // At the end of the step the item is compared with the changed device.
  await ctx.step(() => writeDocumented(ctx, item, findings))
  // A MAC that only differs from the documentation contradicts no scan.
  if (item.record.conflicts.length > 0 && findings.some(({ field }) => CONTRADICTIONS.has(field)))
    await resolveConflicts(ctx, await getItemOrThrow(ctx, id), findings)
  await reclassify(ctx, [id])
  const { doc: after } = await loadOrThrow(ctx, id)
  return { device_id: after.matched_device_id }
}

const mark = async (ctx: Ctx, id: string, isIgnored: boolean): Promise<object> => {
  const { row, bucket, findings } = await getItemOrThrow(ctx, id)
  const ignored_findings = isIgnored ? buildSignature({ bucket, findings }) : ''
  await store.saveRow(ctx, { ...row, is_ignored: isIgnored ? 1 : 0, ignored_findings })
  return {}
}

export const inboxHandlers: Handlers<typeof inbox, Tables> = {
  list: async (ctx, { limit, offset, ...filter }) => {
    const revision = await ctx.store.revision(['discovered_devices', 'devices'])
    return listRows(ctx, {
      revision,
      query: inboxStore.query(ctx, filter, { limit, offset }),
      // The query is that of the page.
      page: {},
      total: () => countRows(inboxStore.selectIds(ctx, filter)),
      row: ctx.unscoped === ctx ? inboxStore.toItem : (row): Promise<InboxItem> => inboxStore.toVisibleItem(ctx, row),
    })
  },
  summary: async (ctx, { network_id }) => {
    const summary = { new: 0, changed: 0, gone: 0, conflict: 0, ignored: 0 }
    for (const { is_ignored, bucket, n } of await inboxStore.countByBucket(ctx, network_id)) {
      if (is_ignored === 1) summary.ignored += Number(n)
      else if (bucket !== '') summary[bucket] += Number(n)
    }
    return { ...summary, inventory_conflicts: await countConflicts(ctx) }
  },
  accept: async (ctx, { items }) =>
    processItems(ctx, items, { word: 'accepted', idOf: ({ id }) => id, run: (choice) => acceptOne(ctx, choice) }),
  ignore: async (ctx, { ids }) =>
    processItems(ctx, ids, { word: 'ignored', idOf: (id) => id, run: (id) => mark(ctx, id, true) }),
  restore: async (ctx, { ids }) =>
    processItems(ctx, ids, { word: 'restored', idOf: (id) => id, run: (id) => mark(ctx, id, false) }),
}
