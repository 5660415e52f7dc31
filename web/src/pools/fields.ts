/** The fields of a pool. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields, type ItemOf, type Names } from '../resource/facts/from-facts.ts'
import { formatPercent } from '../ui/format.ts'

export type Pool = ItemOf<typeof FACTS.pools>

/** Found by filters, and not by words. */
const UNSEARCHED = { isSearched: false } as const

/** @param names of networks by their ids */
export const buildPoolFields = (names?: Names) =>
  buildFields(
    FACTS.pools,
    {
      name: { column: { width: 180 } },
      network_id: {
        isSearched: true,
        column: { width: 170 },
        filter: { test: 'contains' },
      },
      start_ip: { label: 'First address', column: { id: 'range', text: 'Addresses', width: 250 }, filter: false },
      end_ip: { label: 'Last address', column: false, filter: false },
      utilization: {
        text: ({ utilization }) => (utilization ? formatPercent(utilization.utilization) : ''),
        column: { width: 200, isEssential: true },
        sort: ({ utilization }) => utilization?.utilization ?? 0,
      },
      refs: UNSEARCHED,
      managed_by: UNSEARCHED,
      updated_at: { column: false },
    },
    { names },
  )

/** The fields without the names of networks. */
export const fields = buildPoolFields()
