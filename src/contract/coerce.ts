/** Converts text of query strings and command lines to the types of the input schema. Browser-safe. */
import type { z } from 'zod'
import { toInputJsonSchema } from './validate.ts'

type Kind = 'number' | 'boolean' | 'text'
type Field = { readonly kind: Kind; readonly isList: boolean; readonly isRecord: boolean }
export type Coercion = ReadonlyMap<string, Field>

type Schema = NonNullable<ReturnType<typeof toInputJsonSchema>['items']>

const getKind = (schema: Schema | undefined): Kind => {
  const types = [schema, ...(schema?.anyOf ?? [])].map((one) => one?.type)
  if (types.includes('number') || types.includes('integer')) return 'number'
  return types.includes('boolean') ? 'boolean' : 'text'
}

const getListSchema = (schema: Schema): Schema | undefined =>
  [schema, ...(schema.anyOf ?? [])].find((one) => one.type === 'array')

const isRecord = (schema: Schema): boolean =>
  [schema, ...(schema.anyOf ?? [])].some(({ type, properties }) => type === 'object' && properties === undefined)

/** Parameters that are refused when they are empty: as absent ones they would do in earnest what was to be tried. */
export const NEVER_EMPTY: ReadonlySet<string> = new Set(['dry_run', 'proposal'])

/** Returns the target type of each field of an input, for reuse. */
export const buildCoercion = (input: z.ZodType): Coercion =>
  new Map(
    Object.entries(toInputJsonSchema(input).properties ?? {}).map(([name, schema]) => {
      const list = getListSchema(schema)
      return [
        name,
        { kind: getKind(list ? list.items : schema), isList: list !== undefined, isRecord: isRecord(schema) },
      ]
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

/** Splits the name of a query parameter at its first dot, if a record has the name before it. */
export const recordEntry = (
  coercion: Coercion,
  name: string,
): { readonly record: string; readonly key: string } | undefined => {
  const dot = name.indexOf('.')
  const record = name.slice(0, Math.max(0, dot))
  return coercion.get(record)?.isRecord ? { record, key: name.slice(dot + 1) } : undefined
}

/**
 * Converts a query string. The parameters `custom.owner` and `custom.watts.min` are the entries `owner` and `watts.min` of the
 * record `custom`.
 */
export const coerceQuery = (coercion: Coercion, query: URLSearchParams): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  const records = new Map<string, [key: string, text: string][]>()
  for (const name of new Set(query.keys())) {
    const texts = query.getAll(name)
    const entry = recordEntry(coercion, name)
    if (entry) {
      const entries = records.get(entry.record) ?? []
      entries.push([entry.key, texts.at(-1) ?? ''])
      records.set(entry.record, entries)
      continue
    }
    const value = coerce(coercion, name, texts)
    if (value !== undefined) input[name] = value
  }
  // A bare `custom=x` beside them is an error of the schema, which only a value that is left can show.
  for (const [record, entries] of records) input[record] ??= Object.fromEntries(entries)
  return input
}
