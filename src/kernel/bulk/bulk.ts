/** The contract of a bulk call, the same for every noun. Browser-safe. */
import { z } from 'zod'
import { ERROR_CODES } from '../../contract/errors.ts'
import { NewId } from '../../contract/fields/fields.ts'
import { type JsonSchema, toJsonSchema } from '../../contract/json-schema.ts'

export const MAX_BULK_OPERATIONS = 1000

/** The error of one item. */
export const ItemError = z
  .object({
    code: z.enum(ERROR_CODES),
    error: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })),
  })
  .meta({ id: 'Error' })

/** The largest number of fields of one item, which may also have the fields of an answer. */
const MAX_ITEM_FIELDS = 100

/** The fields of one item. The schema of the item's own operation validates them. */
export const BulkFields = z
  .record(z.string(), z.unknown())
  .meta({ exact: { maxProperties: MAX_ITEM_FIELDS } })
  .optional()
  .describe('The fields; for create and update')

type Shape = Readonly<Record<string, z.ZodType>>

/** `{operations: [{op, id?, <noun>?}], atomic?}`; the key of `object` is the noun. */
export const createBulkInput = <const S extends Shape>(object: S) =>
  z.object({
    operations: z
      .array(
        z.object({
          op: z.enum(['create', 'update', 'delete']),
          id: z.string().optional().describe('Which one; for update and delete'),
          ...object,
        }),
      )
      .min(1)
      .max(MAX_BULK_OPERATIONS),
    atomic: z.boolean().default(true).describe('All or nothing'),
  })

const toSchema = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, 'input', { isExact: true }).schema

const withFields = (properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
})

type Verbs = {
  readonly create: z.ZodObject
  readonly update: z.ZodObject
  /** The fields of a new object. */
  readonly example: object
}

/**
 * Returns the rules of the items of `createBulkInput` in JSON Schema, by the schemas of their own operations. Without `atomic` a bad item is a
 * failed one, and no bad request.
 */
export const buildBulkRules = (noun: string, { create, update, example }: Verbs): JsonSchema => {
  const id = z.string().min(1)
  // The id of a new object stands beside `op` or among its fields, where it counts.
  const idOnce = { anyOf: [withFields({ id: toSchema(NewId) }), withFields({ [noun]: withFields({ id: {} }, 'id') })] }
  const items = [
    z.object({ op: z.literal('create'), [noun]: create }).meta({ exact: idOnce }),
    z.object({ op: z.literal('update'), id, [noun]: update.omit({ id: true }).optional() }),
    z.object({ op: z.literal('delete'), id, [noun]: BulkFields }),
  ].map(toSchema)
  return {
    examples: [{ operations: [{ op: 'create', [noun]: example }] }],
    anyOf: [
      withFields({ atomic: { const: false } }, 'atomic'),
      withFields({ operations: { type: 'array', items: { anyOf: items } } }),
    ],
  }
}

/** `{results: [{index, status, <noun>?, error?}], succeeded, failed}`. */
export const createBulkOutput = <const S extends Shape>(object: S) =>
  z.object({
    results: z.array(
      z.object({
        index: z.int(),
        status: z.enum(['created', 'updated', 'deleted', 'failed']),
        ...object,
        error: ItemError.optional(),
      }),
    ),
    succeeded: z.int(),
    failed: z.int(),
  })
