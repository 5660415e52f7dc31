/** The fields of a rack. */

import { FACTS } from '../../../src/inventory/resources.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { buildFields, type ItemOf, type Names } from '../resource/facts/from-facts.ts'
import type { PlaceTest } from '../resource/tree/place-test.ts'

export type { Names }
export type Rack = ItemOf<typeof FACTS.racks>
export type ListedRack = Out<Contracts['racks']['list']>[number]
export type RackUsage = NonNullable<ListedRack['usage']>

const NUMBERINGS = [
  ['bottom_up', 'At the bottom'],
  ['top_down', 'At the top'],
] as const

/** Shown by the elevation, not as texts. */
const HALF = { isHalf: true, hint: '' } as const
const IN_FORM = { column: false, filter: false, isDetail: false } as const

/** @param names of datacenters by their ids @param isInPlace the test of the filter by datacenter, if there is a tree of them */
export const buildRackFields = (names: Names = new Map(), isInPlace?: PlaceTest) =>
  buildFields(
    FACTS.racks,
    {
      name: { column: { width: 180 } },
      datacenter_id: {
        form: { isHalf: true },
        // The racks of a datacenter stand together, by their rooms and rows.
        sort: ({ datacenter_id, location, name }) =>
          [toSortKey(names.get(datacenter_id ?? '') ?? '\uffff'), toSortKey(location), toSortKey(name)].join('\n'),
        filter: { name: 'dc', ...(isInPlace && { test: isInPlace }) },
      },
      location: { form: { isHalf: true }, column: { width: 150 } },
      height: {
        form: { ...HALF, label: 'Height in units' },
        column: { width: 80 },
        isDetail: false,
        text: ({ height }) => `${height} U`,
      },
      max_power_w: { ...IN_FORM, label: 'Power in watts, at most', form: HALF },
      first_unit: { ...IN_FORM, form: { isHalf: true } },
      numbering: { ...IN_FORM, label: 'The first unit is', form: { ...HALF, options: NUMBERINGS } },
      description: { column: { width: 240 } },
    },
    { names },
  )

/** The fields without the names of datacenters. */
export const fields = buildRackFields()
