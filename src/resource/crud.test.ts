/** The contract of a resource with facts that are made when the test runs: every type of field, its bounds, and its absent values. */
import { describe, expect, test } from 'bun:test'
import { toJsonSchema } from '../contract/json-schema.ts'
import { parse } from '../contract/validate.ts'
import { crud } from './crud.ts'
import type { FieldFacts, ResourceFacts } from './facts.ts'

const buildFacts = (fields: Readonly<Record<string, FieldFacts>>): ResourceFacts => ({
  name: 'things',
  noun: 'thing',
  schema: `Thing${Bun.randomUUIDv7()}`,
  fields: { name: { type: 'name', filter: 'part' }, ...fields },
  columns: ['id', 'name'],
  scope: 'everywhere',
  summaries: { list: 'List', create: 'Create', get: 'Show', update: 'Change', delete: 'Delete' },
  args: ['name'],
})

const draftOf = (facts: FieldFacts, value: unknown): unknown => {
  const { Draft } = crud(buildFacts({ field: facts }))
  const input = value === undefined ? { name: 'n' } : { name: 'n', field: value }
  return (parse(Draft, input) as Record<string, unknown>).field
}

/** The type of a field, what an absent value and null become, a valid value with its result, and an invalid one. */
const TYPES: readonly (readonly [FieldFacts, unknown, readonly [unknown, unknown], unknown])[] = [
  [{ type: 'text', max: 5 }, '', ['abc', 'abc'], 'abcdef'],
  [{ type: 'text', max: 9, trim: true }, '', [' a ', 'a'], 7],
  [{ type: 'text', max: 99, rule: 'HOST_NAME' }, '', ['web-1', 'web-1'], 'no host!'],
  [{ type: 'integer', min: 1, max: 9 }, null, [3, 3], 10],
  [{ type: 'integer', min: 1, max: 9, usual: 4 }, 4, [3, 3], 0],
  [{ type: 'number', min: 0, max: 9, step: 0.5, usual: 1 }, 1, [1.5, 1.5], 1.25],
  [{ type: 'flag', usual: true }, true, [false, false], 'yes'],
  [{ type: 'choice', of: ['a', 'b'] }, null, ['b', 'b'], 'c'],
  [{ type: 'choice', of: ['a', 'b'], usual: 'a' }, 'a', ['b', 'b'], 'c'],
  [
    { type: 'tags' },
    [],
    [
      ['x', 'x', ' y '],
      ['x', 'y'],
    ],
    [''],
  ],
  [{ type: 'moment' }, null, ['2026-01-31T13:00:00+01:00', '2026-01-31T12:00:00.000Z'], 'tomorrow'],
  [{ type: 'date' }, null, ['2026-01-31', '2026-01-31'], '2026-02-30'],
  [{ type: 'ip' }, null, ['2001:DB8::1', '2001:db8::1'], '10.0.0.256'],
  [{ type: 'mac' }, '', ['AA-BB-CC-00-11-22', 'aa:bb:cc:00:11:22'], 'aa:bb'],
  [{ type: 'reference', to: 'datacenters' }, null, ['dc-1', 'dc-1'], 7],
]

describe.each(TYPES)('a field of %j', (facts, absent, [given, stored], wrong) => {
  test('has a value where it is absent, null or given', () => {
    expect(draftOf(facts, undefined)).toEqual(absent)
    expect(draftOf(facts, null)).toEqual(absent)
    expect(draftOf(facts, given)).toEqual(stored)
  })

  test('refuses a wrong value and names the field', () => {
    expect(() => draftOf(facts, wrong)).toThrow(/field/)
  })

  test('is optional in an update, where null clears it', () => {
    const { Patch } = crud(buildFacts({ field: facts }))
    expect(parse(Patch, { id: 'one' })).toEqual({ id: 'one' })
    expect(parse(Patch, { id: 'one', field: null })).toEqual({ id: 'one', field: absent } as never)
  })

  test('is in answers as it is stored', () => {
    const { Item } = crud(buildFacts({ field: facts }))
    const times = { created_at: '2026-01-31T12:00:00.000Z', updated_at: '2026-01-31T12:00:00.000Z' }
    const object = { id: 'one', name: 'n', field: stored, refs: {}, managed_by: '', ...times }
    expect(Item.parse(object)).toEqual(object as never)
    expect(Item.parse({ ...object, field: absent })).toMatchObject({ field: absent } as never)
  })
})

test('a required field is demanded by a create, and an update cannot clear it', () => {
  const { Draft, Patch } = crud(buildFacts({ at: { type: 'moment', required: true } }))
  expect(() => parse(Draft, { name: 'n' })).toThrow(/at/)
  expect(() => parse(Patch, { id: 'one', at: null })).toThrow(/at/)
})

test('the operations, their paths, their permissions and their filters follow from the facts', () => {
  const { operations } = crud(buildFacts({ size: { type: 'integer', min: 1, max: 9, filter: 'equal' } }))
  expect(Object.values(operations).map(({ http, access }) => `${http} ${access}`)).toEqual([
    'GET /api/things things:list',
    'POST /api/things things:create',
    'GET /api/things/{id} things:read',
    'PUT /api/things/{id} things:update',
    'DELETE /api/things/{id} things:delete',
  ])
  const { schema } = toJsonSchema(operations.list.input, 'input')
  expect(Object.keys(schema.properties ?? {})).toEqual(['name', 'size', 'managed_by', 'limit', 'offset', 'as_of'])
})
