import { afterAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { AppError, toErrorBody } from '../../../contract/errors.ts'
import { operation } from '../../../kernel/operation.ts'
import { buildRequest, call, createClient } from './client.ts'

const Thing = z.object({ id: z.string(), name: z.string() })
const things = {
  list: operation({
    name: 'things.list',
    summary: 'List',
    http: 'GET /api/things',
    access: 'public',
    input: z.object({
      tags: z.array(z.string()).optional(),
      limit: z.int().optional(),
      custom: z.record(z.string(), z.string()).optional(),
    }),
    output: z.array(Thing),
  }),
  create: operation({
    name: 'things.create',
    summary: 'Create',
    http: 'POST /api/boxes/{box_id}/things',
    status: 201,
    effect: 'create',
    access: 'public',
    headers: { 'Idempotency-Key': 'idempotency_key' },
    input: z.object({ box_id: z.string(), name: z.string(), idempotency_key: z.string().optional() }),
    output: Thing,
  }),
  delete: operation({
    name: 'things.delete',
    summary: 'Delete',
    http: 'DELETE /api/things/{id}',
    access: 'public',
    input: z.object({ id: z.string() }),
    output: z.void(),
  }),
}

/** A server that answers with the request it received, and with errors for certain paths. */
const server = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const url = new URL(request.url)
    if (request.method === 'DELETE') return new Response(null, { status: 204 })
    if (url.searchParams.getAll('tags').includes('broken')) return new Response('<html>', { status: 200 })
    if (url.searchParams.getAll('tags').includes('proxy')) return new Response('<html>', { status: 502 })
    if (url.searchParams.getAll('tags').includes('bad'))
      return Response.json(
        { code: 'VALIDATION_ERROR', error: 'tags: no', details: [{ field: 'tags', message: 'no' }] },
        { status: 400 },
      )
    return Response.json({
      method: request.method,
      path: url.pathname + url.search,
      body: await request.text(),
      key: request.headers.get('idempotency-key'),
      token: request.headers.get('authorization'),
    })
  },
})
afterAll(() => server.stop(true))

const baseUrl = `http://localhost:${server.port}`
const client = createClient({ fetch, baseUrl, headers: () => ({ authorization: 'Bearer k' }) }, { things })

const failureOf = async (action: Promise<unknown>): Promise<AppError> => {
  const error = await action.catch((thrown: unknown) => thrown)
  if (error instanceof AppError) return error
  throw new Error('expected an AppError', { cause: error })
}

describe('the request', () => {
  test('lists repeat in the query', async () => {
    const seen: unknown = await client.things.list({ tags: ['a b', 'c&d'], limit: 5 })
    expect(seen).toMatchObject({ method: 'GET', path: '/api/things?tags=a+b&tags=c%26d&limit=5', token: 'Bearer k' })
  })

  test('the entries of a record are parameters of their own', async () => {
    const seen: unknown = await client.things.list({ custom: { owner: 'a b', 'watts.min': '100', none: '' } })
    expect(seen).toMatchObject({ path: '/api/things?custom.owner=a+b&custom.watts.min=100&custom.none=' })
  })

  test('path, header and body fields part ways', async () => {
    const seen: unknown = await client.things.create({ box_id: 'a/b', name: 'x', idempotency_key: 'k1' })
    expect(seen).toMatchObject({ path: '/api/boxes/a%2Fb/things', body: '{"name":"x"}', key: 'k1' })
  })

  test('an input without required fields may be left out', async () => {
    const seen: unknown = await client.things.list()
    expect(seen).toMatchObject({ path: '/api/things', body: '' })
  })

  test('204 is undefined', async () => {
    expect(await client.things.delete({ id: 'x' })).toBeUndefined()
  })

  test.each(['', '.', '..'])('the id "%s" never becomes another URL', (id) => {
    expect(() => buildRequest(things.delete, { id })).toThrow('Nothing has the id')
  })

  test('an id with $ patterns is taken literally', () => {
    expect(buildRequest(things.delete, { id: '$&$1' }).path).toBe('/api/things/%24%26%241')
  })

  test('a header field that cannot travel is named', () => {
    expect(() => buildRequest(things.create, { box_id: 'b', idempotency_key: 'a\nb' })).toThrow(
      'idempotency_key: must be plain ASCII text',
    )
  })
})

describe('a failure', () => {
  test("the server's error arrives whole", async () => {
    const error = await failureOf(client.things.list({ tags: ['bad'] }))
    expect(toErrorBody(error)).toEqual({
      code: 'VALIDATION_ERROR',
      error: 'tags: no',
      details: [{ field: 'tags', message: 'no' }],
    })
    expect(error.status).toBe(400)
  })

  test('an error page of a proxy is judged by its status', async () => {
    expect((await failureOf(client.things.list({ tags: ['proxy'] }))).code).toBe('PROVIDER_UNREACHABLE')
  })

  test('a page in place of JSON is no answer', async () => {
    expect((await failureOf(client.things.list({ tags: ['broken'] }))).code).toBe('UNAVAILABLE')
  })

  test('no server', async () => {
    const error = await failureOf(call({ fetch, baseUrl: 'http://127.0.0.1:1' }, things.list, {}))
    expect(error.code).toBe('UNAVAILABLE')
    expect(error.message).toStartWith("Can't reach http://127.0.0.1:1: ")
  })

  test('an abort stays an abort', async () => {
    const stopped = client.things.list({}, { signal: AbortSignal.abort(new Error('stopped')) })
    expect(stopped).rejects.toThrow('stopped')
  })
})

test('the types hold', () => {
  const typesOnly = () => {
    // @ts-expect-error a required field is missing
    void client.things.create({ box_id: 'b' })
    // @ts-expect-error no such field
    void client.things.create({ box_id: 'b', name: 'x', colour: 'red' })
    // @ts-expect-error no such operation
    void client.things.rename({})
    // @ts-expect-error an input with required fields can't be left out
    void client.things.delete()
    void client.things.list().then((rows) => rows[0]?.name satisfies string | undefined)
  }
  expect(typesOnly).toBeFunction()
})
