/** The input of an operation as the command line reads it: JSON Schema, with nullable and optional looked through. */
import type { z } from 'zod'
import { inputJsonSchema } from '../contract/validate.ts'

export type FieldSchema = {
  readonly type?: string
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
  /** Plural noun whose id the field is. */
  readonly ref?: string
  /** Another noun whose id it may be. */
  readonly orRef?: string
  /** The text that stands for every object of `ref`. */
  readonly all?: string
}

/** The input's own schema. */
export const schemaOf = (input: z.ZodType): FieldSchema =>
  // The same object, read with the keywords that help texts need as well.
  inputJsonSchema(input) as FieldSchema

/**
 * What a field takes, null aside: `anyOf: [X, null]` is X with the outer description.
 * @example settled({ anyOf: [{ type: 'integer' }, { type: 'null' }] }).type // 'integer'
 */
export const settled = (schema: FieldSchema): FieldSchema => {
  const { anyOf, ...own } = schema
  if (!anyOf) return schema
  const options = anyOf.filter((one) => one.type !== 'null').map(settled)
  const [first] = options
  // Several forms besides null: none is better than another, so the value stays text.
  return options.length === 1 && first ? { ...first, ...own } : own
}

export type FieldKind = 'text' | 'number' | 'boolean' | 'object' | 'record'

/** One value of a field; of a list, one element. */
export const kindOf = (schema: FieldSchema): FieldKind => {
  const { type, properties } = settled(schema)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'boolean') return 'boolean'
  if (type === 'object') return properties ? 'object' : 'record'
  return 'text'
}

/** The element of a list; undefined for anything else. */
export const elementOf = (schema: FieldSchema): FieldSchema | undefined => {
  const { type, items } = settled(schema)
  return type === 'array' ? settled(items ?? {}) : undefined
}

export const choicesOf = (schema: FieldSchema): readonly string[] => (settled(schema).enum ?? []).map(String)
