/** Parses input by its schema and reports the errors of all fields at once in plain words. Browser-safe. */
import { z } from 'zod'
import { type FieldIssue, invalid, MAX_ISSUES, shorten } from './errors.ts'

type RawIssue = z.core.$ZodRawIssue
type Path = readonly PropertyKey[]

/** Long names are cut. @example formatFieldName(['addresses', 0, 'ip']) // 'addresses[0].ip' */
export const formatFieldName = (path: Path): string =>
  path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    const own = shorten(String(part))
    return name === '' ? own : `${name}.${own}`
  }, '')

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formatSizeMessage = (
  issue: RawIssue & { origin?: string },
  word: 'at least' | 'at most',
  bound: number | bigint,
): string => {
  if (issue.origin === 'string') return `must have ${word} ${bound} character${Number(bound) === 1 ? '' : 's'}`
  if (issue.origin === 'array') return `must have ${word} ${bound} item${Number(bound) === 1 ? '' : 's'}`
  return `must be ${word} ${bound}`
}

/** @example formatChoiceMessage(['', 'ipv4', 'ipv6']) // 'must be one of ipv4, ipv6, or empty' */
const formatChoiceMessage = (values: readonly unknown[]): string => {
  const named = values.map(String).filter((value) => value !== '')
  return `must be one of ${named.join(', ')}${named.length < values.length ? ', or empty' : ''}`
}

/** Returns the values of a union of literals and enumerations; undefined for another union. */
const collectChoices = (errors: readonly (readonly z.core.$ZodIssue[])[]): readonly unknown[] | undefined => {
  const values = errors.map(([first, ...others]) =>
    first?.code === 'invalid_value' && first.path.length === 0 && others.length === 0 ? first.values : undefined,
  )
  return values.some((one) => one === undefined) ? undefined : values.flatMap((one) => one ?? [])
}

/** The number of unknown fields that one message names. */
const MAX_NAMED = 10

const formatUnknownMessage = (keys: readonly string[]): string => {
  const named = keys.slice(0, MAX_NAMED).map((key) => shorten(key))
  const others = keys.length - named.length
  return `has unknown fields: ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
}

/** Rewords an issue of Zod; undefined keeps a message of the schema. */
const formatIssue = (issue: RawIssue): string | undefined => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${ARTICLES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : formatChoiceMessage(issue.values)
    case 'too_small':
      return formatSizeMessage(issue, 'at least', issue.minimum)
    case 'too_big':
      return formatSizeMessage(issue, 'at most', issue.maximum)
    case 'unrecognized_keys':
      return formatUnknownMessage(issue.keys)
    case 'invalid_union': {
      if (issue.input === undefined) return 'is required'
      const choices = collectChoices(issue.errors)
      return choices ? formatChoiceMessage(choices) : 'has the wrong form'
    }
    default:
      return undefined
  }
}

export const toIssues = (error: z.ZodError): FieldIssue[] =>
  error.issues.map((issue) => ({ field: formatFieldName(issue.path) || 'body', message: issue.message }))

/** The number of failed checks after which a validation stops. An option of a union counts as one. */
const MAX_FAILED_CHECKS = 2000
/** The number of items of each list that are validated again to name fields of an input with too many failures. */
const SAMPLE_ITEMS = 5

/** Ends a validation with too many failures. */
class TooManyFailures extends Error {}

const safeParse = <S extends z.ZodType>(schema: S, input: unknown, most: number) => {
  let left = most
  const error = (issue: RawIssue): string | undefined => {
    if (--left < 0) throw new TooManyFailures()
    return formatIssue(issue)
  }
  const result = schema.safeParse(input, { error })
  // Zod words the issues when they are first read.
  return result.success ? result : { success: false as const, issues: toIssues(result.error) }
}

/** Returns a copy with the first items of each list. */
const takeSample = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, SAMPLE_ITEMS).map(takeSample)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, takeSample(one)]))
}

/** Returns the first issues of an input with too many of them. */
const sampleIssues = (schema: z.ZodType, input: unknown): FieldIssue[] => {
  const result = safeParse(schema, takeSample(input), Number.POSITIVE_INFINITY)
  if (result.success) return [{ field: 'body', message: `has more than ${MAX_ISSUES} errors` }]
  return result.issues
}

/** @throws AppError VALIDATION_ERROR that names the bad fields, of many the first. */
export const parse = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const excess = findExcess(schema, input)
  if (excess.length > 0) throw invalid(excess)
  try {
    const result = safeParse(schema, input, MAX_FAILED_CHECKS)
    if (result.success) return result.data
    throw invalid(result.issues)
  } catch (error) {
    if (!(error instanceof TooManyFailures)) throw error
    throw invalid(sampleIssues(schema, input), Number.POSITIVE_INFINITY)
  }
}

export type InputSchema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly additionalProperties?: unknown
  readonly items?: InputSchema
  readonly anyOf?: readonly InputSchema[]
  readonly maxProperties?: number
  /** Keywords that Zod does not know. */
  readonly exact?: { readonly maxProperties?: number }
}

type Definitions = Readonly<Record<string, unknown>>

/** Replaces references to named schemas (`.meta({ id })`). The schema of an input is never recursive. */
const resolveReferences = (value: unknown, definitions: Definitions): unknown => {
  if (Array.isArray(value)) return value.map((one) => resolveReferences(one, definitions))
  if (typeof value !== 'object' || value === null) return value
  if ('$ref' in value && typeof value.$ref === 'string')
    return resolveReferences(definitions[value.$ref.slice(value.$ref.lastIndexOf('/') + 1)], definitions)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolveReferences(one, definitions)]))
}

/** Returns the input side of a schema as JSON Schema (draft 2020-12), without references. Cached per schema. */
export const toInputJsonSchema = (schema: z.ZodType): InputSchema => {
  const known = cache.get(schema)
  if (known) return known
  const { $defs = {}, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // Zod returns JSON Schema, but with a wider type than this code reads.
  const made = resolveReferences(whole, $defs) as InputSchema
  cache.set(schema, made)
  return made
}
const cache = new WeakMap<z.ZodType, InputSchema>()

/** Where an input has objects of any fields, and how many fields they may have. Zod checks the other bounds. */
type Records =
  | { readonly most: number }
  | { readonly items: Records }
  | { readonly fields: readonly (readonly [name: string, records: Records])[] }

const findRecords = ({ anyOf, items, properties, maxProperties, exact }: InputSchema): Records | undefined => {
  const most = maxProperties ?? exact?.maxProperties
  if (most !== undefined) return { most }
  if (anyOf) {
    const [first, ...others] = anyOf.flatMap((option) => findRecords(option) ?? [])
    return others.length === 0 ? first : undefined
  }
  const inItems = items && findRecords(items)
  if (inItems) return { items: inItems }
  const fields = Object.entries(properties ?? {}).flatMap(([name, field]) => {
    const records = findRecords(field)
    return records ? [[name, records] as const] : []
  })
  return fields.length > 0 ? { fields } : undefined
}

const collectExcess = (records: Records, value: unknown, found: { path: Path; most: number }[], path: Path): void => {
  if (typeof value !== 'object' || value === null || found.length >= MAX_ISSUES) return
  if ('most' in records) {
    if (Object.keys(value).length > records.most) found.push({ path, most: records.most })
    return
  }
  if ('items' in records) {
    if (!Array.isArray(value)) return
    for (const [i, item] of value.entries())
      if (typeof item === 'object') collectExcess(records.items, item, found, [...path, i])
    return
  }
  // A record of any fields, of which only these are read.
  const fields = value as Readonly<Record<string, unknown>>
  for (const [name, inner] of records.fields)
    if (Object.hasOwn(fields, name)) collectExcess(inner, fields[name], found, [...path, name])
}

const recordsBySchema = new WeakMap<z.ZodType, Records | null>()

/** Returns an issue for each object that has more fields than `maxProperties`, before anything else is validated. */
export const findExcess = (schema: z.ZodType, input: unknown): FieldIssue[] => {
  let records = recordsBySchema.get(schema)
  if (records === undefined) {
    records = findRecords(toInputJsonSchema(schema)) ?? null
    recordsBySchema.set(schema, records)
  }
  if (records === null) return []
  const found: { path: Path; most: number }[] = []
  collectExcess(records, input, found, [])
  return found.map(({ path, most }) => ({ field: formatFieldName(path), message: `must have at most ${most} fields` }))
}

/** Adds the paths of unknown fields, at most one more than an error names. */
const findUnknown = (schema: InputSchema, value: unknown, path: Path, found: Path[] = []): Path[] => {
  if (found.length > MAX_ISSUES) return found
  if (schema.anyOf) {
    // A value with fields is not null. The null option would hide the unknown fields of the other.
    const [first = [], ...others] = schema.anyOf
      .filter(({ type }) => type !== 'null')
      .map((option) => findUnknown(option, value, path))
    found.push(...others.reduce((best, one) => (one.length < best.length ? one : best), first))
    return found
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (!items) return found
    for (const [i, item] of value.entries())
      if (typeof item === 'object' && item !== null) findUnknown(items, item, [...path, i], found)
    return found
  }
  // An object without declared properties takes any.
  const { properties } = schema
  if (typeof value !== 'object' || value === null || !properties) return found
  for (const [key, inner] of Object.entries(value)) {
    if (found.length > MAX_ISSUES) return found
    const known = Object.hasOwn(properties, key) ? properties[key] : undefined
    if (known) findUnknown(known, inner, [...path, key], found)
    else found.push([...path, key])
  }
  return found
}

/** Names the fields of `value`, at any depth, that the schema does not have; CLI and MCP reject them. It names the first. */
export const listUnknownFields = (schema: z.ZodType, value: unknown): string[] =>
  findUnknown(toInputJsonSchema(schema), value, []).map(formatFieldName)
