// Custom fields as JSON Schema: of each type, in inputs, answers and filters.
import { describe, expect, test } from 'bun:test'
import type { CustomPlace, JsonSchema } from '../../contract/json-schema.ts'
import type { CustomField } from '../../resource/custom/schema.ts'
import { describeBy } from './described.ts'

const NONE: CustomField = {
  id: 'f',
  resource: 'devices',
  name: 'f',
  label: 'f',
  type: 'text',
  multiple: false,
  choices: [],
  reference_to: null,
  required: false,
  unique: false,
  default: null,
  pattern: '',
  minimum: null,
  maximum: null,
  searchable: false,
  description: '',
  group: '',
  position: 0,
  refs: {},
  managed_by: '',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

const described = (field: Partial<CustomField>, as: CustomPlace['as']): JsonSchema['properties'] =>
  describeBy([{ ...NONE, ...field }], null)({ of: 'devices', as })?.properties

describe.each<[about: string, field: Partial<CustomField>, value: JsonSchema, input: JsonSchema]>([
  ['text', { type: 'text' }, { type: 'string' }, { type: ['string', 'null'] }],
  [
    'integer',
    { type: 'integer', minimum: 1, maximum: 9 },
    { type: 'integer', minimum: 1, maximum: 9 },
    { type: ['integer', 'null'], minimum: 1, maximum: 9 },
  ],
  ['number', { type: 'number', minimum: 0 }, { type: 'number', minimum: 0 }, { type: ['number', 'null'], minimum: 0 }],
  ['boolean', { type: 'boolean' }, { type: 'boolean' }, { type: ['boolean', 'null'] }],
  ['date', { type: 'date' }, { type: 'string', format: 'date' }, { type: ['string', 'null'], format: 'date' }],
  [
    'ip',
    { type: 'ip' },
    { type: 'string', anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
    { type: ['string', 'null'], anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }] },
  ],
  ['url', { type: 'url' }, { type: 'string', format: 'uri' }, { type: ['string', 'null'], format: 'uri' }],
  [
    'choice',
    { type: 'choice', choices: ['a', 'b'] },
    { type: 'string', enum: ['a', 'b'] },
    { type: ['string', 'null'], enum: ['a', 'b', null] },
  ],
  [
    'list of choices',
    { type: 'choice', choices: ['a'], multiple: true },
    { type: 'array', items: { type: 'string', enum: ['a'] } },
    { type: ['array', 'null'], items: { type: 'string', enum: ['a'] } },
  ],
])('a field of %s', (_, field, value, input) => {
  test('has its type in answers', () => {
    expect(described(field, 'output')).toEqual({ f: value })
  })

  test('may be null in inputs', () => {
    expect(described(field, 'input')).toEqual({ f: input })
  })
})

test('a reference names the resource of its ids', () => {
  const schema = { type: 'string', 'x-ref': 'racks', description: 'Id in racks' }
  expect(described({ type: 'reference', reference_to: 'racks' }, 'output')).toEqual({ f: schema })
})

test('the label, the help text and the rules of a field are its description', () => {
  const field = { label: 'Owner', description: 'The team that is called', pattern: '[a-z]+', required: true }
  expect(described(field, 'input')?.f?.description).toBe(
    'Owner. The team that is called. Matches [a-z]+. Required in a new object',
  )
  expect(described(field, 'output')?.f?.description).toBe('Owner. The team that is called')
})

test('a required field with a default is not required in a new object', () => {
  expect(described({ required: true, default: 'x' }, 'input')).toEqual({ f: { type: ['string', 'null'] } })
})

test('a filter takes texts, and bounds of the types with an order', () => {
  const names = (type: CustomField['type']) => Object.keys(described({ type }, 'filter') ?? {})
  expect(names('text')).toEqual(['f'])
  expect([names('integer'), names('number'), names('date')]).toEqual(Array(3).fill(['f', 'f.min', 'f.max']))
  expect(described({ type: 'date' }, 'filter')?.['f.min']).toEqual({ type: 'string' })
})

test('a resource without fields has what its reader wants', () => {
  const place = { of: 'networks', as: 'input' } as const
  expect([describeBy([NONE], null)(place), describeBy([NONE], undefined)(place)]).toEqual([null, undefined])
})

test('inputs and filters take no other name', () => {
  const closed = (as: CustomPlace['as']) => describeBy([NONE], null)({ of: 'devices', as })?.additionalProperties
  expect([closed('input'), closed('filter'), closed('output')]).toEqual([false, false, undefined])
})
