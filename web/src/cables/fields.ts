/** The fields of a cable. */

import { FACTS } from '../../../src/inventory/resources.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { buildFields, type ItemOf, toChoices } from '../resource/facts/from-facts.ts'

export type Cable = ItemOf<typeof FACTS.cables>
export type CableEnd = Cable['a']
export type Trace = Out<Contracts['cables']['trace']>

export const STATUSES = toChoices(FACTS.cables.fields.status.of)

/** @example endText(cable.a) // 'panel-1 7 rear' */
export const endText = ({ device, port, side }: CableEnd): string =>
  [device, port, ...(side === 'rear' ? [side] : [])].join(' ')

const isAt = ({ device }: CableEnd, value: string): boolean => device.toLowerCase().startsWith(value)

const end = (name: 'a' | 'b', label: string) =>
  ({
    label,
    text: ({ [name]: one }: Cable) => endText(one),
    column: { width: 220, isEssential: true },
    sort: ({ [name]: { device, port } }: Cable) => `${toSortKey(device)}\n${toSortKey(port)}`,
    filter: false,
    isDetail: false,
  }) as const

export const fields = buildFields(
  FACTS.cables,
  {
    a: {
      ...end('a', 'End A'),
      filter: { name: 'device', test: ({ a, b }, value) => isAt(a, value) || isAt(b, value) },
    },
    b: end('b', 'End B'),
    label: { form: { isHalf: true, hint: 'As it is printed on the cable' } },
    type: { form: { isHalf: true, hint: 'Such as cat6a or om4' } },
    status: { column: { width: 138 } },
    color: { form: { isHalf: true }, column: { width: 110 } },
    length_m: { label: 'Length in meters', form: { isHalf: true }, column: { id: 'length', text: 'Length' } },
  },
  { order: ['a', 'b', 'label', 'type', 'status', 'color', 'length_m', 'description', 'custom'] },
)
