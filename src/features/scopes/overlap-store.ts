/** Finds blocks that overlap networks or devices outside of some areas. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { IpKey } from '../../net/ip.ts'
import { batches } from '../../platform/db/batches.ts'
import { preparedKeys } from '../../platform/db/query/prepared-lists.ts'
import type { DbScope, StoreScope } from '../ctx.ts'
import type { Tables } from '../tables.ts'

/** The addresses of a network or a pool. */
export type Block = {
  /** Id of the network or pool. */
  readonly id: string
  /** The network itself, or the network of the pool. It is not inside the block. */
  readonly network_id: string
  readonly first_key: IpKey
  readonly last_key: IpKey
  /** Prefix length of that network. */
  readonly prefix: number
}

const networksByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('networks')
    .select(['id', 'id as network_id', 'name', 'subnet', 'space_id', 'first_key', 'last_key', 'prefix'])
    .where('id', 'in', ids),
)

/** Finds the existing networks of these ids, with their blocks. */
export const findNetworks = (scope: StoreScope, ids: readonly string[]) => networksByIds(scope, ids)

const poolsByIds = preparedKeys((db: Kysely<Tables>, ids) =>
  db
    .selectFrom('pools')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .select(['pools.id', 'network_id', 'start_ip', 'end_ip', 'prefix', 'networks.area as network_area'])
    .select(['start_key as first_key', 'end_key as last_key'])
    .where('pools.id', 'in', ids),
)

/** Finds the existing pools of these ids, with their blocks and the areas of their networks. */
export const findPools = (scope: StoreScope, ids: readonly string[]) => poolsByIds(scope, ids)

const networksBySubnetKeys = preparedKeys((db: Kysely<Tables>, keys) =>
  db.selectFrom('networks').select(['id', 'subnet_key', 'prefix', 'area']).where('subnet_key', 'in', keys),
)

/** Finds the networks with these subnets, grouped by `subnet_key`. */
export const findBySubnetKeys = async (scope: StoreScope, keys: readonly string[]) =>
  Map.groupBy(await networksBySubnetKeys(scope, keys), ({ subnet_key }) => subnet_key)

const MAX_BLOCKS_OF_A_STATEMENT = 100

const createOutsideCondition = (column: string, areas: ReadonlySet<number>): RawBuilder<unknown> =>
  areas.size === 0 ? sql`1 = 1` : sql`${sql.ref(column)} NOT IN (${sql.join([...areas].map((one) => sql.lit(one)))})`

/** Returns the ids of the blocks for which the query has a row. The engine stops at its first row. */
const selectBlocks = async (
  { db }: DbScope,
  blocks: readonly Block[],
  query: RawBuilder<unknown>,
): Promise<Set<string>> => {
  const found = new Set<string>()
  for (const batch of batches(blocks, MAX_BLOCKS_OF_A_STATEMENT)) {
    const values = batch.map(
      (one) => sql`(${one.id}, ${one.network_id}, ${one.first_key}, ${one.last_key}, ${sql.lit(one.prefix)})`,
    )
    const { rows } = await sql<{ id: string }>`
      WITH blocks (id, network_id, first_key, last_key, prefix) AS (VALUES ${sql.join(values)})
      SELECT b.id FROM blocks AS b WHERE EXISTS (${query})`.execute(db)
    for (const { id } of rows) found.add(id)
  }
  return found
}

/** Returns the ids of the blocks that contain a network outside of the areas. */
export const selectOverNetworks = (scope: DbScope, blocks: readonly Block[], areas: ReadonlySet<number>) =>
  selectBlocks(
    scope,
    blocks,
    sql`SELECT 1 FROM networks AS n WHERE n.first_key >= b.first_key AND n.first_key <= b.last_key
      AND (n.prefix > b.prefix OR n.last_key <= b.last_key) AND n.id <> b.network_id
      AND ${createOutsideCondition('n.area', areas)}`,
  )

/** Returns the ids of the blocks that contain an address of a device outside of the areas. */
export const selectOverDevices = (scope: DbScope, blocks: readonly Block[], areas: ReadonlySet<number>) =>
  selectBlocks(
    scope,
    blocks,
    sql`SELECT 1 FROM addresses AS a JOIN devices AS d ON d.id = a.device_id
      WHERE a.ip_key >= b.first_key AND a.ip_key <= b.last_key AND ${createOutsideCondition('d.area', areas)}`,
  )
