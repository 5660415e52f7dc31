/** Queries for the ranges of pools: of all, or of the pools around an address. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import type { IpKey } from '../../net/ip.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import type { PoolRow } from './table.ts'

export type PoolRangeRow = Pick<PoolRow, 'id' | 'start_key' | 'end_key'> & {
  /** Of its network. */
  readonly subnet: string
}

const selectRanges = (db: Kysely<Tables>) =>
  db
    .selectFrom('pools')
    .innerJoin('networks', 'networks.id', 'pools.network_id')
    .select(['pools.id', 'start_key', 'end_key', 'subnet'])
const readRanges = prepared((db: Kysely<Tables>) => selectRanges(db))

export const findAllRanges = (scope: StoreScope): Promise<PoolRangeRow[]> => readRanges(scope, {})

/** A block of 256 addresses: the keys of its first and last address, and the keys of the subnets that hold the first. */
export type Surroundings = KeyRange & { readonly subnets: readonly string[] }

const prepareAround = (count: number) =>
  prepared((db: Kysely<Tables>, values: readonly string[]) => {
    // The two after the subnets are storage keys.
    const [first, last] = [values[count] as IpKey, values[count + 1] as IpKey]
    const subnets = Array.from({ length: count }, (_, i) => values[i] ?? '')
    return selectRanges(db).where((eb) =>
      eb.or([eb('subnet_key', 'in', subnets), eb.and([eb('first_key', '>=', first), eb('first_key', '<=', last)])]),
    )
  })
const around = { 33: prepareAround(33), 129: prepareAround(129) }

/** The ranges of the pools that may hold an address of the block: their networks hold it, or lie in it. */
export const findRangesAround = (ctx: Ctx, { first, last, subnets }: Surroundings): Promise<PoolRangeRow[]> =>
  around[subnets.length === 33 ? 33 : 129](ctx, [...subnets, first, last])
