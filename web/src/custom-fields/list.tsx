/** The custom fields of a list: its further columns, filters and orders. */
import type { ReactNode } from 'react'
import type { CustomField } from '../../../src/resource/custom/schema.ts'
import { buildDeviceSpec, DEVICE_FILTERS } from '../devices/column-spec.ts'
import { devices } from '../devices/window/device-list-client.ts'
import type { Column } from '../table/column.ts'
import type { TableSpec } from '../table/engine.ts'
import { isOfKind, loadDefinitions } from './definitions.ts'
import { loadNamesForList } from './names.ts'
import { ValueView } from './value-view.tsx'
import { getOwnValue, type RefNames, toColumnId, toTexts, type WithCustom, withCustomFields } from './values.ts'

/** A column of a table with links that are reached by Tab. */
type Shown = { readonly name: string; readonly label: string; readonly cell: (row: WithCustom) => ReactNode }

export type CustomList = {
  readonly definitions: readonly CustomField[]
  readonly names: RefNames
  readonly columns: readonly Column<WithCustom>[]
  /** All filters of the list of devices. */
  readonly filters: readonly string[]
  /** The label and the text of each field, for a comparison. */
  readonly compared: readonly (readonly [label: string, text: (row: WithCustom) => string])[]
  /** The fields that any of the rows has a value of, for a table without a grid. */
  readonly usedBy: (rows: readonly WithCustom[]) => readonly Shown[]
  readonly extend: <T extends WithCustom>(spec: TableSpec<T>) => TableSpec<T>
}

const WIDTHS: Readonly<Partial<Record<CustomField['type'], number>>> = {
  integer: 100,
  number: 100,
  boolean: 90,
  date: 110,
  url: 220,
}
/** A row of the list of devices has the names of the devices that its values refer to. */
type ListRow = WithCustom & { readonly deviceNames?: RefNames }

const USUAL_WIDTH = 150

const buildColumn = (definition: CustomField, names: RefNames, isEssential: boolean): Column<WithCustom> => {
  const { name, label, type, multiple, reference_to } = definition
  const getNames = (row: ListRow) => (reference_to === 'devices' ? (row.deviceNames ?? names) : names)
  return {
    id: toColumnId(name),
    text: label,
    width: WIDTHS[type] ?? USUAL_WIDTH,
    isSortable: !multiple,
    isRight: type === 'integer' || type === 'number',
    isEssential,
    toText: (row) => toTexts(definition, getOwnValue(row, definition), getNames(row)).join('; '),
    cell: (row) => (
      <ValueView definition={definition} value={getOwnValue(row, definition)} names={getNames(row)} isInRow />
    ),
  }
}

/** Returns the filters of devices and of custom fields. A filter that is not offered hides a field of its name. */
const listDeviceFilters = (definitions: readonly CustomField[]): string[] => {
  const own = buildDeviceSpec(new Map())
  return Object.keys(withCustomFields(own, definitions, new Map()).fields).filter(
    (name) => DEVICE_FILTERS.includes(name) || !Object.hasOwn(own.fields, name),
  )
}

/** Returns null for a resource without custom fields, because a query has no undefined data. */
export const loadCustomList = async (list: string): Promise<CustomList | null> => {
  // Reservations have the fields of addresses.
  const definitions = await loadDefinitions(list === 'reservations' ? 'addresses' : list)
  const isOfDevices = list === 'devices'
  const names = definitions.length > 0 ? await loadNamesForList(definitions, isOfDevices) : new Map()
  // Their rows are in a worker.
  if (isOfDevices) devices.setCustom(definitions, [...names])
  if (definitions.length === 0) return null
  return {
    definitions,
    names,
    // Of an object of a kind, a phone would show the name alone.
    columns: definitions.map((one, at) => buildColumn(one, names, at === 0 && isOfKind(list))),
    filters: isOfDevices ? listDeviceFilters(definitions) : [],
    compared: definitions.map((one) => [one.label, (row) => toTexts(one, getOwnValue(row, one), names).join(', ')]),
    usedBy: (rows) =>
      definitions
        .filter((one) => rows.some((row) => getOwnValue(row, one) !== undefined))
        .map((one) => ({
          name: one.name,
          label: one.label,
          cell: (row) => <ValueView definition={one} value={getOwnValue(row, one)} names={names} />,
        })),
    extend: (spec) => withCustomFields(spec, definitions, names),
  }
}
