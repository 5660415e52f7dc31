/** Replaces the names of a row by ids: `datacenter: Amsterdam` becomes `datacenter_id`. */

import { type FieldIssue, shorten } from '../../contract/errors.ts'
import { parseRef } from '../../contract/fields/external-fields.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { isRecord } from '../../contract/unknown.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { toNameKey } from '../../net/name-order.ts'
import { type CustomResource, toObjectResource } from '../../resource/custom/fields.ts'
import { withoutDeviceNames } from './cable-ends.ts'
import { type AddressFields, withStoredAddresses } from './custom-addresses.ts'
import {
  canHoldCustom,
  formatPath,
  joinParts,
  type NamedValue,
  type ReferenceFields,
  splitParts,
  takeReferences,
  withIds,
} from './custom-references.ts'
import type { Entry, Objects, Wanted } from './objects.ts'
import { getRules, type Level, listLevels, type Reference } from './resources.ts'
import type { UnresolvedName } from './unresolved.ts'

export type Fields = Readonly<Record<string, unknown>>

/** True for a value that means no object. */
const isNone = (value: unknown, { word }: Reference): boolean =>
  value === null || value === '' || (word !== undefined && isText(value) && toNameKey(value.trim()) === word)

/** The objects that a document may refer to, and the check of the right to read them. */
export type Scope = {
  readonly getObjects: (resource: Resource) => Objects
  /** False if there is no address space, so that all objects are in the default one. */
  readonly hasSpaces: () => Promise<boolean>
  /** The custom fields with references, also of the document. */
  readonly loadReferenceFields: (resource: CustomResource) => Promise<ReferenceFields>
  /** The custom fields with addresses, also of the document. */
  readonly loadAddressFields: (resource: CustomResource) => Promise<AddressFields | undefined>
  /** Called before objects of a resource are looked up. @throws AppError FORBIDDEN */
  readonly onNamed: (resource: Resource) => void
  /** Returns true for an id of an object that the caller may not know. A row may keep it where its object has it. */
  readonly isHidden: (resource: Resource, id: string) => Promise<boolean>
}

/**
 * An object that a row names by its id although the caller may not know it. The error applies unless the row's object has the id
 * already.
 */
export type HiddenName = { readonly id: string; readonly issue: FieldIssue }

/** Collects the errors of a row; `at` is the path in it. */
class Issues {
  readonly list: FieldIssue[] = []
  readonly hidden: HiddenName[] = []
  readonly unresolved: UnresolvedName[] = []
  add(at: string, message: string): undefined {
    this.list.push({ field: at, message })
  }
}

type Place = { readonly at: string; readonly issues: Issues; readonly scope: Scope }

const getNoun = (resource: Resource): string => getRules(resource).noun

/** The number of characters of a value that an error quotes. */
const MAX_SHOWN = 256

const formatValue = (value: unknown): string => shorten(JSON.stringify(value), MAX_SHOWN)

/** Returns the words by which one of several objects can be named. */
const tellApart = (resource: Resource): string => {
  const { key } = getRules(resource)
  const fields = key.by === 'name' ? [...key.within, ...key.apart].map((field) => field.replace(/_id$/, '')) : []
  return fields.length > 0 ? `give its ${fields.join(' and ')}, its id or a ref` : 'give its id or a ref'
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Reads the conditions of a reference. @returns undefined after an error */
const parseWanted = async (resource: Resource, value: unknown, place: Place): Promise<Wanted | undefined> => {
  if (isText(value)) return { text: value.trim() }
  const { at, issues } = place
  if (!isRecord(value)) return issues.add(at, 'must be a name, or an object that tells which one')
  const { references } = getRules(resource).level
  const texts = resource === 'networks' ? ['name', 'subnet', 'id', 'ref'] : ['name', 'id', 'ref']
  const known = [...texts, ...references.map(({ as }) => as)]
  const wanted: Record<string, unknown> = {}
  let isBad = false
  for (const [key, given] of Object.entries(value)) {
    const inner = { ...place, at: `${at}.${key}` }
    const reference = references.find(({ as }) => as === key)
    if (reference) {
      const id = isNone(given, reference) ? null : await findId(reference.resource, given, inner)
      if (id === undefined) isBad = true
      wanted[reference.field] = id
    } else if (!texts.includes(key)) {
      issues.add(inner.at, `is not a field of a reference${formatSuggestion(key, known)}`)
      isBad = true
    } else if (!isText(given) || given.trim() === '') {
      issues.add(inner.at, 'must be a text')
      isBad = true
    } else if (key === 'ref') {
      const ref = parseRef(given.trim())
      if (!ref) {
        issues.add(inner.at, 'must be a ref, like netbox:dcim.device.42')
        isBad = true
      }
      wanted.ref = ref
    } else wanted[key] = given.trim()
  }
  if (isBad) return undefined
  return Object.keys(wanted).length > 0 ? wanted : issues.add(at, 'must say which one')
}

const describeValue = (value: unknown): string =>
  isText(value) ? `called ${formatValue(value)}` : `with ${formatValue(value)}`

const describeUnknown = (resource: Resource, value: unknown): string =>
  `there is no ${getNoun(resource)} ${describeValue(value)}`

/** Returns true for the id of an object that the caller may not know, which is checked when the row has its object. */
const isHidden = async (
  resource: Resource,
  id: string,
  { place: { at, issues, scope }, message }: { readonly place: Place; readonly message: string },
): Promise<boolean> => {
  if (!(await scope.isHidden(resource, id))) return false
  issues.hidden.push({ id, issue: { field: at, message } })
  return true
}

/** Returns the only object of a reference. @returns undefined after an error */
const pickOnly = (
  found: readonly Entry[],
  resource: Resource,
  value: unknown,
  { at, issues }: Place,
): string | undefined => {
  const [first] = found
  if (isText(value) && found.length !== 1)
    issues.unresolved.push({ at, to: resource, text: value.trim(), ids: found.map(({ id }) => id) })
  if (!first) return issues.add(at, describeUnknown(resource, value))
  if (found.length > 1)
    return issues.add(at, `there are ${found.length} ${resource} ${describeValue(value)}: ${tellApart(resource)}`)
  return first.isBad ? issues.add(at, `${first.row} has errors`) : first.id
}

/** Returns the id that a reference means. @returns undefined after an error */
const findId = async (
  resource: Resource,
  value: unknown,
  place: Place,
  more: Wanted = {},
): Promise<string | undefined> => {
  place.scope.onNamed(resource)
  const wanted = await parseWanted(resource, value, place)
  if (!wanted) return undefined
  const found = place.scope.getObjects(resource).find({ ...wanted, ...more })
  const { id, ...others } = wanted
  const isById = id !== undefined && Object.keys(others).length === 0
  const message = describeUnknown(resource, value)
  if (isById && (await found).length === 0 && (await isHidden(resource, id, { place, message }))) return id
  return pickOnly(found instanceof Promise ? await found : found, resource, value, place)
}

/** Checks an id or a ref of a row. @returns the id; undefined after an error */
const checkId = async (resource: Resource, text: string, place: Place): Promise<string | undefined> => {
  place.scope.onNamed(resource)
  const ref = text.includes(':') ? parseRef(text) : undefined
  const found = place.scope.getObjects(resource).find(ref ? { ref } : { id: text })
  const [first] = found instanceof Promise ? await found : found
  const message = `there is no ${getNoun(resource)} with id ${formatValue(text)}`
  if (!first && !ref && (await isHidden(resource, text, { place, message }))) return text
  if (!first) return place.issues.add(place.at, message)
  return first.isBad ? place.issues.add(place.at, `${first.row} has errors`) : first.id
}

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

/** Returns the id that a value of a custom field means: a name, an id, a ref, or an object that tells which one. */
const findCustomId = async (target: Resource, value: unknown, place: Place): Promise<unknown> => {
  if (!isText(value)) return (await findId(target, value, place)) ?? value
  place.scope.onNamed(target)
  const text = value.trim()
  const objects = place.scope.getObjects(target)
  const named = await objects.find({ text })
  if (named.length > 0) return pickOnly(named, target, value, place) ?? value
  const id = await checkId(target, text, place)
  const isName = id === undefined && !parseRef(text) && (await objects.find({ id: text })).length === 0
  if (isName) place.issues.unresolved.push({ at: place.at, to: target, text, ids: [] })
  return id ?? value
}

const findNamedIds = async (named: readonly NamedValue[], issues: Issues, scope: Scope) => {
  const ids: (readonly [NamedValue, unknown])[] = []
  for (const one of named) {
    const place = { at: formatPath(one), issues, scope }
    const parts: unknown[] = []
    for (const part of splitParts(one)) parts.push(await findCustomId(toObjectResource(one.field.target), part, place))
    ids.push([one, joinParts(one, parts)])
  }
  return ids
}

/** Returns the ids that values of custom fields mean, once all rows are read, and the errors. */
export const findLaterIds = async (named: readonly NamedValue[], scope: Scope) => {
  const issues = new Issues()
  const ids = await findNamedIds(named, issues, scope)
  return { ids, issues: issues.list, hidden: issues.hidden, unresolved: issues.unresolved }
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
  const given = resource === 'cables' ? withoutDeviceNames(row) : row
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
