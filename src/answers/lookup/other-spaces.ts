/** Finds in which address spaces an address or a block is known, and its state there. */

import { buildNetworkKey } from '../../discovery/discovery.ts'
import type { DiscoveredDevice } from '../../discovery/schema.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import { listSubnetKeysAround } from '../../inventory/networks/membership.ts'
import * as reservations from '../../inventory/reservations/reservations.ts'
import { DEFAULT } from '../../inventory/spaces/fields.ts'
import type { NamedSpace } from '../../inventory/spaces/keys.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toCidrKeys } from '../../net/cidr.ts'
import { DEFAULT_SPACE, getSpaceKey, replaceSpace, type SpaceKey, toIpKey } from '../../net/ip.ts'
import type { Subject } from '../../net/subject.ts'
import type { LookupElsewhere } from './api.ts'
import {
  type BlockSubject,
  type Found,
  findAddressState,
  findBlock,
  listEnclosingBlocks,
  type May,
  sortBySize,
} from './find.ts'
import * as store from './store.ts'
import { formatSummary } from './summary.ts'

type AddressSubject = Subject & { readonly kind: 'ip' }

/** Known records of a space, without pools. */
type Known = { readonly space: SpaceKey; readonly found: Found }

/** The default space, as an entry among the others. */
const DEFAULT_ENTRY = { id: null, name: DEFAULT, key: DEFAULT_SPACE } as const

type Entry = NamedSpace | typeof DEFAULT_ENTRY

/** Adds to the list of a key. */
const push = <Key, One>(lists: Map<Key, One[]>, key: Key, one: One): void => {
  const list = lists.get(key)
  if (list) list.push(one)
  else lists.set(key, [one])
}

/** Returns the devices with an address, by space. A space with several of them takes a query of its own. */
const findHoldersBySpace = async (ctx: Ctx, { text }: AddressSubject): Promise<Map<SpaceKey, Device[]>> => {
  const found = await store.holdersInSpaces(ctx, { ip: text })
  const single = found.filter(({ n }) => Number(n) === 1)
  const docs = new Map(
    (
      await store.devicesByIds(
        ctx,
        single.map(({ id }) => id),
      )
    ).map(({ id, doc }) => [id, doc]),
  )
  const devices = new Map<SpaceKey, Device[]>()
  for (const { ip_key, id, n } of found) {
    const all =
      Number(n) === 1
        ? [docs.get(id) ?? []].flat()
        : (await store.devicesAt(ctx, { key: ip_key })).map(({ doc }) => doc)
    // The column holds the JSON of a device.
    devices.set(
      getSpaceKey(ip_key),
      all.map((doc) => JSON.parse(doc) as Device),
    )
  }
  return devices
}

/** Returns the discovered devices with an address in the nearest networks of spaces, by space. */
const findDiscoveredBySpace = async (
  ctx: Ctx,
  nearest: ReadonlyMap<string, SpaceKey>,
): Promise<Map<SpaceKey, DiscoveredDevice[]>> => {
  const rows = await store.discoveredAtPlaces(ctx, [...nearest.keys()])
  const docs = new Map(
    (
      await store.discoveredByIds(
        ctx,
        rows.map(({ id }) => id),
      )
    ).map(({ id, doc }) => [id, doc]),
  )
  const seen = new Map<SpaceKey, DiscoveredDevice[]>()
  for (const { place, id } of rows) {
    const [space, doc] = [nearest.get(place), docs.get(id)]
    // The column holds the JSON of a discovered device.
    if (space !== undefined && doc !== undefined) push(seen, space, JSON.parse(doc) as DiscoveredDevice)
  }
  return seen
}

/** Returns what is known of an address in all spaces, with a few queries for all of them. */
const findAddressInSpaces = async (ctx: Ctx, asked: AddressSubject, may: May): Promise<Known[]> => {
  const key = toIpKey(asked.ip, DEFAULT_SPACE)
  const [networkRows, devices, reserved] = await Promise.all([
    may('networks') ? store.networksBySubnets(ctx, listSubnetKeysAround(key)) : [],
    may('devices') ? findHoldersBySpace(ctx, asked) : new Map<SpaceKey, Device[]>(),
    may('reservations') ? store.reservationsInSpaces(ctx, { first: key, last: key, now: ctx.now }) : [],
  ])
  const networks = new Map<SpaceKey, store.NetworkFound[]>()
  for (const network of networkRows) push(networks, getSpaceKey(network.subnet_key), network)
  const places = new Map<string, SpaceKey>()
  if (may('discovered'))
    for (const [space, all] of networks)
      if (!devices.has(space))
        for (const { id } of all) places.set(buildNetworkKey(id, replaceSpace(key, space)), space)
  const seen = await findDiscoveredBySpace(ctx, places)
  const reservationsBySpace = new Map<SpaceKey, typeof reserved>()
  for (const row of reserved) push(reservationsBySpace, getSpaceKey(row.ip_key), row)
  const spaces = new Set([...networks.keys(), ...devices.keys(), ...reservationsBySpace.keys()])
  return Promise.all(
    [...spaces].map(async (space): Promise<Known> => {
      const found = {
        networks: sortBySize(networks.get(space) ?? []),
        devices: devices.get(space) ?? [],
        discovered: seen.get(space) ?? [],
        reservations: (reservationsBySpace.get(space) ?? []).map(({ ip_key: _, ...row }) => reservations.fromRow(row)),
      }
      const judged = { key: replaceSpace(key, space), text: asked.text, found, may }
      return { space, found: { ...found, state: await findAddressState(ctx, judged) } }
    }),
  )
}

/** Returns the keys of the spaces that have a network around a block, or networks or taken addresses in it. */
const findSpacesWithBlock = async (ctx: Ctx, { cidr }: BlockSubject, may: May): Promise<Set<SpaceKey>> => {
  const { first, last } = toCidrKeys(cidr, DEFAULT_SPACE)
  const { prefix } = cidr
  const [around, using] = await Promise.all([
    may('networks') ? store.networksBySubnets(ctx, listEnclosingBlocks(cidr)) : [],
    store.spacesUsing(ctx, { first, last, prefix, now: ctx.now }),
  ])
  const inUse = using.filter((row) =>
    (['networks', 'devices', 'reservations'] as const).some((part) => may(part) && row[part]),
  )
  return new Set([...around.map(({ subnet_key }) => getSpaceKey(subnet_key)), ...inUse.map(({ space }) => space)])
}

const findBlockInSpaces = async (ctx: Ctx, asked: BlockSubject, may: May): Promise<Known[]> => {
  const known: Known[] = []
  for (const space of await findSpacesWithBlock(ctx, asked, may))
    known.push({ space, found: await findBlock(ctx, asked, { may, space }) })
  return known
}

const buildEntry = (
  ctx: Ctx,
  asked: AddressSubject | BlockSubject,
  { space, found }: { space: Entry; found: Found },
): LookupElsewhere => {
  const {
    state = 'outside',
    taken,
    usable,
    cut = [],
    networks,
    inside = [],
    devices,
    discovered,
    reservations = [],
  } = found
  const facts = {
    query: asked.text,
    kind: asked.kind,
    state,
    networks: networks.map(store.toLookupNetwork),
    inside: inside.map(store.toLookupNetwork),
    devices,
    discovered,
    reservations,
  }
  const counts = { ...(taken !== undefined && { taken }), ...(usable !== undefined && { usable }) }
  const summary = formatSummary({ ...facts, ...counts, more: [...cut], withheld: [], now: ctx.now })
  return { space_id: space.id, space: space.name, state, summary }
}

/** The spaces that know an address or a block: the default one first, then by name. */
export type Elsewhere = readonly { readonly key: SpaceKey; readonly entry: LookupElsewhere }[]

/** @param spaces all but the default one, by name */
export const findInSpaces = async (
  ctx: Ctx,
  asked: AddressSubject | BlockSubject,
  { may, spaces }: { readonly may: May; readonly spaces: readonly NamedSpace[] },
): Promise<Elsewhere> => {
  const all = await (asked.kind === 'ip' ? findAddressInSpaces(ctx, asked, may) : findBlockInSpaces(ctx, asked, may))
  const found = new Map(all.map((known) => [known.space, known.found]))
  return [DEFAULT_ENTRY, ...spaces].flatMap((space) => {
    const known = found.get(space.key)
    if (known === undefined || known.state === 'outside') return []
    return [{ key: space.key, entry: buildEntry(ctx, asked, { space, found: known }) }]
  })
}
