/** The fields of a VLAN. */
import { createElement } from 'react'
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildFields, type ItemOf, type Names } from '../resource/facts/from-facts.ts'
import type { PlaceTest } from '../resource/tree/place-test.ts'
import { VlanNumber } from './vlan-number.tsx'

const isNumber = /^\d+$/

export type Vlan = ItemOf<typeof FACTS.vlans>

/** @param names of datacenters by their ids */
export const buildVlanFields = (names?: Names, isInPlace?: PlaceTest) =>
  buildFields(
    FACTS.vlans,
    {
      vlan_id: {
        label: 'Number',
        isSearched: true,
        form: {
          hint: '1 to 4094',
          send: (text) => (isNumber.test(text.trim()) ? Number(text) : text.trim() || null),
          render: (input) => createElement(VlanNumber, input),
        },
        column: { id: 'number', width: 80, isRight: false, isMono: true, isEssential: true },
        filter: { name: 'vlan', test: 'equals' },
      },
      datacenter_id: {
        form: { hint: 'Without one: for networks whose datacenter has no VLAN of the number' },
        filter: { name: 'dc', ...(isInPlace && { test: isInPlace }) },
      },
      group: {
        form: { hint: 'Tells VLANs of one number apart, such as those of a second fabric' },
        column: { width: 150 },
      },
      description: { column: { width: 260 } },
    },
    { names },
  )

/** The fields without the names of datacenters. */
export const fields = buildVlanFields()
