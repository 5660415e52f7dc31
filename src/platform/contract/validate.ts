/** Parses input by its schema and says in plain words what is wrong, every field at once. Browser-safe. */
import { z } from 'zod'
import { type FieldIssue, invalid } from './errors.ts'

type RawIssue = z.core.$ZodRawIssue
type Path = readonly PropertyKey[]

/** @example fieldName(['addresses', 0, 'ip']) // 'addresses[0].ip' */
export const fieldName = (path: Path): string =>
  path.reduce<string>(
    (name, part) =>
      typeof part === 'number' ? `${name}[${part}]` : name === '' ? String(part) : `${name}.${String(part)}`,
    '',
  )

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const sizeMessage = (
  issue: RawIssue & { origin?: string },
  word: 'at least' | 'at most',
  bound: number | bigint,
): string => {
  if (issue.origin === 'string') return `must have ${word} ${bound} character${Number(bound) === 1 ? '' : 's'}`
  if (issue.origin === 'array') return `must have ${word} ${bound} item${Number(bound) === 1 ? '' : 's'}`
  return `must be ${word} ${bound}`
}

/** Zod's issue in our words; undefined leaves a message that the schema gave itself. */
const messageOf = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${ARTICLES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
      return sizeMessage(issue, 'at least', issue.minimum)
    case 'too_big':
      return sizeMessage(issue, 'at most', issue.maximum)
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has the wrong form'
    default:
      return undefined
  }
}

const issuesOf = (error: z.ZodError): FieldIssue[] =>
  error.issues.map((issue) => ({ field: fieldName(issue.path) || 'body', message: issue.message }))

/** @throws AppError VALIDATION_ERROR that names every bad field. */
export const parse = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const result = schema.safeParse(input, { error: messageOf })
  if (result.success) return result.data
  throw invalid(issuesOf(result.error))
}

export type InputSchema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly additionalProperties?: unknown
  readonly items?: InputSchema
  readonly anyOf?: readonly InputSchema[]
}

type Definitions = Readonly<Record<string, unknown>>

/** Named schemas (`.meta({ id })`) in the places that refer to them. An input holds none that contains itself. */
const inlined = (value: unknown, definitions: Definitions): unknown => {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string')
    return inlined(definitions[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)], definitions)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one, definitions)]))
}

/** The input side of a schema as JSON Schema (draft 2020-12), without references, made once per schema. */
export const inputJsonSchema = (schema: z.ZodType): InputSchema => {
  const known = cache.get(schema)
  if (known) return known
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // JSON Schema is what zod returns; its own type is wider than what we read of it.
  const made = inlined(whole, $defs) as InputSchema
  cache.set(schema, made)
  return made
}
const cache = new WeakMap<z.ZodType, InputSchema>()

const findUnknown = (schema: InputSchema, value: unknown, path: Path): Path[] => {
  if (schema.anyOf) {
    // What has fields is not null, so that option would hide the unknown ones of the other.
    const found = schema.anyOf.filter(({ type }) => type !== 'null').map((option) => findUnknown(option, value, path))
    return found.reduce((best, one) => (one.length < best.length ? one : best), found[0] ?? [])
  }
  if (Array.isArray(value))
    return value.flatMap((item, i) => (schema.items ? findUnknown(schema.items, item, [...path, i]) : []))
  if (typeof value !== 'object' || value === null) return []
  const { properties } = schema
  // An object without declared properties takes any.
  if (!properties) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    return known ? findUnknown(known, inner, [...path, key]) : [[...path, key]]
  })
}

/** The fields of `value`, at any depth, that the schema doesn't know: where a typo must not pass silently (CLI, MCP). */
export const unknownFields = (schema: z.ZodType, value: unknown): string[] =>
  findUnknown(inputJsonSchema(schema), value, []).map(fieldName)
