/** The contract of a bulk call, the same for every noun. Browser-safe. */
import { z } from 'zod'
import { ERROR_CODES } from '../contract/errors.ts'

export const MAX_BULK_OPERATIONS = 1000

/** The error of one item. */
export const ItemError = z
  .object({
    code: z.enum(ERROR_CODES),
    error: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })),
  })
  .meta({ id: 'Error' })

/** The fields of one item. The schema of the item's own operation validates them. */
export const BulkFields = z.record(z.string(), z.unknown()).optional().describe('The fields; for create and update')

type Shape = Readonly<Record<string, z.ZodType>>

/** `{operations: [{op, id?, <noun>?}], atomic?}`; the key of `object` is the noun. */
export const bulkInput = <const S extends Shape>(object: S) =>
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

/** `{results: [{index, status, <noun>?, error?}], succeeded, failed}`. */
export const bulkOutput = <const S extends Shape>(object: S) =>
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
