// Large bodies, which are parsed item by item, and the bounds of their values.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../../testing/cases.ts'
import { AppError } from '../../../contract/errors.ts'
import { parseJson } from './body.ts'
import { MAX_ITEM_BYTES, MAX_ITEM_VALUES, parseLargeObject } from './json-body.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns the value, or 'error' for a text that is no JSON object. */
const parsed = async (text: string): Promise<unknown> => {
  try {
    return await parseLargeObject(encode(text))
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_JSON') return 'error'
    throw error
  }
}

const expected = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : 'error'
  } catch {
    return 'error'
  }
}

/** The key `__proto__`, which `JSON.parse` takes, is refused: tests/contract/own-keys.test.ts. */
const hasNoProto = (value: unknown): boolean => !JSON.stringify(value).includes('__proto__')

const documents = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))).filter(hasNoProto)

describe('a large body', () => {
  test('has the values that JSON.parse returns', async () => {
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(2), async (value, space) => {
        const text = JSON.stringify(value, undefined, space)
        expect(JSON.stringify(await parsed(text))).toBe(JSON.stringify(expected(text)))
      }),
      { numRuns: countCases(300) },
    )
  })

  test('is refused where JSON.parse refuses it', async () => {
    const lists = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 3 })
    const small = fc.dictionary(fc.string({ maxLength: 3 }), lists).filter(hasNoProto)
    const bytes = fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '1', ' ', '\\')
    await fc.assert(
      fc.asyncProperty(small, fc.nat(), bytes, fc.boolean(), async (value, place, byte, isReplaced) => {
        const whole = JSON.stringify(value)
        const at = place % (whole.length + 1)
        const text = whole.slice(0, at) + byte + whole.slice(at + (isReplaced ? 1 : 0))
        expect(JSON.stringify(await parsed(text))).toBe(JSON.stringify(expected(text)))
      }),
      { numRuns: countCases(3000) },
    )
  })

  test('may begin with a byte order mark', async () => {
    expect(await parsed('\ufeff{"a":[1]}')).toEqual({ a: [1] })
  })

  test('holds its items in their order, however many batches they make', async () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => ({ name: `é${i}` }))
    expect(await parsed(JSON.stringify({ rows, last: true }))).toEqual({ rows, last: true })
  })

  test.each([
    [
      'an item of too many bytes',
      `{"a":[1,{"b":"${'x'.repeat(MAX_ITEM_BYTES + 65_536)}"}]}`,
      'a[1]: is larger than 1048576 bytes',
    ],
    [
      'an item of too many values',
      `{"a":[[${'1,'.repeat(MAX_ITEM_VALUES + 65_536)}1]]}`,
      'a[0]: holds more than 20000 values',
    ],
    [
      'an object of too many bytes',
      `{"a":{"b":"${'x'.repeat(MAX_ITEM_BYTES + 65_536)}"}}`,
      'a: is larger than 1048576 bytes',
    ],
    ['too many objects', `{"a":[${'{},'.repeat(2_100_000)}1]}`, 'body: holds more than 2000000 lists and objects'],
    ['too many values', `{"a":[${'1,'.repeat(5_100_000)}1]}`, 'body: holds more than 5000000 values'],
  ])('with %s is refused by its place', async (_, text, message) => {
    await expect(parseLargeObject(encode(text))).rejects.toThrow(message)
  })
})

describe('a body of any size', () => {
  const fields = (count: number): string => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')

  test.each([
    ['the outermost object', `{${fields(1001)}}`, 'body'],
    ['an object in it', `{"a":{${fields(1001)}}}`, 'a'],
    ['an object of a list', `{"a":[1,{"b":{${fields(1001)}}}]}`, 'a[1].b'],
  ])('is refused by the place of an object of 1,001 fields: %s', async (_, text, place) => {
    const message = `${place}: has more than 1000 fields`
    expect(() => parseJson(encode(text))).toThrow(message)
    await expect(parseLargeObject(encode(text))).rejects.toThrow(message)
  })

  test('may have objects of 1,000 fields', () => {
    expect(Object.keys(parseJson(encode(`{${fields(1000)}}`)) as object)).toHaveLength(1000)
  })
})
