/** The values of a planned row as texts, with the labels of forms. Pure functions. */
import { formatCell } from '../../../../src/base/csv/cells.ts'
import { CUSTOM } from '../../../../src/base/csv/custom-columns.ts'
import type { ResourceName } from '../../export/fields.ts'
import { getFieldLabel } from '../../import/labels.ts'

export type Value = {
  readonly label: string
  readonly text: string
  /** The value of before. */
  readonly from?: string
}

type Row = Readonly<Record<string, unknown>>

const formatAddress = (one: unknown): string => {
  if (typeof one !== 'object' || one === null) return String(one)
  // The address tells its type.
  const { ip, type: _, ...others } = one as Row
  const parts = Object.entries(others).flatMap(([field, value]) =>
    value === '' || value === null || value === undefined
      ? []
      : [`${getFieldLabel('devices', field)} ${formatOne(value)}`],
  )
  return [String(ip ?? ''), ...(parts.length > 0 ? [`(${parts.join(', ')})`] : [])].join(' ')
}

const formatOne = (value: unknown): string => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && 'name' in value) return String(value.name)
  return formatCell(value)
}

export const formatValue = (field: string, value: unknown): string => {
  if (field === 'addresses' && Array.isArray(value)) return value.map(formatAddress).join(', ')
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ')
  return formatOne(value)
}

/** Returns all values of a row. Its name is beside them. */
export const listValues = (resource: ResourceName, row: Row): Value[] =>
  Object.entries(row).flatMap(([field, value]): Value[] => {
    if (field === 'name' || value === undefined || value === null || value === '') return []
    if (field === CUSTOM && typeof value === 'object')
      return Object.entries(value).map(([name, one]) => ({ label: name, text: formatOne(one) }))
    return [{ label: getFieldLabel(resource, field), text: formatValue(field, value) }]
  })

const NOTHING = 'empty'

type Differences = Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>

/** Returns the fields of an update with both of their values. */
export const listChangedFields = (resource: ResourceName, fields: Differences): Value[] =>
  Object.entries(fields).map(([field, { from, to }]) => ({
    label: getFieldLabel(resource, field),
    from: formatValue(field, from) || NOTHING,
    text: formatValue(field, to) || NOTHING,
  }))
