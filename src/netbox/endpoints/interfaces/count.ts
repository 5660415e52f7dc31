/** Counts interfaces without making them: ports by a query, and the names that only addresses have from the documents of their devices. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../../database/query/batches.ts'
import { buildInterfaceKey } from '../../numbers/keys.ts'
import { getInterfaceName } from '../../world/addresses.ts'
import type { World } from '../../world/world.ts'
import { parseDoc, selectDevices } from './source.ts'

type Conditions = readonly RawBuilder<SqlBool>[]

const countPorts = async ({ ctx }: World, conditions: Conditions): Promise<number> => {
  const ports = ctx.db
    .selectFrom('ports')
    .innerJoin('devices', 'devices.id', 'ports.device_id')
    .select(sql<number | string>`count(*)`.as('n'))
    .where('ports.kind', '=', 'network')
    .where('ports.pass_through', '=', 0)
  const { n } = await conditions.reduce((query, one) => query.where(one), ports).executeTakeFirstOrThrow()
  return Number(n)
}

/** Returns the keys of the names of the interfaces of devices. */
const readPortKeys = async ({ ctx }: World, deviceIds: readonly string[]): Promise<Set<string>> => {
  const ports = ctx.db.selectFrom('ports').select(['device_id', 'name_key']).where('device_id', 'in', deviceIds)
  const rows = await ports.where('kind', '=', 'network').where('pass_through', '=', 0).execute()
  return new Set(rows.map(({ device_id, name_key }) => buildInterfaceKey(device_id, name_key)))
}

const HAS_ADDRESS = sql<SqlBool>`EXISTS (SELECT 1 FROM addresses WHERE addresses.device_id = devices.id)`

/** @param conditions of the devices */
export const countInterfaces = async (world: World, conditions: Conditions): Promise<number> => {
  let count = await countPorts(world, conditions)
  for await (const rows of world.ctx.store.stream(selectDevices(world, [...conditions, HAS_ADDRESS])))
    for (const some of splitBatches(rows)) {
      const devices = some.map(parseDoc)
      const ports = await readPortKeys(
        world,
        devices.map(({ id }) => id),
      )
      const names = devices.flatMap(({ id, addresses }) =>
        addresses.map((address) => buildInterfaceKey(id, getInterfaceName(address))),
      )
      count += new Set(names).difference(ports).size
    }
  return count
}
