/** The fields of every resource that can be imported, and how each is written in the cell of a CSV. */

import type { Resource } from '../../../src/features/inventory.ts'
import type { CellKind } from '../../../src/platform/csv/cells.ts'
import { CUSTOM } from '../../../src/platform/csv/custom-columns.ts'
import type { Contracts, In } from '../api/contracts.ts'
import { fields as datacenters } from '../datacenters/fields.ts'
import { fields as deviceTypes } from '../device-types/fields.ts'
import { fields as devices } from '../devices/fields.ts'
import { fields as networks } from '../networks/fields.ts'
import { fields as racks } from '../racks/fields.ts'
import { listCellKinds } from '../resource/fields.ts'
import { fields as spaces } from '../spaces/fields.ts'

type FieldsOf<Draft> = { readonly [F in keyof Draft & string]-?: CellKind }
type Draft<F extends 'customFields' | 'ports' | 'cables' | 'vlans' | 'pools' | 'reservations'> = In<
  Contracts[F]['create']
>
type RelationshipRow = Omit<In<Contracts['relationships']['create']>, 'device_id'> & { readonly parent_id: string }

/** The values of custom fields; a CSV has a column for each. */
const CUSTOM_CELL = { custom: 'record' } as const

/** Every field of the contracts, as the compiler checks. */
const VLAN: FieldsOf<Draft<'vlans'>> = {
  id: 'text',
  vlan_id: 'number',
  name: 'text',
  datacenter_id: 'text',
  group: 'text',
  description: 'text',
  ...CUSTOM_CELL,
  refs: 'record',
  managed_by: 'text',
}
const CUSTOM_FIELD: FieldsOf<Draft<'customFields'>> = {
  id: 'text',
  resource: 'text',
  name: 'text',
  type: 'text',
  label: 'text',
  multiple: 'text',
  choices: 'list',
  reference_to: 'text',
  required: 'text',
  unique: 'text',
  default: 'text',
  pattern: 'text',
  minimum: 'number',
  maximum: 'number',
  searchable: 'text',
  description: 'text',
  group: 'text',
  position: 'number',
  refs: 'record',
  managed_by: 'text',
}
const POOL: FieldsOf<Draft<'pools'>> = {
  id: 'text',
  network_id: 'text',
  name: 'text',
  start_ip: 'text',
  end_ip: 'text',
  description: 'text',
  tags: 'list',
  ...CUSTOM_CELL,
  refs: 'record',
  managed_by: 'text',
}
const RESERVATION: FieldsOf<Draft<'reservations'>> = {
  pool_id: 'text',
  ip_address: 'text',
  hostname: 'text',
  mac_address: 'text',
  purpose: 'text',
  notes: 'text',
  expires_at: 'text',
  ...CUSTOM_CELL,
  refs: 'record',
  managed_by: 'text',
}
const RELATIONSHIP: FieldsOf<RelationshipRow> = {
  parent_id: 'text',
  type: 'text',
  child_id: 'text',
  notes: 'text',
  managed_by: 'text',
}

const PORT: FieldsOf<Draft<'ports'>> = {
  id: 'text',
  device_id: 'text',
  name: 'text',
  kind: 'text',
  type: 'text',
  speed_mbps: 'number',
  mac_address: 'text',
  enabled: 'text',
  parent_id: 'text',
  pass_through: 'text',
  vlan_id: 'number',
  tagged_vlan_ids: 'list',
  description: 'text',
  ...CUSTOM_CELL,
  refs: 'record',
  managed_by: 'text',
}
const CABLE: FieldsOf<Draft<'cables'>> = {
  id: 'text',
  a: 'record',
  b: 'record',
  type: 'text',
  label: 'text',
  color: 'text',
  length_m: 'number',
  status: 'text',
  description: 'text',
  ...CUSTOM_CELL,
  refs: 'record',
  managed_by: 'text',
}

/** All resources of the inventory, as the compiler checks; in the order of the menu. */
const ALL = {
  devices: listCellKinds(devices),
  datacenters: listCellKinds(datacenters),
  spaces: listCellKinds(spaces),
  vlans: VLAN,
  networks: listCellKinds(networks),
  pools: POOL,
  reservations: RESERVATION,
  relationships: RELATIONSHIP,
  'device-types': listCellKinds(deviceTypes),
  racks: listCellKinds(racks),
  ports: PORT,
  cables: CABLE,
  'custom-fields': CUSTOM_FIELD,
} satisfies Readonly<Record<Resource, Readonly<Record<string, CellKind>>>>

export type ResourceName = Resource
export const FIELDS: Readonly<Record<ResourceName, Readonly<Record<string, CellKind>>>> = ALL
// The keys are the keys of the constant.
export const RESOURCES = Object.keys(ALL) as readonly ResourceName[]

export const findResource = (text: string | undefined): ResourceName | undefined =>
  RESOURCES.find((one) => one === text)

/** Returns the fields that columns of a file may hold. @param custom columns of custom fields */
export const listColumnFields = (resource: ResourceName, custom: readonly string[]): readonly string[] => [
  ...Object.keys(FIELDS[resource]).filter((field) => field !== CUSTOM || custom.length > 0),
  ...custom,
]

export type ImportRow = Readonly<Record<string, unknown>>

/** Returns the name of a row. */
export const getRowName = (row: ImportRow): string =>
  [row.name, row.ip_address, row.id, row.parent_id].find((one) => typeof one === 'string' && one !== '')?.toString() ??
  ''
