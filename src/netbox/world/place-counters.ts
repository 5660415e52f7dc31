/** The numbers of objects at datacenters, by the ids of the datacenters; '' has the objects at none. */
import { type RawBuilder, sql } from 'kysely'
import { type Counter, countBy, DEVICE_TABLES, type Row } from './counters.ts'
import { matchMachines } from './machines.ts'

const isAtOneOf = (keys: readonly string[] | undefined): RawBuilder<unknown> => {
  if (!keys) return sql``
  const ids = keys.filter((key) => key !== '')
  const at = ids.length > 0 ? sql`datacenter_id IN (${sql.join(ids)})` : sql`1 = 0`
  return sql`AND (${at} ${keys.includes('') ? sql`OR datacenter_id IS NULL` : sql``})`
}

const countAt = (
  name: string,
  { table, tables, where }: { table: string; tables: Counter['tables']; where: RawBuilder<unknown> },
): Counter =>
  countBy(
    name,
    tables,
    (keys) =>
      sql<Row>`SELECT datacenter_id AS key, count(*) AS n FROM ${sql.table(table)} WHERE ${where} ${isAtOneOf(keys)} GROUP BY datacenter_id`,
  )

export const PLACE_DEVICES = countAt('place devices', {
  ...{ table: 'devices', tables: DEVICE_TABLES },
  where: matchMachines(false),
})
export const PLACE_MACHINES = countAt('place machines', {
  table: 'devices',
  tables: DEVICE_TABLES,
  where: matchMachines(true),
})
export const PLACE_PREFIXES = countAt('place prefixes', { table: 'networks', tables: ['networks'], where: sql`1 = 1` })
