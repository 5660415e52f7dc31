/** Parses input by its schema and reports the errors of all fields at once in plain words. Browser-safe. */
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

/** @example choiceMessage(['', 'ipv4', 'ipv6']) // 'must be one of ipv4, ipv6, or empty' */
const choiceMessage = (values: readonly unknown[]): string => {
  const named = values.map(String).filter((value) => value !== '')
  return `must be one of ${named.join(', ')}${named.length < values.length ? ', or empty' : ''}`
}

/** Returns the values of a union of literals and enumerations; undefined for another union. */
const choicesOf = (errors: readonly (readonly z.core.$ZodIssue[])[]): readonly unknown[] | undefined => {
  const values = errors.map(([first, ...others]) =>
    first?.code === 'invalid_value' && first.path.length === 0 && others.length === 0 ? first.values : undefined,
  )
  return values.some((one) => one === undefined) ? undefined : values.flatMap((one) => one ?? [])
}

/** Rewords an issue of Zod; undefined keeps a message of the schema. */
const messageOf = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${ARTICLES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : choiceMessage(issue.values)
    case 'too_small':
      return sizeMessage(issue, 'at least', issue.minimum)
    case 'too_big':
      return sizeMessage(issue, 'at most', issue.maximum)
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys.join(', ')}`
    case 'invalid_union': {
      if (issue.input === undefined) return 'is required'
      const choices = choicesOf(issue.errors)
      return choices ? choiceMessage(choices) : 'has the wrong form'
    }
    default:
      return undefined
  }
}

export const issuesOf = (error: z.ZodError): FieldIssue[] =>
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

/** Replaces references to named schemas (`.meta({ id })`). The schema of an input is never recursive. */
const inlined = (value: unknown, definitions: Definitions): unknown => {
  if (Array.isArray(value)) return value.map((one) => inlined(one, definitions))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string')
    return inlined(definitions[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)], definitions)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inlined(one, definitions)]))
}

/** Returns the input side of a schema as JSON Schema (draft 2020-12), without references. Cached per schema. */
export const inputJsonSchema = (schema: z.ZodType): InputSchema => {
  const known = cache.get(schema)
  if (known) return known
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // Zod returns JSON Schema, but with a wider type than this code reads.
  const made = inlined(whole, $defs) as InputSchema
  cache.set(schema, made)
  return made
}
const cache = new WeakMap<z.ZodType, InputSchema>()

const findUnknown = (schema: InputSchema, value: unknown, path: Path): Path[] => {
  if (schema.anyOf) {
    // A value with fields is not null. The null option would hide the unknown fields of the other.
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

/** Names the fields of `value`, at any depth, that the schema does not have; CLI and MCP reject them. */
export const unknownFields = (schema: z.ZodType, value: unknown): string[] =>
  findUnknown(inputJsonSchema(schema), value, []).map(fieldName)
