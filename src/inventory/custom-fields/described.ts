/** Describes the defined custom fields as JSON Schema, for the API document and the tools of models. */

import { shorten } from '../../contract/errors.ts'
import { matchWhole } from '../../contract/fields/text-rules.ts'
import type { CustomPlace, DescribeCustom, JsonSchema } from '../../contract/json-schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatCondition } from '../../resource/custom/conditions.ts'
import { NEXT_PATTERN } from '../../resource/custom/next-text.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import * as store from '../../resource/custom/store.ts'

/** The parts of a definition that say which values it takes. */
type Defined = Pick<
  CustomField,
  | 'resource'
  | 'name'
  | 'label'
  | 'type'
  | 'multiple'
  | 'choices'
  | 'reference_to'
  | 'required'
  | 'default'
  | 'unique'
  | 'pattern'
  | 'minimum'
  | 'maximum'
  | 'description'
  | 'only_for'
>

const getBounds = ({ minimum, maximum }: Defined): JsonSchema => ({
  ...(minimum !== null && { minimum }),
  ...(maximum !== null && { maximum }),
})

const describeSingle = (field: Defined): JsonSchema => {
  switch (field.type) {
    case 'integer':
    case 'number':
      return { type: field.type, ...getBounds(field) }
    case 'boolean':
      return { type: 'boolean' }
    case 'date':
      return { type: 'string', format: 'date' }
    case 'url':
      return { type: 'string', format: 'uri' }
    case 'ip':
      return { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] }
    case 'choice':
      return { type: 'string', enum: field.choices }
    case 'reference':
      return { type: 'string', ...(field.reference_to && { 'x-ref': field.reference_to }) }
    case 'text':
      return { type: 'string' }
  }
}

/** A unique integer also takes the text that asks for the next number. */
const describeInput = (field: Defined): JsonSchema => {
  const value = describeValue(field)
  if (field.type !== 'integer' || !field.unique) return toNullable(value)
  return { anyOf: [value, { type: 'string', pattern: matchWhole(NEXT_PATTERN) }, { type: 'null' }] }
}

const describeValue = (field: Defined): JsonSchema =>
  field.multiple ? { type: 'array', items: describeSingle(field) } : describeSingle(field)

/** Returns the schema of a value that may be null. */
const toNullable = ({ type, enum: values, ...schema }: JsonSchema): JsonSchema => ({
  ...(typeof type === 'string' && { type: [type, 'null'] }),
  ...(values && { enum: [...values, null] }),
  ...schema,
})

const isNecessary = ({ required, default: byDefault }: Defined): boolean => required && byDefault === null

/** The label where it says more than the name, the help text, and the rules that a type cannot say. */
const describeMeaning = (field: Defined, isInput: boolean): JsonSchema => {
  const { name, label, description, pattern, reference_to } = field
  const parts = [
    ...(label !== name ? [label] : []),
    ...(description !== '' ? [description] : []),
    ...(reference_to ? [`Id in ${reference_to}`] : []),
    ...(isInput && field.type === 'integer' && field.unique ? ['`next` or `next:1-99` for the next free number'] : []),
    ...(isInput && pattern !== '' ? [`Matches ${pattern}`] : []),
    ...(isInput && field.only_for ? [`Applies only where ${formatCondition(field.only_for)}`] : []),
    ...(isInput && isNecessary(field)
      ? [`Required in a new object${field.only_for ? ' to which it applies' : ''}`]
      : []),
  ]
  return parts.length > 0 ? { description: parts.join('. ') } : {}
}

const RANGES: ReadonlySet<Defined['type']> = new Set(['integer', 'number', 'date'])

/** The filters of a field: its value, and the bounds of one that has an order. */
const describeFilters = (field: Defined): [name: string, schema: JsonSchema][] => {
  const { name } = field
  const value: [string, JsonSchema] = [name, { ...describeMeaning(field, false), type: 'string' }]
  if (!RANGES.has(field.type)) return [value]
  return [value, [`${name}.min`, { type: 'string' }], [`${name}.max`, { type: 'string' }]]
}

const describeProperties = (field: Defined, as: CustomPlace['as']): [name: string, schema: JsonSchema][] => {
  if (as === 'filter') return describeFilters(field)
  const value = describeValue(field)
  const isInput = as === 'input'
  return [[field.name, { ...describeMeaning(field, isInput), ...(isInput ? describeInput(field) : value) }]]
}

const ABOUT: Readonly<Record<CustomPlace['as'], string>> = {
  input: 'Custom fields. An update keeps those that it does not name; null clears one, or all',
  output: 'Custom fields, those with a value',
  filter:
    'By custom fields: the whole value in any case, `*` for any value, empty for none; `.min` and `.max` for bounds',
}

const describeObject = (fields: readonly Defined[], as: CustomPlace['as']): JsonSchema => ({
  type: as === 'input' ? ['object', 'null'] : 'object',
  description: ABOUT[as],
  properties: Object.fromEntries(fields.flatMap((field) => describeProperties(field, as))),
  // Another name is an error of an input, and a later answer may have more.
  ...(as !== 'output' && { additionalProperties: false }),
})

/** The largest number of characters that name the fields of all kinds. */
const MAX_KINDS_TEXT = 2000

/** Returns the names of the fields of each kind, as text. */
const listKindFields = (byKind: readonly (readonly [string, readonly Defined[]])[]): string =>
  shorten(
    byKind.map(([kind, fields]) => `${kind}: ${fields.map(({ name }) => name).join(', ')}`).join('; '),
    MAX_KINDS_TEXT,
  )

/** Describes the values of objects of several kinds, one of which the object has. */
const describeKinds = (
  byKind: readonly (readonly [string, readonly Defined[]])[],
  { as, isShort }: { readonly as: CustomPlace['as']; readonly isShort: boolean },
): JsonSchema => {
  const description = `${ABOUT[as]}. By kind: ${listKindFields(byKind)}`
  if (isShort || as === 'filter') return { type: as === 'input' ? ['object', 'null'] : 'object', description }
  return {
    description,
    anyOf: [
      ...byKind.map(([title, fields]) => ({ title, ...describeObject(fields, as) })),
      ...(as === 'input' ? [{ type: 'null' }] : []),
    ],
  }
}

/**
 * @param absent for a resource without definitions: null leaves its custom fields out, undefined leaves them untyped
 * @param kinds the ids of all kinds
 */
export const describeBy = (
  definitions: readonly Defined[],
  absent: undefined | null,
  kinds: readonly string[] = [],
): DescribeCustom => {
  const byResource = Map.groupBy(definitions, ({ resource }) => resource as string)
  const byKind = kinds.map((kind) => [kind, byResource.get(kind) ?? []] as const)
  const describe: DescribeCustom = ({ of, as }) => {
    // Readers that leave out undefined fields also have short descriptions.
    if (of === 'objects') return kinds.length > 0 ? describeKinds(byKind, { as, isShort: absent === null }) : absent
    const fields = byResource.get(of)
    return fields ? describeObject(fields, as) : absent
  }
  return Object.assign(describe, { kinds })
}

/** Describes none, for readers that leave out undefined fields, and for readers that have them untyped. */
const NONE: readonly DescribeCustom[] = [() => null, () => undefined]

/** Approximate size of the descriptions, which hold the definitions, in bytes. */
const SIZE = 8192

/** Returns the descriptions of one revision of the definitions: as the tools of models have them, and as the API document. */
const loadDescribers = async (ctx: Ctx): Promise<readonly DescribeCustom[]> => {
  const cache = ctx.store.cache.at<readonly DescribeCustom[]>('described custom fields', await readRevision(ctx))
  const known = cache.get('')
  if (known) return known
  const [definitions, kinds] = [await store.findAll(ctx), await store.findKindIds(ctx)]
  const made =
    definitions.length + kinds.length === 0
      ? NONE
      : [describeBy(definitions, null, kinds), describeBy(definitions, undefined, kinds)]
  cache.set('', made, SIZE)
  return made
}

const readRevision = async (ctx: Ctx): Promise<string> => ctx.store.revision(['custom_fields', 'kinds'])

/** Returns the custom fields for tools, which have none of a resource without definitions. The same until a definition changes. */
export const loadDescriberForTools = async (ctx: Ctx): Promise<DescribeCustom | undefined> =>
  (await loadDescribers(ctx))[0]

/** Like `loadDescriberForTools`, for the API document, in which they are untyped without definitions. */
export const loadDescriberForDocument = async (ctx: Ctx): Promise<DescribeCustom | undefined> =>
  (await loadDescribers(ctx))[1]
