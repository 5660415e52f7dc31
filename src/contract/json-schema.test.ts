import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import {
  type CustomPlace,
  closeSchema,
  type DescribeCustom,
  getBaseType,
  isNullable,
  type JsonSchema,
  toJsonSchema,
} from './json-schema.ts'

const input = (schema: z.ZodType) => toJsonSchema(schema, 'input').schema

describe('a contract as JSON Schema', () => {
  test('says null in the short form, and keeps what describes the field', () => {
    expect(input(z.enum(['a', 'b']).nullable().describe('Which'))).toEqual({
      type: ['string', 'null'],
      description: 'Which',
      enum: ['a', 'b', null],
    })
  })

  test('has no bounds, patterns and defaults that say nothing', () => {
    expect(input(z.int())).toEqual({ type: 'integer' })
    expect(input(z.iso.datetime())).toEqual({ type: 'string', format: 'date-time' })
    expect(input(z.object({ a: z.string().nullable().prefault(null) })).properties).toEqual({
      a: { type: ['string', 'null'] },
    })
  })

  test('a contract as JSON Schema keeps bounds, patterns and defaults that say something', () => {
    expect(input(z.int().min(1).max(9).default(3))).toEqual({ type: 'integer', minimum: 1, maximum: 9, default: 3 })
    expect(input(z.string().regex(/^a$/))).toEqual({ type: 'string', pattern: '^a$' })
  })

  test('names the resource of an id', () => {
    expect(input(z.string().meta({ ref: 'pools' }))).toEqual({
      type: 'string',
      description: 'Id of a pool',
      'x-ref': 'pools',
    })
  })

  test('a contract as JSON Schema has its exact keywords in place of the keywords of its type', () => {
    const exact = { required: ['a'], additionalProperties: { type: 'boolean' } }
    const schema = z.object({ a: z.string().optional() }).catchall(z.unknown()).meta({ exact })
    const { required, additionalProperties } = toJsonSchema(schema, 'input', { isExact: true }).schema
    expect({ required, additionalProperties }).toEqual(exact)
    expect(input(schema).required).toBeUndefined()
  })

  test('names schemas with an id, and leaves objects open', () => {
    const Leaf = z.object({ a: z.string() }).meta({ id: 'Leaf', columns: ['a'] })
    expect(toJsonSchema(z.object({ leaf: Leaf }), 'output')).toEqual({
      schema: { type: 'object', properties: { leaf: { $ref: '#/components/schemas/Leaf' } }, required: ['leaf'] },
      definitions: { Leaf: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
    })
  })
})

test('closed at every depth, but for objects of any fields', () => {
  const schema = input(
    z.object({ list: z.array(z.object({ a: z.string() })).nullable(), any: z.record(z.string(), z.unknown()) }),
  )
  expect(closeSchema(schema)).toMatchObject({
    additionalProperties: false,
    properties: { list: { items: { additionalProperties: false } }, any: { additionalProperties: {} } },
  })
})

test('the type besides null', () => {
  expect([getBaseType({ type: ['array', 'null'] }), isNullable({ type: ['array', 'null'] })]).toEqual(['array', true])
  expect([getBaseType({ type: 'string' }), isNullable({ type: 'string' })]).toEqual(['string', false])
  expect(isNullable({ anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] })).toBe(true)
})

describe('custom fields', () => {
  const custom = (as: 'input' | 'output') =>
    z
      .record(z.string(), z.string())
      .nullable()
      .meta({ custom: { of: 'things', as } })
  const Thing = z.object({ a: z.string(), custom: custom('output').optional() }).meta({ id: 'Thing' })
  const described = (schema: z.ZodType, describeCustom?: DescribeCustom) =>
    toJsonSchema(z.object({ custom: schema.optional() }), 'input', { describeCustom }).schema.properties

  test('are a bare object without a description, as the contract has them', () => {
    const bare = { custom: { type: ['object', 'null'], additionalProperties: { type: 'string' } } }
    expect(described(custom('input'))).toEqual(bare)
    expect(described(custom('input'), () => undefined)).toEqual(bare)
  })

  test('are as they are described, by their resource and place', () => {
    const describeCustom = ({ of, as }: CustomPlace): JsonSchema => ({ description: `${of} ${as}` })
    expect(described(custom('input'), describeCustom)).toEqual({ custom: { description: 'things input' } })
    const { definitions } = toJsonSchema(z.array(Thing), 'output', { describeCustom })
    expect(definitions.Thing?.properties?.custom).toEqual({ description: 'things output' })
  })

  test('are left out where the description says so', () => {
    expect(described(custom('input'), () => null)).toEqual({})
  })
})
