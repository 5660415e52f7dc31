/** The items of the lists of devices and virtual machines. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { buildTextFilter } from '../../inventory/devices/list/search.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { AnyQuery } from '../endpoint/source.ts'
import { fromRows } from '../endpoint/source.ts'
import { buildInterfaceKey } from '../numbers/keys.ts'
import { type DeviceAddress, getAddress, getInterfaceName, listAddresses, readMasks } from '../world/addresses.ts'
import { isMachine, matchMachines } from '../world/machines.ts'
import type { World } from '../world/world.ts'

export type DeviceItem = {
  readonly device: Device
  readonly addresses: readonly DeviceAddress[]
  /** The numbers of ports by kind, without the ports of panels, and the interfaces that only addresses name. */
  readonly counts: PortCounts
  /** The MAC addresses of its interfaces. */
  readonly macs: readonly string[]
  /** The device that a virtual machine runs on. */
  readonly host: HostRow | undefined
}

type HostRow = { readonly id: string; readonly name: string; readonly description: string }

export type PortCounts = { readonly interfaces: number; readonly consoles: number; readonly power: number }

const NO_PORTS: PortCounts = { interfaces: 0, consoles: 0, power: 0 }

type PortRow = {
  readonly device_id: string
  readonly kind: string
  readonly name_key: string
  readonly pass_through: number
  readonly mac_address: string
}

const readPorts = async ({ ctx }: World, ids: readonly string[]): Promise<Map<string, PortRow[]>> => {
  const found: PortRow[] = []
  for (const batch of splitBatches(ids))
    found.push(
      ...(await ctx.db
        .selectFrom('ports')
        .select(['device_id', 'kind', 'name_key', 'pass_through', 'mac_address'])
        .where('device_id', 'in', batch)
        .execute()),
    )
  return Map.groupBy(found, ({ device_id }) => device_id)
}

const countPorts = (device: Device, ports: readonly PortRow[]): PortCounts => {
  if (ports.length === 0 && device.addresses.length === 0) return NO_PORTS
  const own = ports.filter(({ kind, pass_through }) => kind === 'network' && pass_through === 0)
  const names = new Set(own.map(({ name_key }) => buildInterfaceKey(device.id, name_key)))
  const others = new Set(device.addresses.map((one) => buildInterfaceKey(device.id, getInterfaceName(one))))
  const count = (wanted: string) =>
    ports.filter(({ kind, pass_through }) => kind === wanted && pass_through === 0).length
  return { interfaces: own.length + others.difference(names).size, consoles: count('console'), power: count('power') }
}

/** Reads the devices that contain virtual machines. */
const readHosts = async ({ ctx }: World, machines: readonly Device[]): Promise<Map<string, HostRow>> => {
  const hosts = new Map<string, HostRow>()
  for (const batch of splitBatches(machines.map(({ id }) => id))) {
    const rows = await ctx.db
      .selectFrom('relationships')
      .innerJoin('devices', 'devices.id', 'relationships.parent_id')
      .select(['relationships.child_id', 'devices.id', 'devices.name', 'devices.description'])
      .where('relationships.type', '=', 'contains')
      .where('relationships.child_id', 'in', batch)
      .where(matchMachines(false))
      .orderBy('devices.id')
      .execute()
    for (const { child_id, ...host } of rows) if (!hosts.has(child_id)) hosts.set(child_id, host)
  }
  return hosts
}

/** Makes the items of devices, in their order. */
export const loadDevices = async (world: World, devices: readonly Device[]): Promise<DeviceItem[]> => {
  const ids = devices.map(({ id }) => id)
  const [masks, ports] = [await readMasks(world.ctx, ids), await readPorts(world, ids)]
  const machines = devices.filter(isMachine)
  const hosts = await readHosts(world, machines)
  return devices.map((device) => {
    const own = ports.get(device.id) ?? []
    const macs = [...own, ...device.addresses].map(({ mac_address }) => mac_address)
    return {
      device,
      addresses: listAddresses(device, masks),
      counts: countPorts(device, own),
      macs: macs.filter((mac) => mac !== ''),
      host: hosts.get(device.id),
    }
  })
}

/** The columns of the times of a device. */
export const DEVICE_TIMES = { created: 'devices.created_at', last_updated: 'devices.updated_at' } as const

type DocRow = { readonly doc: string }

/** The column holds the JSON of a device. */
const parseDoc = ({ doc }: DocRow): Device => JSON.parse(doc) as Device

/** The devices that are virtual machines, or the others. */
export const createDeviceSource = (machines: boolean) => {
  const isOfKind = matchMachines(machines)
  return fromRows<DeviceItem, DocRow>({
    name: machines ? 'virtual machines' : 'devices',
    tables: ['devices', 'device_tags'],
    // The query has the columns of devices.
    select: ({ ctx }) =>
      ctx.db.selectFrom('devices').select('devices.doc').where(isOfKind) as object as AnyQuery<DocRow>,
    order: (query) => query.orderBy(sql.ref('devices.name_order')).orderBy(sql.ref('devices.id')),
    orders: {
      name: ['devices.name_order', 'devices.id'],
      created: ['devices.created_at', 'devices.id'],
      last_updated: ['devices.updated_at', 'devices.id'],
    },
    load: (world, rows) => loadDevices(world, rows.map(parseDoc)),
    find: async (world, keys) => {
      const found: DeviceItem[] = []
      for (const batch of splitBatches(keys)) {
        const rows = await world.ctx.db
          .selectFrom('devices')
          .select('devices.doc')
          .where(isOfKind)
          .where('devices.id', 'in', batch)
          .orderBy('devices.name_order')
          .orderBy('devices.id')
          .execute()
        found.push(...(await loadDevices(world, rows.map(parseDoc))))
      }
      return found
    },
  })
}

/** The condition that Plat's own list has for words. */
export const buildWordsCondition = async ({ ctx }: World, words: string): Promise<RawBuilder<SqlBool>> =>
  sql<SqlBool>`${(await buildTextFilter(ctx, words)).counted}`

export const getPrimary = ({ addresses }: DeviceItem, family?: 4 | 6): DeviceAddress | undefined =>
  addresses.find((one) => family === undefined || getAddress(one).ip.includes(':') === (family === 6))
