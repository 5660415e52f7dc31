/** The schemas of the objects of endpoints: as they are answered, as they are sent, and as others show them. */
import { DECLARED } from '../endpoint/declared.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Field, FieldType } from '../endpoint/field.ts'
import type { Kind } from '../numbers/kinds.ts'

export type Schema = Readonly<Record<string, unknown>>

const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** The names of endpoints in the document, by the names of their models. */
export type Names = ReadonlyMap<Kind, { readonly name: string; readonly hasNested: boolean }>

/** @example toPascal('IP address') // 'IPAddress' */
const toPascal = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Two applications may have objects of one name: the second has the application before it. */
export const nameEndpoints = (endpoints: readonly Pick<Endpoint<never>, 'path' | 'kind' | 'nested'>[]): Names => {
  const names = new Map<Kind, { name: string; hasNested: boolean }>()
  for (const { path, kind, nested } of endpoints) {
    const own = toPascal(DECLARED[path].label)
    const isTaken = names.values().some(({ name }) => name === own)
    const name = isTaken ? `${toPascal(path.split('/')[0] ?? '')}${own}` : own
    names.set(kind, { name, hasNested: nested !== undefined })
  }
  return names
}

const SIMPLE: Readonly<Record<Exclude<FieldType['is'], 'choice' | 'object' | 'objects'>, Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  decimal: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  'date-time': { type: 'string', format: 'date-time' },
  json: {},
  strings: { type: 'array', items: { type: 'string' } },
  integers: { type: 'array', items: { type: 'integer' } },
}

const NUMBER_OR_ATTRIBUTES: Schema = { oneOf: [{ type: 'integer' }, { type: 'object', additionalProperties: true }] }

const describeChoice = (type: Extract<FieldType, { is: 'choice' }>): Schema => {
  const values = Object.keys(type.of)
  return type.isNumber ? { type: 'integer', enum: values.map(Number) } : { type: 'string', enum: values }
}

/** Returns the schema of a field in an answer. */
const describeAnswer = (type: FieldType, names: Names): Schema => {
  if (type.is === 'choice')
    return {
      type: 'object',
      properties: {
        value: describeChoice(type),
        label: { type: 'string', enum: [...new Set(Object.values(type.of))] },
      },
    }
  if (type.is !== 'object' && type.is !== 'objects') return SIMPLE[type.is]
  const found = names.get(type.of)
  const own = found === undefined ? { type: 'object' } : refer(`${type.isNested ? 'Nested' : 'Brief'}${found.name}`)
  return type.is === 'object' ? own : { type: 'array', items: own }
}

/** Returns the schema of a field in a nested form: it shows other objects in theirs, or by their number. */
const describeNested = (type: FieldType, names: Names): Schema => {
  if (type.is !== 'object') return describeAnswer(type, names)
  return names.get(type.of)?.hasNested ? describeAnswer({ ...type, isNested: true }, names) : SIMPLE.integer
}

/** Returns the schema of a field in a body. */
const describeInput = (type: FieldType): Schema => {
  if (type.is === 'choice') return describeChoice(type)
  if (type.is === 'object') return NUMBER_OR_ATTRIBUTES
  return type.is === 'objects' ? { type: 'array', items: NUMBER_OR_ATTRIBUTES } : SIMPLE[type.is]
}

/** OpenAPI 3.0 has no null beside a reference but by `allOf`. */
const allowNull = (schema: Schema): Schema =>
  '$ref' in schema ? { nullable: true, allOf: [schema] } : { ...schema, nullable: true }

const describeFields = <Item>(fields: readonly Field<Item>[], describe: (type: FieldType) => Schema): Schema =>
  Object.fromEntries(
    fields.map(({ name, type, isNullable, write }) => {
      const own = isNullable ? allowNull(describe(type)) : describe(type)
      return [name, write || '$ref' in own ? own : { ...own, readOnly: true }]
    }),
  )

const describeObject = <Item>(fields: readonly Field<Item>[], describe: (type: FieldType) => Schema): Schema => ({
  type: 'object',
  properties: describeFields(fields, describe),
  required: fields.map(({ name }) => name),
})

const describeBody = <Item>(fields: readonly Field<Item>[], isWhole: boolean): Schema => {
  const written = fields.filter(({ write }) => write)
  const required = isWhole ? written.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])) : []
  return {
    type: 'object',
    properties: describeFields(written, describeInput),
    ...(required.length > 0 && { required }),
  }
}

/** Returns the schemas of an endpoint by their names in the document. */
export const describeEndpoint = <Item>(
  { kind, fields, brief, nested, writes }: Pick<Endpoint<Item>, 'kind' | 'fields' | 'brief' | 'nested' | 'writes'>,
  names: Names,
): Record<string, Schema> => {
  const name = names.get(kind)?.name ?? ''
  const select = (wanted: readonly string[]) => fields.filter((field) => wanted.includes(field.name))
  const describe = (type: FieldType): Schema => describeAnswer(type, names)
  return {
    [name]: describeObject(fields, describe),
    [`Brief${name}`]: describeObject(select(brief), describe),
    ...(nested && { [`Nested${name}`]: describeObject(select(nested), (type) => describeNested(type, names)) }),
    [`Paginated${name}List`]: describePage(refer(name)),
    ...(writes && {
      [`${name}Request`]: describeBody(fields, true),
      [`Patched${name}Request`]: describeBody(fields, false),
    }),
  }
}

/** Returns the schema of a page of a list. */
export const describePage = (item: Schema): Schema => ({
  type: 'object',
  required: ['count', 'results'],
  properties: {
    count: { type: 'integer' },
    next: { type: 'string', format: 'uri', nullable: true },
    previous: { type: 'string', format: 'uri', nullable: true },
    results: { type: 'array', items: item },
  },
})

/** The messages of a 400 by the fields; of all other errors one text. */
export const ERROR: Schema = { type: 'object', properties: { detail: { type: 'string' } }, additionalProperties: true }

export const referTo = refer
