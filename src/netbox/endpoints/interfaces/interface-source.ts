/** The lists of the interfaces of devices, of virtual machines, or of both. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { Source, Table } from '../../endpoint/endpoint.ts'
import { matchMachines } from '../../world/machines.ts'
import { countInterfaces } from './count.ts'
import { type InterfaceItem, listInterfaces } from './items.ts'
import { loadLinks } from './links.ts'
import { fromDevices } from './source.ts'

export const INTERFACE_TABLES: readonly Table[] = ['devices', 'device_tags', 'ports', 'cables', 'cable_ends']

/** Returns the ids of the devices of interfaces. The caller may see no port, but the interface of an address. */
export const findDeviceIds = async ({ unscoped }: Ctx, keys: readonly string[]): Promise<string[]> => {
  const found = keys.flatMap((key) => (key.includes(':') ? key.slice(0, key.indexOf(':')) : []))
  const ids = keys.filter((key) => !key.includes(':'))
  for (const batch of splitBatches(ids)) {
    const rows = await unscoped.db.selectFrom('ports').select('device_id').distinct().where('id', 'in', batch).execute()
    found.push(...rows.map(({ device_id }) => device_id))
  }
  return found
}

/** @param machines selects the interfaces of virtual machines */
export const createInterfaceSource = (machines: boolean): Source<InterfaceItem> =>
  fromDevices<InterfaceItem>({
    name: machines ? 'interfaces of machines' : 'interfaces',
    tables: INTERFACE_TABLES,
    isOfKind: matchMachines(machines),
    list: listInterfaces,
    count: countInterfaces,
    load: loadLinks,
    key: ({ key }) => key,
    findDeviceIds: ({ ctx }, keys) => findDeviceIds(ctx, keys),
  })
