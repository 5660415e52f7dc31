/** The numbers of objects that belong to tenants and clusters, by custom fields that refer to these. */
import { sql } from 'kysely'
import { loadFields } from '../../resource/custom/definitions.ts'
import { readNumberKey } from '../../resource/custom/values.ts'
import { type Counter, countBy, countByCustom, DEVICE_TABLES, isOneOf, type Row } from './counters.ts'
import { MACHINE_TAG } from './machines.ts'

const ofTenants = (resource: string, machines?: boolean): Counter =>
  countByCustom({
    ...{ name: `tenant ${resource} ${machines ?? ''}`, resource, field: 'tenant' },
    ...(machines !== undefined && { machines }),
  })

export const TENANT_DEVICES = ofTenants('devices', false)
export const TENANT_MACHINES = ofTenants('devices', true)
export const TENANT_PREFIXES = ofTenants('networks')
export const TENANT_RACKS = ofTenants('racks')
export const TENANT_VLANS = ofTenants('vlans')
export const TENANT_VRFS = ofTenants('spaces')
export const TENANT_CIRCUITS = ofTenants('circuits')

/** Addresses have no table of their own: the values of the addresses that the caller sees are counted. */
export const TENANT_ADDRESSES: Counter = {
  name: 'tenant addresses',
  tables: ['custom_fields', 'custom_values'],
  count: async (ctx, keys) => {
    const definition = (await loadFields(ctx, 'addresses')).get('tenant')
    if (!definition) return new Map()
    const values = countBy(
      '',
      [],
      (some) =>
        sql<Row>`SELECT value AS key, count(*) AS n FROM custom_values WHERE field = ${definition.number} ${isOneOf('value', some)} GROUP BY value`,
    )
    return values.count(ctx, keys)
  },
}

export const CLUSTER_DEVICES = countByCustom({
  ...{ name: 'cluster devices', resource: 'devices', field: 'cluster', machines: false },
})

type SizeRow = { readonly key: string; readonly size: string; readonly n: number | string }

/** Adds up a size of the virtual machines of clusters, which is a number in a custom field. @param unit of Plat in that of NetBox */
const addUp = (field: string, unit = 1): Counter => ({
  name: `cluster ${field}`,
  tables: ['custom_fields', 'custom_values', ...DEVICE_TABLES],
  count: async (ctx, keys) => {
    const fields = await loadFields(ctx, 'devices')
    const [cluster, size] = [fields.get('cluster'), fields.get(field)]
    if (!cluster || (size?.type !== 'number' && size?.type !== 'integer')) return new Map()
    const { rows } = await sql<SizeRow>`SELECT held.value AS key, size.value AS size, count(*) AS n
      FROM custom_values AS held
      JOIN custom_values AS size ON size.object_id = held.object_id AND size.field = ${size.number}
      JOIN device_tags ON device_tags.device_id = held.object_id AND device_tags.tag = ${MACHINE_TAG}
      WHERE held.field = ${cluster.number} ${isOneOf('held.value', keys)} GROUP BY held.value, size.value`.execute(
      ctx.db,
    )
    const sums = new Map<string, number>()
    for (const row of rows) sums.set(row.key, (sums.get(row.key) ?? 0) + readNumberKey(row.size) * unit * Number(row.n))
    return sums
  },
})

export const CLUSTER_VCPUS = addUp('vcpus')
export const CLUSTER_MEMORY = addUp('memory_mb')
/** NetBox has megabytes, of which a gigabyte has 1,000. */
export const CLUSTER_DISK = addUp('disk_gb', 1000)
