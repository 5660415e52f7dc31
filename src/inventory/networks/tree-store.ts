/** The queries of the tree of networks, which read and never write. */
import { type Kysely, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { type Cidr, parseCidrOrThrow } from '../../net/cidr.ts'
import { fromIpKey, getSpaceKey, type IpKey } from '../../net/ip.ts'
import type { Span } from '../../net/span.ts'
import type { Lost } from './planning-api.ts'
import type { NetworkRow } from './table.ts'

export type TreeRow = Pick<NetworkRow, 'id' | 'first_key' | 'last_key' | 'prefix' | 'datacenter_id'>
export type KeyRange = { readonly first: IpKey; readonly last: IpKey }

const rows = (db: Kysely<Tables>) =>
  db
    .selectFrom('networks')
    .select(['id', 'first_key', 'last_key', 'prefix', 'datacenter_id'])
    .orderBy('first_key')
    .orderBy('prefix')

const everyRow = prepared((db: Kysely<Tables>) => rows(db), 'many')

/** Returns all networks in the order of the tree. */
export const findAllRows = (scope: StoreScope): Promise<TreeRow[]> => everyRow(scope, {})

const rowsWithin = prepared(
  (db: Kysely<Tables>, { first, last, prefix }: { first: IpKey; last: IpKey; prefix: number }) =>
    rows(db).where('first_key', '>=', first).where('first_key', '<=', last).where('prefix', '>=', prefix),
  'many',
)

type Bounds = Pick<NetworkRow, 'first_key' | 'last_key' | 'prefix'>

/** Returns the networks with this subnet and its subnets, in the order of the tree. */
export const findRowsIn = (scope: StoreScope, { first_key, last_key, prefix }: Bounds): Promise<TreeRow[]> =>
  rowsWithin(scope, { first: first_key, last: last_key, prefix })

const rowsById = prepared((db: Kysely<Tables>, { id }: { id: string }) => rows(db).where('id', '=', id))

/** Returns the row of a network. */
export const findRow = async (scope: StoreScope, id: string): Promise<TreeRow | undefined> =>
  (await rowsById(scope, { id }))[0]

/** Networks that are stepped over by one query. */
const STEPS = 500

const steps = prepared((db: Kysely<Tables>, { first, last, prefix }: { first: IpKey; last: IpKey; prefix: number }) => {
  const next = sql`ORDER BY c.first_key, c.prefix LIMIT 1`
  const text = sql`WITH RECURSIVE steps (n, subnet_key) AS (
      SELECT 1, (SELECT c.subnet_key FROM networks AS c
        WHERE c.first_key >= ${first} AND c.first_key <= ${last} AND c.prefix > ${prefix} ${next})
      UNION ALL SELECT n + 1, (SELECT c.subnet_key FROM networks AS c
        WHERE c.first_key > (SELECT max(t.last_key) FROM networks AS t WHERE t.subnet_key = steps.subnet_key)
          AND c.first_key <= ${last} ${next})
      FROM steps WHERE steps.subnet_key IS NOT NULL AND n < ${sql.lit(STEPS)}
    ) SELECT subnet_key FROM steps WHERE subnet_key IS NOT NULL`
  return { compile: () => sql<{ subnet_key: string }>`${text}`.compile(db) }
}, 'many')

/**
 * Returns the next subnets that lie directly in a block, by stepping from each to the first behind it.
 * @param from the first address that is considered
 */
export const findNextInside = async (scope: StoreScope, { last_key, prefix }: Bounds, from: IpKey) => {
  const found = await steps(scope, { first: from, last: last_key, prefix })
  const spans = found.map(({ subnet_key }): Cidr => parseCidrOrThrow(subnet_key.slice(getSpaceKey(subnet_key).length)))
  return { spans, areAll: found.length < STEPS }
}

/** Taken addresses that are read by one query. */
const TAKEN = 256

const takenFrom = prepared(
  (db: Kysely<Tables>, { first, last, now }: { first: IpKey; last: IpKey; now: string }) =>
    db
      .selectFrom('addresses')
      .select('ip_key')
      .where('ip_key', '>=', first)
      .where('ip_key', '<=', last)
      .unionAll(
        db
          .selectFrom('reservations')
          .select('ip_key')
          .where('ip_key', '>=', first)
          .where('ip_key', '<=', last)
          .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])),
      )
      .orderBy('ip_key')
      .limit(TAKEN),
  'many',
)

/** Returns the next addresses in a range that a device or a live reservation has. */
export const findNextTaken = async (ctx: Ctx, { first, last }: KeyRange) => {
  const found = await takenFrom(ctx, { first, last, now: ctx.now })
  const values = new Set(found.map(({ ip_key }) => fromIpKey(ip_key).value))
  return { spans: [...values].map((value): Span => ({ first: value, last: value })), areAll: found.length < TAKEN }
}

/** Returns the number of addresses in each range that a device or a live reservation has, by first key, unless it is 0. */
export const countTaken = async (ctx: Ctx, all: readonly KeyRange[]): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  const live = sql`(t.expires_at IS NULL OR t.expires_at > ${ctx.now})`
  const unused = sql`NOT EXISTS (SELECT 1 FROM addresses AS a WHERE a.ip_key = t.ip_key)`
  for (const batch of splitBatches(all)) {
    const ranges = sql.join(batch.map(({ first, last }) => sql`(${first}, ${last})`))
    // Two statements: each reads the ranges of one index.
    for (const held of [sql`addresses AS t ON`, sql`reservations AS t ON ${live} AND ${unused} AND`]) {
      const { rows: found } = await sql<{ first_key: string; n: number | string }>`
        WITH blocks (first_key, last_key) AS (VALUES ${ranges})
        SELECT b.first_key, count(DISTINCT t.ip_key) AS n
        FROM blocks AS b JOIN ${held} t.ip_key >= b.first_key AND t.ip_key <= b.last_key
        GROUP BY b.first_key`.execute(ctx.db)
      for (const { first_key, n } of found) counts.set(first_key, (counts.get(first_key) ?? 0) + Number(n))
    }
  }
  return counts
}

/** Returns the pools of a network, by name. */
export const findPools = (ctx: Ctx, networkId: string) => poolsOfNetwork(ctx, { networkId })

const poolsOfNetwork = prepared(
  (db: Kysely<Tables>, { networkId }: { networkId: string }) =>
    db
      .selectFrom('pools')
      .select(['id', 'name', 'start_ip', 'end_ip', 'start_key', 'end_key'])
      .where('network_id', '=', networkId)
      .orderBy('name_order')
      .orderBy('id'),
  'many',
)

/** Counts the scans, the discovered devices and the discovery rules of some networks. */
export const countScanned = async ({ db }: Ctx, ids: readonly string[]): Promise<Lost> => {
  const count = async (table: 'discovery_scans' | 'discovered_devices' | 'discovery_rules'): Promise<number> => {
    const query = db.selectFrom(table).select(({ fn }) => fn.countAll<number | string>().as('n'))
    return Number((await query.where('network_id', 'in', ids).executeTakeFirstOrThrow()).n)
  }
  return {
    scans: await count('discovery_scans'),
    discovered_devices: await count('discovered_devices'),
    rules: await count('discovery_rules'),
  }
}
