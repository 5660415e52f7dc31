/** The tags, datacenters and networks of the object of an event, which filters compare. */
import { isRecord, toText } from '../../contract/unknown.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { findDocuments, toIpKeys } from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import { findNetworksHolding } from '../../inventory/networks/membership.ts'
import { findPoolTags } from '../../inventory/pools/pools.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Filter } from './fields.ts'
import type { Told } from './line.ts'

type Data = Readonly<Record<string, unknown>>
type Event = { readonly event: string; readonly data: Data }

export type Traits = {
  readonly tags: ReadonlySet<string>
  /** With the datacenters above. */
  readonly datacenters: ReadonlySet<string>
  readonly networks: ReadonlySet<string>
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.flatMap((one) => toText(one) || []) : [])

const getFamily = (event: string): string => event.slice(0, event.indexOf('.'))

const isDevice = ({ event }: Event): boolean => getFamily(event) === 'device'
const isConflict = ({ event }: Event): boolean => getFamily(event) === 'conflict'

/** The objects that count for an event, with the fields of their documents. */
type Part = {
  readonly tags: readonly string[]
  readonly datacenterId: string
  readonly networkIds: readonly string[]
  /** True where the datacenters of the networks count. */
  readonly isOfNetwork: boolean
}

const buildOwnPart = ({ event, data }: Event): Part => {
  const family = getFamily(event)
  const self = toText(data.id)
  const networkId = family === 'network' ? self : toText(data.network_id)
  return {
    tags: toTexts(data.tags),
    datacenterId: family === 'datacenter' ? self : toText(data.datacenter_id),
    networkIds: networkId === '' ? toTexts(data.network_ids) : [networkId],
    isOfNetwork: family === 'pool' || family === 'discovery',
  }
}

/** Returns the networks of the addresses of each device, also of one that was deleted. */
const findNetworksOfDevices = async (ctx: Ctx, devices: readonly Device[]): Promise<Map<Device, string[]>> => {
  // The keys of all addresses, in their order.
  const keys = await toIpKeys(ctx, devices)
  const holding = await findNetworksHolding(ctx, keys)
  let at = 0
  return new Map(
    devices.map((device) => [
      device,
      device.addresses.flatMap(({ network_id }) => {
        const key = keys[at++] ?? ''
        return network_id === null ? (holding.get(key) ?? []) : [network_id]
      }),
    ]),
  )
}

const readDevices = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, Device>> => {
  const documents = ids.length === 0 ? new Map<string, string>() : await findDocuments(ctx, [...new Set(ids)])
  // The store of devices has written them.
  return new Map([...documents].map(([id, json]) => [id, JSON.parse(json) as Device]))
}

/** Returns the datacenters of networks, by id. */
const readDatacentersOfNetworks = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  for (const batch of splitBatches([...new Set(ids)])) {
    const rows = await ctx.db.selectFrom('networks').select(['id', 'datacenter_id']).where('id', 'in', batch).execute()
    for (const { id, datacenter_id } of rows) if (datacenter_id !== null) found.set(id, datacenter_id)
  }
  return found
}

const readParents = async (ctx: Ctx): Promise<Map<string, string>> => {
  const query = ctx.db.selectFrom('datacenters').select(['id', 'parent_id']).where('parent_id', 'is not', null)
  return new Map((await query.execute()).map(({ id, parent_id }) => [id, parent_id ?? '']))
}

const listWithParents = (id: string, parents: ReadonlyMap<string, string>): string[] => {
  const all: string[] = []
  for (let next: string | undefined = id; next && !all.includes(next); next = parents.get(next)) all.push(next)
  return all
}

/** Reads the parts of events, in their order. A device has the networks of its addresses, a conflict the parts of its members. */
const readParts = async (ctx: Ctx, events: readonly Event[]): Promise<Part[][]> => {
  const members = await readDevices(
    ctx,
    events.filter(isConflict).flatMap(({ data }) => toTexts(data.device_ids)),
  )
  // The data of events of devices are their documents.
  const own = events.map((one) => (isDevice(one) && isRecord(one.data) ? (one.data as unknown as Device) : undefined))
  const networks = await findNetworksOfDevices(ctx, [...own.flatMap((one) => one ?? []), ...members.values()])
  const buildDevicePart = (device: Device): Part => ({
    tags: device.tags,
    datacenterId: device.datacenter_id ?? '',
    networkIds: networks.get(device) ?? [],
    isOfNetwork: false,
  })
  const poolIds = events.flatMap(({ data }) => toText(data.pool_id) || [])
  const poolTags = poolIds.length === 0 ? new Map<string, string[]>() : await findPoolTags(ctx, poolIds)
  return events.map((one, at) => {
    const device = own[at]
    if (device) return [buildDevicePart(device)]
    if (!isConflict(one)) {
      const part = buildOwnPart(one)
      const pool = toText(one.data.pool_id)
      return [pool === '' ? part : { ...part, tags: poolTags.get(pool) ?? [] }]
    }
    const devices = toTexts(one.data.device_ids).flatMap((id) => members.get(id) ?? [])
    const ofNetworks = { tags: [], datacenterId: '', networkIds: toTexts(one.data.network_ids), isOfNetwork: true }
    return [...devices.map(buildDevicePart), ofNetworks]
  })
}

/** Returns the traits of the objects of events, in their order. */
export const loadTraits = async (ctx: Ctx, told: readonly Told[]): Promise<Traits[]> => {
  // The recorder of events has written the data.
  const events = told.map(({ event, data }): Event => ({ event, data: JSON.parse(data) as Data }))
  const parts = await readParts(ctx, events)
  const ofNetworks = parts.flat().filter(({ isOfNetwork }) => isOfNetwork)
  const datacenters = await readDatacentersOfNetworks(
    ctx,
    ofNetworks.flatMap(({ networkIds }) => networkIds),
  )
  const parents = await readParents(ctx)
  return parts.map((some) => ({
    tags: new Set(some.flatMap(({ tags }) => tags)),
    datacenters: new Set(
      some
        .flatMap(({ datacenterId, networkIds, isOfNetwork }) => [
          datacenterId,
          ...(isOfNetwork ? networkIds.map((id) => datacenters.get(id) ?? '') : []),
        ])
        .flatMap((id) => (id === '' ? [] : listWithParents(id, parents))),
    ),
    networks: new Set(some.flatMap(({ networkIds }) => networkIds)),
  }))
}

export const hasFilter = (filter: Filter): boolean => Object.values(filter).some((list) => (list?.length ?? 0) > 0)

/** Returns true for an object with one value of each list that is not empty. */
export const passesFilter = ({ tags, datacenter_ids, network_ids }: Filter, traits: Traits): boolean => {
  const hasOne = (list: readonly string[] | undefined, values: ReadonlySet<string>): boolean =>
    !list?.length || list.some((one) => values.has(one))
  return hasOne(tags, traits.tags) && hasOne(datacenter_ids, traits.datacenters) && hasOne(network_ids, traits.networks)
}
