/** The items of the list of prefixes: the networks of all spaces, by address. */
import { splitBatches } from '../../../database/query/batches.ts'
import type { Network } from '../../../inventory/networks/api.ts'
import { type AnyQuery, fromRows } from '../../endpoint/source.ts'
import { networks } from '../../world/rows.ts'
import type { World } from '../../world/world.ts'

export type PrefixItem = {
  readonly network: Network
  readonly prefix: number
}

type PrefixRow = { readonly id: string; readonly prefix: number }

const ORDER = ['networks.first_key', 'networks.prefix', 'networks.id'] as const

export const PREFIX_TIMES = { created: 'networks.created_at', last_updated: 'networks.updated_at' } as const

const selectRows = ({ ctx }: World): AnyQuery<PrefixRow> =>
  // The query has the columns of networks.
  networks.rows(ctx).select('networks.prefix') as object as AnyQuery<PrefixRow>

const orderRows = (query: AnyQuery<PrefixRow>): AnyQuery<PrefixRow> =>
  ORDER.reduce((ordered, column) => ordered.orderBy(column), query)

const toItem = ({ prefix, ...row }: PrefixRow): PrefixItem => ({ network: networks.fromRow(row), prefix })

export const prefixSource = fromRows<PrefixItem, PrefixRow>({
  tables: ['networks'],
  select: selectRows,
  order: orderRows,
  orders: {
    prefix: ORDER,
    created: [PREFIX_TIMES.created, 'networks.id'],
    last_updated: [PREFIX_TIMES.last_updated, 'networks.id'],
  },
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
