/** The JSON Schema (draft 2020-12) of an estate document, for editors. Derived from the contracts. */
import { z } from 'zod'
import { DocumentNames } from '../../contract/fields/document-names.ts'
import { KIND_ID } from '../../contract/fields/kind-id.ts'
import { DOCUMENT_RULES, rowRuleFields } from '../../contract/fields/row-rules.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { type JsonSchema, toJsonSchema } from '../../contract/json-schema.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import { PACK_NAMES } from '../packs/names.ts'
import { getRules, type Level, listReadOnly, type Reference } from './resources.ts'

/** The descriptions of fields that need none in their contract, by name. `%` is the object. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  addresses: 'The addresses of the %; the list replaces all of them',
  child_id: 'The id of the child, in place of its name',
  datacenter_id: 'The id of the datacenter, in place of its name',
  description: 'Any text about the %',
  domains: 'The domain names of the %',
  end_ip: 'The last address of the %',
  expires_at: 'The time at which the % ends, in RFC 3339; null for never',
  hostname: 'The host name',
  ip: 'The IPv4 or IPv6 address',
  ip_address: 'The reserved IPv4 or IPv6 address',
  label: 'The label of the address, such as its interface',
  location: 'The place of the %',
  make_model: 'The manufacturer and model',
  name: 'The name of the %',
  network_id: 'The id of the network, in place of its name',
  notes: 'Any text about the %',
  os: 'The operating system',
  pool_id: 'The id of the pool, in place of its name',
  port: 'The port of the service; null for none',
  purpose: 'What the address is for',
  start_ip: 'The first address of the %',
  status: 'The state of the %',
  subnet: 'The subnet in CIDR notation; host bits are dropped',
  switch_port: 'The switch port at the other end',
  mac_address: 'The MAC address of the interface',
  dns_name: 'The name of this address in the DNS',
  tags: 'The tags of the %; the list replaces all of them',
  username: 'The name to sign in with',
  vlan_id: 'The VLAN number; 0 or null for none',
}

const getNoun = (resource: Resource): string => getRules(resource).noun

const addDescription = (field: string, noun: string, schema: JsonSchema): JsonSchema => ({
  ...schema,
  description:
    schema.description ?? (DESCRIPTIONS[field] ?? `The ${field.replaceAll('_', ' ')} of the %`).replace('%', noun),
})

/** How a reference names an object beside its text. */
const buildConditions = (resource: Resource): JsonSchema => {
  const { level, draft } = getRules(resource)
  const texts = ['name', ...('subnet' in draft.shape ? ['subnet'] : []), 'id', 'ref']
  const properties = [
    ...texts.map((field): [string, JsonSchema] => [field, { type: 'string', minLength: 1 }]),
    ...level.references
      // A port that is part of another one is not told by that.
      .filter((reference) => reference.resource !== resource)
      .map((reference): [string, JsonSchema] => [reference.as, buildReferenceSchema(reference)]),
  ]
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

const buildReferenceSchema = ({ resource }: Reference): JsonSchema => ({
  anyOf: [{ type: ['string', 'null'] }, buildConditions(resource)],
  description: `The ${getNoun(resource)}: its ${resource === 'kinds' ? 'id or its name' : 'name'}, or an object that tells which one`,
})

const NAMED: JsonSchema = { type: 'object', description: 'Tells which object a reference means' }

/** Adds the objects that stand for references to the schema of a value. */
const withNamed = (schema: JsonSchema): JsonSchema => {
  const listed = ({ anyOf, items, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    ...(anyOf && { anyOf: anyOf.map(listed) }),
    ...(items && { items: { anyOf: [items, NAMED] } }),
  })
  const { description, ...value } = schema
  return { ...(description !== undefined && { description }), anyOf: [listed(value), NAMED] }
}

/** Returns the schema of a field that may hold references of custom fields. */
const addNamedValues = (field: string, noun: string, schema: JsonSchema): JsonSchema => {
  if (field === 'default' && noun === getNoun('custom-fields')) return withNamed(schema)
  const { additionalProperties: values } = schema
  return field === 'custom' && typeof values === 'object'
    ? { ...schema, additionalProperties: withNamed(values) }
    : schema
}

/** A definition may name a kind, also one of the same document. */
const addKinds = (field: string, noun: string, schema: JsonSchema): JsonSchema => {
  const { enum: names, ...others } = schema
  const isNamed = noun === getNoun('custom-fields') && (field === 'resource' || field === 'reference_to')
  if (!names || !isNamed) return schema
  return { ...others, anyOf: [{ enum: names }, { type: 'string', pattern: matchWhole(KIND_ID) }] }
}

/** Adds the names beside ids, and descriptions. */
const buildLevelSchema = (noun: string, schema: JsonSchema, { references, objects, lists }: Level): JsonSchema => {
  const properties: Record<string, JsonSchema> = {}
  for (const [field, one] of Object.entries(schema.properties ?? {})) {
    const reference = references.find((other) => other.field === field && other.as !== field)
    if (reference) properties[reference.as] = buildReferenceSchema(reference)
    const inner = lists.find(([name]) => name === field)?.[1]
    const own = objects.find(([name]) => name === field)?.[1]
    properties[field] = addDescription(
      field,
      noun,
      inner
        ? withItems(one, inner)
        : own
          ? withProperties(one, own)
          : addKinds(field, noun, addNamedValues(field, noun, one)),
    )
  }
  return { type: 'object', properties, additionalProperties: false }
}

/** Adds the names beside ids to an object, or to the form of it that is no null. */
const withProperties = (schema: JsonSchema, level: Level): JsonSchema => {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((one) => withProperties(one, level)) }
  if (!schema.properties) return schema
  // A name stands for an id, so that none of both is required by the schema.
  const replaced = level.references.flatMap(({ field, as }) => (as === field ? [] : [field]))
  const required = schema.required?.filter((field) => !replaced.includes(field)) ?? []
  const { required: _, ...rest } = schema
  const inner = buildLevelSchema('object', rest, level)
  return {
    ...rest,
    ...inner,
    ...(schema.type !== undefined && { type: schema.type }),
    ...(required.length > 0 && { required }),
  }
}

const withItems = (schema: JsonSchema, level: Level): JsonSchema =>
  schema.items ? { ...schema, items: buildLevelSchema('address', schema.items, level) } : schema

const buildRowSchema = (resource: Resource): JsonSchema => {
  const { draft, level, noun } = getRules(resource)
  const schema = toJsonSchema(draft, 'input', { isExact: true }).schema
  const row = buildLevelSchema(noun, schema, level)
  const id: JsonSchema = { type: 'string', description: `The id of the ${noun}, where its name is not enough` }
  const read = [...listReadOnly(resource)].map((field): [string, JsonSchema] => [
    field,
    { description: 'Accepted, and ignored' },
  ])
  return {
    ...row,
    properties: { ...(resource !== 'relationships' && { id }), ...row.properties, ...Object.fromEntries(read) },
  }
}

const RULES = toJsonSchema(z.object(rowRuleFields(DOCUMENT_RULES)), 'input').schema.properties

const NAMES = toJsonSchema(DocumentNames, 'input', { isExact: true }).schema

let made: JsonSchema | undefined

export const getEstateSchema = (): JsonSchema => {
  made ??= {
    ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'An estate document of Plat' },
    type: 'object',
    properties: {
      $schema: { type: 'string', description: 'The address of this schema' },
      packs: {
        type: 'array',
        items: { enum: [...PACK_NAMES] },
        description: 'Packs that the rows need: those that are not installed are installed first',
      },
      names: NAMES,
      ...RULES,
      ...Object.fromEntries(
        INVENTORY.map((resource): [string, JsonSchema] => [
          resource,
          { type: 'array', items: buildRowSchema(resource), description: `The ${resource}` },
        ]),
      ),
    },
    additionalProperties: false,
  }
  return made
}

export const formatEstateSchema = (): string => `${JSON.stringify(getEstateSchema(), undefined, 2)}\n`
