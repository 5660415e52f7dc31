/** The schemas of the fields of a resource, from its facts. Browser-safe. */
import { z } from 'zod'
import { IpAddress, MacAddress } from '../contract/fields/address-field.ts'
import {
  Filter,
  flagOr,
  idOf,
  line,
  Moment,
  Name,
  named,
  numberOr,
  optionalNumber,
  reference,
  ruledText,
  Tags,
  Timestamp,
  text,
} from '../contract/fields/fields.ts'
import { DOMAIN_NAME, HOST_NAME, type TextRule } from '../contract/fields/text-rules.ts'
import type { FieldFacts } from './facts.ts'

type Of<T extends FieldFacts['type']> = Extract<FieldFacts, { readonly type: T }>

const RULES: Readonly<Record<NonNullable<Of<'text'>['rule']>, TextRule>> = { HOST_NAME, DOMAIN_NAME }

const buildText = ({ max, trim, rule, required }: Of<'text'>): z.ZodType => {
  if (required) return named(max)
  if (rule) return ruledText(max, RULES[rule])
  if (!trim) return text(max)
  return line(max)
    .nullable()
    .transform((value) => (value ?? '').trim())
}

/** Returns the schema of a number between the bounds of its facts. */
const buildBounded = ({ type, min, max, step }: Of<'integer' | 'number'>): z.ZodNumber => {
  let schema: z.ZodNumber = type === 'integer' ? z.int() : z.number()
  if (min !== undefined) schema = schema.min(min)
  if (max !== undefined) schema = schema.max(max)
  return step === undefined ? schema : schema.multipleOf(step)
}

const buildNumber = (facts: Of<'integer' | 'number'>): z.ZodType => {
  const { type, min, max, usual, required } = facts
  if (required) return buildBounded(facts)
  if (type === 'integer' && min !== undefined && max !== undefined)
    return usual === undefined ? optionalNumber(min, max) : numberOr(usual, { min, max })
  const optional = buildBounded(facts).nullable()
  return usual === undefined ? optional : optional.transform((value) => value ?? usual)
}

const buildChoice = ({ of, usual, required }: Of<'choice'>): z.ZodType => {
  if (required) return z.enum(of)
  return z
    .enum([...of, ''], { error: `must be one of ${of.join(', ')}` })
    .nullable()
    .transform((value) => value || (usual ?? null))
}

const MOMENT_HINT = 'must be an RFC 3339 time, like 2026-01-31T12:00:00Z'

/** An optional time; absent, `null` and `""` are none. */
const OptionalMoment = z
  .union([Moment, z.literal('')], { error: MOMENT_HINT })
  .nullable()
  .transform((moment) => moment || null)

const DATE_HINT = 'must be a date, like 2026-01-31'
const DateInput = z.iso.date({ error: DATE_HINT })
const OptionalDate = z
  .union([DateInput, z.literal('')], { error: DATE_HINT })
  .nullable()
  .transform((date) => date || null)

/** An optional address; absent, `null` and `""` are none. */
const OptionalIp = z
  .union([IpAddress, z.literal('')], { error: 'must be an IPv4 or IPv6 address' })
  .nullable()
  .transform((ip) => ip || null)

const buildInput = (facts: FieldFacts): z.ZodType => {
  switch (facts.type) {
    case 'name':
      return facts.max === undefined ? Name : named(facts.max)
    case 'text':
      return buildText(facts)
    case 'integer':
    case 'number':
      return buildNumber(facts)
    case 'flag':
      return flagOr(facts.usual)
    case 'choice':
      return buildChoice(facts)
    case 'tags':
      return Tags
    case 'moment':
      return facts.required ? Moment : OptionalMoment
    case 'date':
      return facts.required ? DateInput : OptionalDate
    case 'ip':
      return facts.required ? IpAddress : OptionalIp
    case 'mac':
      return MacAddress
    case 'reference':
      return facts.required ? idOf(facts.to) : reference(facts.to)
    case 'own':
      throw new Error('the schema of an own field is not given')
  }
}

const buildPresent = (facts: FieldFacts): z.ZodType => {
  switch (facts.type) {
    case 'name':
    case 'text':
    case 'mac':
    case 'ip':
    case 'reference':
      return z.string()
    case 'integer':
      return z.int()
    case 'number':
      return z.number()
    case 'flag':
      return z.boolean()
    case 'choice':
      return z.enum(facts.of)
    case 'tags':
      return z.array(z.string())
    case 'moment':
      return Timestamp
    case 'date':
      return z.iso.date()
    case 'own':
      throw new Error('the schema of an own field is not given')
  }
}

/** The types of fields that are null where they are absent. */
const NULLABLE: ReadonlySet<FieldFacts['type']> = new Set([
  'integer',
  'number',
  'choice',
  'moment',
  'date',
  'ip',
  'reference',
])

/** True for a field that may be null in an object. */
export const isNullable = (facts: FieldFacts): boolean =>
  NULLABLE.has(facts.type) && !facts.required && !('usual' in facts && facts.usual !== undefined)

const describe = (schema: z.ZodType, description: string | undefined): z.ZodType =>
  description ? schema.describe(description) : schema

const withExample = (schema: z.ZodType, example: string | number | undefined): z.ZodType =>
  example === undefined ? schema : schema.meta({ ...schema.meta(), example })

/** Returns the schema of a field in a create or an update. */
export const buildInputSchema = (facts: FieldFacts): z.ZodType =>
  describe(withExample(buildInput(facts), facts.example), facts.description)

/** Returns the schema of a field in an answer. */
export const buildAnswerSchema = (facts: FieldFacts): z.ZodType => {
  const { answer = facts.description, onlyWithValue } = facts
  const present = buildPresent(facts)
  const schema = onlyWithValue ? present.optional() : isNullable(facts) ? present.nullable() : present
  return describe(schema, answer)
}

/** Returns the schema of the filter of a list by a field. */
export const buildFilterSchema = (name: string, facts: FieldFacts): z.ZodType => {
  const label = name.replaceAll('_', ' ')
  if (facts.filter === 'part') return Filter.optional().describe(`Part of the ${label}, in any case`)
  if (facts.filter === 'same') return Filter.optional().describe(`The ${label}, in any case`)
  const value = facts.type === 'reference' ? idOf(facts.to) : facts.type === 'choice' ? z.enum(facts.of) : undefined
  const plain = value ?? (facts.type === 'integer' ? z.int() : facts.type === 'flag' ? z.boolean() : Filter)
  return facts.type === 'reference' || facts.type === 'choice'
    ? plain.optional()
    : describe(plain.optional(), facts.description)
}
