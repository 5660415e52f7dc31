/** Counts the rows of the inventory that a PostgreSQL server has read, by its statistics. */
import { INVENTORY, toTableName } from '../src/inventory/resources.ts'
import type { ReplicaServer } from './servers/replicas.ts'
import { until } from './until.ts'

/** The tables of the lists and of the parts of their objects. */
const TABLES = [...INVENTORY.map(toTableName), 'addresses', 'device_tags', 'device_domains', 'pool_tags']

/** Waits until all others have disconnected: a connection reports its counts when it ends, at the latest. */
export const rowsReadBy = async (server: ReplicaServer, database: string): Promise<number> => {
  await until(`end of all connections to ${server.name}`, async () => {
    const others = await server.execute(
      `select from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      database,
    )
    return others.length === 0 || undefined
  })
  const names = TABLES.map((name) => `'${name}'`).join(', ')
  const [row] = await server.execute<{ n: number | string }>(
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) as n from pg_stat_user_tables where relname in (${names})`,
    database,
  )
  return Number(row?.n)
}
