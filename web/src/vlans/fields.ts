/** The fields of a VLAN. */
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

export type Vlan = Out<Contracts['vlans']['get']>

/** @param names of datacenters by their ids */
export const buildVlanFields = (names: ReadonlyMap<string, string> = new Map()): Fields<Vlan> => ({
  id: ID_FIELD,
  vlan_id: {
    label: 'Number',
    form: { kind: 'number', isRequired: true, hint: '1 to 4094' },
    column: { id: 'number', width: 80, isMono: true, isEssential: true },
    sort: ({ vlan_id }) => vlan_id,
    filter: { name: 'vlan', test: 'equals' },
  },
  name: buildNameField(),
  datacenter_id: {
    label: 'Datacenter',
    text: ({ datacenter_id }) => names.get(datacenter_id ?? '') ?? '',
    isSearched: false,
    form: { kind: 'select', hint: 'Without one: for networks whose datacenter has no VLAN of the number' },
    column: { id: 'datacenter', width: 150 },
    filter: { name: 'dc', test: 'begins', hasFacet: true },
  },
  group: {
    label: 'Group',
    form: { hint: 'Tells VLANs of one number apart, such as those of a second fabric' },
    column: { width: 150 },
    filter: { hasFacet: true },
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 260 }, sort: false, filter: false },
  network_ids: {
    label: 'Networks',
    text: ({ network_ids }) => String(network_ids.length),
    isSearched: false,
    form: false,
    column: { id: 'networks', width: 90, isRight: true },
    sort: ({ network_ids }) => network_ids.length,
    filter: false,
  },
  ...{ custom: CUSTOM_VALUES },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
})

/** The fields without the names of datacenters. */
export const fields = buildVlanFields()
