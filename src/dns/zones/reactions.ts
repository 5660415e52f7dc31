/** Notes the names that a change may alter, in its transaction. The lanes compute them after the commit. */

import { pause } from '../../base/runtime/pause.ts'
import { memoized } from '../../database/cache/revision-cache.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { findDocuments } from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { SpaceChange } from '../../inventory/networks/move-to-space.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import { createReadOnce } from '../../kernel/changes/read-once.ts'
import type { Ctx, Feature, Reactions } from '../../kernel/ctx.ts'
import { parseIp } from '../../net/ip.ts'
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

/** Returns the zones of names and addresses; other settings of them may be old. */
const createZoneFinder = (): ((ctx: Ctx) => Promise<Indexes>) => {
  let known: { readonly key: string; readonly indexes: Indexes } | undefined
  const read = async (ctx: Ctx): Promise<Indexes> => {
    const key = await store.loadPlacementKey(ctx)
    if (known?.key !== key) known = { key, indexes: createIndexes(key === '' ? [] : await store.findAllSettings(ctx)) }
    return known.indexes
  }
  /**
   * In the transaction itself: waiting for a second connection can deadlock. Zones that come while it runs are computed after its end: see
   * `waitForOthers`.
   */
  const readInTransaction = createReadOnce(read)
  return async (ctx) => {
    const { cache, read: committed, revision, sql } = ctx.store
    if (!sql.hasOneWriter) return readInTransaction(ctx)
    const indexes = memoized<Indexes>(cache.at('dns zones', await revision(['dns_zones'])))
    return indexes('', async () => createIndexes(await store.findAllSettings({ db: committed, store: ctx.store })))
  }
}

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

const parseDevice = (json: string | undefined): Device | undefined =>
  // The document of a device.
  json === undefined ? undefined : (JSON.parse(json) as Device)

/** The number of devices that are compared before the event loop runs again. */
const DEVICES_AT_ONCE = 250

/** Returns the earlier and the last state of devices with names that may have changed. */
const listConcerned = async (ctx: Ctx, changes: readonly ChangedObject[]): Promise<Device[]> => {
  const missing = changes.filter(({ change, after }) => change !== 'delete' && after === undefined)
  const read = await findDocuments(
    ctx,
    missing.map(({ id }) => id),
  )
  return changes.flatMap(({ id, before, after = read.get(id) }) => {
    const [from, to] = [parseDevice(before), parseDevice(after)]
    const isSame = from && to && CONCERNED.every((field) => Bun.deepEquals(from[field], to[field]))
    return isSame ? [] : [from, to].flatMap((device) => device ?? [])
  })
}

type DeviceListener = Required<Pick<Feature, 'onFirstChange' | 'onObjectsChanged'>>

/** Notes the names of the changed devices at the end of a transaction. */
export const createDeviceListener = (): DeviceListener => {
  const indexesAt = createZoneFinder()
  const noteChanged: DeviceListener['onObjectsChanged'] = async (ctx, changes) => {
    const devices = changes.filter(({ kind }) => kind === 'device')
    const indexes = devices.length > 0 ? await indexesAt(ctx) : []
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
      // Its error is that of the work at the end.
      if (kind === 'device' && !ctx.store.sql.hasOneWriter) indexesAt(ctx).catch(() => {})
    },
    onObjectsChanged: noteChanged,
  }
}

export const createReactions = (): Reactions => {
  const noteRecord = (ctx: Ctx, { zone_id, name }: DnsRecord) => noteAll(ctx, [{ zone_id, name }])

  /** Which addresses belong to a network may depend on every other one. */
  const noteNetworks = async (ctx: Ctx): Promise<void> => {
    const zones = await store.findAllSettings(ctx)
    const concerned = zones.filter(({ network_id }) => network_id !== null)
    // The CNAMEs of a zone of RFC 2317 are in another one.
    const around = concerned.length === 0 ? [] : zones.filter(({ kind }) => kind === 'reverse')
    await noteWhole(ctx, [...new Set([...concerned, ...around].map(({ id }) => id))])
  }

  /** Networks have come to these spaces, or left them. */
  const noteSpaces = async (ctx: Ctx, spaces: readonly (string | undefined)[]): Promise<void> => {
    const zones = (await store.findAllSettings(ctx)).filter(({ space_id }) => spaces.includes(space_id))
    await noteWhole(
      ctx,
      zones.map(({ id }) => id),
    )
  }

  return {
    'network.created': async (ctx) => ctx.atEnd(noteNetworks, undefined),
    'network.updated': async (ctx, { changes }: { changes: readonly string[] }) => {
      if (changes.includes('subnet')) ctx.atEnd(noteNetworks, undefined)
    },
    'network.deleted': async (ctx) => ctx.atEnd(noteNetworks, undefined),
    'network.changed-space': async (ctx, { before, after }: SpaceChange) => {
      for (const { space_id } of [before, after]) ctx.atEnd(noteSpaces, space_id)
    },
    'datacenter.deleted': async (ctx, { id }: { id: string }) => {
      const zones = await store.findAllSettings(ctx)
      await noteWhole(
        ctx,
        zones.flatMap((zone) => (zone.datacenter_id === id ? [zone.id] : [])),
      )
    },
    'dns-record.created': noteRecord,
    'dns-record.deleted': noteRecord,
    'dns-record.updated': async (ctx, { record, before }: { record: DnsRecord; before: DnsRecord }) => {
      await noteRecord(ctx, before)
      if (record.name !== before.name) await noteRecord(ctx, record)
    },
  }
}
