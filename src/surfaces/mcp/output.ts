/** Describes the answers of operations for tools: their fields, and their schemas in few bytes. */
import { z } from 'zod'
import { type DescribeCustom, type JsonSchema, toJsonSchema } from '../../contract/json-schema.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { resolveReferences } from './signature.ts'

type Output = {
  /** The schema of an object, or of a row of a list. */
  readonly item: JsonSchema
  readonly isList: boolean
  /** The name of the field that holds the list, in an object with no other field. */
  readonly listIn: string | undefined
}

const describeOutput = (op: AnyOperation, describeCustom?: DescribeCustom): Output => {
  const { schema, definitions } = toJsonSchema(op.output, 'output', { describeCustom })
  const whole = resolveReferences(schema, definitions)
  const [only, ...others] = Object.entries(whole.properties ?? {})
  if (whole.items) return { item: whole.items, isList: true, listIn: undefined }
  const isOnlyList = others.length === 0 && only?.[1].items !== undefined
  if (isOnlyList && only[1].items) return { item: only[1].items, isList: true, listIn: only[0] }
  return { item: whole, isList: false, listIn: undefined }
}

/** Cached per operation. */
const known = new WeakMap<AnyOperation, Output>()
const getOutput = (op: AnyOperation): Output => {
  const output = known.get(op) ?? describeOutput(op)
  known.set(op, output)
  return output
}

export const isList = (op: AnyOperation): boolean => getOutput(op).isList
export const listIn = (op: AnyOperation): string | undefined => getOutput(op).listIn

/** Returns the top-level fields of the answer, or of each of its rows. */
export const listAnswerFields = (op: AnyOperation): readonly string[] =>
  Object.keys(getOutput(op).item.properties ?? {})

/** Keeps only the types of values. Names explain their meaning, and bounds only concern the server. */
const stripSchema = ({ type, properties, items, anyOf, enum: values }: JsonSchema, depth: number): JsonSchema => {
  const [first, ...others] = anyOf?.map((one) => stripSchema(one, depth)) ?? []
  if (first && others.every((one) => Bun.deepEquals(one, first))) return first
  return {
    ...(type !== undefined && { type }),
    ...(values !== undefined && values.length <= SHOWN_VALUES && { enum: values }),
    ...(first && { anyOf: [first, ...others] }),
    ...(items && depth > 0 && { items: stripSchema(items, depth - 1) }),
    ...(properties && depth > 0 && { properties: mapProperties(properties, depth - 1) }),
  }
}
const SHOWN_VALUES = 8

/** Fields of many tools without their parts, which the tools of their own objects name. */
const WITHOUT_PARTS: readonly string[] = ['mount', 'networks', 'addresses']

const mapProperties = (properties: NonNullable<JsonSchema['properties']>, depth: number) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [
      name,
      stripSchema(field, WITHOUT_PARTS.includes(name) ? 0 : depth),
    ]),
  )

/** Maximum depth of a described answer: its fields, their fields, and the fields of the rows in them. */
const DEPTH = 3

/** Describes the rows of a list, which `fields` turns into lists of values. */
const toListSchema = (row: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    fields: { type: 'array', items: { type: 'string' } },
    items: { type: 'array', items: row.type === 'object' ? { ...row, type: ['object', 'array'] } : row },
    total: { type: 'integer' },
    truncated: { type: 'boolean' },
    next_offset: { type: 'integer' },
  },
})

/** No field is required, because `fields` may omit any, and a failure has other fields. */
export const toOutputSchema = (op: AnyOperation, describeCustom: DescribeCustom): JsonSchema => {
  if (op.output instanceof z.ZodVoid) return { type: 'object', properties: { done: { type: 'boolean' } } }
  const { item } = describeOutput(op, describeCustom)
  const row = stripSchema(item, DEPTH)
  if (isList(op)) return toListSchema(row)
  // Several forms have no common description.
  return row.type === 'object' ? row : { type: 'object' }
}
