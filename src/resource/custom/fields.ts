/**
 * The field `custom` of contracts: values of custom fields in inputs, answers and filters of lists. Browser-safe.
 * A resource with custom fields has `custom: CustomInput` in its draft and patch, `custom: CustomOf` in its schema and, if it
 * is listed, `custom: CustomFilter` in the input of its list. Its rules call `engine.ts`.
 */
import { z } from 'zod'
import { line } from '../../contract/fields/fields.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import { customFieldFacts } from '../../inventory/custom-fields/resource.ts'
import { isResource, RESOURCES, type Resource } from '../../inventory/resources.ts'
import { type ResourceFacts, sortByRank } from '../facts.ts'

type Facts = (typeof RESOURCES)[number]
type OwnCustom<F> = F extends { readonly custom: string }
  ? F extends { readonly customOf: string } | { readonly customBy: string }
    ? never
    : F
  : never
type CustomFacts = OwnCustom<Facts>
/** A built-in resource with definitions of its own. */
export type BuiltInCustomResource = CustomFacts['name'] | 'addresses'
/** The resource of a definition: a built-in one, or the id of a kind. */
export type CustomResource = string

/** The resources with definitions of their own. */
const CUSTOM_FACTS = sortByRank<Facts>(RESOURCES, 'custom').filter(
  (facts): facts is CustomFacts => 'custom' in facts && !('customOf' in facts) && !('customBy' in facts),
)

/** Returns the resource of the objects of a definition: a built-in one, or the one of the objects of all kinds. */
export const toObjectResource = (resource: CustomResource): Resource => (isResource(resource) ? resource : 'objects')

/** The position of the addresses of devices, and reservations, which are no resource. */
const ADDRESSES = 5

/** The built-in resources of objects with custom fields. */
export const CUSTOM_RESOURCES: readonly BuiltInCustomResource[] = CUSTOM_FACTS.map(
  ({ name }): BuiltInCustomResource => name,
).toSpliced(ADDRESSES, 0, 'addresses')

/** True for the id of a kind. */
export const isKindResource = (resource: CustomResource): boolean => !CUSTOM_RESOURCES.some((one) => one === resource)

/**
 * Returns the function that gives the resource of the definitions of an object's values; undefined for a resource without custom fields.
 */
export const createDefinitionsOf = (facts: ResourceFacts): ((object: object) => CustomResource) | undefined => {
  const { name, custom, customOf = name, customBy } = facts
  if (custom === undefined) return undefined
  // A field with the id of a kind is required.
  return customBy === undefined ? () => customOf : (object) => String((object as Record<string, unknown>)[customBy])
}

export const FIELD_TYPES = customFieldFacts.fields.type.of
export type FieldType = (typeof FIELD_TYPES)[number]

type NamedFacts = Extract<CustomFacts, { readonly fields: { readonly name: { readonly type: 'name' } } }>
export type BuiltInTarget = NamedFacts['name']
/** What a reference names: a built-in resource, or the id of a kind. */
export type ReferenceTarget = string

/** True for a built-in resource that a reference may name: its objects have a name of the type `name`. */
export const isReferenceTarget = (resource: string): resource is BuiltInTarget =>
  CUSTOM_FACTS.some(({ name, fields }) => name === resource && 'name' in fields && fields.name.type === 'name')

/** The built-in resources that a reference may name. */
export const REFERENCE_TARGETS: readonly BuiltInTarget[] = CUSTOM_RESOURCES.filter(isReferenceTarget)

/** The largest number of custom fields of one resource. */
export const MAX_FIELDS = 200
/** The largest number of characters of a text. */
export const MAX_TEXT = 4096
/** The largest number of values of a field with several. */
export const MAX_VALUES = 100

export const FIELD_NAME = '[a-z][a-z0-9_]{0,49}'
const isName = new RegExp(matchWhole(FIELD_NAME))

/** True for a text that can be the name of a custom field. */
export const isFieldName = (text: string): boolean => isName.test(text)

const Text = line(MAX_TEXT)

/** A value of a custom field: a list if the field has several. */
export type CustomValue = string | number | boolean | string[]

/** The values of an object, by the names of their fields. */
export type Custom = Readonly<Record<string, CustomValue>>

/** A change of the values of an object: an absent name keeps, `null` or `""` clears. Null clears all. */
export type CustomPatch = Readonly<Record<string, CustomValue | null>> | null

/** Values in a create or an update. Fields are validated by their definitions, which no contract knows. */
export const CustomInput = z
  .record(z.string(), z.union([Text, z.number(), z.boolean(), z.array(Text).max(MAX_VALUES)]).nullable())
  .superRefine((values, check) => {
    for (const name of Object.keys(values))
      if (!isFieldName(name)) check.addIssue({ code: 'custom', path: [name], message: 'is no name of a custom field' })
  })
  .meta({ exact: { propertyNames: { pattern: matchWhole(FIELD_NAME) }, maxProperties: MAX_FIELDS } })
  .nullable()
  .describe('Values of custom fields, as name: value. An update keeps the others; null takes one away, or all')

/** Values in an answer, which has none without a value. */
export const CustomOf = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
  .optional()
  .describe('Values of custom fields; absent without any')

/** Filters of a list by custom fields, which hold together. */
export const CustomFilter = z
  .record(z.string(), Text)
  .optional()
  .describe('By custom fields: `name` the value, empty for none, `*` for any; `name.min` and `name.max` bounds')

/** Returns an object with its values, which is absent without any. The field comes before the times, or last. */
export const withCustom = <T extends object>(object: T, custom: Custom): T & { custom?: Custom } => {
  // The caller's object may have values of before, and has the times if its type has them.
  const { custom: _, created_at, updated_at, ...rest } = object as T & Record<string, unknown>
  const times = {
    ...(created_at !== undefined && { created_at }),
    ...(updated_at !== undefined && { updated_at }),
  }
  const values = Object.keys(custom).length > 0 ? { custom } : {}
  // The same fields as before, beside the values.
  return { ...rest, ...values, ...times } as T & { custom?: Custom }
}

/** Values in a create or an update of a resource. */
export const customInput = (of: CustomResource) =>
  // The type of the schema. Its lists are not written to.
  CustomInput.meta({ custom: { of, as: 'input' } }) as z.ZodType<CustomPatch, CustomPatch>

/** Values in an answer of a resource. */
export const customOutput = (of: CustomResource) =>
  // The type of the schema. Its lists are not written to.
  CustomOf.meta({ custom: { of, as: 'output' } }) as z.ZodOptional<z.ZodType<Custom>>

/** Filters of the list of a resource. */
export const customFilter = (of: CustomResource) => CustomFilter.meta({ custom: { of, as: 'filter' } })
