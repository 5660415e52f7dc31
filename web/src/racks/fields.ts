/** The fields of a rack. */
import type { Contracts, Out } from '../api/contracts.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../resource/fields.ts'

export type Rack = Out<Contracts['racks']['get']>
export type ListedRack = Out<Contracts['racks']['list']>[number]
export type RackUsage = NonNullable<ListedRack['usage']>

/** Names of datacenters by their ids. */
export type Names = ReadonlyMap<string, string>

const NUMBERINGS = [
  ['bottom_up', 'At the bottom'],
  ['top_down', 'At the top'],
] as const

export const buildRackFields = (names: Names = new Map()): Fields<Rack> => ({
  id: ID_FIELD,
  name: buildNameField(180),
  datacenter_id: {
    label: 'Datacenter',
    text: ({ datacenter_id }) => names.get(datacenter_id ?? '') ?? '',
    isSearched: false,
    form: { kind: 'select', isHalf: true },
    column: { id: 'datacenter', width: 150 },
    // The racks of a datacenter stand together, by their rooms and rows.
    sort: ({ datacenter_id, location, name }) =>
      [names.get(datacenter_id ?? '') ?? '\uffff', location, name].join('\n').toLowerCase(),
    filter: { name: 'dc', test: 'begins', hasFacet: true },
  },
  location: {
    label: 'Location',
    form: { isHalf: true, hint: 'Room and row' },
    column: { width: 150 },
    filter: { hasFacet: true },
  },
  height: {
    label: 'Height',
    isSearched: false,
    form: { label: 'Height in units', kind: 'number', isHalf: true, initial: '42' },
    column: { width: 80, isRight: true },
    isDetail: false,
    text: ({ height }) => `${height} U`,
    sort: ({ height }) => height,
    filter: false,
  },
  max_power_w: {
    label: 'Power in watts, at most',
    isSearched: false,
    form: { kind: 'number', isHalf: true },
    column: false,
    filter: false,
    isDetail: false,
  },
  first_unit: {
    label: 'First unit',
    isSearched: false,
    form: { kind: 'number', isHalf: true, initial: '1', hint: 'The lowest number of a unit' },
    column: false,
    filter: false,
    isDetail: false,
  },
  numbering: {
    label: 'The first unit is',
    isSearched: false,
    form: { kind: 'select', isHalf: true, options: NUMBERINGS, initial: 'bottom_up' },
    column: false,
    filter: false,
    isDetail: false,
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 240 }, sort: false, filter: false },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
})

/** The fields without the names of datacenters. */
export const fields = buildRackFields()
