import { expect, test } from 'bun:test'
import { formatSignature, resolveReferences } from './signature.ts'

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: ['string', 'null'], format: 'date-time' }, 'date-time | null'],
  [{ type: 'integer', minimum: 1, maximum: 4094 }, 'integer(1..4094)'],
  [{ type: ['string', 'null'], enum: ['a', 'b', null] }, '"a" | "b" | null'],
  [{ type: 'array', items: { type: 'string' } }, 'string[]'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'object', additionalProperties: {} }, 'object'],
  [{ type: 'object', properties: {} }, '{}'],
  [{ $ref: '#/components/schemas/Device' }, 'Device'],
  [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'string | boolean'],
  [
    {
      type: 'object',
      properties: { a: { type: 'string', description: 'What' }, b: { type: 'boolean' } },
      required: ['a'],
    },
    '{ a: string /* What */, b?: boolean }',
  ],
] as const)('%j is %s', (schema, text) => expect(formatSignature(schema)).toBe(text))

test('named schemas are put in their place', () => {
  const definitions = { Leaf: { type: 'object', properties: { a: { type: 'string' } } } }
  const ref = { $ref: '#/components/schemas/Leaf' }
  expect(
    resolveReferences({ type: 'object', properties: { list: { type: 'array', items: ref } } }, definitions),
  ).toEqual({
    type: 'object',
    properties: { list: { type: 'array', items: definitions.Leaf } },
  })
})
