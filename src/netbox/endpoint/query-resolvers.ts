/** How requests name devices, interfaces and addresses: by queries, because there may be many. */
import type { Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { normalizeIp } from '../../net/ip.ts'
import { toNameKey } from '../../net/name-order.ts'
import { buildAddressKey, buildInterfaceKey } from '../numbers/keys.ts'
import { findKeys } from '../numbers/numbers.ts'
import { getInterfaceName } from '../world/addresses.ts'
import { matchMachines } from '../world/machines.ts'
import type { World } from '../world/world.ts'
import type { Resolver } from './resolver.ts'

/** Devices are found by a query: there may be many. @param isMachine selects virtual machines */
export const createDeviceResolver = (
  kind: 'dcim.device' | 'virtualization.virtualmachine',
  isMachine: boolean,
): Resolver => {
  const select = ({ ctx }: World) => ctx.db.selectFrom('devices').select('devices.id').where(matchMachines(isMachine))
  return {
    kind,
    attributes: ['name', 'asset_tag', 'serial'],
    byNumbers: async (world, numbers) => {
      const keys = await findKeys(world.writer, kind, numbers)
      if (keys.size === 0) return new Map()
      const seen = await select(world)
        .where('devices.id', 'in', [...keys.values()])
        .execute()
      const ids = new Set(seen.map(({ id }) => id))
      return new Map([...keys].filter(([, id]) => ids.has(id)))
    },
    byAttribute: async (world, attribute, value) => {
      const column = ({ name: 'name_key', asset_tag: 'asset_key', serial: 'serial_key' } as const)[attribute]
      if (!column) return []
      const found = select(world).where(column, '=', toNameKey(value)).orderBy('devices.id').limit(MAX_NAMESAKES)
      return (await found.execute()).map(({ id }) => id)
    },
  }
}

/** The largest number of devices of one name that a filter by it takes. */
const MAX_NAMESAKES = 1000

const filterSeen = async (
  { db }: Ctx,
  table: 'devices' | 'ports' | 'reservations',
  ids: readonly string[],
): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const rows = await db.selectFrom(table).select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

/** Returns the part of a key before the separator: the id of its device. Ids of objects have none. */
const splitKey = (key: string, separator: ' ' | ':'): string | undefined => {
  const at = key.indexOf(separator)
  return at === -1 ? undefined : key.slice(0, at)
}

/** Keeps the keys that are ids of visible rows, or belong to visible devices. */
const keepSeen = async (
  { ctx }: World,
  keys: ReadonlyMap<number, string>,
  { table, separator }: { readonly table: 'ports' | 'reservations'; readonly separator: ' ' | ':' },
): Promise<Map<number, string>> => {
  const all = [...keys.values()]
  const ids = all.filter((key) => splitKey(key, separator) === undefined)
  const owners = all.flatMap((key) => splitKey(key, separator) ?? [])
  const [seen, devices] = [await filterSeen(ctx, table, ids), await filterSeen(ctx, 'devices', owners)]
  return new Map(
    [...keys].filter(([, key]) => {
      const owner = splitKey(key, separator)
      return owner === undefined ? seen.has(key) : devices.has(owner)
    }),
  )
}

const OWNERS = { 'dcim.interface': 'device', 'virtualization.vminterface': 'virtual_machine' } as const

/** Returns the ids of the devices that an attribute names: by number, name or a record of them. */
const findOwners = async (world: World, devices: Resolver, value: unknown): Promise<readonly string[]> => {
  const given = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  const id = given ? given.id : value
  if (typeof id === 'number') return [...(await devices.byNumbers(world, [id])).values()]
  return devices.byAttribute(world, 'name', String(given ? given.name : value))
}

export const createInterfaceResolver = (kind: keyof typeof OWNERS): Resolver => {
  const isMachine = kind === 'virtualization.vminterface'
  const devices = createDeviceResolver(isMachine ? 'virtualization.virtualmachine' : 'dcim.device', isMachine)
  return {
    kind,
    attributes: ['name', OWNERS[kind]],
    byNumbers: async (world, numbers) =>
      keepSeen(world, await findKeys(world.writer, kind, numbers), { table: 'ports', separator: ':' }),
    byAttribute: async () => [],
    byAttributes: async (world, { [OWNERS[kind]]: owner, name }) => {
      if (owner === undefined || typeof name !== 'string') return []
      const found: string[] = []
      for (const id of await findOwners(world, devices, owner)) {
        const port = world.ctx.db.selectFrom('ports').select('id').where('device_id', '=', id)
        const row = await port.where('name_key', '=', toNameKey(name.trim())).executeTakeFirst()
        if (row) found.push(row.id)
        else if (await hasInterfaceName(world, id, name)) found.push(buildInterfaceKey(id, name.trim()))
      }
      return found
    },
  }
}

const hasInterfaceName = async ({ ctx }: World, deviceId: string, name: string): Promise<boolean> => {
  const row = await ctx.db.selectFrom('devices').select('doc').where('id', '=', deviceId).executeTakeFirst()
  if (!row) return false
  // The column holds the JSON of a device.
  const { addresses } = JSON.parse(row.doc) as Pick<Device, 'addresses'>
  return addresses.some((one) => toNameKey(getInterfaceName(one)) === toNameKey(name.trim()))
}

export const ADDRESS_RESOLVER: Resolver = {
  kind: 'ipam.ipaddress',
  attributes: ['address'],
  byNumbers: async (world, numbers) =>
    keepSeen(world, await findKeys(world.writer, 'ipam.ipaddress', numbers), { table: 'reservations', separator: ' ' }),
  byAttribute: async ({ ctx }, _, value) => {
    const ip = normalizeIp(value.replace(/\/\d+$/, ''))
    if (ip === undefined) return []
    const rows = ctx.db
      .selectFrom('addresses')
      .innerJoin('devices', 'devices.id', 'addresses.device_id')
      .select(['devices.id', 'devices.doc'])
      .where('addresses.ip', '=', ip)
    const held = (await rows.execute()).flatMap(({ id, doc }) => {
      // The column holds the JSON of a device.
      const { addresses } = JSON.parse(doc) as { addresses: { ip: string; space_id?: string }[] }
      const own = addresses.find((one) => one.ip === ip)
      return own ? [buildAddressKey(id, own.space_id ?? null, ip)] : []
    })
    const free = ctx.db.selectFrom('reservations').select('id').where('ip_address', '=', ip)
    return [...new Set([...held, ...(await free.execute()).map(({ id }) => id)])]
  },
}
