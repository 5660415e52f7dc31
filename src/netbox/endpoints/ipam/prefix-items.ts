/** The items of the list of prefixes: the networks of all spaces, by address. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Network } from '../../../inventory/networks/api.ts'
import { type AnyQuery, fromRows } from '../../endpoint/source.ts'
import { networks } from '../../world/rows.ts'
import type { World } from '../../world/world.ts'

export type PrefixItem = {
  readonly network: Network
  /** The key of its first address, with that of its space. */
  readonly firstKey: string
  readonly prefix: number
}

type PrefixRow = { readonly id: string; readonly first_key: string; readonly prefix: number }

const selectRows = ({ ctx }: World): AnyQuery<PrefixRow> =>
  // The query has the columns of networks.
  networks.rows(ctx).select(['networks.first_key', 'networks.prefix']) as object as AnyQuery<PrefixRow>

const orderRows = (query: AnyQuery<PrefixRow>): AnyQuery<PrefixRow> =>
  query.orderBy('networks.first_key').orderBy('networks.prefix').orderBy('networks.id')

const toItem = ({ first_key: firstKey, prefix, ...row }: PrefixRow): PrefixItem => ({
  network: networks.fromRow(row),
  firstKey,
  prefix,
})

export const prefixSource = fromRows<PrefixItem, PrefixRow>({
  tables: ['networks'],
  select: selectRows,
  order: orderRows,
  load: async (_, rows) => rows.map(toItem),
  find: async (world, keys) => {
    const found: PrefixItem[] = []
    for (const batch of splitBatches(keys)) {
      const rows = await orderRows(selectRows(world).where('networks.id', 'in', batch)).execute()
      found.push(...rows.map(toItem))
    }
    return found
  },
})
