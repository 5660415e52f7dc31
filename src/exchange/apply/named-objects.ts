/** Finds the objects that a row names: by a name, an id, a ref, or an object of conditions. */
import { type FieldIssue, shorten } from '../../contract/errors.ts'
import { parseRef } from '../../contract/fields/external-fields.ts'
import { formatSuggestion } from '../../contract/suggest.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { Resource } from '../../inventory/resources.ts'
import { toNameKey } from '../../net/name-order.ts'
import { type CustomResource, type ReferenceTarget, toObjectResource } from '../../resource/custom/fields.ts'
import type { AddressFields } from './custom-addresses.ts'
import { formatPath, joinParts, type NamedValue, type ReferenceFields, splitParts } from './custom-references.ts'
import type { Entry, Objects, Wanted } from './objects.ts'
import { getRules, type Reference } from './resources.ts'
import type { UnresolvedName } from './unresolved.ts'

/** True for a value that means no object. */
export const isNone = (value: unknown, { word }: Reference): boolean =>
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
export class Issues {
  readonly list: FieldIssue[] = []
  readonly hidden: HiddenName[] = []
  readonly unresolved: UnresolvedName[] = []
  add(at: string, message: string): undefined {
    this.list.push({ field: at, message })
  }
}

export type Place = { readonly at: string; readonly issues: Issues; readonly scope: Scope }

const getNoun = (resource: Resource): string => getRules(resource).noun

/** The number of characters of a value that an error quotes. */
const MAX_SHOWN = 256

const formatValue = (value: unknown): string => shorten(JSON.stringify(value), MAX_SHOWN)

/** Returns the words by which one of several objects can be named. @param more the conditions that hold for all of them */
const tellApart = (resource: Resource, more: Wanted): string => {
  const { key } = getRules(resource)
  const unknown = key.by === 'name' ? [...key.within, ...key.apart].filter((field) => !Object.hasOwn(more, field)) : []
  const fields = unknown.map((field) => field.replace(/_id$/, ''))
  return fields.length > 0 ? `give its ${fields.join(' and ')}, its id or a ref` : 'give its id or a ref'
}

export const isText = (value: unknown): value is string => typeof value === 'string'

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

/** Returns the noun of objects; with their kind, if they are looked up in it. */
const describeKind = (noun: string, { kind_id }: Wanted): string =>
  typeof kind_id === 'string' ? `${noun} of the kind ${kind_id}` : noun

const describeUnknown = (resource: Resource, value: unknown, more: Wanted): string =>
  `there is no ${describeKind(getNoun(resource), more)} ${describeValue(value)}`

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

/** A reference as it is given, and the conditions of the objects that it may mean. */
type Named = { readonly value: unknown; readonly more: Wanted }

/** True for a reference with a condition that none of these objects meets. */
const isElsewhere = (wanted: Wanted, more: Wanted): boolean =>
  typeof wanted.kind_id === 'string' && typeof more.kind_id === 'string' && wanted.kind_id !== more.kind_id

/** Returns the only object of a reference. @returns undefined after an error */
const pickOnly = (
  found: readonly Entry[],
  resource: Resource,
  { value, more }: Named,
  { at, issues }: Place,
): string | undefined => {
  const [first] = found
  if (isText(value) && found.length !== 1)
    issues.unresolved.push({ at, to: resource, text: value.trim(), ids: found.map(({ id }) => id) })
  if (!first) return issues.add(at, describeUnknown(resource, value, more))
  if (found.length > 1)
    return issues.add(
      at,
      `there are ${found.length} ${describeKind(resource, more)} ${describeValue(value)}: ${tellApart(resource, more)}`,
    )
  return first.isBad ? issues.add(at, `${first.row} has errors`) : first.id
}

/** Returns the id that a reference means. @returns undefined after an error */
export const findId = async (
  resource: Resource,
  value: unknown,
  place: Place,
  more: Wanted = {},
): Promise<string | undefined> => {
  place.scope.onNamed(resource)
  const wanted = await parseWanted(resource, value, place)
  if (!wanted) return undefined
  const found = isElsewhere(wanted, more) ? [] : place.scope.getObjects(resource).find({ ...wanted, ...more })
  const { id, ...others } = wanted
  const isById = id !== undefined && Object.keys(others).length === 0
  const message = describeUnknown(resource, value, more)
  if (isById && (await found).length === 0 && (await isHidden(resource, id, { place, message }))) return id
  return pickOnly(found instanceof Promise ? await found : found, resource, { value, more }, place)
}

/** Checks an id or a ref of a row. @returns the id; undefined after an error */
export const checkId = async (
  resource: Resource,
  text: string,
  place: Place,
  more: Wanted = {},
): Promise<string | undefined> => {
  place.scope.onNamed(resource)
  const ref = text.includes(':') ? parseRef(text) : undefined
  const found = place.scope.getObjects(resource).find({ ...(ref ? { ref } : { id: text }), ...more })
  const [first] = found instanceof Promise ? await found : found
  const message = `there is no ${describeKind(getNoun(resource), more)} with id ${formatValue(text)}`
  if (!first && !ref && (await isHidden(resource, text, { place, message }))) return text
  if (!first) return place.issues.add(place.at, message)
  return first.isBad ? place.issues.add(place.at, `${first.row} has errors`) : first.id
}

/** Returns the id that a value of a custom field means: a name, an id, a ref, or an object that tells which one. */
const findCustomId = async (target: ReferenceTarget, value: unknown, place: Place): Promise<unknown> => {
  const resource = toObjectResource(target)
  const more: Wanted = resource === target ? {} : { kind_id: target }
  if (!isText(value)) return (await findId(resource, value, place, more)) ?? value
  place.scope.onNamed(resource)
  const text = value.trim()
  const objects = place.scope.getObjects(resource)
  const named = await objects.find({ text, ...more })
  if (named.length > 0) return pickOnly(named, resource, { value, more }, place) ?? value
  const id = await checkId(resource, text, place, more)
  const isName = id === undefined && !parseRef(text) && (await objects.find({ id: text })).length === 0
  if (isName) place.issues.unresolved.push({ at: place.at, to: resource, text, ids: [] })
  return id ?? value
}

export const findNamedIds = async (named: readonly NamedValue[], issues: Issues, scope: Scope) => {
  const ids: (readonly [NamedValue, unknown])[] = []
  for (const one of named) {
    const place = { at: formatPath(one), issues, scope }
    const parts: unknown[] = []
    for (const part of splitParts(one)) parts.push(await findCustomId(one.field.target, part, place))
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
