/** Finds the records about an address, block, MAC or name, as if those that the caller may not list did not exist. */
import { type Cidr, cidrKeys, enclosingCidrs, usableCount } from '../../net/cidr.ts'
import { type IpKey, ipKey, ipKeyOf, type SpaceKey, spaceOfKey } from '../../net/ip.ts'
import type { Subject } from '../../net/subject.ts'
import type { Ctx } from '../ctx.ts'
import type { Device } from '../devices/schema.ts'
import { placeOf } from '../discovery/discovery.ts'
import type { DiscoveredDevice } from '../discovery/schema.ts'
import { subnetKeysAround } from '../networks/membership.ts'
import { countTakenIn, type KeyRange } from '../occupancy/occupancy.ts'
import { neverFree } from '../pools/free-space.ts'
import * as ports from '../ports/store.ts'
import { spaceKeys } from '../spaces/keys.ts'
import {
  type Lookup,
  type LookupPart,
  type LookupState,
  MAX_IN_BLOCK,
  MAX_OF_EACH,
  type LookupPool as Pool,
} from './api.ts'
import * as store from './store.ts'
import { countAddressesIn, countReservationsIn } from './taken.ts'

/** The number of addresses of a device whose networks are looked up. */
const SOME_ADDRESSES = 8

/** Checks that the caller may list the objects of a part. */
export type May = (part: LookupPart) => boolean

/** The parts that the caller may list, in one address space. */
export type Scope = { readonly may: May; readonly space: SpaceKey }

export type BlockSubject = Subject & { readonly kind: 'cidr' }

/** Returns the blocks that hold a block, itself first. */
export const enclosingBlocks = ({ family, first, prefix }: Cidr): string[] =>
  // The blocks around its first address are ordered from the longest prefix to zero.
  enclosingCidrs({ family, value: first }).slice(-(prefix + 1))

/** Runs the query of a part; returns no entries without running it when the part is withheld. */
const listed = async <Row>(isListed: boolean, query: () => Promise<Row[]>): Promise<Row[]> => (isListed ? query() : [])

/** The records found in the parts that the caller may list. */
export type Found = {
  readonly networks: readonly store.NetworkFound[]
  readonly inside?: readonly store.NetworkFound[]
  readonly pools?: Pool[]
  readonly devices: Device[]
  readonly discovered: DiscoveredDevice[]
  readonly reservations?: Lookup['reservations']
  readonly state?: LookupState
  readonly taken?: number | undefined
  readonly usable?: number
  /** Lists with further entries, besides those longer than the answer shows. */
  readonly cut?: readonly string[]
}

export const distinct = (ids: readonly (string | null)[]): string[] => [...new Set(ids.flatMap((id) => id ?? []))]

// Both tables store the JSON of the contract.
const asDevice = (doc: string): Device => JSON.parse(doc) as Device
const asDiscovered = ({ doc }: { readonly doc: string }): DiscoveredDevice => JSON.parse(doc) as DiscoveredDevice

const devicesOf = async (ctx: Ctx, ids: readonly string[], max = MAX_OF_EACH): Promise<Device[]> => {
  const rows = await store.devicesByIds(ctx, distinct(ids).slice(0, max + 1))
  const docs = new Map(rows.map(({ id, doc }) => [id, doc]))
  return ids.flatMap((id) => docs.get(id) ?? []).map(asDevice)
}
const discoveredOf = async (ctx: Ctx, ids: readonly (string | null)[]): Promise<DiscoveredDevice[]> =>
  (await store.discoveredByIds(ctx, distinct(ids).slice(0, MAX_OF_EACH + 1))).map(asDiscovered)

export const bySize = (networks: readonly store.NetworkFound[]): store.NetworkFound[] =>
  networks.toSorted((a, b) => b.prefix - a.prefix || (a.id < b.id ? -1 : 1))

type PoolFound = Awaited<ReturnType<typeof store.poolsOfNetworks>>[number]

const byStart = (a: PoolFound, b: PoolFound): number =>
  a.start_key < b.start_key ? -1 : a.start_key > b.start_key ? 1 : a.id < b.id ? -1 : 1

/** Finding pools by their network is faster, but a withheld network must not change the result. */
const overlapping = async (
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

const poolsIn = async (
  ctx: Ctx,
  networks: readonly store.NetworkFound[] | 'withheld',
  range: KeyRange,
): Promise<Pool[]> => {
  const found = (await overlapping(ctx, networks, range)).toSorted(byStart).slice(0, MAX_OF_EACH + 1)
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

type Judged = { readonly key: IpKey; readonly text: string; readonly found: Found; readonly may: May }

/**
 * Returns the state of an address. For a caller who sees a part of the estate, an address in a network of the part is also assigned if
 * it is a hidden device that has it.
 */
export const stateOfAddress = async (ctx: Ctx, { key, text, found, may }: Judged): Promise<LookupState> => {
  const state = stateBySeen(key, text, found)
  if (ctx.whole === ctx || !may('devices') || (state !== 'free' && state !== 'discovered')) return state
  if (found.networks.length === 0) return state
  return (await countTakenIn(ctx.whole, { first: key, last: key })) === 0 ? state : 'assigned'
}

const stateBySeen = (key: IpKey, text: string, found: Found): LookupState => {
  const { devices, reservations = [], networks, discovered } = found
  const [nearest] = networks
  if (devices.length > 0) return 'assigned'
  if (reservations.length > 0) return 'reserved'
  if (nearest) {
    const [network, broadcast] = neverFree(nearest, spaceOfKey(key))
    if (key === network) return 'network_address'
    if (key === broadcast) return 'broadcast_address'
  }
  const isSeen = discovered.some(({ addresses }) => addresses.some(({ ip, status }) => ip === text && status === 'up'))
  if (isSeen) return 'discovered'
  return nearest ? 'free' : 'outside'
}

const findAddress = async (ctx: Ctx, { ip, text }: Subject & { kind: 'ip' }, { may, space }: Scope): Promise<Found> => {
  const key = ipKey(ip, space)
  const range = { first: key, last: key }
  const [rows, docs, reservations] = await Promise.all([
    listed(may('networks'), () => store.networksBySubnetKeys(ctx, subnetKeysAround(key))),
    listed(may('devices'), () => store.devicesAt(ctx, { key })),
    listed(may('reservations'), () => store.reservationsIn(ctx, range)),
  ])
  const networks = bySize(rows)
  const places = networks.map(({ id }) => placeOf(id, key))
  const [pools, ids] = await Promise.all([
    listed(may('pools'), () => poolsIn(ctx, may('networks') ? networks : 'withheld', range)),
    listed(may('discovered'), () =>
      may('networks') ? store.discoveredIdsAt(ctx, places) : store.discoveredIdsWith(ctx, text),
    ),
  ])
  const devices = docs.map(({ doc }) => asDevice(doc))
  const discovered = await discoveredOf(
    ctx,
    ids.map(({ id }) => id),
  )
  const found = { networks, pools, devices, discovered, reservations }
  return { ...found, state: await stateOfAddress(ctx, { key, text, found, may }) }
}

/** @param taken the number of its taken addresses, also of hidden devices */
const stateOfBlock = (
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
const takenIn = (ctx: Ctx, range: KeyRange, may: May): Promise<number | undefined> => {
  if (may('devices') && may('reservations')) return countTakenIn(ctx, range)
  if (may('devices')) return countAddressesIn(ctx, range)
  return may('reservations') ? countReservationsIn(ctx, { ...range, now: ctx.now }) : Promise.resolve(0)
}

export const findBlock = async (ctx: Ctx, { cidr, text }: BlockSubject, { may, space }: Scope): Promise<Found> => {
  const { prefix } = cidr
  const range = cidrKeys(cidr, space)
  const enclosing = enclosingBlocks(cidr).map((subnet) => `${space}${subnet}`)
  const [rows, inside, addresses, reservations, hosts] = await Promise.all([
    listed(may('networks'), () => store.networksBySubnetKeys(ctx, enclosing)),
    listed(may('networks'), () => store.networksInside(ctx, { ...range, prefix })),
    listed(may('devices'), () => store.addressesIn(ctx, range)),
    listed(may('reservations'), () => store.reservationsIn(ctx, range)),
    // Without permission for devices, no discovered device counts as documented.
    listed(may('discovered'), () =>
      may('devices') ? store.undocumentedIn(ctx, range) : store.discoveredIn(ctx, range),
    ),
  ])
  const networks = bySize(rows)
  // Of a caller who sees a part of the estate, only those of a block inside a network of it: this counts the addresses of hidden devices.
  const isCounted = ctx.whole === ctx || networks.length > 0
  const taken = isCounted ? await takenIn(ctx.whole, range, may) : undefined
  const [pools, devices] = await Promise.all([
    listed(may('pools'), () => poolsIn(ctx, may('networks') ? [...networks, ...inside] : 'withheld', range)),
    devicesOf(ctx, distinct(addresses.map(({ device_id }) => device_id)), MAX_IN_BLOCK),
  ])
  const found = { networks, inside, pools, devices, discovered: hosts.map(asDiscovered), reservations }
  const cut = store.isWholeBlock(addresses) ? [] : ['devices']
  const state = stateOfBlock(text, found, ctx.whole === ctx ? 0 : taken)
  return { ...found, state, taken, ...(isCounted && { usable: usableCount(cidr) }), cut }
}

/** Returns the networks of the devices, and those in which scans found the discovered devices. */
const networksAround = async (
  ctx: Ctx,
  { devices, discovered }: Pick<Found, 'devices' | 'discovered'>,
): Promise<store.NetworkFound[]> => {
  const addresses = devices.flatMap((device) => device.addresses)
  const space = await spaceKeys(ctx, addresses)
  const keys = [...new Set(addresses.map((address) => ipKeyOf(address.ip, space(address))))].slice(0, SOME_ADDRESSES)
  const [around, named] = await Promise.all([
    store.networksBySubnetKeys(ctx, distinct(keys.flatMap(subnetKeysAround))),
    store.networksByIds(ctx, distinct(discovered.map(({ network_id }) => network_id))),
  ])
  // Keeps only the most specific network of each address.
  const nearest = keys.flatMap((key) => {
    const subnetKeys = new Set(subnetKeysAround(key))
    const holding = bySize(around).filter(({ subnet_key }) => subnetKeys.has(subnet_key))
    return holding.filter(({ prefix }) => prefix === holding[0]?.prefix)
  })
  return bySize([...new Map([...nearest, ...named].map((network) => [network.id, network])).values()])
}

const findMac = async (ctx: Ctx, { text }: Subject, may: May): Promise<Found> => {
  const [discovered, reservations] = await Promise.all([
    listed(may('discovered'), async () => discoveredOf(ctx, await store.discoveredIdsOfMac(ctx, text))),
    listed(may('reservations'), () => store.reservationsOfMac(ctx, text)),
  ])
  const matched = discovered.map(({ matched_device_id }) => matched_device_id)
  const ofPorts = await listed(may('devices') && ctx.caller.permissions.has('ports:list'), () =>
    ports.deviceIdsOfMac(ctx, { mac: text, limit: store.SOME }),
  )
  const devices = await listed(may('devices'), async () =>
    devicesOf(ctx, distinct([...(await store.deviceIdsOfMac(ctx, text)), ...ofPorts, ...matched])),
  )
  const networks = await listed(may('networks'), () => networksAround(ctx, { devices, discovered }))
  return { devices, discovered, reservations, networks }
}

const findName = async (ctx: Ctx, { text }: Subject, may: May): Promise<Found> => {
  const [named, seen, reservations] = await Promise.all([
    listed(may('devices'), () => store.deviceIdsNamed(ctx, text)),
    listed(may('discovered'), () => store.discoveredIdsNamed(ctx, text)),
    listed(may('reservations'), () => store.reservationsNamed(ctx, text)),
  ])
  const linked = await listed(may('discovered'), () => store.discoveredOfDevices(ctx, named.slice(0, MAX_OF_EACH)))
  const discovered = await discoveredOf(ctx, [...seen, ...linked.map(({ id }) => id)])
  const matched = discovered.map(({ matched_device_id }) => matched_device_id)
  const devices = await listed(may('devices'), () => devicesOf(ctx, distinct([...named, ...matched])))
  const networks = await listed(may('networks'), () => networksAround(ctx, { devices, discovered }))
  return { devices, discovered, reservations, networks }
}

/** @param scope its space counts for addresses and blocks alone: MACs and names are looked for in all of them */
export const find = (ctx: Ctx, asked: Subject, scope: Scope): Promise<Found> => {
  if (asked.kind === 'ip') return findAddress(ctx, asked, scope)
  if (asked.kind === 'cidr') return findBlock(ctx, asked, scope)
  return asked.kind === 'mac' ? findMac(ctx, asked, scope.may) : findName(ctx, asked, scope.may)
}
