import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { AppError, type FieldIssue } from './errors.ts'
import { formatFieldName, listUnknownFields, parse } from './validate.ts'

const issuesOf = (schema: z.ZodType, input: unknown): readonly FieldIssue[] => {
  try {
    parse(schema, input)
  } catch (error) {
    if (error instanceof AppError) return error.details
    throw error
  }
  return []
}
const messageOf = (field: z.ZodType, value: unknown) => issuesOf(z.object({ f: field }), { f: value })[0]?.message

test.each([
  [[], ''],
  [['name'], 'name'],
  [['addresses', 0, 'ip'], 'addresses[0].ip'],
  [['a', 'b', 1, 2], 'a.b[1][2]'],
] as const)('the path %p reads %s', (path, name) => {
  expect(formatFieldName(path)).toBe(name)
})

describe('a value is refused in plain words:', () => {
  test.each<[string, z.ZodType, unknown, string]>([
    ['missing', z.string(), undefined, 'is required'],
    ['no text', z.string(), 5, 'must be a string'],
    ['null', z.string(), null, 'must be a string'],
    ['no number', z.number(), 'x', 'must be a number'],
    ['no whole number', z.int(), 1.5, 'must be a whole number'],
    ['no truth value', z.boolean(), 'true', 'must be true or false'],
    ['no list', z.array(z.string()), {}, 'must be a list'],
    ['no object', z.object({}), [], 'must be an object'],
    ['no record', z.record(z.string(), z.string()), 5, 'must be an object'],
    ['none of a few', z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    ['none of a few, or nothing', z.enum(['', 'a', 'b']), 'c', 'must be one of a, b, or empty'],
    [
      'none of a union of a few',
      z.union([z.literal(''), z.enum(['a', 'b'])]).nullable(),
      5,
      'must be one of a, b, or empty',
    ],
    ['missing, of a few', z.enum(['a', 'b']), undefined, 'is required'],
    ['missing, of several kinds', z.union([z.string(), z.number()]), undefined, 'is required'],
    ['of none of several kinds', z.union([z.string(), z.number()]), true, 'has the wrong form'],
    ['too short', z.string().min(2), 'x', 'must have at least 2 characters'],
    ['too short by one', z.string().min(1), '', 'must have at least 1 character'],
    ['too long', z.string().max(3), 'abcd', 'must have at most 3 characters'],
    ['too few', z.array(z.int()).min(1), [], 'must have at least 1 item'],
    ['too many', z.array(z.int()).max(2), [1, 2, 3], 'must have at most 2 items'],
    ['too low', z.number().min(1), 0, 'must be at least 1'],
    ['too high', z.number().max(9), 10, 'must be at most 9'],
    ['unknown', z.strictObject({}), { x: 1, y: 2 }, 'has unknown fields: x, y'],
    ['what the schema says itself', z.string().refine(() => false, 'must be nicer'), 'x', 'must be nicer'],
  ])('%s', (_, schema, value, message) => {
    expect(messageOf(schema, value)).toBe(message)
  })
})

describe('an input', () => {
  const Input = z.object({ name: z.string(), addresses: z.array(z.object({ ip: z.string(), port: z.int() })) })

  test('has all its bad fields named at once', () => {
    const issues = issuesOf(Input, { addresses: [{ ip: 5, port: 'x' }, {}] })
    expect(issues.map(({ field }) => field)).toEqual([
      'name',
      'addresses[0].ip',
      'addresses[0].port',
      'addresses[1].ip',
      'addresses[1].port',
    ])
  })

  test('has the errors joined with semicolons', () => {
    expect(() => parse(Input, { addresses: [{ ip: 'x' }] })).toThrow(
      'name: is required; addresses[0].port: is required',
    )
  })

  test('that is no object has an error that says so', () => {
    expect(issuesOf(Input, 'x')).toEqual([{ field: 'body', message: 'must be an object' }])
  })

  test('that is valid is returned, without unknown fields', () => {
    expect(parse(z.object({ a: z.int() }), { a: 1, b: 2 })).toEqual({ a: 1 })
  })

  test('cannot reach the prototype of what it becomes', () => {
    const parsed = parse(
      z.object({ a: z.int(), map: z.record(z.string(), z.unknown()) }),
      JSON.parse('{"a":1,"__proto__":{"x":1},"map":{"__proto__":{"x":1}}}'),
    )
    expect([Object.getPrototypeOf(parsed), Object.getPrototypeOf(parsed.map), 'x' in parsed.map]).toEqual([
      Object.prototype,
      Object.prototype,
      false,
    ])
  })
})

describe('unknown fields', () => {
  const Address = z.object({ ip: z.string(), port: z.int().nullable().optional() })
  const Input = z.object({
    name: z.string(),
    addresses: z.array(Address).nullable().optional(),
    main: Address.nullable().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  })
  const found = (value: unknown) => listUnknownFields(Input, value)

  test('are none in a valid input', () => {
    expect(found({ name: 'x', addresses: [{ ip: 'x', port: null }], main: null, labels: { any: 'x' } })).toEqual([])
  })
  test('are found at the top', () => {
    expect(found({ name: 'x', nmae: 'y' })).toEqual(['nmae'])
  })
  test('are found in a list that may be null', () => {
    expect(found({ addresses: [{ ip: 'x' }, { ip: 'x', prot: 1 }] })).toEqual(['addresses[1].prot'])
  })
  test('are found in an object that may be null, all of them', () => {
    expect(found({ main: { ip: 'x', a: 1, b: 2 } })).toEqual(['main.a', 'main.b'])
  })
  test('are not confused with properties of Object.prototype', () => {
    expect(found(JSON.parse('{"constructor":1,"toString":2,"__proto__":3}'))).toEqual([
      'constructor',
      'toString',
      '__proto__',
    ])
  })
  test('are none in a value that is no object', () => {
    expect([found('x'), found(null), found(undefined), found([1])]).toEqual([[], [], [], []])
  })
  test('of a named schema are found', () => {
    const named = Address.meta({ id: 'ValidateTestAddress' })
    expect(listUnknownFields(z.object({ a: named, b: z.array(named) }), { a: { x: 1 }, b: [{ y: 1 }] })).toEqual([
      'a.x',
      'b[0].y',
    ])
  })
})
