/** Converts a contract's schemas to JSON Schema (draft 2020-12). Browser-safe. */
import { z } from 'zod'
import { toSingular } from './command-name.ts'

export type JsonSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly contains?: JsonSchema
  readonly not?: JsonSchema
  readonly contentEncoding?: string
  /** The noun of the object that an id names. */
  readonly 'x-ref'?: string
}

/** Where a contract has custom fields, of which it knows no name. */
export type CustomPlace = {
  /** The resource with the custom field definitions to use. */
  readonly of: string
  readonly as: 'input' | 'output' | 'filter'
}

/** Describes custom fields by their definitions. undefined leaves them as the contract has them, null leaves them out. */
export type DescribeCustom = ((place: CustomPlace) => JsonSchema | undefined | null) & {
  /** The ids of the kinds of objects. */
  readonly kinds?: readonly string[]
}

/** The output of zod: our own metadata among the keywords, and the named schemas in `$defs`. */
type Raw = JsonSchema & {
  readonly $schema?: string
  readonly $defs?: Readonly<Record<string, Raw>>
  readonly id?: string
  readonly ref?: string
  readonly orRef?: string
  readonly word?: string
  /** Keywords that a reader does without, and a generator of requests does not. */
  readonly exact?: JsonSchema
  /** A value for examples. Zod drops `examples` of an input that is transformed. */
  readonly example?: unknown
  readonly columns?: unknown
  readonly custom?: CustomPlace
  /** The value is one of these, or the id of a kind. */
  readonly orKind?: readonly string[]
}

export type Io = 'input' | 'output'
export type Definitions = Readonly<Record<string, JsonSchema>>

const NULL = JSON.stringify({ type: 'null' })

/** Rewrites `anyOf: [T, null]` to the shorter `type: [T, 'null']`. */
const foldNull = (schema: JsonSchema): JsonSchema => {
  const { anyOf = [], ...rest } = schema
  const [option, none] = anyOf
  if (anyOf.length !== 2 || !option || typeof option.type !== 'string' || JSON.stringify(none) !== NULL) return schema
  const values = option.enum ? { enum: [...option.enum, null] } : {}
  return { type: [option.type, 'null'], ...removeType(option), ...values, ...rest }
}

const removeType = ({ type: _, ...rest }: JsonSchema): JsonSchema => rest

/**
 * A format replaces its pattern of 200 characters. The keywords of `exact` and the bounds of safe integers remain with `isExact`: readers
 * assume them, but a generator of requests needs them.
 */
const createCleaner = (options: Options) => {
  const clean = (raw: Raw): JsonSchema => {
    const described = raw.custom && options.describeCustom?.(raw.custom)
    return described ?? cleanSchema(raw, { ...options, clean })
  }
  return clean
}

type Options = { readonly isExact?: boolean; readonly describeCustom?: DescribeCustom | undefined }
type Cleaning = Options & { readonly clean: (raw: Raw) => JsonSchema }

/** Returns the properties that are not left out. */
const filterPresent = (properties: Readonly<Record<string, Raw>>, describe: DescribeCustom | undefined) =>
  Object.fromEntries(Object.entries(properties).filter(([, { custom }]) => !custom || describe?.(custom) !== null))

/** Returns the values of a field that may be the id of a kind; none where any text may be one. */
const listKinds = (orKind: readonly string[] | undefined, kinds: readonly string[] = []): JsonSchema =>
  orKind && orKind.length + kinds.length > 0 ? { enum: [...orKind, ...kinds] } : {}

const cleanSchema = (raw: Raw, { clean, isExact = false, describeCustom }: Cleaning): JsonSchema => {
  const {
    $schema,
    $defs,
    id,
    columns,
    ref,
    orRef: _,
    word: __,
    custom: ___,
    orKind,
    exact = {},
    example,
    $ref,
    type,
    description,
    default: byDefault,
    minimum,
    maximum,
    pattern,
    ...kept
  } = raw
  const { properties, required, items, additionalProperties, propertyNames, anyOf, oneOf, allOf, ...plain } = kept
  const meaning = description ?? (ref === undefined ? undefined : `Id of a ${toSingular(ref)}`)
  return foldNull({
    ...($ref !== undefined && { $ref: $ref.replace('#/$defs/', '#/components/schemas/') }),
    ...(type !== undefined && { type }),
    ...(meaning !== undefined && { description: meaning }),
    ...(ref !== undefined && { 'x-ref': ref }),
    ...plain,
    ...listKinds(orKind, describeCustom?.kinds),
    ...(minimum !== undefined && (isExact || minimum !== Number.MIN_SAFE_INTEGER) && { minimum }),
    ...(maximum !== undefined && (isExact || maximum !== Number.MAX_SAFE_INTEGER) && { maximum }),
    ...(pattern !== undefined && plain.format === undefined && { pattern }),
    // A contract uses `null` for "absent"; as a default it has no meaning.
    ...(byDefault !== undefined && byDefault !== null && { default: byDefault }),
    ...(items && { items: clean(items) }),
    ...(properties && { properties: mapValues(filterPresent(properties, describeCustom), clean) }),
    ...(required && { required }),
    // Zod closes every object of an output, but a later release may add fields.
    ...(typeof additionalProperties === 'object' && { additionalProperties: clean(additionalProperties) }),
    ...(propertyNames && propertyNames.type !== 'string' && { propertyNames: clean(propertyNames) }),
    ...(anyOf && { anyOf: anyOf.map((one) => clean(one)) }),
    ...(oneOf && { oneOf: oneOf.map((one) => clean(one)) }),
    ...(allOf && { allOf: allOf.map((one) => clean(one)) }),
    ...(example !== undefined && { examples: [example] }),
    ...(isExact && exact),
  })
}

const mapValues = <V, W>(values: Readonly<Record<string, V>>, change: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))

/** Returns a schema, and the named ones (`.meta({ id })`) to which it refers as `#/components/schemas/<id>`. */
export const toJsonSchema = (
  schema: z.ZodType,
  io: Io,
  options: Options = {},
): { readonly schema: JsonSchema; readonly definitions: Definitions } => {
  // Zod returns JSON Schema, but with a wider type than contracts use.
  const raw = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Raw
  const clean = createCleaner(options)
  return { schema: clean(raw), definitions: mapValues(raw.$defs ?? {}, clean) }
}

/** Returns the schema with every object of declared fields closed, so that an unknown field is an error. */
export const closeSchema = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.properties && { properties: mapValues(schema.properties, closeSchema), additionalProperties: false }),
  ...(schema.items && { items: closeSchema(schema.items) }),
  ...(schema.anyOf && { anyOf: schema.anyOf.map(closeSchema) }),
  ...(schema.oneOf && { oneOf: schema.oneOf.map(closeSchema) }),
})

/** `#/components/schemas/Device` -> `Device` */
export const getRefName = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Returns the one type of a schema besides null. */
export const getBaseType = ({ type }: JsonSchema): string | undefined =>
  typeof type === 'string' ? type : type?.find((one) => one !== 'null')

export const isNullable = ({ type, anyOf }: JsonSchema): boolean =>
  (Array.isArray(type) && type.includes('null')) || (anyOf?.some((one) => one.type === 'null') ?? false)
