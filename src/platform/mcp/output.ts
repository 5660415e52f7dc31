/** What an operation answers, as tools say it: which fields there are, and the schema of the answer in few bytes. */
import { z } from 'zod'
import { type JsonSchema, jsonSchemaOf } from '../contract/json-schema.ts'
import type { AnyOperation } from '../operation/operation.ts'
import { inlined } from './signature.ts'

type Output = {
  /** The schema of an object, or of a row of a list. */
  readonly item: JsonSchema
  readonly isList: boolean
  /** The one field of an answer that is nothing but a list in it. */
  readonly listIn: string | undefined
}

const outputOf = (op: AnyOperation): Output => {
  const { schema, definitions } = jsonSchemaOf(op.output, 'output')
  const whole = inlined(schema, definitions)
  const [only, ...others] = Object.entries(whole.properties ?? {})
  if (whole.items) return { item: whole.items, isList: true, listIn: undefined }
  const isOnlyList = others.length === 0 && only?.[1].items !== undefined
  if (isOnlyList && only[1].items) return { item: only[1].items, isList: true, listIn: only[0] }
  return { item: whole, isList: false, listIn: undefined }
}

/** Worked out once for each operation. */
const known = new WeakMap<AnyOperation, Output>()
const outputFor = (op: AnyOperation): Output => {
  const output = known.get(op) ?? outputOf(op)
  known.set(op, output)
  return output
}

export const isList = (op: AnyOperation): boolean => outputFor(op).isList
export const listIn = (op: AnyOperation): string | undefined => outputFor(op).listIn

/** The top-level fields of the answer, or of each row of it. */
export const answerFieldsOf = (op: AnyOperation): readonly string[] => Object.keys(outputFor(op).item.properties ?? {})

/** The kinds of values alone: what a value means stands in its name, and its bounds are the server's business. */
const bare = ({ type, properties, items, anyOf, enum: values }: JsonSchema, depth: number): JsonSchema => ({
  ...(type !== undefined && { type }),
  ...(values !== undefined && values.length <= SHOWN_VALUES && { enum: values }),
  ...(anyOf && { anyOf: anyOf.map((one) => bare(one, depth)) }),
  ...(items && depth > 0 && { items: bare(items, depth - 1) }),
  ...(properties && depth > 0 && { properties: mapProperties(properties, depth - 1) }),
})
const SHOWN_VALUES = 8

const mapProperties = (properties: NonNullable<JsonSchema['properties']>, depth: number) =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, bare(field, depth)]))

/** How deep an answer is described: its fields, theirs, and those of the rows in them. */
const DEPTH = 3

/** Rows of a list, which `fields` makes lists of values. */
const listOf = (row: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    fields: { type: 'array', items: { type: 'string' } },
    items: { type: 'array', items: row.type === 'object' ? { ...row, type: ['object', 'array'] } : row },
    total: { type: 'integer' },
    truncated: { type: 'boolean' },
    next_offset: { type: 'integer' },
  },
})

/**
 * Nothing in it is required, because `fields` may leave anything out, and a failure is an object of other fields.
 */
export const outputSchemaOf = (op: AnyOperation): JsonSchema => {
  if (op.output instanceof z.ZodVoid) return { type: 'object', properties: { done: { type: 'boolean' } } }
  const { item } = outputFor(op)
  const row = bare(item, DEPTH)
  if (isList(op)) return listOf(row)
  // One of several forms is described by none of them.
  return row.type === 'object' ? row : { type: 'object' }
}
