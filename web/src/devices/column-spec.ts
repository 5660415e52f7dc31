/** How devices are searched, sorted and shown in the table. Runs in the worker. */
import type { Device } from '../api/contracts.ts'
import { buildTableSpec, joinText, listColumnFields } from '../resource/fields.ts'
import type { TableSpec } from '../table/engine.ts'
import { formatTerm } from '../table/filter.ts'
import { buildDeviceFields, DEVICE_ORDER, getRackName, type Names } from './fields.ts'

/** The part of a device that its row shows. */
export type DeviceRow = Pick<Device, 'id' | 'name' | 'status' | 'tags' | 'custom' | 'updated_at'> & {
  readonly ip: string
  readonly addressCount: number
  /** The address space of the first address. */
  readonly space_id: string | undefined
  /** The names of the devices that custom fields refer to. */
  readonly deviceNames?: ReadonlyMap<string, string>
  /** The text of each field with a column, by its name. */
  readonly texts: Readonly<Record<string, string>>
}

/** The filter of the choice of a space: it takes an id, and is no completion. */
export const SPACE = 'space'
const DEFAULT_SPACE = 'default'

/** Adds the choice of a space to a filter. */
export const addSpaceTerm = (q: string, space: string | undefined): string =>
  space === undefined ? q : `${q} ${formatTerm(SPACE, space)}`

/** `names` and `marked`, the ids of the last import, may be filled later. */
export const buildDeviceSpec = (names: Names, marked: ReadonlySet<string> = new Set()): TableSpec<Device> => {
  const spec = buildTableSpec(buildDeviceFields(names), DEVICE_ORDER.filter)
  const listTexts = ({ addresses }: Device) =>
    addresses.flatMap(({ mac_address, interface: port, label }) => [mac_address, port, label]).filter(Boolean)
  return {
    ...spec,
    text: (device) => [spec.text(device), ...listTexts(device)].join('\n'),
    fields: {
      ...spec.fields,
      in: ({ id }, value) => value === 'import' && marked.has(id),
      [SPACE]: ({ addresses }, value) =>
        addresses.some(({ space_id = DEFAULT_SPACE }) => space_id.toLowerCase() === value),
    },
    facets: { ...spec.facets, rack: (device) => [getRackName(device, names)] },
  }
}

/** The filters, as they are typed before a colon. */
export const DEVICE_FILTERS = Object.keys(buildDeviceSpec(new Map()).fields).filter((name) => name !== SPACE)

/** @returns how a device becomes a row */
export const createRowMapper = (names: Names): ((device: Device) => DeviceRow) => {
  const shown = listColumnFields(buildDeviceFields(names))
  return (device) => {
    const { id, name, status, tags, custom, updated_at, addresses } = device
    const texts = Object.fromEntries(shown.map((one) => [one.name, joinText(one.read(device))]))
    const [{ ip, space_id } = { ip: '' }] = addresses
    return { id, name, status, tags, custom, updated_at, ip, space_id, addressCount: addresses.length, texts }
  }
}
