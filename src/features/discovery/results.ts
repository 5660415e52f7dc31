/** Results of calls about many items. Browser-safe. */
import { z } from 'zod'
import { ERROR_CODES } from '../../platform/contract/errors.ts'

const ItemError = z
  .object({
    code: z.enum(ERROR_CODES),
    error: z.string(),
    details: z.array(z.object({ field: z.string(), message: z.string() })),
  })
  .meta({ id: 'Error' })

/** The result of each item. */
export const itemResults = <const Word extends string, Shape extends z.ZodRawShape>(word: Word, shape: Shape) =>
  z.object({
    results: z.array(
      z.object({
        index: z.int(),
        id: z.string(),
        status: z.enum([word, 'failed']),
        ...shape,
        error: ItemError.optional(),
      }),
    ),
    succeeded: z.int(),
    failed: z.int(),
  })
