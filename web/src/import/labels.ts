/** The labels of fields as forms have them, for columns, values and errors of an import. */
import { CUSTOM, getCustomName, isCustomColumn } from '../../../src/base/csv/custom-columns.ts'
import { listSheetFields } from '../../../src/base/sheets/sheet.ts'
import { getSheet } from '../../../src/inventory/sheets.ts'
import { fields as cableFields } from '../cables/fields.ts'
import { fields as datacenterFields } from '../datacenters/fields.ts'
import { fields as typeFields } from '../device-types/fields.ts'
import { buildDeviceFields } from '../devices/fields.ts'
import type { ResourceName } from '../export/fields.ts'
import { buildNetworkFields } from '../networks/fields.ts'
import { buildPoolFields } from '../pools/fields.ts'
import { buildPortFields } from '../ports/fields.ts'
import { buildRackFields } from '../racks/fields.ts'
import { buildReservationFields } from '../reservations/fields.ts'
import { toLabel } from '../resource/facts/from-facts.ts'
import { fields as spaceFields } from '../spaces/fields.ts'
import { buildVlanFields } from '../vlans/fields.ts'

type Labelled = Readonly<
  Record<string, { readonly label: string; readonly form?: { readonly label?: string } | false }>
>

const FORMS: Readonly<Partial<Record<ResourceName, () => Labelled>>> = {
  cables: () => cableFields,
  datacenters: () => datacenterFields,
  devices: buildDeviceFields,
  'device-types': () => typeFields,
  networks: buildNetworkFields,
  pools: buildPoolFields,
  ports: buildPortFields,
  racks: buildRackFields,
  reservations: buildReservationFields,
  spaces: () => spaceFields,
  vlans: buildVlanFields,
}

/** Fields of files that no form has, or that forms have in another place. */
const LABELS: Readonly<Record<string, string>> = {
  id: 'ID',
  addresses: 'Address',
  mac_address: 'MAC address',
  dns_name: 'DNS name',
  interface: 'Interface',
  port: 'Port',
  switch_port: 'Switch port',
  space: 'Address space',
  make: 'Manufacturer',
  mask: 'Subnet mask',
  refs: 'Also known as',
  managed_by: 'Managed by',
  ip: 'Address',
}

/** Names of objects as forms call them. */
const getFormLabel = (resource: ResourceName, field: string): string | undefined => {
  const fields = FORMS[resource]?.() ?? {}
  const found = Object.hasOwn(fields, field) ? fields[field] : undefined
  return found && ((found.form ? found.form.label : undefined) ?? found.label)
}

/** @example getFieldLabel('devices', 'make_model') // 'Model' */
export const getFieldLabel = (resource: ResourceName, field: string): string => {
  if (isCustomColumn(field)) return getCustomName(field)
  if (field === CUSTOM) return 'Custom fields'
  const own =
    field === 'addresses' || field === 'id'
      ? undefined
      : (getFormLabel(resource, field) ?? getFormLabel(resource, `${field}_id`))
  return own ?? LABELS[field] ?? toLabel(field)
}

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
