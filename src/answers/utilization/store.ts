/** The queries of utilization; the only writer of its tables. */
import type { Kysely } from 'kysely'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { PoolBounds } from '../../inventory/pools/free-space.ts'
import { POOL_NETWORK } from '../../inventory/pools/inner-networks.ts'
import type { PoolRow } from '../../inventory/pools/table.ts'
import { computeFigures } from '../../inventory/used-addresses/utilization.ts'
import type { Ctx, DbScope } from '../../kernel/ctx.ts'
import type { Sample } from './api.ts'
import type { SampleRow } from './table.ts'

/** Replaces the samples of a day by these. */
export const record = async ({ db }: DbScope, rows: readonly SampleRow[]): Promise<void> => {
  if (rows.length === 0) return
  await db
    .insertInto('utilization_samples')
    .values([...rows])
    .onConflict((conflict) =>
      conflict
        .columns(['object_id', 'day'])
        .doUpdateSet({ used: (eb) => eb.ref('excluded.used'), total: (eb) => eb.ref('excluded.total') }),
    )
    .execute()
}

export const fromRow = (row: SampleRow): Sample => {
  // PostgreSQL sends numbers of 64 bits as text. Samples of earlier versions may have more used addresses than usable ones.
  const { used_ips, total_ips, utilization } = computeFigures({
    total: Number(row.total),
    used: Number(row.used),
    reserved: 0,
  })
  return { day: row.day, used_ips, total_ips, utilization }
}

/** Orders by object, oldest first. */
export const findAllSince = async (
  { db }: DbScope,
  objectIds: readonly string[],
  day: string,
): Promise<Map<string, Sample[]>> => {
  if (objectIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('utilization_samples')
    .selectAll()
    .where('object_id', 'in', objectIds)
    .where('day', '>=', day)
    .orderBy('object_id')
    .orderBy('day')
    .execute()
  return new Map([...Map.groupBy(rows, ({ object_id }) => object_id)].map(([id, own]) => [id, own.map(fromRow)]))
}

/** Oldest first. */
export const findSince = async (scope: DbScope, objectId: string, day: string): Promise<Sample[]> =>
  (await findAllSince(scope, [objectId], day)).get(objectId) ?? []

export const removeBefore = async ({ db }: DbScope, day: string): Promise<void> => {
  await db.deleteFrom('utilization_samples').where('day', '<', day).execute()
}

export const forget = async ({ db }: DbScope, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await db.deleteFrom('utilization_samples').where('object_id', 'in', ids).execute()
  await db.deleteFrom('pool_alarms').where('pool_id', 'in', ids).execute()
}

/** Keeps others from comparing these pools until commit. One of the last locks. */
export const lockAlarms = (ctx: Ctx, poolIds: readonly string[]): Promise<void> => ctx.lock('utilization', poolIds)

/** Where a pool is, and since when it has an alarm; null without one. */
export type PoolState = Pick<PoolRow, 'id' | 'name' | 'network_id'> &
  PoolBounds & {
    readonly subnet: string
    readonly raised_at: string | null
  }

export const findStates = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('pools')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .leftJoin('pool_alarms', 'pool_alarms.pool_id', 'pools.id')
    .select(['pools.id', 'pools.name', 'network_id', 'start_key', 'end_key', 'subnet', 'raised_at'])
    .select([...POOL_NETWORK])
    .where('pools.id', 'in', ids),
)

/** Returns the ids of the pools that have an alarm. */
export const findAlarms = async ({ db }: DbScope): Promise<Set<string>> => {
  const rows = await db.selectFrom('pool_alarms').select('pool_id').execute()
  return new Set(rows.map(({ pool_id }) => pool_id))
}

export const raise = async ({ db, now }: Pick<Ctx, 'db' | 'now'>, pool_id: string): Promise<void> => {
  await db
    .insertInto('pool_alarms')
    .values({ pool_id, raised_at: now })
    .onConflict((conflict) => conflict.column('pool_id').doUpdateSet({ raised_at: now }))
    .execute()
}

export const clear = async ({ db }: DbScope, pool_id: string): Promise<void> => {
  await db.deleteFrom('pool_alarms').where('pool_id', '=', pool_id).execute()
}
