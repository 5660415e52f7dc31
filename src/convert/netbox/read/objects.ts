/** The objects of a NetBox in one form, whatever the source: references are numbers, choices are words, nothing is empty. */

import { toStorable } from '../../../contract/storable.ts'
import { createFileError } from '../../converter.ts'
import { isDerivedOf, isPluginObject } from './kinds.ts'
import { checkFields } from './old-version.ts'

export type NetboxObject = { readonly id: number; readonly [field: string]: unknown }

/** Objects by kind, as they are read. */
export type Objects = Map<string, Record<string, unknown>[]>

export type NetboxSource = {
  readonly form: 'rest' | 'dumpdata' | 'pg_dump'
  readonly objects: Objects
  /** Short forms of objects that others name, which lists may lack. */
  readonly briefs: ReadonlyMap<string, ReadonlyMap<number, NetboxObject>>
  /** The number of objects of each kind that are not read. */
  readonly unread: ReadonlyMap<string, number>
  /** As the API says it. */
  readonly version?: string
}

/** Returns the list of a key, which is made if it is missing. */
export const listIn = <K, T>(lists: Map<K, T[]>, key: K): T[] => {
  const known = lists.get(key)
  if (known) return known
  const list: T[] = []
  lists.set(key, list)
  return list
}

/** Returns the map of a key, which is made if it is missing. */
export const mapIn = <K, L, T>(maps: Map<K, Map<L, T>>, key: K): Map<L, T> => {
  const known = maps.get(key)
  if (known) return known
  const map = new Map<L, T>()
  maps.set(key, map)
  return map
}

export const addObject = (objects: Objects, kind: string, object: Record<string, unknown>): void => {
  listIn(objects, kind).push(object)
}

export const countIn = (counts: Map<string, number>, key: string, n = 1): void => {
  counts.set(key, (counts.get(key) ?? 0) + n)
}

/** Decimals, which the forms write as text or with other digits. */
export const NUMBERS = new Set(
  (
    'position vcpus latitude longitude u_height starting_unit length width weight vid memory disk vc_position vc_priority speed ' +
    'mtu maximum_draw allocated_draw positions rear_port_position search_weight validation_minimum validation_maximum'
  ).split(' '),
)

/** Columns of booleans in a table, where `f` and `t` are no texts. */
const BOOLEAN =
  /^(?:is_.*|mark_.*|vm_role|enabled|mgmt_only|desc_units|discovered|exclude_from_utilization|enforce_unique|required|unique)$/

export const isBoolean = (column: string): boolean => BOOLEAN.test(column)

/** Names of fields that changed, by kind. */
const RENAMED: Readonly<Record<string, string>> = {
  'dcim.device.device_role': 'role',
}

/** Returns the field of the newest version. */
export const getFieldName = (kind: string, name: string): string => RENAMED[`${kind}.${name}`] ?? name

/** True for a value that says nothing. */
export const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns the value with texts that Plat can hold. */
export const toStorableValue = (value: unknown): unknown => {
  if (typeof value === 'string') return toStorable(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toStorableValue)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorable(key), toStorableValue(item)]))
}

/** Fields for which false is no default of NetBox. */
const KEPT_FALSE = new Set(['default', 'enabled', 'enforce_unique', 'is_full_depth'])

/** True for a value of a field that says nothing. */
const isEmptyField = (field: string, value: unknown): boolean =>
  isNothing(value) && !(value === false && KEPT_FALSE.has(field))

/** True for a value of a field that says nothing. False is a value of an object of the plugin. */
export const isEmptyOf = (kind: string, field: string, value: unknown): boolean =>
  isEmptyField(field, value) && !(value === false && isPluginObject(kind))

/** Custom fields may be false: they are kept, and only absent ones are left out. */
export const CUSTOM_FIELDS = 'custom_field_data'

/**
 * Returns the fields that say something, under their newest names.
 *
 * @param convert makes a value of this form that of all forms
 */
export const convertFields = (
  kind: string,
  source: Readonly<Record<string, unknown>>,
  convert: (field: string, value: unknown) => unknown,
): Record<string, unknown> => {
  checkFields(kind, source)
  const fields: Record<string, unknown> = {}
  for (const name in source) {
    if (isDerivedOf(kind, name)) continue
    if (name === '__proto__') throw createFileError('the file', 'has a field __proto__')
    const field = getFieldName(kind, name)
    const value = source[name]
    if (isEmptyOf(kind, field, value)) continue
    const converted = convert(field, value)
    if (!isEmptyOf(kind, field, converted)) fields[field] = converted
  }
  return fields
}

/** Returns the number that a text or number stands for; undefined for other values. */
export const parseNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : undefined
}
