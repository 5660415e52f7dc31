/** Converts text of query strings and command lines to the types of the input schema. Browser-safe. */
import type { z } from 'zod'
import { inputJsonSchema } from './validate.ts'

type Kind = 'number' | 'boolean' | 'text'
type Field = { readonly kind: Kind; readonly isList: boolean }
export type Coercion = ReadonlyMap<string, Field>

type Schema = NonNullable<ReturnType<typeof inputJsonSchema>['items']>

const kindOf = (schema: Schema | undefined): Kind => {
  const types = [schema, ...(schema?.anyOf ?? [])].map((one) => one?.type)
  if (types.includes('number') || types.includes('integer')) return 'number'
  return types.includes('boolean') ? 'boolean' : 'text'
}

const listOf = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find((one) => one.type === 'array')

/** Returns the target type of each field of an input, for reuse. */
export const coercionOf = (input: z.ZodType): Coercion =>
  new Map(
    Object.entries(inputJsonSchema(input).properties ?? {}).map(([name, schema]) => {
      const list = listOf(schema)
      return [name, { kind: kindOf(list ? list.items : schema), isList: list !== undefined }]
    }),
  )

/** Converts a text. Unconvertible text stays text, and the schema reports the error. */
export const coerceOne = (kind: Kind, text: string): unknown => {
  if (kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Converts the texts of a field: all for a list, else the last. An empty number or boolean is absent. */
export const coerce = (coercion: Coercion, name: string, texts: readonly string[]): unknown => {
  const field = coercion.get(name)
  if (!field) return texts.at(-1)
  if (field.isList) return texts.map((text) => coerceOne(field.kind, text))
  const last = texts.at(-1) ?? ''
  return last === '' && field.kind !== 'text' ? undefined : coerceOne(field.kind, last)
}
