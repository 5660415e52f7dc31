/** Parses the query string of a raw route by the schema that documents it. */
import type { z } from 'zod'
import { buildCoercion, coerceQuery } from './coerce.ts'
import { parse } from './validate.ts'

/** @throws AppError VALIDATION_ERROR */
export const parseRawQuery = <Schema extends z.ZodObject>(schema: Schema, request: Request): z.output<Schema> => {
  return parse(schema, coerceQuery(buildCoercion(schema), new URL(request.url).searchParams))
}
