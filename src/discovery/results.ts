/** Results of calls about many items. Browser-safe. */
import { z } from 'zod'
import { ItemError } from '../kernel/bulk/bulk.ts'

/** Creates the schema of the result of each item. */
export const createResultsSchema = <const Word extends string, Shape extends z.ZodRawShape>(word: Word, shape: Shape) =>
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
