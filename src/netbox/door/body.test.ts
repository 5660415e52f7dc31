// Bodies of one object or of many.
import { expect, test } from 'bun:test'
import { AppError } from '../../contract/errors.ts'
import { MAX_ITEMS, readBody } from './body.ts'
import { describeError } from './errors.ts'

const post = (body: string | undefined, type = 'application/json') =>
  readBody(
    new Request('http://plat.test', {
      method: 'POST',
      headers: { 'Content-Type': type },
      ...(body === undefined ? {} : { body }),
    }),
  )

const refusal = async (body: string, type?: string) => {
  const thrown: unknown = await post(body, type).catch((error: unknown) => error)
  return thrown instanceof AppError ? describeError(thrown) : thrown
}

test.each([
  ['{"a":1}', { isList: false, items: [{ a: 1 }] }],
  ['[]', { isList: true, items: [] }],
  ['[{"a":1},{}]', { isList: true, items: [{ a: 1 }, {}] }],
  [undefined, { isList: false, items: [{}] }],
])('the body %p has these objects', async (text, body) => {
  expect(await post(text)).toEqual(body)
})

test('a list of the largest number of objects is taken, and no larger one', async () => {
  const list = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})))
  expect((await post(list(MAX_ITEMS))).items).toHaveLength(MAX_ITEMS)
  expect(await refusal(list(MAX_ITEMS + 1))).toMatchObject({
    status: 400,
    body: { non_field_errors: [expect.any(String)] },
  })
})

test.each(['{', '{"a":}', ' ', 'nothing', '{"a":1}}'])('%p is no JSON', async (text) => {
  const body = { detail: expect.stringMatching(/^JSON parse error - /) }
  expect(await refusal(text)).toMatchObject({ status: 400, body })
})

test.each([
  ['"text"', 'string'],
  ['null', 'null'],
  ['7', 'number'],
])('%s is no object', async (text, type) => {
  const message = `Invalid data. Expected an object, but got ${type}.`
  expect(await refusal(text)).toEqual({ status: 400, body: { non_field_errors: [message] } })
})

test('an item that is no object is refused at its place', async () => {
  const message = 'Invalid data. Expected an object, but got a list.'
  expect(await refusal('[{},[]]')).toEqual({ status: 400, body: [{}, { non_field_errors: [message] }] })
})

test('a key that no object may have is refused', async () => {
  expect(await refusal('{"__proto__":{}}')).toMatchObject({ status: 400 })
})

test('a body of another type, and one that is too large, are refused', async () => {
  expect(await refusal('a=1', 'application/x-www-form-urlencoded')).toMatchObject({ status: 400 })
  expect(await refusal(JSON.stringify({ a: 'x'.repeat(1024 * 1024) }))).toMatchObject({ status: 413 })
})
