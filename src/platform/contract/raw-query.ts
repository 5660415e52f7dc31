/** Parses the query string of a raw route by the schema that documents it. */
import type { z } from 'zod'
import { coerceQuery, coercionOf } from './coerce.ts'
import { parse } from './validate.ts'

/** @throws AppError VALIDATION_ERROR */
export const rawQuery = <Schema extends z.ZodObject>(schema: Schema, request: Request): z.output<Schema> => {
  return parse(schema, coerceQuery(coercionOf(schema), new URL(request.url).searchParams))
}
