import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { bound, type SmallApp, smallApp } from '../../../../testing/http.ts'
import { operation } from '../../../kernel/operation.ts'
import { DEFAULT_MAX_BODY_BYTES, readBytes } from './body.ts'

const MAX = DEFAULT_MAX_BODY_BYTES
const ErrorBody = z.object({
  code: z.string(),
  error: z.string(),
  details: z.array(z.object({ field: z.string(), message: z.string() })),
})

let app: SmallApp
beforeAll(async () => {
  const wanted = { summary: '', effect: 'action', access: 'public' } as const
  const input = z.object({ name: z.string(), n: z.int().optional(), any: z.unknown().optional() })
  const output = z.unknown()
  const body = operation({ ...wanted, name: 'body', http: 'POST /api/body', input, output })
  const optional = operation({
    ...wanted,
    name: 'optional',
    http: 'POST /api/optional/{id}',
    input: z.object({ id: z.string(), n: z.int().optional() }),
    output,
  })
  const large = operation({ ...wanted, name: 'large', http: 'POST /api/large', maxBodyBytes: 3 * MAX, input, output })
  const put = operation({
    summary: '',
    access: 'public',
    name: 'put',
    http: 'PUT /api/put/{id}',
    input: z.object({ id: z.string(), n: z.int().optional() }),
    output,
  })
  const echo = async (_: unknown, value: unknown) => value
  app = await smallApp({ operations: [body, optional, large, put].map((op) => bound(op, echo)) })
})
afterAll(() => app.close())

type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

const post = (
  body?: Body,
  headers: Record<string, string> = { 'Content-Type': 'application/json' },
  path = '/api/body',
) => app.request(`POST ${path}`, { headers, ...(body === undefined ? {} : { body }) })
const refusal = async (response: Response) => [response.status, ErrorBody.parse(await response.json()).code]
const json = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`

/** The same bytes without a Content-Length. */
const chunked = (text: string): ReadableStream<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull: (controller) => {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + 65_536))
      at += 65_536
    },
  })
}

describe('a body of 1 MiB is read', () => {
  test('with its length declared', async () => {
    expect((await post(json(MAX), { 'Content-Length': `${MAX}` })).status).toBe(200)
  })
  test('in chunks', async () => {
    expect((await post(chunked(json(MAX)))).status).toBe(200)
  })
})

describe('a body of more than 1 MiB is 413 INVALID_INPUT', () => {
  test('with its length declared', async () => {
    expect(await refusal(await post(json(MAX + 1), { 'Content-Length': `${MAX + 1}` }))).toEqual([413, 'INVALID_INPUT'])
  })
  test('in chunks', async () => {
    expect(await refusal(await post(chunked(json(MAX + 1))))).toEqual([413, 'INVALID_INPUT'])
  })
  test('whatever else its length declares', async () => {
    const request = new Request('http://plat.test', {
      method: 'POST',
      body: json(MAX + 1),
      headers: { 'Content-Length': '5' },
    })
    expect(readBytes(request, MAX)).rejects.toMatchObject({ status: 413 })
  })
  test('and what was not read of it stays unread', async () => {
    let pulls = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulls++
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    await post(endless)
    expect(pulls).toBeLessThan(30)
  })
})

test('a body that the client breaks off is 400 INVALID_INPUT', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new DOMException('The connection was closed.', 'AbortError')),
  })
  expect(await refusal(await post(broken))).toEqual([400, 'INVALID_INPUT'])
})

test('an operation may take more than others', async () => {
  expect((await post(json(2 * MAX), undefined, '/api/large')).status).toBe(200)
})

describe('a body is 400 INVALID_JSON', () => {
  test.each([
    ['empty', ''],
    ['blank', '  \n'],
    ['no JSON', 'name=x'],
    ['cut off', '{"name":"x"'],
    ['followed by more', '{"name":"x"} {}'],
    ['with a comment', '{"name":"x"/*c*/}'],
    ['with a trailing comma', '{"name":"x",}'],
    ['in single quotes', "{'name':'x'}"],
    ['with NaN', '{"name":NaN}'],
    ['with a raw line break in a text', '{"name":"a\nb"}'],
    ['with a raw NUL', '{"name":"a\u0000b"}'],
    ['a list', '[{"name":"x"}]'],
    ['a text', '"name"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
  ])('that is %s', async (_, body) => {
    expect(await refusal(await post(body))).toEqual([400, 'INVALID_JSON'])
  })

  test('that is not UTF-8', async () => {
    expect(await refusal(await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])))).toEqual([
      400,
      'INVALID_JSON',
    ])
  })

  test('that is UTF-16', async () => {
    const utf16 = new Uint8Array(Buffer.from('\ufeff{"name":"x"}', 'utf16le'))
    expect(await refusal(await post(utf16))).toEqual([400, 'INVALID_JSON'])
  })

  test('that holds a surrogate in UTF-8 (CESU-8)', async () => {
    const cesu = new Uint8Array([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')])
    expect(await refusal(await post(cesu))).toEqual([400, 'INVALID_JSON'])
  })
})

describe('nesting', () => {
  const nested = (depth: number, open = '[', close = ']') =>
    `{"name":"x","any":${open.repeat(depth)}1${close.repeat(depth)}}`

  test('of 64 levels is read', async () => {
    expect((await post(nested(63))).status).toBe(200)
  })
  test.each([64, 100_000, 500_000])('of %d levels below the object is 400 INVALID_JSON', async (depth) => {
    expect(await refusal(await post(nested(depth)))).toEqual([400, 'INVALID_JSON'])
  })
  test('of 100,000 objects is 400 INVALID_JSON', async () => {
    expect(await refusal(await post(nested(100_000, '{"a":', '}')))).toEqual([400, 'INVALID_JSON'])
  })
  test('that never ends is 400 INVALID_JSON', async () => {
    expect(await refusal(await post('['.repeat(1_000_000)))).toEqual([400, 'INVALID_JSON'])
  })
  test('inside a text does not count', async () => {
    expect((await post(JSON.stringify({ name: '[{"\\'.repeat(1000) }))).status).toBe(200)
  })
})

describe('a byte order mark', () => {
  test('before the JSON is passed over', async () => {
    expect((await post('\ufeff{"name":"x"}')).status).toBe(200)
  })
})

describe('keys that mean something to JavaScript', () => {
  const polluted = () => [({} as Record<string, unknown>).polluted, Object.hasOwn(Object.prototype, 'polluted')]

  test.each([
    '{"name":"x","__proto__":{"polluted":true}}',
    '{"name":"x","constructor":{"prototype":{"polluted":true}}}',
    '{"name":"x","any":{"__proto__":{"polluted":true}}}',
    '{"name":"x","any":[{"__proto__":{"polluted":true}}]}',
    '{"name":"x","prototype":{"polluted":true},"toString":1,"hasOwnProperty":1,"valueOf":2}',
  ])('change no other object: %s', async (body) => {
    await post(body)
    expect(polluted()).toEqual([undefined, false])
  })

  test('do not stand for a field', async () => {
    expect(await refusal(await post('{"__proto__":{"name":"x"}}'))).toEqual([400, 'VALIDATION_ERROR'])
  })

  test('in a query change no other object', async () => {
    await app.request('GET /api/body?__proto__[polluted]=1&constructor.prototype.polluted=1')
    expect(polluted()).toEqual([undefined, false])
  })
})

describe('numbers', () => {
  test.each(['1e400', '-1e400', '9007199254740993', '1.5', '1e308'])('%s is no whole number', async (n) => {
    expect(await refusal(await post(`{"name":"x","n":${n}}`))).toEqual([400, 'VALIDATION_ERROR'])
  })
  test('a long one is no error of the server', async () => {
    expect(await refusal(await post(`{"name":"x","n":${'9'.repeat(100_000)}}`))).toEqual([400, 'VALIDATION_ERROR'])
  })
})

test('of keys that come twice the last one counts', async () => {
  expect(await (await post('{"name":"first","name":"second"}')).json()).toEqual({ name: 'second' })
})

test('an unknown field is ignored', async () => {
  expect(await (await post('{"name":"x","more":1}')).json()).toEqual({ name: 'x' })
})

test('a path parameter overrides the body', async () => {
  const body = '{"id":"other","n":1}'
  expect(await (await post(body, undefined, '/api/optional/mine')).json()).toEqual({ id: 'mine', n: 1 })
})

describe('a Content-Type', () => {
  const type = (value: string) => post('{"name":"x"}', { 'Content-Type': value })

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/merge-patch+json',
    'application/vnd.api+json',
  ])('of %s is JSON', async (value) => {
    expect((await type(value)).status).toBe(200)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/html',
    'application/jsonp',
    'application/json2',
    'json',
  ])('of %s is 400 INVALID_INPUT', async (value) => {
    expect(await refusal(await type(value))).toEqual([400, 'INVALID_INPUT'])
  })

  test('that is missing is taken as JSON', async () => {
    expect((await post(new TextEncoder().encode('{"name":"x"}'), {})).status).toBe(200)
  })
})

describe('where nothing is required', () => {
  test.each([undefined, ''])('the body of a POST may be empty', async (body) => {
    expect(await (await post(body, {}, '/api/optional/mine')).json()).toEqual({ id: 'mine' })
  })
  test('the body of a POST may be an empty stream', async () => {
    expect(await (await post(chunked(''), {}, '/api/optional/mine')).json()).toEqual({ id: 'mine' })
  })
  test('the body of a POST may still not be broken', async () => {
    expect(await refusal(await post('{', {}, '/api/optional/mine'))).toEqual([400, 'INVALID_JSON'])
  })
  test('the body of a PUT may not be empty', async () => {
    expect(await refusal(await app.request('PUT /api/put/mine'))).toEqual([400, 'INVALID_JSON'])
  })
})
