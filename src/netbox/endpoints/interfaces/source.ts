/** A list of things of devices: read in the order of the devices, some devices at a time. Conditions in SQL choose devices. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Device } from '../../../inventory/devices/schema.ts'
import type { Condition } from '../../endpoint/condition.ts'
import type { Page, Source, Table } from '../../endpoint/endpoint.ts'
import { countChunks, cutPage, rememberCount } from '../../endpoint/source.ts'
import type { World } from '../../world/world.ts'

/** The devices of which things are read at once: a switch has many. */
const MAX_DEVICES_AT_ONCE = 100
/** The things of which answers are made at once. */
const MAX_ITEMS_AT_ONCE = 500

/** A condition of things. Its SQL finds all devices with things that meet it, and perhaps others. */
export type DeviceCondition<Item> = Condition<Item> & {
  /** The test needs the parts that `load` adds. */
  readonly needsLoad?: true
  /** Not all things of the devices that its SQL finds meet it. */
  readonly narrows?: true
}

type Parts<Item> = {
  /** Tells lists of the same tables apart. */
  readonly name: string
  readonly tables: readonly Table[]
  /** The condition of the devices. */
  readonly isOfKind: RawBuilder<SqlBool>
  /** Returns the things of devices in their order. */
  readonly list: (world: World, devices: readonly Device[]) => Promise<readonly Item[]>
  /** Adds the parts that only answers show. */
  readonly load: (world: World, items: readonly Item[]) => Promise<readonly Item[]>
  /** Counts the things of all devices that meet the conditions, without making them. */
  readonly count?: (world: World, conditions: readonly RawBuilder<SqlBool>[]) => Promise<number>
  readonly key: (item: Item) => string
  /** Returns the ids of the devices that may have the things of these keys. */
  readonly findDeviceIds: (world: World, keys: readonly string[]) => Promise<readonly string[]>
}

type DocRow = { readonly doc: string }

/** The column holds the JSON of a device. */
export const parseDoc = ({ doc }: DocRow): Device => JSON.parse(doc) as Device

/** Selects devices without an order. */
export const selectDevices = ({ ctx }: World, conditions: readonly RawBuilder<SqlBool>[]) =>
  conditions.reduce((query, condition) => query.where(condition), ctx.db.selectFrom('devices').select('devices.doc'))

const selectInOrder = (world: World, conditions: readonly RawBuilder<SqlBool>[]) =>
  selectDevices(world, conditions).orderBy(sql.ref('devices.name_order')).orderBy(sql.ref('devices.id'))

export const fromDevices = <Item>({
  name,
  tables,
  isOfKind,
  list,
  load,
  count,
  key,
  findDeviceIds,
}: Parts<Item>): Source<Item> => {
  async function* listChunks(
    world: World,
    conditions: readonly DeviceCondition<Item>[],
    isWhole: boolean,
  ): AsyncGenerator<readonly Item[]> {
    const query = selectInOrder(world, [isOfKind, ...conditions.flatMap((one) => one.sql ?? [])])
    const needsLoad = conditions.some((one) => one.needsLoad)
    const make = async (rows: readonly DocRow[]) => {
      const items = await list(world, rows.map(parseDoc))
      return needsLoad ? load(world, items) : items
    }
    if (!isWhole) {
      // Most pages end before a stream is worth its connection.
      const first = await query.limit(MAX_DEVICES_AT_ONCE).execute()
      yield await make(first)
      if (first.length < MAX_DEVICES_AT_ONCE) return
    }
    const others = isWhole ? query : query.offset(MAX_DEVICES_AT_ONCE).limit(Number.MAX_SAFE_INTEGER)
    for await (const rows of world.ctx.store.stream(others))
      for (const some of splitBatches(rows, MAX_DEVICES_AT_ONCE)) yield await make(some)
  }
  return {
    tables,
    items: async function* (world, conditions, page: Page) {
      const isLoaded = conditions.some((one: DeviceCondition<Item>) => one.needsLoad)
      for await (const items of cutPage(listChunks(world, conditions, page.limit === undefined), conditions, page))
        for (const some of splitBatches(items, MAX_ITEMS_AT_ONCE)) yield isLoaded ? some : await load(world, some)
    },
    count: (world, conditions) =>
      rememberCount(
        world,
        tables,
        conditions,
        () =>
          count && conditions.every((one: DeviceCondition<Item>) => one.sql && !one.narrows)
            ? count(world, [isOfKind, ...conditions.flatMap((one) => one.sql ?? [])])
            : countChunks(listChunks(world, conditions, true), conditions),
        name,
      ),
    find: async (world, keys) => {
      const wanted = new Set(keys)
      const found: Item[] = []
      for (const batch of splitBatches([...new Set(await findDeviceIds(world, keys))])) {
        const isOneOf = sql<SqlBool>`devices.id IN (${sql.join(batch)})`
        const rows = await selectInOrder(world, [isOfKind, isOneOf]).execute()
        found.push(...(await list(world, rows.map(parseDoc))).filter((item) => wanted.has(key(item))))
      }
      return load(world, found)
    },
  }
}
