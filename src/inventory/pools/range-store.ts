/** Queries for the ranges of pools: of all, or of the pools around an address. */
import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, StoreScope } from '../../kernel/ctx.ts'
import { type Cidr, parseCidrOrThrow, toCidrKeys } from '../../net/cidr.ts'
import { getAddressBits, type IpKey } from '../../net/ip.ts'
import type { Network } from '../networks/api.ts'
import { listSubnetKeysAround } from '../networks/membership.ts'
import { findSpaceKeys } from '../spaces/keys.ts'
import type { KeyRange } from '../used-addresses/used-addresses.ts'
import { clipRanges, mergeKeyRanges } from './inner-networks.ts'
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

const inNetworks = preparedKeys((db: Kysely<Tables>, subnetKeys) =>
  db
    .selectFrom('networks')
    .innerJoin('pools', 'pools.network_id', 'networks.id')
    .select(['pools.id', 'start_key', 'end_key'])
    .where('subnet_key', 'in', subnetKeys),
)

/** Returns the keys of the subnets that strictly contain a network. */
const listWiderKeys = ({ family, prefix }: Cidr, key: IpKey): string[] => {
  const bits = getAddressBits(family)
  return listSubnetKeysAround(key).slice(bits - prefix + 1)
}

type Located = Pick<Network, 'subnet' | 'space_id'>

/** Returns the pools of wider networks whose range holds an address of one of the networks. */
export const findPoolIdsAround = async (ctx: Ctx, networks: readonly Located[]): Promise<string[]> => {
  const getSpaceKey = await findSpaceKeys(ctx, networks)
  const changed = networks.map((network) => {
    const cidr = parseCidrOrThrow(network.subnet)
    return { cidr, range: toCidrKeys(cidr, getSpaceKey(network)) }
  })
  const wider = new Set(changed.flatMap(({ cidr, range }) => listWiderKeys(cidr, range.first)))
  const pools = wider.size === 0 ? [] : await inNetworks(ctx, [...wider])
  const ranges = mergeKeyRanges(changed.map(({ range }) => range))
  return pools
    .filter(({ start_key, end_key }) => clipRanges(ranges, { first: start_key, last: end_key }).length > 0)
    .map(({ id }) => id)
}
