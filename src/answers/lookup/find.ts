/** Finds the records about an address, block, MAC or name. Records that the caller may not list are treated as absent. */

import { buildNetworkKey } from '../../discovery/discovery.ts'
import type { DiscoveredDevice } from '../../discovery/schema.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import { listSubnetKeysAround } from '../../inventory/networks/membership.ts'
import { listNeverFree } from '../../inventory/pools/free-space.ts'
import * as ports from '../../inventory/ports/store.ts'
import { findSpaceKeys } from '../../inventory/spaces/keys.ts'
import { countTakenIn, type KeyRange } from '../../inventory/used-addresses/used-addresses.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import {
  type Cidr,
  countUsableAddresses,
  getNetworkAndBroadcast,
  listEnclosingCidrs,
  toCidrKeys,
} from '../../net/cidr.ts'
import { getSpaceKey, type IpKey, parseIpKeyOrThrow, type SpaceKey, toIpKey } from '../../net/ip.ts'
import type { Subject } from '../../net/subject.ts'
import {
  type Lookup,
  type LookupObject,
  type LookupPart,
  type LookupPool,
  type LookupState,
  MAX_IN_BLOCK,
  MAX_OF_EACH,
} from './api.ts'
import * as store from './store.ts'
import { countAddressesIn, countReservationsIn } from './used-blocks.ts'
import { findValueHolders } from './value-holders.ts'

/** The number of addresses of a device with networks that are looked up. */
const MAX_ADDRESSES_LOOKED_UP = 8

/** Checks that the caller may list the objects of a part. */
export type May = (part: LookupPart) => boolean

/** The parts that the caller may list, in one address space. */
export type Scope = { readonly may: May; readonly space: SpaceKey }

export type BlockSubject = Subject & { readonly kind: 'cidr' }

/** Returns the blocks that hold a block, itself first. */
export const listEnclosingBlocks = ({ family, first, prefix }: Cidr): string[] =>
  // The blocks around its first address are ordered from the longest prefix to zero.
  listEnclosingCidrs({ family, value: first }).slice(-(prefix + 1))

/** Runs the query of a part; returns no entries without running it when the part is withheld. */
const readIfListed = async <Row>(isListed: boolean, query: () => Promise<Row[]>): Promise<Row[]> =>
  isListed ? query() : []

/** The records found in the parts that the caller may list. */
export type Found = {
  readonly networks: readonly store.NetworkFound[]
  readonly inside?: readonly store.NetworkFound[]
  readonly pools?: LookupPool[]
  readonly devices: Device[]
  readonly discovered: DiscoveredDevice[]
  readonly reservations?: Lookup['reservations']
  /** The objects that have the address as a value. */
  readonly objects?: LookupObject[]
  readonly state?: LookupState
  readonly taken?: number | undefined
  readonly usable?: number
  /** Lists with further entries, besides lists longer than the answer shows. */
  readonly cut?: readonly string[]
}

export const filterDistinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.flatMap((id) => id ?? []))]

// Both tables store the JSON of the contract.
const parseDevice = (doc: string): Device => JSON.parse(doc) as Device
const parseDiscovered = ({ doc }: { readonly doc: string }): DiscoveredDevice => JSON.parse(doc) as DiscoveredDevice

const loadDevices = async (ctx: Ctx, ids: readonly string[], max = MAX_OF_EACH): Promise<Device[]> => {
  const rows = await store.devicesByIds(ctx, filterDistinct(ids).slice(0, max + 1))
  const docs = new Map(rows.map(({ id, doc }) => [id, doc]))
  return ids.flatMap((id) => docs.get(id) ?? []).map(parseDevice)
}
const loadDiscovered = async (ctx: Ctx, ids: readonly (string | null)[]): Promise<DiscoveredDevice[]> =>
  (await store.discoveredByIds(ctx, filterDistinct(ids).slice(0, MAX_OF_EACH + 1))).map(parseDiscovered)

export const sortBySize = (networks: readonly store.NetworkFound[]): store.NetworkFound[] =>
  networks.toSorted((a, b) => b.prefix - a.prefix || (a.id < b.id ? -1 : 1))

type PoolFound = Awaited<ReturnType<typeof store.poolsOfNetworks>>[number]

const byStart = (a: PoolFound, b: PoolFound): number =>
  a.start_key < b.start_key ? -1 : a.start_key > b.start_key ? 1 : a.id < b.id ? -1 : 1

/** Finding pools by their network is faster, but a withheld network must not change the result. */
const findOverlapping = async (
  ctx: Ctx,
  networks: readonly store.NetworkFound[] | 'withheld',
  range: KeyRange,
): Promise<PoolFound[]> => {
  if (networks === 'withheld') return store.poolsIn(ctx, range)
  const all = await store.poolsOfNetworks(
    ctx,
    networks.map(({ id }) => id),
  )
  return all.filter(({ start_key, end_key }) => start_key <= range.last && end_key >= range.first)
}

const findPoolsIn = async (
  ctx: Ctx,
  networks: readonly store.NetworkFound[] | 'withheld',
  range: KeyRange,
): Promise<LookupPool[]> => {
  const found = (await findOverlapping(ctx, networks, range)).toSorted(byStart).slice(0, MAX_OF_EACH + 1)
  const rows = await store.poolTags(
    ctx,
    found.map(({ id }) => id),
  )
  rows.sort((a, b) => a.position - b.position)
  return found.map(({ id, network_id, name, start_ip, end_ip, description }) => {
    const tags = rows.flatMap(({ pool_id, tag }) => (pool_id === id ? tag : []))
    return { id, network_id, name, start_ip, end_ip, description, tags }
  })
}

type Checked = { readonly key: IpKey; readonly text: string; readonly found: Found; readonly may: May }

/**
 * Returns the state of an address. For a caller who sees a part of the estate, an address of a hidden device in a visible network is
 * also assigned.
 */
export const findAddressState = async (ctx: Ctx, { key, text, found, may }: Checked): Promise<LookupState> => {
  const state = getVisibleState(key, text, found)
  if (ctx.unscoped === ctx || !may('devices') || (state !== 'free' && state !== 'discovered')) return state
  if (found.networks.length === 0) return state
  return (await countTakenIn(ctx.unscoped, { first: key, last: key })) === 0 ? state : 'assigned'
}

const getVisibleState = (key: IpKey, text: string, found: Found): LookupState => {
  const { devices, reservations = [], networks, discovered } = found
  const [nearest] = networks
  if (devices.length > 0) return 'assigned'
  if (reservations.length > 0) return 'reserved'
  if (nearest) {
    const [network, broadcast] = listNeverFree(nearest, getSpaceKey(key))
    if (key === network) return 'network_address'
    if (key === broadcast) return 'broadcast_address'
  }
  const isSeen = discovered.some(({ addresses }) => addresses.some(({ ip, status }) => ip === text && status === 'up'))
  if (isSeen) return 'discovered'
  return nearest ? 'free' : 'outside'
}

const findAddress = async (ctx: Ctx, { ip, text }: Subject & { kind: 'ip' }, { may, space }: Scope): Promise<Found> => {
  const key = toIpKey(ip, space)
  const range = { first: key, last: key }
  const [rows, docs, reservations, objects] = await Promise.all([
    readIfListed(may('networks'), () => store.networksBySubnetKeys(ctx, listSubnetKeysAround(key))),
    readIfListed(may('devices'), () => store.devicesAt(ctx, { key })),
    readIfListed(may('reservations'), () => store.findReservationsIn(ctx, range)),
    findValueHolders(ctx, text),
  ])
  const networks = sortBySize(rows)
  const places = networks.map(({ id }) => buildNetworkKey(id, key))
  const [pools, ids] = await Promise.all([
    readIfListed(may('pools'), () => findPoolsIn(ctx, may('networks') ? networks : 'withheld', range)),
    readIfListed(may('discovered'), () =>
      may('networks') ? store.discoveredIdsAt(ctx, places) : store.findDiscoveredIdsByAddress(ctx, text),
    ),
  ])
  const devices = docs.map(({ doc }) => parseDevice(doc))
  const discovered = await loadDiscovered(
    ctx,
    ids.map(({ id }) => id),
  )
  const found = { networks, pools, devices, discovered, reservations, objects }
  return { ...found, state: await findAddressState(ctx, { key, text, found, may }) }
}

/** @param taken the number of its taken addresses, also of hidden devices */
const getBlockState = (
  text: string,
  { networks, inside = [], devices, reservations = [] }: Found,
  taken = 0,
): LookupState => {
  if (networks.some(({ subnet }) => subnet === text)) return 'network'
  if (inside.length > 0) return 'divided'
  if (devices.length + reservations.length > 0 || taken > 0) return 'assigned'
  return networks.length > 0 ? 'free' : 'outside'
}

/** Counts the taken addresses of a block that the caller may list; undefined if they are too many to count. */
const countVisibleTaken = (ctx: Ctx, range: KeyRange, may: May): Promise<number | undefined> => {
  if (may('devices') && may('reservations')) return countTakenIn(ctx, range)
  if (may('devices')) return countAddressesIn(ctx, range)
  return may('reservations') ? countReservationsIn(ctx, { ...range, now: ctx.now }) : Promise.resolve(0)
}

/** The range of a block without its network and broadcast address. */
const toUsableRange = (cidr: Cidr, space: SpaceKey): KeyRange =>
  toCidrKeys(getNetworkAndBroadcast(cidr) ? { ...cidr, first: cidr.first + 1n, last: cidr.last - 1n } : cidr, space)

export const findBlock = async (ctx: Ctx, { cidr, text }: BlockSubject, { may, space }: Scope): Promise<Found> => {
  const { prefix } = cidr
  const range = toCidrKeys(cidr, space)
  const enclosing = listEnclosingBlocks(cidr).map((subnet) => `${space}${subnet}`)
  const [rows, inside, addresses, reservations, hosts] = await Promise.all([
    readIfListed(may('networks'), () => store.networksBySubnetKeys(ctx, enclosing)),
    readIfListed(may('networks'), () => store.networksInside(ctx, { ...range, prefix })),
    readIfListed(may('devices'), () => store.addressesIn(ctx, range)),
    readIfListed(may('reservations'), () => store.findReservationsIn(ctx, range)),
    // No discovered device counts as documented without permission for devices.
    readIfListed(may('discovered'), () =>
      may('devices') ? store.undocumentedIn(ctx, range) : store.discoveredIn(ctx, range),
    ),
  ])
  const networks = sortBySize(rows)
  // A caller who sees a part of the estate only gets the count of a block inside a visible network: it counts the addresses of hidden
  // devices.
  const isCounted = ctx.unscoped === ctx || networks.length > 0
  const taken = isCounted ? await countVisibleTaken(ctx.unscoped, toUsableRange(cidr, space), may) : undefined
  const [pools, devices] = await Promise.all([
    readIfListed(may('pools'), () => findPoolsIn(ctx, may('networks') ? [...networks, ...inside] : 'withheld', range)),
    loadDevices(ctx, filterDistinct(addresses.map(({ device_id }) => device_id)), MAX_IN_BLOCK),
  ])
  const found = { networks, inside, pools, devices, discovered: hosts.map(parseDiscovered), reservations }
  const cut = store.isWholeBlock(addresses) ? [] : ['devices']
  const state = getBlockState(text, found, ctx.unscoped === ctx ? 0 : taken)
  return { ...found, state, taken, ...(isCounted && { usable: countUsableAddresses(cidr) }), cut }
}

/** Returns the networks of the devices, and the networks in which scans found the discovered devices. */
const findNetworksAround = async (
  ctx: Ctx,
  { devices, discovered }: Pick<Found, 'devices' | 'discovered'>,
): Promise<store.NetworkFound[]> => {
  const addresses = devices.flatMap((device) => device.addresses)
  const space = await findSpaceKeys(ctx, addresses)
  const keys = [...new Set(addresses.map((address) => parseIpKeyOrThrow(address.ip, space(address))))].slice(
    0,
    MAX_ADDRESSES_LOOKED_UP,
  )
  const [around, named] = await Promise.all([
    store.networksBySubnetKeys(ctx, filterDistinct(keys.flatMap(listSubnetKeysAround))),
    store.networksByIds(ctx, filterDistinct(discovered.map(({ network_id }) => network_id))),
  ])
  // Keeps only the most specific network of each address.
  const nearest = keys.flatMap((key) => {
    const subnetKeys = new Set(listSubnetKeysAround(key))
    const holding = sortBySize(around).filter(({ subnet_key }) => subnetKeys.has(subnet_key))
    return holding.filter(({ prefix }) => prefix === holding[0]?.prefix)
  })
  return sortBySize([...new Map([...nearest, ...named].map((network) => [network.id, network])).values()])
}

const findMac = async (ctx: Ctx, { text }: Subject, may: May): Promise<Found> => {
  const [discovered, reservations] = await Promise.all([
    readIfListed(may('discovered'), async () => loadDiscovered(ctx, await store.findDiscoveredIdsByMac(ctx, text))),
    readIfListed(may('reservations'), () => store.findReservationsByMac(ctx, text)),
  ])
  const matched = discovered.map(({ matched_device_id }) => matched_device_id)
  const ofPorts = await readIfListed(may('devices') && ctx.caller.permissions.has('ports:list'), () =>
    ports.findDeviceIdsByMac(ctx, { mac: text, limit: store.MAX_ROWS }),
  )
  const devices = await readIfListed(may('devices'), async () =>
    loadDevices(ctx, filterDistinct([...(await store.findDeviceIdsByMac(ctx, text)), ...ofPorts, ...matched])),
  )
  const networks = await readIfListed(may('networks'), () => findNetworksAround(ctx, { devices, discovered }))
  return { devices, discovered, reservations, networks }
}

const findName = async (ctx: Ctx, { text }: Subject, may: May): Promise<Found> => {
  const [named, seen, reservations] = await Promise.all([
    readIfListed(may('devices'), () => store.findDeviceIdsByName(ctx, text)),
    readIfListed(may('discovered'), () => store.findDiscoveredIdsByName(ctx, text)),
    readIfListed(may('reservations'), () => store.findReservationsByName(ctx, text)),
  ])
  const linked = await readIfListed(may('discovered'), () =>
    store.discoveredOfDevices(ctx, named.slice(0, MAX_OF_EACH)),
  )
  const discovered = await loadDiscovered(ctx, [...seen, ...linked.map(({ id }) => id)])
  const matched = discovered.map(({ matched_device_id }) => matched_device_id)
  const devices = await readIfListed(may('devices'), () => loadDevices(ctx, filterDistinct([...named, ...matched])))
  const networks = await readIfListed(may('networks'), () => findNetworksAround(ctx, { devices, discovered }))
  return { devices, discovered, reservations, networks }
}

/** @param scope its space only counts for addresses and blocks: MACs and names are looked for in all of them */
export const find = (ctx: Ctx, asked: Subject, scope: Scope): Promise<Found> => {
  if (asked.kind === 'ip') return findAddress(ctx, asked, scope)
  if (asked.kind === 'cidr') return findBlock(ctx, asked, scope)
  return asked.kind === 'mac' ? findMac(ctx, asked, scope.may) : findName(ctx, asked, scope.may)
}
