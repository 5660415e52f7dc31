// The bounds of errors and validations, whatever the input.
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { createItemErrors } from '../kernel/bulk/attempt.ts'
import { AppError, invalid, invalidField, MAX_ISSUES, notFound } from './errors.ts'
import { formatSuggestion } from './suggest.ts'
import { listUnknownFields, parse } from './validate.ts'

const issues = (count: number, message = 'is bad') =>
  Array.from({ length: count }, (_, i) => ({ field: `f${i}`, message }))

const refusal = (work: () => unknown): AppError => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

const record = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]))

describe('an error', () => {
  test('names 100 fields, and counts the others', () => {
    const error = invalid(issues(250))
    expect([error.details.length, error.total]).toEqual([MAX_ISSUES, 250])
    expect(error.message.endsWith('f99: is bad; and 150 more')).toBe(true)
  })

  test('says "and more" for fields that are not counted', () => {
    expect(invalid(issues(3), Number.POSITIVE_INFINITY).message).toBe('f0: is bad; f1: is bad; f2: is bad; and more')
  })

  test('names fewer fields if their messages are long, and one always', () => {
    expect(invalid(issues(100, 'x'.repeat(1000))).details.length).toBe(16)
    expect(invalidField('f', 'x'.repeat(1_000_000)).message.length).toBeLessThan(5000)
  })

  test('cuts a long name of a field, and of an object', () => {
    expect(invalidField('f'.repeat(1_000_000), 'is bad').details[0]?.field.length).toBeLessThan(300)
    expect(notFound('device', 'x'.repeat(1_000_000)).message.length).toBeLessThan(300)
  })
})

test('the errors of many items have a bound together', () => {
  const report = createItemErrors()
  const all = Array.from({ length: 1000 }, () => report(invalid(issues(100, 'x'.repeat(100)))))
  expect(all[0]?.details.length).toBe(100)
  expect(all.at(-1)?.details).toEqual([])
  expect(JSON.stringify(all).length).toBeLessThan(256 * 1024)
})

describe('a validation', () => {
  const value = z.union([z.string(), z.number(), z.array(z.string()).max(3)])
  const custom = z.record(z.string(), value).meta({ exact: { maxProperties: 200 } })
  const schema = z.object({ custom, items: z.array(z.object({ custom })) })

  test('refuses an object of too many fields before its values', () => {
    const error = refusal(() => parse(schema, { custom: record(201, {}), items: [] }))
    expect(error.details).toEqual([{ field: 'custom', message: 'must have at most 200 fields' }])
  })

  test('takes an object of as many fields as it may have', () => {
    expect(Object.keys(parse(schema, { custom: record(200, 'x'), items: [] }).custom)).toHaveLength(200)
  })

  test('stops after 2,000 failures, and names the first fields', () => {
    const items = Array.from({ length: 1000 }, () => ({ custom: record(100, {}) }))
    const error = refusal(() => parse(schema, { custom: {}, items }))
    expect([error.details[0], error.details.length, error.message.endsWith('; and more')]).toEqual([
      { field: 'items[0].custom.k0', message: 'has the wrong form' },
      MAX_ISSUES,
      true,
    ])
  })

  test('names no more unknown fields than an error has', () => {
    expect(listUnknownFields(schema, record(100_000, 1)).length).toBeLessThan(MAX_ISSUES + 5)
  })

  test('cuts the names of unknown fields', () => {
    const strict = z.strictObject({})
    const { message } = refusal(() => parse(strict, { ['x'.repeat(10_000)]: 1, ...record(20, 1) }))
    expect([message.length < 400, message.includes('and 11 more')]).toEqual([true, true])
  })
})

test('a word of more than 64 letters gets no suggestion', () => {
  const known = ['x'.repeat(63)]
  expect([formatSuggestion('x'.repeat(62), known) !== '', formatSuggestion('x'.repeat(65), known)]).toEqual([true, ''])
})
