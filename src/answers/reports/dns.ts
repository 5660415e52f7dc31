/** Documented devices whose PTR names are others. */
import { type SqlBool, sql } from 'kysely'
import type { Device } from '../../inventory/devices/schema.ts'
import { haveCommonName, normalizeName, toDocumentedNames } from './names.ts'
import { loadDevices } from './objects.ts'
import type { Found, Report, Scope } from './report.ts'

type Documented = Pick<Device, 'hostname' | 'domains' | 'name'>

/** Returns the PTR names, in order, that are no name of the device. */
const listOthers = ({ hostname, domains, name }: Documented, ptrNames: readonly string[]): string[] => {
  const documented = toDocumentedNames(hostname, domains, name)
  return ptrNames.filter((ptr) => !haveCommonName(documented, { names: [normalizeName(ptr)], labels: [] }))
}

type Row = {
  readonly id: string
  /** Between blanks. */
  readonly ptr_names: string
  readonly hostname: string
  readonly name: string
  readonly domains: string
}

/** True unless the PTR name of the address `a` is obviously one of the device `d`; a comparison in detail decides about the others. */
export const differs = sql<SqlBool>`a.ptr_label <> d.hostname_key AND a.ptr_names <> d.hostname_key AND a.ptr_names <> d.name_key`

/** Reads the PTR names of devices that are seen up. Most that are a name of the device are left out. */
const findNames = async ({ whole }: Scope, ids?: readonly string[]): Promise<Row[]> => {
  const { past, slowMark } = whole.store.sql
  const [hostname, domains] = [past.text('d.doc', 'hostname'), past.text('d.doc', 'domains')].map((text) =>
    sql.raw(text),
  )
  const some = ids ? sql`d.id IN (${sql.join(ids)})` : sql`1 = 1`
  const { rows } = await sql<Row>`
    SELECT d.id, a.ptr_names, d.name, ${hostname} AS hostname, ${domains} AS domains
    FROM discovered_devices AS x CROSS JOIN devices AS d CROSS JOIN discovered_addresses AS a
    WHERE ${some} AND x.status = 'up' AND x.matched_device_id IS NOT NULL AND d.id = x.matched_device_id
      AND a.device_id = x.id AND a.status = 'up' AND a.ptr_names <> '' AND ${differs}
      AND (d.hostname_key <> '' OR EXISTS (SELECT 1 FROM device_domains AS o WHERE o.device_id = d.id))
    ORDER BY d.name_order, d.id, a.ip_key ${slowMark}`.execute(whole.db)
  return rows
}

/** Returns the PTR names that are no name of their devices, by device. */
const findOthers = async (scope: Scope, ids?: readonly string[]): Promise<Map<string, string[]>> => {
  const others = new Map<string, string[]>()
  for (const [id, rows] of Map.groupBy(await findNames(scope, ids), (row) => row.id)) {
    const [first] = rows
    if (!first) continue
    // The stored list of a device.
    const device = { ...first, domains: JSON.parse(first.domains) as string[] }
    const found = listOthers(device, [...new Set(rows.flatMap(({ ptr_names }) => ptr_names.split(' ')))])
    if (found.length > 0) others.set(id, found)
  }
  return others
}

export const dnsMismatch: Report = {
  name: 'dns-mismatch',
  title: 'DNS mismatches',
  description: 'Devices with a PTR name that is none of their documented names',
  permissions: ['devices:list'],
  days: null,
  uses: ['network_id', 'datacenter_id'],
  tables: [
    ...(['devices', 'device_domains', 'addresses', 'network_addresses', 'networks'] as const),
    ...(['discovered_devices', 'discovered_addresses'] as const),
  ],
  owner: 'devices',
  find: async (scope) => [...(await findOthers(scope)).keys()].map((id): Found => ({ id, since: '', item: '' })),
  describe: async (scope, found) => {
    const others = await findOthers(
      scope,
      found.map(({ id }) => id),
    )
    const getKnown = await loadDevices(scope, found)
    return (one) => {
      const [known, observed] = [getKnown(one), others.get(one.id)]
      if (!known || !observed) return undefined
      const { device, base } = known
      const documented = [device.hostname, ...device.domains].filter((one) => one !== '').join(', ')
      return {
        ...base,
        id: `dns-mismatch:${device.id}`,
        message: `The DNS calls it ${observed.join(', ')}, the documentation ${documented}: correct one of them`,
        details: { documented, observed: observed.join(', ') },
      }
    }
  },
}
