/** Parses the query string of a raw route by the schema that documents it. */
import type { z } from 'zod'
import { coerce, coercionOf } from './coerce.ts'
import { parse } from './validate.ts'

/** @throws AppError VALIDATION_ERROR */
export const rawQuery = <Schema extends z.ZodObject>(schema: Schema, request: Request): z.output<Schema> => {
  const coercion = coercionOf(schema)
  const query = new URL(request.url).searchParams
  const names = [...new Set(query.keys())]
  return parse(schema, Object.fromEntries(names.map((name) => [name, coerce(coercion, name, query.getAll(name))])))
}
