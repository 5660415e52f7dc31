/** Finds blocks that overlap networks or devices outside of some areas. */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'

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

const BLOCKS_OF_A_STATEMENT = 50
/** Rows that one statement reads at most, beside rows with the same key: some milliseconds of work. */
const ROWS_OF_A_STATEMENT = 2000

const createOutsideCondition = (column: string, areas: ReadonlySet<number>): RawBuilder<unknown> =>
  areas.size === 0 ? sql`1 = 1` : sql`${sql.ref(column)} NOT IN (${sql.join([...areas].map((one) => sql.lit(one)))})`

/** Rows with a storage key, of which a block must contain none that matches. */
type Rows = {
  readonly table: 'networks' | 'addresses'
  readonly key: 'first_key' | 'ip_key'
  /** Joins other tables to the row, which has the alias `r`. */
  readonly join: RawBuilder<unknown>
  /** The condition of a matching row and its block `b`. */
  readonly condition: RawBuilder<unknown>
}

/** The part of a block that is not searched yet. */
type Rest = { readonly block: Block; readonly from: string }

type Found = { readonly id: string; readonly next_key: string | null; readonly is_outside: number | boolean }

/** Searches the next rows of some blocks with one statement. */
const searchStep = async ({ db }: DbScope, { table, key, join, condition }: Rows, rests: readonly Rest[]) => {
  const most = Math.ceil(ROWS_OF_A_STATEMENT / rests.length)
  const values = rests.map(
    ({ block: { id, network_id, last_key, prefix }, from }) =>
      sql`(${id}, ${network_id}, ${from}, ${last_key}, ${sql.lit(prefix)})`,
  )
  const column = sql.ref(`r.${key}`)
  const { rows } = await sql<Found>`
    WITH blocks (id, network_id, from_key, last_key, prefix) AS (VALUES ${sql.join(values)}),
    b AS MATERIALIZED (SELECT blocks.*, (SELECT ${column} FROM ${sql.table(table)} AS r
      WHERE ${column} > blocks.from_key AND ${column} <= blocks.last_key
      ORDER BY ${column} LIMIT 1 OFFSET ${sql.lit(most)}) AS next_key FROM blocks)
    SELECT b.id, b.next_key, EXISTS (SELECT 1 FROM ${sql.table(table)} AS r ${join}
      WHERE ${column} >= b.from_key AND ${column} <= coalesce(b.next_key, b.last_key) AND ${condition}) AS is_outside
    FROM b`.execute(db)
  return rows
}

/** Returns the ids of the blocks with a matching row. Reads no further row of a block after the first match. */
const selectBlocks = async (scope: DbScope, blocks: readonly Block[], rows: Rows): Promise<Set<string>> => {
  const byId = new Map(blocks.map((block) => [block.id, block]))
  const found = new Set<string>()
  const rests: Rest[] = blocks.map((block) => ({ block, from: block.first_key }))
  while (rests.length > 0) {
    for (const { id, next_key, is_outside } of await searchStep(scope, rows, rests.splice(-BLOCKS_OF_A_STATEMENT))) {
      const block = byId.get(id)
      // SQLite has numbers for truth values.
      if (is_outside === true || is_outside === 1) found.add(id)
      else if (block && next_key !== null) rests.push({ block, from: next_key })
    }
    if (rests.length > 0) await pause()
  }
  return found
}

/** Returns the ids of the blocks that contain a network outside of the areas. */
export const selectOverNetworks = (scope: DbScope, blocks: readonly Block[], areas: ReadonlySet<number>) =>
  selectBlocks(scope, blocks, {
    ...{ table: 'networks', key: 'first_key', join: sql`` },
    condition: sql`(r.prefix > b.prefix OR r.last_key <= b.last_key) AND r.id <> b.network_id
      AND ${createOutsideCondition('r.area', areas)}`,
  })

/** Returns the ids of the blocks that contain an address of a device outside of the areas. */
export const selectOverDevices = (scope: DbScope, blocks: readonly Block[], areas: ReadonlySet<number>) =>
  selectBlocks(scope, blocks, {
    ...{ table: 'addresses', key: 'ip_key', join: sql`JOIN devices AS d ON d.id = r.device_id` },
    condition: createOutsideCondition('d.area', areas),
  })
