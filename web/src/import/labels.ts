/** The labels of fields as forms have them, for columns, values and errors of an import. */
import { CUSTOM, getCustomName, isCustomColumn } from '../../../src/base/csv/custom-columns.ts'
import { listSheetFields } from '../../../src/base/sheets/sheet.ts'
import { getSheet } from '../../../src/inventory/sheets.ts'
import type { ResourceName } from '../export/fields.ts'
import { toLabel } from '../resource/facts/from-facts.ts'

type Labels = Readonly<Record<string, string>>

/** Labels that do not follow from the name of a field. A test compares them with the forms, which this page does not load. */
const OF_RESOURCES: Readonly<Partial<Record<ResourceName, Labels>>> = {
  cables: { a: 'End A', b: 'End B', length_m: 'Length in meters' },
  'device-types': { height: 'Height in units', power_w: 'Power in watts' },
  devices: {
    ...{ make_model: 'Model', mount: 'Place in a rack', os: 'Operating system', serial: 'Serial number' },
    username: 'User name',
  },
  networks: { vlan_id: 'VLAN' },
  pools: { start_ip: 'First address', end_ip: 'Last address' },
  ports: {
    enabled: 'State',
    parent: 'Part of',
    parent_id: 'Part of',
    pass_through: 'Sides',
    speed_mbps: 'Speed in Mbit/s',
    tagged_vlan_ids: 'Tagged VLANs',
    vlan_id: 'Untagged VLAN',
  },
  racks: { height: 'Height in units', max_power_w: 'Power in watts, at most', numbering: 'The first unit is' },
  reservations: { expires_at: 'Ends', ip_address: 'Address' },
  spaces: { reachable: 'Scans by this server' },
  vlans: { vlan_id: 'Number' },
}

/** Labels of fields that several resources have, and of fields that no form has. */
const LABELS: Labels = {
  addresses: 'Address',
  custom: 'Custom fields',
  dns_name: 'DNS name',
  hostname: 'Host name',
  ip: 'Address',
  make: 'Manufacturer',
  mask: 'Subnet mask',
  refs: 'Also known as',
  space: 'Address space',
  space_id: 'Address space',
}

const getOwn = (labels: Labels, field: string): string | undefined =>
  Object.hasOwn(labels, field) ? labels[field] : undefined

/** @example getFieldLabel('devices', 'make_model') // 'Model' */
export const getFieldLabel = (resource: ResourceName, field: string): string =>
  isCustomColumn(field)
    ? getCustomName(field)
    : (getOwn(OF_RESOURCES[resource] ?? {}, field) ?? getOwn(LABELS, field) ?? toLabel(field))

export type FieldOption = { readonly field: string; readonly label: string }

/** Returns the fields that a column may hold, in the order of files. @param custom columns of custom fields */
export const listFieldOptions = (resource: ResourceName, custom: readonly string[]): FieldOption[] => {
  const fields = listSheetFields(getSheet(resource)).filter((field) => field !== CUSTOM)
  const all: ReadonlySet<string> = new Set(fields)
  const taken = new Set<string>()
  return [...fields, ...custom].map((field) => {
    const isId = field.endsWith('_id') && all.has(field.slice(0, -'_id'.length))
    const plain = isId ? `${getFieldLabel(resource, field)} ID` : getFieldLabel(resource, field)
    const label = taken.has(plain) ? `${plain} (${field})` : plain
    taken.add(label)
    return { field, label }
  })
}

const ADDRESS = /^addresses\[(\d+)\](?:\.(\w+))?$/

/** Returns the label of the field of an error. @example getErrorLabel('devices', 'addresses[0].ip') // 'Address 1' */
export const getErrorLabel = (resource: ResourceName, path: string): string => {
  const [, at, part] = ADDRESS.exec(path) ?? []
  if (at !== undefined) {
    const address = `Address ${Number(at) + 1}`
    return part === undefined || part === 'ip' ? address : `${address}, ${getFieldLabel(resource, part)}`
  }
  const root = /^[\w.]+/.exec(path)?.[0] ?? path
  return getFieldLabel(resource, root)
}
