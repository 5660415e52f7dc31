/** The items of the list of services: objects of the kind `services`, with their devices. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Device } from '../../../inventory/devices/schema.ts'
import type { ObjectOfKind } from '../../../inventory/objects/api.ts'
import { type AnyQuery, fromRows } from '../../endpoint/source.ts'
import { type DeviceAddress, listAddresses, readMasks } from '../../world/addresses.ts'
import { objects } from '../../world/rows.ts'
import type { World } from '../../world/world.ts'

export type ServiceItem = {
  readonly object: ObjectOfKind
  readonly device: Device | undefined
  readonly ports: readonly number[]
  /** The addresses of the device at which it listens. */
  readonly addresses: readonly DeviceAddress[]
}

type ServiceRow = { readonly id: string }

/** The kind of services in Plat, which may not be defined. */
export const SERVICES_KIND = 'services'

/** A longer list is cut. */
const MAX_PORTS = 1000

/** @example parsePorts('80, 8000-8002') // [80, 8000, 8001, 8002] */
const parsePorts = (text: string): number[] => {
  const ports: number[] = []
  for (const part of text.split(/[,;\s]+/)) {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part) ?? []
    for (let port = Number(first); port <= Number(last) && ports.length < MAX_PORTS; port++) ports.push(port)
  }
  return ports
}

const selectRows = ({ ctx }: World): AnyQuery<ServiceRow> =>
  // The query has the columns of objects.
  objects.rows(ctx).where('objects.kind_id', '=', SERVICES_KIND) as object as AnyQuery<ServiceRow>

const orderRows = (query: AnyQuery<ServiceRow>): AnyQuery<ServiceRow> =>
  query.orderBy('objects.name_order').orderBy('objects.id')

const readDevices = async ({ ctx }: World, ids: readonly string[]): Promise<Map<string, Device>> => {
  const found = new Map<string, Device>()
  for (const batch of splitBatches(ids)) {
    const rows = await ctx.db.selectFrom('devices').select(['id', 'doc']).where('id', 'in', batch).execute()
    // The column holds the JSON of a device.
    for (const { id, doc } of rows) found.set(id, JSON.parse(doc) as Device)
  }
  return found
}

const toTexts = (value: unknown): string[] => (value === undefined ? [] : [value].flat().map(String))

const loadServices = async (world: World, rows: readonly ServiceRow[]): Promise<ServiceItem[]> => {
  const all = rows.map((row) => objects.fromRow(row))
  const ids = new Set(all.flatMap(({ custom }) => toTexts(custom?.device)))
  const devices = await readDevices(world, [...ids])
  const masks = await readMasks(world.ctx, [...devices.keys()])
  return all.map((object) => {
    const { device: deviceId, ports, addresses } = object.custom ?? {}
    const device = devices.get(String(deviceId))
    const wanted = new Set(toTexts(addresses))
    const own = device ? listAddresses(device, masks) : []
    return {
      object,
      device,
      ports: parsePorts(String(ports ?? '')),
      addresses: own.filter(({ position }) => wanted.has(device?.addresses[position]?.ip ?? '')),
    }
  })
}

export const serviceSource = fromRows<ServiceItem, ServiceRow>({
  tables: ['objects', 'kinds', 'custom_values', 'devices'],
  select: selectRows,
  order: orderRows,
  load: loadServices,
  find: async (world, keys) => {
    const found: ServiceItem[] = []
    for (const batch of splitBatches(keys)) {
      const rows = await orderRows(selectRows(world).where('objects.id', 'in', batch)).execute()
      found.push(...(await loadServices(world, rows)))
    }
    return found
  },
})
