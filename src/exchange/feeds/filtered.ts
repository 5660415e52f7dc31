/** The devices of a filter, with the addresses that it leaves, in the order of the list of devices. */

import { isOneOf } from '../../database/query/below.ts'
import { buildMembership } from '../../database/query/ordered-filter.ts'
import { findDatacentersBelow } from '../../inventory/datacenters/datacenters.ts'
import { selectMainAddresses } from '../../inventory/devices/address-names.ts'
import type { Address, Device } from '../../inventory/devices/schema.ts'
import { buildDeviceSubset } from '../../inventory/networks/membership.ts'
import { DEFAULT } from '../../inventory/spaces/fields.ts'
import { findSpaceKey, hasAddressIn, matchSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import { parseIp, parseIpKeyOrThrow } from '../../net/ip.ts'
import { SubnetIndex } from '../../net/subnet-index.ts'
import type { FeedAddress, FeedDevice, FeedNetwork } from './formats/format.ts'
import type { Feed } from './schema.ts'

export type Filter = Pick<
  Feed,
  'tags' | 'datacenter_id' | 'network_id' | 'space_id' | 'statuses' | 'address_label' | 'family'
>

/** The tables of which the content of a feed is made. */
export const CONTENT_TABLES = ['devices', 'addresses', 'network_addresses', 'networks', 'datacenters', 'feeds'] as const

const buildTagSubset = (value: string) => ({
  id: 'devices.id',
  table: 'device_tags',
  member: 'device_id',
  column: 'tag',
  value,
})

const buildQuery = async (ctx: Ctx, { tags, datacenter_id, network_id, space_id, statuses }: Filter) => {
  let query = ctx.db.selectFrom('devices').select('devices.doc').orderBy('devices.name_order').orderBy('devices.id')
  query = query.where('devices.status', 'in', statuses)
  if (datacenter_id !== null)
    query = query.where(isOneOf('devices.datacenter_id', await findDatacentersBelow(ctx, datacenter_id)))
  if (space_id !== undefined) query = query.where(await hasAddressIn(ctx, space_id))
  for (const subset of [...tags.map(buildTagSubset), ...(network_id === null ? [] : [buildDeviceSubset(network_id)])])
    query = query.where((await buildMembership(ctx, subset)).ordered)
  return query
}

/** Returns the device and the key of each address that belongs to the network. */
const findMembers = async (ctx: Ctx, networkId: string): Promise<ReadonlySet<string>> => {
  const query = ctx.db.selectFrom('network_addresses').select(['device_id', 'ip_key'])
  const rows = await query.where('network_id', '=', networkId).execute()
  return new Set(rows.map(({ device_id, ip_key }) => `${device_id} ${ip_key}`))
}

export type Places = {
  readonly networks: readonly FeedNetwork[]
  readonly datacenters: ReadonlyMap<string, string>
  readonly networkOf: (address: Address) => FeedNetwork | undefined
}

const loadPlaces = async (ctx: Ctx, { space_id = DEFAULT }: Filter): Promise<Places> => {
  const datacenters = await ctx.db.selectFrom('datacenters').select(['id', 'name']).execute()
  const networks = await ctx.db
    .selectFrom('networks')
    .select(['id', 'name', 'subnet', 'vlan_id'])
    .where(matchSpace(space_id))
    .orderBy('name_order')
    .orderBy('id')
    .execute()
  const byId = new Map(networks.map((network) => [network.id, network]))
  const index = new SubnetIndex<FeedNetwork>()
  for (const network of networks) index.add(parseCidrOrThrow(network.subnet), network)
  return {
    networks,
    datacenters: new Map(datacenters.map(({ id, name }) => [id, name])),
    networkOf: ({ ip, network_id }) => {
      if (network_id !== null) return byId.get(network_id)
      if (networks.length === 0) return undefined
      const address = parseIp(ip)
      return address && index.holding(address)
    },
  }
}

export type Filtered = {
  readonly places: Places
  readonly chunks: () => AsyncGenerator<FeedDevice[]>
}

/** Reads networks and datacenters at once; the devices are streamed. */
export const filterDevices = async (ctx: Ctx, filter: Filter): Promise<Filtered> => {
  const { network_id, space_id, address_label, family } = filter
  const space = await findSpaceKey(ctx, filter)
  const query = await buildQuery(ctx, filter)
  const members = network_id === null ? undefined : await findMembers(ctx, network_id)
  const places = await loadPlaces(ctx, filter)
  const label = address_label.toLowerCase()
  const isFiltered = members !== undefined || label !== '' || family !== '' || space_id !== undefined

  const isInSpace = (address: Address): boolean => address.space_id === space_id
  const isLeft = (id: string, { ip, label: own }: Address): boolean =>
    (label === '' || own.toLowerCase() === label) &&
    (family === '' || ip.includes(':') === (family === 'ipv6')) &&
    (!members || members.has(`${id} ${parseIpKeyOrThrow(ip, space)}`))

  const buildEntry = (device: Device): FeedDevice => {
    // The addresses of most devices are all in the space.
    const inSpace = device.addresses.every(isInSpace) ? device.addresses : device.addresses.filter(isInSpace)
    const left = isFiltered ? inSpace.filter((one) => isLeft(device.id, one)) : inSpace
    // Most devices have one address, which is the main one.
    const main = left.length > 1 ? selectMainAddresses(left) : undefined
    const addresses: FeedAddress[] = []
    for (const address of left) addresses.push({ address, isMain: main?.has(address) ?? true })
    return { device, addresses, datacenter: places.datacenters.get(device.datacenter_id ?? '') ?? '' }
  }

  /** A device without any address is in the default space. */
  const isTaken = ({ device, addresses }: FeedDevice): boolean =>
    addresses.length > 0 || (!isFiltered && device.addresses.length === 0)

  async function* chunks(): AsyncGenerator<FeedDevice[]> {
    for await (const rows of ctx.store.stream<{ doc: string }>(query)) {
      // The documents have the type of the contract.
      const entries = rows.map(({ doc }) => buildEntry(JSON.parse(doc) as Device))
      yield entries.filter(isTaken)
    }
  }
  return { places, chunks }
}
