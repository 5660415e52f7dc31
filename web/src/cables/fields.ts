/** The fields of a cable. */
import type { Contracts, Out } from '../api/contracts.ts'
import { buildNameKey } from '../ports/labels.ts'
import { CUSTOM_VALUES, type Fields, ID_FIELD, MANAGED_BY_FIELD, REFS_FIELD, TIME_FIELDS } from '../resource/fields.ts'

export type Cable = Out<Contracts['cables']['get']>
export type CableEnd = Cable['a']
export type Trace = Out<Contracts['cables']['trace']>

export const STATUSES = [
  ['connected', 'Connected'],
  ['planned', 'Planned'],
  ['decommissioned', 'Decommissioned'],
] as const

/** @example endText(cable.a) // 'panel-1 7 rear' */
export const endText = ({ device, port, side }: CableEnd): string =>
  [device, port, ...(side === 'rear' ? [side] : [])].join(' ')

const isAt = ({ device }: CableEnd, value: string): boolean => device.toLowerCase().startsWith(value)

const end = (name: 'a' | 'b', label: string) =>
  ({
    label,
    text: ({ [name]: one }: Cable) => endText(one),
    column: { width: 220, isEssential: true },
    sort: ({ [name]: { device, port } }: Cable) => `${device.toLowerCase()} ${buildNameKey(port)}`,
    filter: false,
    cell: 'record',
    isDetail: false,
  }) as const

export const fields: Fields<Cable> = {
  id: ID_FIELD,
  a: { ...end('a', 'End A'), filter: { name: 'device', test: ({ a, b }, value) => isAt(a, value) || isAt(b, value) } },
  b: end('b', 'End B'),
  label: { label: 'Label', form: { isHalf: true, hint: 'As it is printed on the cable' }, filter: { hasFacet: true } },
  type: { label: 'Type', form: { isHalf: true, hint: 'Such as cat6a or om4' }, filter: { hasFacet: true } },
  status: {
    label: 'Status',
    isSearched: false,
    form: { kind: 'select', options: STATUSES, initial: 'connected' },
    column: { width: 138 },
    filter: { test: 'begins', hasFacet: true },
  },
  color: {
    label: 'Color',
    form: { isHalf: true },
    column: { width: 110 },
    filter: { hasFacet: true },
  },
  length_m: {
    label: 'Length in meters',
    isSearched: false,
    form: { kind: 'number', isHalf: true },
    column: { id: 'length', text: 'Length', width: 90, isRight: true },
    sort: ({ length_m }) => length_m ?? -1,
    filter: false,
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 220 }, sort: false, filter: false },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
}
