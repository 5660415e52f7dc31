/** Notes the names that a change may alter, in its transaction. The lanes compute them after the commit. */
import { parseIp } from '../../net/ip.ts'
import { memoized } from '../../platform/db/cache/revision-cache.ts'
import type { Ctx, Feature } from '../ctx.ts'
import type { Device } from '../devices/schema.ts'
import type { DnsRecord } from '../dns-records/api.ts'
import type { SpaceChange } from '../networks/move-to-space.ts'
import { listPossibleNames } from './device-names.ts'
import * as rrsets from './rrset-store.ts'
import * as store from './store.ts'
import { createIndexes, toRelativeName, type ZoneIndex } from './zone-index.ts'

/** Emitted when names of a zone were noted. */
export const NOTED = 'dns-zone.noted'

/** In a transaction that changes more names of a zone, its whole content is computed. */
const MOST_NAMES = 5000

/** The fields that names and filters are made of. */
const CONCERNED: ReadonlySet<string> = new Set([
  ...['hostname', 'addresses', 'domains', 'status', 'tags', 'datacenter_id'],
])

/** The zones of each address space. */
type Indexes = readonly ZoneIndex[]

/** Returns the zones of names and addresses; other settings of them may be old. */
const createZoneFinder = (): ((ctx: Ctx) => Promise<Indexes>) => {
  let known: { readonly key: string; readonly indexes: Indexes } | undefined
  /** Per transaction. Zones that come while it runs are computed after its end: see `waitForOthers`. */
  const byTransaction = new WeakMap<Ctx['db'], Promise<Indexes>>()

  const read = async (ctx: Ctx): Promise<Indexes> => {
    const key = await store.loadPlacementKey(ctx)
    if (known?.key !== key) known = { key, indexes: createIndexes(key === '' ? [] : await store.findAllSettings(ctx)) }
    return known.indexes
  }
  /** In the transaction itself: waiting for a second connection can deadlock. */
  const readInTransaction = (ctx: Ctx): Promise<Indexes> => {
    const cached = byTransaction.get(ctx.db)
    if (cached) return cached
    const reading = read(ctx)
    byTransaction.set(ctx.db, reading)
    // A failure ends in its savepoint; another call of the transaction may succeed.
    reading.catch(() => byTransaction.delete(ctx.db))
    return reading
  }
  return async (ctx) => {
    const { cache, read: committed, revision, sql } = ctx.store
    if (!sql.hasOneWriter) return readInTransaction(ctx)
    const indexes = memoized<Indexes>(cache.at('dns zones', await revision(['dns_zones'])))
    return indexes('', async () => createIndexes(await store.findAllSettings({ db: committed, store: ctx.store })))
  }
}

type Noted = { readonly zone_id: string; readonly name: string }

/** The names of each zone. Those of a zone with very many are not kept: it is computed as a whole. */
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
  await ctx.emit(NOTED, noted)
}

export const noteWhole = (ctx: Ctx, zoneIds: readonly string[]): Promise<void> =>
  noteAll(
    ctx,
    zoneIds.map((zone_id) => ({ zone_id, name: rrsets.WHOLE })),
  )

export const createReactions = (): NonNullable<Feature['reactions']> => {
  const indexesAt = createZoneFinder()

  /** Per transaction: an import of very many devices is not kept until its end, only their names. */
  const noted = new WeakMap<Ctx['db'], NamesByZone>()

  const flush = async (ctx: Ctx): Promise<void> => {
    const places = noted.get(ctx.db) ?? new Map()
    noted.delete(ctx.db)
    await noteAll(
      ctx,
      [...places].flatMap(([zone_id, names]) => [...names].map((name): Noted => ({ zone_id, name }))),
    )
  }

  const addDevices = (ctx: Ctx, indexes: Indexes, devices: readonly Device[]): void => {
    if (indexes.length === 0) return
    const namesByZone: NamesByZone = noted.get(ctx.db) ?? new Map()
    noted.set(ctx.db, namesByZone)
    for (const device of devices) for (const index of indexes) addNames(namesByZone, index, device)
  }

  /** Per transaction, once the zones are there. */
  const read = new WeakMap<Ctx['db'], Indexes>()

  const noteFirst = async (ctx: Ctx, groups: readonly (readonly Device[])[]): Promise<void> => {
    const indexes = await indexesAt(ctx)
    for (const devices of groups) addDevices(ctx, indexes, devices)
    await flush(ctx)
  }

  /** The first devices of a transaction wait for its end: the zones are asked for beside its own queries, without a round trip more. */
  const noteDevices = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
    const indexes = ctx.store.sql.hasOneWriter ? await indexesAt(ctx) : read.get(ctx.db)
    if (indexes) {
      addDevices(ctx, indexes, devices)
      ctx.atEnd(flush, undefined)
      return
    }
    // Its error is that of `noteFirst`.
    indexesAt(ctx).then(
      (found) => read.set(ctx.db, found),
      () => {},
    )
    ctx.atEnd(noteFirst, devices)
  }

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
    'devices.recorded': noteDevices,
    'devices.removed': noteDevices,
    'device.updated': async (
      ctx,
      { device, before, changes }: { device: Device; before: Device; changes: readonly string[] },
    ) => {
      if (changes.some((field) => CONCERNED.has(field))) await noteDevices(ctx, [before, device])
    },
    'network.created': async (ctx) => ctx.atEnd(noteNetworks, undefined),
    'network.updated': async (ctx, { changes }: { changes: readonly string[] }) => {
      if (changes.includes('subnet')) ctx.atEnd(noteNetworks, undefined)
    },
    'network.deleted': async (ctx) => ctx.atEnd(noteNetworks, undefined),
    // Its devices are rewritten without an event each.
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
