/** Replaces the names of objects in the values of custom fields by ids, as a document names objects in other fields. */
import { isRecord, toText } from '../../contract/unknown.ts'
import * as customFields from '../../inventory/custom-fields/custom-fields.ts'
import { FACTS, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import {
  CUSTOM_RESOURCES,
  type Custom,
  type CustomResource,
  type ReferenceTarget,
} from '../../resource/custom/fields.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import type { ResourceFacts } from '../../resource/facts.ts'

/** The part of a planned change that a definition is in. */
type Change = {
  readonly resource: Resource
  readonly id: string
  readonly change: 'create' | 'update' | 'delete'
  readonly document: Readonly<Record<string, unknown>>
}

/** A custom field with references. */
export type ReferenceField = {
  readonly target: ReferenceTarget
  readonly isSeveral: boolean
  /** Objects that are made now need a value. */
  readonly isRequired: boolean
}

/** The custom fields with references of one resource, by name. */
export type ReferenceFields = ReadonlyMap<string, ReferenceField>

export type Definition = Pick<CustomField, 'resource' | 'name' | 'type' | 'multiple' | 'reference_to'> &
  Partial<Pick<CustomField, 'required' | 'default'>>

/** Returns the definitions after the planned changes. Definitions that are created now are not required before the end. */
export const loadDefinitionsAfter = async (ctx: Ctx, changes: readonly Change[]): Promise<readonly Definition[]> => {
  const definitions = new Map<string, Definition>((await customFields.findAll(ctx)).map((field) => [field.id, field]))
  for (const { resource, change, id, document } of changes) {
    if (resource !== 'custom-fields') continue
    // The schemas of definitions have accepted the row.
    const given = document as Partial<Definition>
    const made = change === 'create' ? { ...given, required: false } : { ...definitions.get(id), ...given }
    definitions.set(id, made as Definition)
  }
  return [...definitions.values()]
}

export const loadReferenceFields = async (
  ctx: Ctx,
  changes: readonly Change[],
): Promise<ReadonlyMap<CustomResource, ReferenceFields>> => {
  const fields = new Map<CustomResource, Map<string, ReferenceField>>()
  for (const { resource, name, type, multiple, reference_to, required } of await loadDefinitionsAfter(ctx, changes)) {
    if (type !== 'reference' || !reference_to) continue
    const known = fields.get(resource) ?? new Map<string, ReferenceField>()
    known.set(name, { target: reference_to, isSeveral: multiple, isRequired: required === true })
    fields.set(resource, known)
  }
  return fields
}

/** Returns the values that an address gets for the custom fields that it does not name, after the planned changes. */
export const loadAddressDefaults = async (ctx: Ctx, changes: readonly Change[]): Promise<Custom> => {
  const all = (await loadDefinitionsAfter(ctx, changes)).filter(({ resource }) => resource === 'addresses')
  return Object.fromEntries(
    all.flatMap(({ name, default: usual }) => (usual === null || usual === undefined ? [] : [[name, usual]])),
  )
}

type Values = Readonly<Record<string, unknown>>

/**
 * Returns the resource that defines the custom fields of a row: its kind for an object. Undefined without any, and for an object
 * without a kind.
 * @param row with ids in place of names
 */
export const getCustomResource = (list: Resource, row: Values): CustomResource | undefined => {
  const { customBy }: ResourceFacts = FACTS[list]
  if (customBy !== undefined) return toText(row[customBy]) || undefined
  return list === 'reservations' ? 'addresses' : CUSTOM_RESOURCES.find((one) => one === list)
}

/**
 * A value that names an object. `address` is the place in the addresses of a device. `isDefault`: it is the default of the row,
 * which is a definition.
 */
export type NamedValue = {
  readonly name: string
  readonly address?: number
  readonly isDefault?: true
  readonly value: unknown
  readonly field: ReferenceField
}

/** Returns the path of a value in its row. */
export const formatPath = ({ name, address, isDefault }: NamedValue): string => {
  if (isDefault) return 'default'
  return address === undefined ? `custom.${name}` : `addresses[${address}].custom.${name}`
}

/** Returns the values that name objects, and the others. */
const splitNamed = (custom: Values, fields: ReferenceFields, address?: number): [NamedValue[], Values] => {
  const named: NamedValue[] = []
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(custom)) {
    const field = fields.get(name)
    if (!field || value === null || value === '') rest[name] = value
    else named.push({ name, value, field, ...(address !== undefined && { address }) })
  }
  return [named, rest]
}

/** True for a row that may hold references or addresses in custom fields, or is a definition with a default that is one. */
export const canHoldCustom = ({ custom, addresses, type, default: usual }: Values): boolean =>
  ((type === 'reference' || type === 'ip') && usual !== undefined) ||
  isRecord(custom) ||
  (Array.isArray(addresses) && addresses.some((one) => isRecord(one) && isRecord(one.custom)))

/** Returns the default of a definition that names objects; undefined for any other. */
const getNamedDefault = ({ name, type, reference_to, multiple, default: usual }: Values): NamedValue | undefined => {
  const target = toText(reference_to)
  if (type !== 'reference' || target === '' || usual === undefined || usual === null || usual === '') return undefined
  const field = { target, isSeveral: multiple === true, isRequired: false }
  return { name: String(name), value: usual, field, isDefault: true }
}

/** Returns a row without the values that name objects, and these values. */
export const takeReferences = async (
  list: Resource,
  row: Values,
  fieldsOf: (resource: CustomResource) => Promise<ReferenceFields>,
): Promise<{ readonly row: Values; readonly named: readonly NamedValue[] }> => {
  const resource = getCustomResource(list, row)
  const changed: Record<string, unknown> = { ...row }
  const all: NamedValue[] = []
  const usual = list === 'custom-fields' ? getNamedDefault(row) : undefined
  if (usual) {
    all.push(usual)
    delete changed.default
  }
  if (resource !== undefined && isRecord(row.custom)) {
    const [named, rest] = splitNamed(row.custom, await fieldsOf(resource))
    all.push(...named)
    if (named.length > 0) changed.custom = rest
  }
  if (list === 'devices' && Array.isArray(row.addresses)) {
    const fields = await fieldsOf('addresses')
    changed.addresses = row.addresses.map((one: unknown, at) => {
      if (!isRecord(one) || !isRecord(one.custom)) return one
      const [named, rest] = splitNamed(one.custom, fields, at)
      all.push(...named)
      return named.length > 0 ? { ...one, custom: rest } : one
    })
  }
  return { row: changed, named: all }
}

/** Returns a row with ids in the places of names. */
export const withIds = (row: Values, ids: readonly (readonly [NamedValue, unknown])[]): Values => {
  const changed: Record<string, unknown> = { ...row }
  for (const [{ name, address, isDefault }, id] of ids)
    if (isDefault) changed.default = id
    else if (address === undefined) changed.custom = { ...(changed.custom as Values | undefined), [name]: id }
    else if (Array.isArray(changed.addresses))
      changed.addresses = changed.addresses.map((one: unknown, at) =>
        at === address && isRecord(one)
          ? { ...one, custom: { ...(one.custom as Values | undefined), [name]: id } }
          : one,
      )
  return changed
}

/** Returns the parts of a value, each of which names an object. */
export const splitParts = ({ value, field }: NamedValue): readonly unknown[] => {
  if (Array.isArray(value)) return value
  if (!field.isSeveral || typeof value !== 'string') return [value]
  return value
    .split(';')
    .map((part) => part.trim())
    .filter(Boolean)
}

/** Returns the value of several parts, or of one. */
export const joinParts = ({ value, field }: NamedValue, ids: readonly unknown[]): unknown =>
  Array.isArray(value) || field.isSeveral ? ids : ids[0]
