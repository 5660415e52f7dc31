/** Reads the objects of findings: their names, addresses, networks and datacenters. */
import type { DiscoveredDevice } from '../../discovery/schema.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { Finding } from './api.ts'
import { EMPTY, type Found, type Report, type Scope, toMoment } from './report.ts'

type Base = Omit<Finding, 'id' | 'message'>

/** Returns the datacenters of the networks that the caller may list, by the ids of the networks. */
export const findDatacenters = async (
  { ctx }: Scope,
  networkIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, string | null>> => {
  const ids = [...new Set(networkIds)].filter((id) => id !== null)
  if (ids.length === 0) return new Map()
  const rows = await ctx.db.selectFrom('networks').select(['id', 'datacenter_id']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, datacenter_id }) => [id, datacenter_id]))
}

/** An address of a device, with the networks that it belongs to. */
type Place = {
  readonly ip: string
  readonly mac_address: string
  readonly network_id: string | null
  readonly members: readonly string[]
}

/** Returns the addresses of devices in their order, by device. */
const findAddresses = async ({ ctx }: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Place[]>> => {
  const rows = await ctx.db
    .selectFrom('addresses')
    .select(['device_id', 'ip', 'ip_key', 'mac_address', 'network_id'])
    .where('device_id', 'in', ids)
    .orderBy('device_id')
    .orderBy('position')
    .execute()
  const members = await ctx.db
    .selectFrom('network_addresses')
    .select(['device_id', 'ip_key', 'network_id'])
    .where('device_id', 'in', ids)
    .orderBy('network_id')
    .execute()
  const networks = Map.groupBy(members, ({ device_id, ip_key }) => `${device_id} ${ip_key}`)
  const places = rows.map(({ device_id, ip_key, ...address }) => {
    const own = networks.get(`${device_id} ${ip_key}`) ?? []
    return { device_id, ...address, members: own.map(({ network_id }) => network_id) }
  })
  return Map.groupBy(places, ({ device_id }) => device_id)
}

export type KnownDevice = { readonly device: Device; readonly base: Base }

/**
 * Reads devices with the parts of findings that follow from them. The address is the given one, else the first that belongs to a
 * network, else the first.
 */
export const loadDevices = async (
  scope: Scope,
  found: readonly Found[],
): Promise<(one: Found) => KnownDevice | undefined> => {
  const ids = [...new Set(found.map(({ id }) => id))]
  const rows = await scope.ctx.db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', ids).execute()
  // The stored document is a device.
  const devices = new Map(rows.map(({ id, doc }) => [id, JSON.parse(doc) as Device]))
  const addresses = await findAddresses(scope, ids)
  const all = [...addresses.values()].flat()
  const datacenters = await findDatacenters(
    scope,
    all.flatMap(({ network_id, members }) => [network_id, ...members]),
  )
  const getNetwork = ({ network_id, members }: Place) => network_id ?? members.find((id) => datacenters.has(id)) ?? null
  return ({ id, since, item }) => {
    const device = devices.get(id)
    if (!device) return undefined
    const own = addresses.get(id) ?? []
    const place = own.find(({ ip }) => ip === item) ?? own.find((address) => getNetwork(address) !== null) ?? own[0]
    const network_id = place ? getNetwork(place) : null
    const base: Base = {
      ...EMPTY,
      ...{ resource: 'device', resource_id: id, name: device.name, since: toMoment(since), network_id },
      ...(place && { ip_address: place.ip, mac_address: place.mac_address }),
      datacenter_id: device.datacenter_id ?? (network_id === null ? null : (datacenters.get(network_id) ?? null)),
    }
    return { device, base }
  }
}

export type KnownDiscovered = { readonly device: DiscoveredDevice; readonly base: Base }

/** Reads discovered devices with the parts of findings that follow from them. */
export const loadDiscovered = async (
  scope: Scope,
  found: readonly Found[],
): Promise<(one: Found) => KnownDiscovered | undefined> => {
  const ids = [...new Set(found.map(({ id }) => id))]
  const rows = await scope.ctx.db
    .selectFrom('discovered_devices')
    .select(['id', 'doc'])
    .where('id', 'in', ids)
    .execute()
  // The stored document is a discovered device.
  const devices = new Map(rows.map(({ id, doc }) => [id, JSON.parse(doc) as DiscoveredDevice]))
  const datacenters = await findDatacenters(
    scope,
    [...devices.values()].map(({ network_id }) => network_id),
  )
  return ({ id, since }) => {
    const device = devices.get(id)
    if (!device) return undefined
    const { ip, hostname, mac_address, network_id } = device
    const base: Base = {
      ...EMPTY,
      ...{ resource: 'discovered', resource_id: id, name: hostname || ip, ip_address: ip, mac_address, network_id },
      ...{ datacenter_id: datacenters.get(network_id) ?? null, since: toMoment(since) },
    }
    return { device, base }
  }
}

/** Builds the describer of a report about devices. */
export const describeDevices =
  (build: (known: KnownDevice, found: Found, scope: Scope) => Finding | undefined): Report['describe'] =>
  async (scope, found) => {
    const getKnown = await loadDevices(scope, found)
    return (one) => {
      const known = getKnown(one)
      return known && build(known, one, scope)
    }
  }

/** Like `describeDevices`, for discovered devices. */
export const describeDiscovered =
  (build: (known: KnownDiscovered, found: Found, scope: Scope) => Finding | undefined): Report['describe'] =>
  async (scope, found) => {
    const getKnown = await loadDiscovered(scope, found)
    return (one) => {
      const known = getKnown(one)
      return known && build(known, one, scope)
    }
  }
