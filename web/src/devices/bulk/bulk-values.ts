/** A bulk edit: the values that the selected devices have, and the input of the touched fields. Pure. */
import type { Device } from '../../api/contracts.ts'
import type { FormValue, FormValues } from '../../custom-fields/known-text.ts'
import { getSentValue } from '../../resource/form-values.ts'
import type { FieldSpec, Values } from '../../resource/resource.ts'
import { formatCount, plural } from '../../ui/format.ts'

/** The fields of an update, which the server validates. */
export type Patch = Readonly<Record<string, unknown>>

/** The touched fields, by their names. */
export type Touched = {
  readonly values: Values
  readonly custom: FormValues
  /** The id of a rack; '' takes the devices out of theirs. */
  readonly rack?: string | undefined
}

export const UNTOUCHED: Touched = { values: {}, custom: {} }

/** The fields of tags, which are no fields of a device. */
export const ADD_TAGS = 'add_tags'
export const REMOVE_TAGS = 'remove_tags'
const TAG_FIELDS: readonly FieldSpec[] = [
  { name: ADD_TAGS, label: 'Add tags', kind: 'tags' },
  { name: REMOVE_TAGS, label: 'Remove tags', kind: 'tags' },
]

/** The fields that differ from device to device, or that the form shows by another control. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['name', 'hostname', 'asset_tag', 'addresses', 'refs', 'managed_by', 'tags', 'custom', 'mount'],
])

/** Returns the fields of a device that many devices can have in common. Tags are added and removed. */
export const listSharedFields = (fields: readonly FieldSpec[]): readonly FieldSpec[] =>
  fields.flatMap((field) => {
    if (field.name === 'tags') return TAG_FIELDS
    if (field.of !== undefined) return []
    return LEFT_OUT.has(field.name) || field.isShown?.({}, true) === false ? [] : [field]
  })

const isEmpty = (value: FormValue): boolean => (typeof value === 'string' ? value.trim() === '' : value.length === 0)

/** Returns the place of a device in another rack, in no unit: the unit of the old rack means nothing there. */
const moveMount = (rack_id: string, mount: Device['mount']) => ({ ...mount, rack_id, position: null })

/** Returns the part of an update that is the same for all devices; undefined while nothing is changed. */
export const buildSharedPatch = (
  fields: readonly FieldSpec[],
  { values, custom, rack }: Touched,
): Patch | undefined => {
  const sent = fields
    .filter(({ name }) => values[name] !== undefined)
    .map((field) => [field.name, getSentValue(field, values)] as const)
    // An empty list of tags adds and removes none.
    .filter(([name, value]) => !((name === ADD_TAGS || name === REMOVE_TAGS) && String(value) === ''))
  const own = Object.entries(custom).map(([name, value]) => [name, isEmpty(value) ? null : value] as const)
  if (sent.length === 0 && own.length === 0 && rack === undefined) return undefined
  return {
    ...Object.fromEntries(sent),
    ...(own.length > 0 && { custom: Object.fromEntries(own) }),
  }
}

/** Returns the update of one device. @param device its state, if it is known */
export const buildPatch = (shared: Patch, { rack }: Touched, device: Device | undefined): Patch => {
  if (rack === undefined || device?.mount?.rack_id === rack) return shared
  return { ...shared, mount: rack === '' ? null : moveMount(rack, device?.mount) }
}

const MAX_VALUES = 3

/**
 * Counts the values of a field, the most frequent first.
 * @param all the values of each device; a device without one has none
 * @example formatCounts([['Debian 12'], ['Debian 12'], []]) // 'Debian 12: 2, none: 1'
 */
export const formatCounts = (all: readonly (readonly string[])[]): string => {
  const counts = new Map<string, number>()
  for (const values of all) {
    const given = values.filter((value) => value !== '')
    for (const value of given.length > 0 ? given : ['']) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => Number(a === '') - Number(b === '') || n - m || (a < b ? -1 : 1))
  const shown = sorted.slice(0, MAX_VALUES).map(([value, count]) => `${value || 'none'}: ${formatCount(count)}`)
  const rest = sorted.length - shown.length
  return [...shown, ...(rest > 0 ? [`and ${plural(rest, 'other value')}`] : [])].join(', ')
}
