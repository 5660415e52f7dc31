/** The items of the list of ranges: the pools of all networks, by address. */
import { type RawBuilder, sql } from 'kysely'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Pool } from '../../../inventory/pools/api.ts'
import { computeRangeSize } from '../../../inventory/pools/free-space.ts'
import { findTags, store } from '../../../inventory/pools/store.ts'
import { parseCidrOrThrow } from '../../../net/cidr.ts'
import type { IpKey } from '../../../net/ip.ts'
import { type AnyQuery, fromRows } from '../../endpoint/source.ts'
import { getFamily } from '../../world/addresses.ts'
import type { World } from '../../world/world.ts'

export type RangeItem = {
  readonly pool: Pool
  /** The mask of its network; that of an address where the caller does not see the network. */
  readonly mask: number
  readonly spaceId: string | null
  readonly size: number
}

type RangeRow = {
  readonly id: string
  readonly start_key: IpKey
  readonly end_key: IpKey
  readonly subnet: string | null
  readonly space_id: string | null
}

/** Typed clients hold sizes in 32 bits. */
const MAX_SIZE = 2_147_483_647

const ofNetwork = (column: 'subnet' | 'space_id'): RawBuilder<string | null> =>
  sql<string | null>`(SELECT ${sql.ref(`networks.${column}`)} FROM networks WHERE networks.id = pools.network_id)`

const selectRows = ({ ctx }: World): AnyQuery<RangeRow> =>
  // The query has the columns of pools.
  store
    .rows(ctx)
    .select([
      'pools.start_key',
      'pools.end_key',
      ofNetwork('subnet').as('subnet'),
      ofNetwork('space_id').as('space_id'),
    ]) as object as AnyQuery<RangeRow>

const orderRows = (query: AnyQuery<RangeRow>): AnyQuery<RangeRow> =>
  query.orderBy('pools.start_key').orderBy('pools.end_key').orderBy('pools.id')

const loadRanges = async ({ ctx }: World, rows: readonly RangeRow[]): Promise<RangeItem[]> => {
  const tags = await findTags(
    ctx,
    rows.map(({ id }) => id),
  )
  return rows.map(({ start_key, end_key, subnet, space_id, ...row }) => {
    const pool = store.fromRow({ ...row, tags: tags.get(row.id) ?? [] })
    const size = computeRangeSize({ first: start_key, last: end_key })
    return {
      pool,
      mask: subnet === null ? (getFamily(pool.start_ip) === 6 ? 128 : 32) : parseCidrOrThrow(subnet).prefix,
      spaceId: space_id,
      size: size > MAX_SIZE ? MAX_SIZE : Number(size),
    }
  })
}

export const rangeSource = fromRows<RangeItem, RangeRow>({
  tables: ['pools', 'networks', 'pool_tags'],
  select: selectRows,
  order: orderRows,
  load: loadRanges,
  find: async (world, keys) => {
    const found: RangeItem[] = []
    for (const batch of splitBatches(keys))
      found.push(
        ...(await loadRanges(world, await orderRows(selectRows(world).where('pools.id', 'in', batch)).execute())),
      )
    return found
  },
})
