/** Reads the input of an operation for the command line: JSON Schema without the wrappers of nullable and optional. */
import type { z } from 'zod'
import type { CustomPlace } from './json-schema.ts'
import { toInputJsonSchema } from './validate.ts'

export type FieldSchema = {
  /** A list is a type and null. */
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly description?: string
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly anyOf?: readonly FieldSchema[]
  /** Plural noun. The field holds one of its ids. */
  readonly ref?: string
  /** Another noun. The field may hold one of its ids. */
  readonly orRef?: string
  /** The text, in any case, that is no id and no name: it means every object of `ref`, or none. */
  readonly word?: string
  /** The field holds values or filters of custom fields. */
  readonly custom?: CustomPlace
}

/** Returns the schema of an input. */
export const getInputSchema = (input: z.ZodType): FieldSchema =>
  // The same object, typed with the keywords that help texts need as well.
  toInputJsonSchema(input) as FieldSchema

/** Returns true if null is no value of the field. A schema without types accepts any value. */
export const refusesNull = ({ type, anyOf }: FieldSchema): boolean =>
  (type !== undefined && !type.includes('null')) ||
  (anyOf !== undefined && !anyOf.some((option) => option.type === 'null'))

/**
 * Returns the schema of a field's value without null: `anyOf: [X, null]` becomes X with the outer description.
 * @example stripNull({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type // 'integer'
 */
export const stripNull = (schema: FieldSchema): FieldSchema => {
  const { anyOf, ...own } = schema
  const type = typeof own.type === 'object' ? own.type.find((one) => one !== 'null') : undefined
  if (type !== undefined) return { ...own, type }
  if (!anyOf) return schema
  const options = anyOf.filter((one) => one.type !== 'null').map(stripNull)
  const [first] = options
  // The value stays text if the field has several forms besides null.
  return options.length === 1 && first ? { ...first, ...own } : own
}

export type FieldKind = 'text' | 'number' | 'boolean' | 'object' | 'record'

/** Returns the kind of a field's value; of a list, that of its elements; of several forms, a number if the first is one. */
export const getKind = (schema: FieldSchema): FieldKind => {
  const { type = schema.anyOf?.[0]?.type, properties } = stripNull(schema)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'object') return properties ? 'object' : 'record'
  return 'text'
}

/** Returns the schema of a list's elements; undefined for other types. */
export const getElementSchema = (schema: FieldSchema): FieldSchema | undefined => {
  const { type, items } = stripNull(schema)
  return type === 'array' ? stripNull(items ?? {}) : undefined
}

/** Returns undefined for a schema that allows other values too. */
const listValues = (schema: FieldSchema): readonly unknown[] | undefined => {
  if (schema.enum) return schema.enum
  if (schema.const !== undefined) return [schema.const]
  const options = schema.anyOf?.filter(({ type }) => type !== 'null').map(listValues)
  return options?.every((one) => one !== undefined) ? options.flat() : undefined
}

/** Returns the values of an enumeration, but the empty one, which `--unset` sets. */
export const listChoices = (schema: FieldSchema): readonly string[] =>
  (listValues(schema) ?? []).map(String).filter((value) => value !== '')
