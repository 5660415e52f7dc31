import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { buildCoercion, coerce, coerceQuery } from './coerce.ts'

const coercion = buildCoercion(
  z.object({
    text: z.string(),
    number: z.int().optional(),
    nullable: z.int().nullable().optional(),
    flag: z.boolean().default(false),
    texts: z.array(z.string()).optional(),
    numbers: z.array(z.int()).nullable().optional(),
    record: z.record(z.string(), z.string()).optional(),
    'a.b': z.string().optional(),
  }),
)
const of = (name: string, ...texts: string[]) => coerce(coercion, name, texts)

describe('text becomes', () => {
  test.each<[string, readonly string[], unknown]>([
    ['text', ['5'], '5'],
    ['text', ['true'], 'true'],
    ['text', [''], ''],
    ['number', ['5'], 5],
    ['number', ['-5'], -5],
    ['number', ['1.5'], 1.5],
    ['nullable', ['5'], 5],
    ['flag', ['true'], true],
    ['flag', ['false'], false],
    ['texts', ['a', 'b'], ['a', 'b']],
    ['texts', ['a'], ['a']],
    ['texts', ['1', 'true'], ['1', 'true']],
    ['numbers', ['1', '2'], [1, 2]],
  ])('for %s from %p: %p', (name, texts, value) => {
    expect(of(name, ...texts)).toEqual(value)
  })
})

describe('text that spells no value of its kind stays text, to be refused', () => {
  test.each([
    ['number', 'x'],
    ['number', '1e400'],
    ['number', 'Infinity'],
    ['number', 'NaN'],
    ['number', ' '],
    ['number', '5 apples'],
    ['flag', 'TRUE'],
    ['flag', '1'],
    ['flag', 'yes'],
  ])('%s: "%s"', (name, text) => {
    expect(of(name, text)).toBe(text)
  })
})

test.each(['number', 'nullable', 'flag'])('an empty %s is as good as absent', (name) => {
  expect(of(name, '')).toBeUndefined()
})

test('of several texts for one value the last counts', () => {
  expect([of('number', '1', '2'), of('text', 'a', 'b')]).toEqual([2, 'b'])
})

test.each(['unknown', '__proto__', 'constructor', 'toString'])('an unknown field, like %s, stays text', (name) => {
  expect(of(name, '5')).toBe('5')
})

describe('a query string', () => {
  const from = (text: string) => coerceQuery(coercion, new URLSearchParams(text))

  test('has the entries of a record as parameters of their own, as text', () => {
    expect(from('record.owner=neteng&record.watts.min=100&number=5&record.none=')).toEqual({
      number: 5,
      record: { owner: 'neteng', 'watts.min': '100', none: '' },
    })
  })

  test('has the last text of an entry that is there twice', () => {
    expect(from('record.a=1&record.a=2')).toEqual({ record: { a: '2' } })
  })

  test('a query string makes no record of a parameter with a first part that is no record', () => {
    expect(from('text.a=1&unknown.b=2&a.b=3')).toEqual({ 'text.a': '1', 'unknown.b': '2', 'a.b': '3' })
  })

  test('keeps a record that is given as a text, to be refused', () => {
    expect(from('record=x&record.a=1')).toEqual({ record: 'x' })
  })

  test.each(['__proto__', 'constructor'])('takes %s for an ordinary entry', (key) => {
    const { record } = from(`record.${key}=x`)
    expect(Object.entries(record ?? {})).toEqual([[key, 'x']])
  })
})
