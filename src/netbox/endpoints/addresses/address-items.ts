/** The items of the list of addresses: addresses of devices and virtual machines, and live reservations. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Address, Device } from '../../../inventory/devices/schema.ts'
import { findNetworksHolding } from '../../../inventory/networks/membership.ts'
import type { Reservation } from '../../../inventory/reservations/api.ts'
import { columns, fromRow, isLive } from '../../../inventory/reservations/reservations.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import { DEFAULT_SPACE, getSpaceKey, type IpKey, parseIpKeyOrThrow } from '../../../net/ip.ts'
import type { Custom } from '../../../resource/custom/fields.ts'
import { buildInterfaceKey } from '../../numbers/keys.ts'
import {
  buildMaskKey,
  type DeviceAddress,
  describeAddress,
  getAddress,
  getAddressKey,
  getInterfaceName,
  listAddresses,
  type Masks,
  readMasks,
} from '../../world/addresses.ts'
import { toDescription } from '../../world/nested.ts'
import { readCables, type ShownInterface } from '../../world/nested-interfaces.ts'
import type { World } from '../../world/world.ts'

/** An address of a device by its position, or a reservation, whose position is -1. */
export type AddressRow = {
  readonly ip_key: IpKey
  /** The id of the device or of the reservation. */
  readonly owner: string
  readonly position: number
}

/** An address of a device, with its interface. */
export type Held = {
  readonly device: Device
  readonly position: number
  readonly address: Address
  readonly interface: ShownInterface
}

export type AddressItem = {
  /** The key of its number. */
  readonly key: string
  readonly ip: string
  readonly spaceId: string | null
  /** The length of the prefix of its network; undefined in none. */
  readonly mask: number | undefined
  readonly dnsName: string
  readonly description: string
  readonly custom: Custom | undefined
  readonly times: { readonly created_at: string; readonly updated_at: string }
  readonly held?: Held
  readonly reservation?: Reservation
}

/** A row of the list with what it is about. */
type Keyed = { readonly row: AddressRow; readonly item: AddressItem }

type Port = { readonly id: string; readonly device_id: string; readonly name: string; readonly description: string }

/** Reads devices by id. */
const readDevices = async ({ db }: Ctx, ids: readonly string[]): Promise<Map<string, Device>> => {
  const devices = new Map<string, Device>()
  // The column holds the JSON of a device.
  for (const batch of splitBatches(ids))
    for (const { id, doc } of await db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', batch).execute())
      devices.set(id, JSON.parse(doc) as Device)
  return devices
}

/** Reads the ports of devices that are interfaces, by the key of their name. */
const readInterfaces = async ({ db }: Ctx, deviceIds: readonly string[]): Promise<Map<string, Port>> => {
  const ports = new Map<string, Port>()
  for (const batch of splitBatches(deviceIds)) {
    const rows = await db
      .selectFrom('ports')
      .select(['id', 'device_id', 'name', 'description'])
      .where('device_id', 'in', batch)
      .where('kind', '=', 'network')
      .where('pass_through', '=', 0)
      .execute()
    for (const port of rows) ports.set(buildInterfaceKey(port.device_id, port.name), port)
  }
  return ports
}

const toItem = (one: DeviceAddress, shown: ShownInterface): AddressItem => {
  const address = getAddress(one)
  const { device, position, mask } = one
  return {
    key: getAddressKey(one),
    ip: address.ip,
    spaceId: address.space_id ?? null,
    mask,
    dnsName: address.dns_name,
    description: describeAddress(address),
    custom: address.custom,
    times: device,
    held: { device, position, address, interface: shown },
  }
}

/** Makes the items of addresses of devices. */
export const loadHeld = async (world: World, all: readonly DeviceAddress[]): Promise<AddressItem[]> => {
  const ids = [...new Set(all.map(({ device }) => device.id))]
  const ports = await readInterfaces(world.ctx, ids)
  const named = all.map((one) => {
    const name = getInterfaceName(getAddress(one))
    const key = buildInterfaceKey(one.device.id, name)
    return { one, name, key, port: ports.get(key) }
  })
  const cables = await readCables(world.ctx, [...new Set(named.flatMap(({ port }) => port?.id ?? []))])
  return named.map(({ one, name, key, port }) =>
    toItem(one, {
      key: port?.id ?? key,
      name: port?.name ?? name,
      description: port?.description ?? '',
      device: one.device,
      cable: port && cables.get(port.id),
    }),
  )
}

/** Returns the ids of the spaces of keys. */
const findSpaceIds = async ({ db }: Ctx, keys: readonly IpKey[]): Promise<ReadonlyMap<string, string>> => {
  const wanted = [...new Set(keys.map(getSpaceKey))].filter((key) => key !== '')
  if (wanted.length === 0) return new Map()
  const rows = await db.selectFrom('space_keys').selectAll().where('space_key', 'in', wanted).execute()
  return new Map(rows.map(({ space_key, space_id }) => [space_key, space_id]))
}

/** Returns the masks of addresses: the lengths of their most specific networks, where the caller sees these. */
const findMasks = async (ctx: Ctx, keys: readonly IpKey[]): Promise<ReadonlyMap<IpKey, number>> => {
  const holding = await findNetworksHolding(ctx.unscoped, keys)
  const ids = [...new Set([...holding.values()].flat())]
  const prefixes = new Map<string, number>()
  for (const batch of splitBatches(ids))
    for (const { id, prefix } of await ctx.db
      .selectFrom('networks')
      .select(['id', 'prefix'])
      .where('id', 'in', batch)
      .execute())
      prefixes.set(id, prefix)
  return new Map(
    keys.flatMap((key) => {
      const prefix = holding.get(key)?.flatMap((id) => prefixes.get(id) ?? [])[0]
      return prefix === undefined ? [] : [[key, prefix] as const]
    }),
  )
}

/** Reads live reservations with their masks and spaces. */
export const loadFree = async (world: World, ids: readonly string[]): Promise<Keyed[]> => {
  const { ctx } = world
  const select = () => ctx.db.selectFrom('reservations').select(columns).select('ip_key').where(isLive(ctx.now))
  const rows: Awaited<ReturnType<ReturnType<typeof select>['execute']>> = []
  for (const batch of splitBatches(ids)) rows.push(...(await select().where('id', 'in', batch).execute()))
  const keys = rows.map(({ ip_key }) => ip_key)
  const [masks, spaces] = [await findMasks(ctx, keys), await findSpaceIds(ctx, keys)]
  return rows.map(({ ip_key, ...row }) => {
    const reservation = fromRow(row)
    const { id, ip_address, hostname, purpose, custom } = reservation
    const item = {
      key: id,
      ip: ip_address,
      spaceId: spaces.get(getSpaceKey(ip_key)) ?? null,
      mask: masks.get(ip_key),
      dnsName: hostname,
      description: toDescription(purpose),
      custom,
      times: reservation,
      reservation,
    }
    return { row: { ip_key, owner: id, position: -1 }, item }
  })
}

/** Makes the items of rows, in their order. */
export const loadAddresses = async (world: World, rows: readonly AddressRow[]): Promise<AddressItem[]> => {
  const held = rows.filter(({ position }) => position >= 0)
  const ids = [...new Set(held.map(({ owner }) => owner))]
  const [devices, masks]: [Map<string, Device>, Masks] = [
    await readDevices(world.ctx, ids),
    await readMasks(world.ctx, ids),
  ]
  const found = held.flatMap((row) => {
    const device = devices.get(row.owner)
    // A later commit may have changed the device.
    if (!device?.addresses[row.position]) return []
    return [{ row, one: { device, position: row.position, mask: masks.get(buildMaskKey(device.id, row.position)) } }]
  })
  const items = await loadHeld(
    world,
    found.map(({ one }) => one),
  )
  const free = await loadFree(
    world,
    rows.filter(({ position }) => position < 0).map(({ owner }) => owner),
  )
  const byOwner = new Map<string, AddressItem>(free.map(({ row, item }) => [row.owner, item]))
  for (const [i, { row }] of found.entries()) {
    const { [i]: item } = items
    if (item) byOwner.set(`${row.owner} ${row.position}`, item)
  }
  return rows.flatMap(({ owner, position }) => byOwner.get(position < 0 ? owner : `${owner} ${position}`) ?? [])
}

/** Returns the parts of a key of an address of a device; undefined for the id of a reservation. */
export const parseAddressKey = (
  key: string,
): { readonly deviceId: string; readonly spaceId: string | null; readonly ip: string } | undefined => {
  const [deviceId = '', spaceId = '', ip] = key.split(' ')
  return ip === undefined ? undefined : { deviceId, spaceId: spaceId || null, ip }
}

const byAddress = (a: AddressItem, b: AddressItem): number => {
  const [one, other] = [parseIpKeyOrThrow(a.ip, DEFAULT_SPACE), parseIpKeyOrThrow(b.ip, DEFAULT_SPACE)]
  if (one !== other) return one < other ? -1 : 1
  return a.key < b.key ? -1 : 1
}

/** Returns the items of keys, by address. */
export const findAddresses = async (world: World, keys: readonly string[]): Promise<AddressItem[]> => {
  const deviceIds = [...new Set(keys.flatMap((key) => parseAddressKey(key)?.deviceId ?? []))]
  const [devices, masks] = [await readDevices(world.ctx, deviceIds), await readMasks(world.ctx, deviceIds)]
  const wanted = new Set(keys)
  const held = [...devices.values()]
    .flatMap((device) => listAddresses(device, masks))
    .filter((one) => wanted.has(getAddressKey(one)))
  const free = await loadFree(
    world,
    keys.filter((key) => parseAddressKey(key) === undefined),
  )
  return [...(await loadHeld(world, held)), ...free.map(({ item }) => item)].sort(byAddress)
}
