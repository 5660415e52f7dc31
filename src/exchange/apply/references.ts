/** Replaces the names of a row by ids: `datacenter: Amsterdam` becomes `datacenter_id`. */

import type { FieldIssue } from '../../contract/errors.ts'
import { isRecord } from '../../contract/unknown.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { toObjectResource } from '../../resource/custom/fields.ts'
import { withoutDeviceNames } from './cable-ends.ts'
import { withStoredAddresses } from './custom-addresses.ts'
import { canHoldCustom, type NamedValue, takeReferences, withIds } from './custom-references.ts'
import {
  checkId,
  findId,
  findNamedIds,
  type HiddenName,
  Issues,
  isNone,
  isText,
  type Place,
  type Scope,
} from './named-objects.ts'
import type { Wanted } from './objects.ts'
import { getRules, type Level, listLevels, type Reference } from './resources.ts'
import type { UnresolvedName } from './unresolved.ts'

export type Fields = Readonly<Record<string, unknown>>

/**
 * Returns the conditions of the objects beside a reference by name: a pool is looked up in the network, a network in the space,
 * and a port at the device.
 */
const getConditions = (resource: Resource, fields: Fields): Wanted => {
  const { key } = getRules(resource)
  const within = key.by === 'name' ? key.within : []
  return Object.fromEntries(within.flatMap((field) => (isText(fields[field]) ? [[field, fields[field]]] : [])))
}

type Resolving = Omit<Place, 'at'> & { readonly path: string }

const resolveOne = async (fields: Record<string, unknown>, reference: Reference, { path, ...place }: Resolving) => {
  const { field, as, resource } = reference
  const given = as === field ? undefined : fields[as]
  if (given === undefined) {
    const id = fields[field]
    // Anything but a text is an error of the schema.
    if (!isText(id) || id === '') return
    if (isNone(id, reference)) {
      fields[field] = null
      return
    }
    const checked = await checkId(resource, id, { ...place, at: `${path}${field}` })
    if (checked !== undefined) fields[field] = checked
    return
  }
  delete fields[as]
  if (fields[field] !== undefined) {
    place.issues.add(`${path}${as}`, `stands beside ${field}; give one of them`)
    return
  }
  if (isNone(given, reference)) {
    fields[field] = null
    return
  }
  const more = isText(given) ? getConditions(resource, fields) : {}
  const id = await findId(resource, given, { ...place, at: `${path}${as}` }, more)
  // Keeps the schema from demanding the field as well.
  fields[field] = id ?? null
}

const canHoldReferences = ({ references, objects, lists }: Level, fields: Fields): boolean =>
  references.some(({ field, as }) => fields[field] !== undefined || fields[as] !== undefined) ||
  objects.some(([field]) => isRecord(fields[field])) ||
  lists.some(([field]) => Array.isArray(fields[field]))

const resolveLevel = async (level: Level, given: Fields, place: Resolving): Promise<Fields> => {
  if (!canHoldReferences(level, given)) return given
  const fields: Record<string, unknown> = { ...given }
  for (const reference of level.references) await resolveOne(fields, reference, place)
  for (const [field, inner] of level.objects) {
    const object = fields[field]
    if (isRecord(object))
      fields[field] = await resolveLevel(inner, object, { ...place, path: `${place.path}${field}.` })
  }
  for (const [field, inner] of level.lists) {
    const items = fields[field]
    if (!Array.isArray(items)) continue
    const resolved: unknown[] = []
    for (const [i, item] of items.entries()) {
      const path = `${place.path}${field}[${i}].`
      resolved.push(isRecord(item) ? await resolveLevel(inner, item, { ...place, path }) : item)
    }
    fields[field] = resolved
  }
  return level.isPlaced ? addSpace(fields, place) : fields
}

/** Adds the space of the network or pool that an address names. */
const addSpace = async (fields: Fields, { scope }: Resolving): Promise<Fields> => {
  const { network_id, pool_id, space_id } = fields
  if (isText(space_id) || !(await scope.hasSpaces())) return fields
  const findOne = async (resource: Resource, id: string) => (await scope.getObjects(resource).find({ id }))[0]
  const holder = isText(network_id)
    ? network_id
    : isText(pool_id)
      ? (await findOne('pools', pool_id))?.network_id
      : undefined
  const network = holder === undefined ? undefined : await findOne('networks', holder)
  return network?.space_id === undefined ? fields : { ...fields, space_id: network.space_id }
}

/** Adds the kind of the object that a row means by its id or a ref: without it, names of its kind could not be looked up. */
const withKind = async (resource: Resource, row: Fields, { getObjects }: Scope): Promise<Fields> => {
  if (resource !== 'objects' || row.kind !== undefined || row.kind_id !== undefined) return row
  const refs = isRecord(row.refs) ? Object.entries(row.refs) : []
  const wanted: Wanted[] = isText(row.id)
    ? [{ id: row.id }]
    : refs.flatMap(([source, id]) => (isText(id) ? [{ ref: { source, id: id.trim() } }] : []))
  for (const one of wanted) {
    const [entry] = await getObjects(resource).find(one)
    if (entry?.kind_id !== undefined) return { ...row, kind_id: entry.kind_id }
  }
  return row
}

type Resolved = {
  readonly fields: Fields
  readonly issues: FieldIssue[]
  readonly hidden: readonly HiddenName[]
  readonly unresolved: readonly UnresolvedName[]
  readonly later: readonly NamedValue[]
}

/**
 * Returns the row with ids, and the errors of its references. `later` are values of custom fields that may name rows which
 * are not read yet.
 */
export const resolveReferences = async (resource: Resource, row: Fields, scope: Scope): Promise<Resolved> => {
  const issues = new Issues()
  const given = resource === 'cables' ? withoutDeviceNames(row) : await withKind(resource, row, scope)
  const fields = await resolveLevel(getRules(resource).level, given, { path: '', issues, scope })
  const { list, hidden, unresolved } = issues
  if (!canHoldCustom(fields)) return { fields, issues: list, hidden, unresolved, later: [] }
  const { row: others, named } = await takeReferences(
    resource,
    await withStoredAddresses(resource, fields, scope.loadAddressFields),
    scope.loadReferenceFields,
  )
  const isLater = ({ field }: NamedValue) =>
    INVENTORY.indexOf(toObjectResource(field.target)) >= INVENTORY.indexOf(resource)
  const ids = await findNamedIds(
    named.filter((one) => !isLater(one)),
    issues,
    scope,
  )
  return { fields: withIds(others, ids), issues: list, hidden, unresolved, later: named.filter(isLater) }
}

/** Returns the place of a field as the row has it: `network` for `network_id`, if it has no `network_id`. */
export const placeInRow = (resource: Resource, row: unknown, field: string): string => {
  const last = field.slice(field.lastIndexOf('.') + 1)
  const references = listLevels(getRules(resource).level).flatMap((one) => one.references)
  const reference = references.find((one) => one.field === last)
  if (!reference) return field
  const path = field.slice(0, -last.length)
  const holder = path
    .split(/[.[\]]+/)
    .reduce<unknown>((at, key) => (key === '' ? at : (at as Fields | undefined)?.[key]), row)
  return isRecord(holder) && Object.hasOwn(holder, last) ? field : `${path}${reference.as}`
}
