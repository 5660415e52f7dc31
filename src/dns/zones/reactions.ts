/** Notes the names that a change may alter, in its transaction. The lanes compute them after the commit. */

import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { Datacenter } from '../../inventory/datacenters/api.ts'
import { findDocuments as findDatacenters } from '../../inventory/datacenters/datacenters.ts'
import { findDocuments } from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { Network } from '../../inventory/networks/api.ts'
import { findDocuments as findNetworkDocuments } from '../../inventory/networks/networks.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, Feature, Reactions } from '../../kernel/ctx.ts'
import { parseIp } from '../../net/ip.ts'
import { differsIn, readChanges } from '../../resource/read-changes.ts'
import type { DnsRecord } from '../records/api.ts'
import { listPossibleNames } from './device-names.ts'
import * as rrsets from './rrset-store.ts'
import * as store from './store.ts'
import { createIndexes, toRelativeName, type ZoneIndex } from './zone-index.ts'

/** In a transaction that changes more names of a zone, its whole content is computed. */
const MOST_NAMES = 5000

/** The fields that names and filters are made of. */
const CONCERNED = ['hostname', 'addresses', 'domains', 'status', 'tags', 'datacenter_id'] as const

/** The zones of each address space. */
type Indexes = readonly ZoneIndex[]

/**
 * The zones of names and addresses; other settings of them may be old. Zones that come while a transaction runs are computed after its end:
 * see `waitForOthers`.
 */
const zoneIndexes = settings<Tables, Indexes>(
  'dns zones',
  ['dns_zones'],
  async (scope) => createIndexes(await store.findAllSettings(scope)),
  { version: store.loadPlacementKey },
)

type Noted = { readonly zone_id: string; readonly name: string }

/** The names of each zone. Names of a zone with very many are not kept: it is computed as a whole. */
type NamesByZone = Map<string, Set<string>>

const addNames = (namesByZone: NamesByZone, index: ZoneIndex, device: Device): void => {
  const add = (zoneId: string, name: string): void => {
    const names = namesByZone.get(zoneId) ?? new Set()
    namesByZone.set(zoneId, names)
    if (names.has(rrsets.WHOLE)) return
    names.add(name)
    if (names.size > MOST_NAMES) namesByZone.set(zoneId, new Set([rrsets.WHOLE]))
  }
  const { space_id } = index
  const isOwn = (address: Device['addresses'][number]): boolean => address.space_id === space_id
  const own = device.addresses.every(isOwn) ? device : { ...device, addresses: device.addresses.filter(isOwn) }
  const { names, ips } = listPossibleNames(own, (hostname) => index.completed(hostname))
  for (const name of names) for (const zone of index.forName(name)) add(zone.id, toRelativeName(name, zone.name))
  for (const text of ips) {
    const ip = parseIp(text)
    if (ip) for (const { zone, name } of index.listReverseNames(ip)) add(zone.id, name)
  }
}

export const noteAll = async (ctx: Ctx, noted: readonly Noted[]): Promise<void> => {
  if (noted.length === 0) return
  await rrsets.note(ctx, noted)
  await ctx.emit('dns-zone.noted')
}

export const noteWhole = (ctx: Ctx, zoneIds: readonly string[]): Promise<void> =>
  noteAll(
    ctx,
    zoneIds.map((zone_id) => ({ zone_id, name: rrsets.WHOLE })),
  )

/** The number of devices that are compared before the event loop runs again. */
const DEVICES_AT_ONCE = 250

/** Returns the earlier and the last state of devices with names that may have changed. */
const listConcerned = async (ctx: Ctx, changes: readonly ChangedObject[]): Promise<Device[]> => {
  const all = await readChanges<Device>(ctx, changes, findDocuments)
  return all.flatMap((states) =>
    differsIn(states, CONCERNED) ? [states.before, states.after].flatMap((device) => device ?? []) : [],
  )
}

/** True if a datacenter with devices may have come below others, or is below them no longer. */
const hasMovedDatacenter = async (ctx: Ctx, changes: readonly ChangedObject[]): Promise<boolean> => {
  const changed = changes.filter(({ kind, change }) => kind === 'datacenter' && change === 'update')
  const all = await readChanges<Datacenter>(ctx, changed, findDatacenters)
  return all.some((states) => differsIn(states, ['parent_id']))
}

/**
 * Notes whole zones. Which addresses belong to a network may depend on every other one. Zones of a space follow the networks that have
 * come to it or left it.
 */
const noteZones = async (ctx: Ctx, changes: readonly ChangedObject[]): Promise<void> => {
  const gone = new Set(
    changes.flatMap(({ kind, id, change }) => (kind === 'datacenter' && change === 'delete' ? [id] : [])),
  )
  const networks = await readChanges<Network>(
    ctx,
    changes.filter(({ kind }) => kind === 'network'),
    findNetworkDocuments,
  )
  const isMoved = networks.some((states) => differsIn(states, ['subnet']))
  const spaces = new Set<string | undefined>()
  for (const states of networks)
    if (states.before && states.after && differsIn(states, ['space_id']))
      for (const { space_id } of [states.before, states.after]) spaces.add(space_id)
  const isTreeChanged = await hasMovedDatacenter(ctx, changes)
  if (gone.size === 0 && !isMoved && spaces.size === 0 && !isTreeChanged) return
  const zones = await store.findAllSettings(ctx)
  // The CNAMEs of a zone of RFC 2317 are in another one.
  const hasOwn = isMoved && zones.some(({ network_id }) => network_id !== null)
  const concerned = zones.filter(
    ({ network_id, kind, space_id, datacenter_id }) =>
      (hasOwn && (network_id !== null || kind === 'reverse')) ||
      spaces.has(space_id) ||
      (datacenter_id !== null && (isTreeChanged || gone.has(datacenter_id))),
  )
  await noteWhole(
    ctx,
    concerned.map(({ id }) => id),
  )
}

type ChangeListener = Required<Pick<Feature, 'onFirstChange' | 'onObjectsChanged'>>

/** Notes the names of the changed devices, and the zones of changed networks, at the end of a transaction. */
export const createChangeListener = (): ChangeListener => {
  const noteChanged: ChangeListener['onObjectsChanged'] = async (ctx, changes) => {
    const devices = changes.filter(({ kind }) => kind === 'device')
    if (devices.length < changes.length) await noteZones(ctx, changes)
    const indexes = devices.length > 0 ? await zoneIndexes.within(ctx) : []
    if (indexes.length === 0) return
    const namesByZone: NamesByZone = new Map()
    for (const batch of splitBatches(devices, DEVICES_AT_ONCE)) {
      for (const device of await listConcerned(ctx, batch))
        for (const index of indexes) addNames(namesByZone, index, device)
      if (devices.length > DEVICES_AT_ONCE) await pause()
    }
    await noteAll(
      ctx,
      [...namesByZone].flatMap(([zone_id, names]) => [...names].map((name): Noted => ({ zone_id, name }))),
    )
  }
  return {
    onFirstChange: (ctx, kind) => {
      if (kind === 'device') zoneIndexes.ahead(ctx)
    },
    onObjectsChanged: noteChanged,
  }
}

export const createReactions = (): Reactions => {
  /** NS records below the apex concern all names below them. */
  const noteRecord = (ctx: Ctx, { zone_id, name, type }: DnsRecord) =>
    type === 'NS' && name !== '@' ? noteWhole(ctx, [zone_id]) : noteAll(ctx, [{ zone_id, name }])

  return {
    'dns-record.created': noteRecord,
    'dns-record.deleted': noteRecord,
    'dns-record.updated': async (ctx, { record, before }: { record: DnsRecord; before: DnsRecord }) => {
      await noteRecord(ctx, before)
      if (record.name !== before.name || record.type !== before.type) await noteRecord(ctx, record)
    },
  }
}
