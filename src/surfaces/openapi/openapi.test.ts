import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { buildOpenapi } from './openapi.ts'

const Thing = z.object({ id: z.string(), size: z.int().nullable() }).meta({ id: 'Thing', columns: ['id'] })

const things = {
  list: operation({
    name: 'things.list',
    summary: 'List things',
    http: 'GET /api/things',
    access: 'things:list',
    input: z.object({
      tags: z.array(z.string()).optional(),
      custom: z
        .record(z.string(), z.string())
        .meta({ exact: { propertyNames: { pattern: '^[a-z]+$' } } })
        .optional(),
    }),
    output: z.array(Thing),
  }),
  update: operation({
    name: 'things.update',
    summary: 'Change a thing',
    http: 'PUT /api/things/{id}',
    access: 'things:update',
    headers: { 'Idempotency-Key': 'key' },
    input: z.object({
      id: z.string().meta({ ref: 'things' }),
      size: z.int().nullable().optional(),
      key: z.string().optional(),
    }),
    output: Thing,
  }),
  delete: operation({
    name: 'things.delete',
    summary: 'Delete a thing',
    http: 'DELETE /api/things/{id}',
    access: 'things:delete',
    input: z.object({ id: z.string() }),
    output: z.void(),
  }),
}

const doc = buildOpenapi({ things }, [], { version: '1' })

describe('an operation', () => {
  test('takes its input from path, header and body', () => {
    expect(doc.paths['/api/things/{id}']?.put).toMatchObject({
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'Id of a thing',
          schema: { type: 'string', 'x-ref': 'things' },
        },
        { name: 'Idempotency-Key', in: 'header', required: false },
        { $ref: '#/components/parameters/IfMatch' },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { type: 'object', properties: { size: { type: ['integer', 'null'] } } } },
        },
      },
    })
  })

  test('has the entries of a record as query parameters, each with its name', () => {
    expect(doc.paths['/api/things']?.get?.parameters).toContainEqual({
      name: 'custom',
      in: 'query',
      required: false,
      style: 'form',
      explode: true,
      schema: {
        type: 'object',
        additionalProperties: { type: 'string' },
        propertyNames: { pattern: '^custom\\.[a-z]+$' },
      },
    })
  })

  test('answers with its named schema, and headers that say what changed and how many there are', () => {
    const { responses } = doc.paths['/api/things']?.get ?? {}
    expect(responses?.['200']).toEqual({
      description: 'List things',
      headers: {
        'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
        ETag: { $ref: '#/components/headers/ETag' },
        'X-Total-Count': { $ref: '#/components/headers/X-Total-Count' },
      },
      content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } },
    })
    expect(Object.keys(responses ?? {})).toEqual(['200', '304', '400', '401', '403', '421', '429', '431', '500', '503'])
  })

  test('without an answer is 204', () => {
    const { responses } = doc.paths['/api/things/{id}']?.delete ?? {}
    expect(Object.keys(responses ?? {})).toEqual([
      '204',
      '400',
      '401',
      '403',
      '404',
      '412',
      '421',
      '429',
      '431',
      '500',
      '503',
    ])
  })

  test('says what it needs, its command and its tool', () => {
    expect(doc.paths['/api/things/{id}']?.put).toMatchObject({
      'x-permission': 'things:update',
      'x-cli': 'plat thing update <id>',
      'x-mcp-tool': 'call_operation',
    })
  })
})

test('a raw route declares the parameters of its path and what it produces', () => {
  const file = rawRoute({
    name: 'things.file',
    summary: 'The file of a thing',
    http: 'GET /api/things/{id}/file',
    access: 'public',
    query: z.object({ width: z.int().optional() }),
    produces: 'image/png',
  })
  expect(buildOpenapi({}, [file], { version: '1' }).paths['/api/things/{id}/file']?.get).toMatchObject({
    parameters: [
      { name: 'id', in: 'path', required: true },
      { name: 'width', in: 'query', required: false },
    ],
    responses: { '200': { content: { 'image/png': {} } } },
    security: [],
  })
})

test('an empty number of a query is absent, an empty text is a text', () => {
  const list = { ...things.list, name: 'things.page', http: 'GET /api/page' } as const
  const flag = z.boolean().optional()
  const input = z.object({ limit: z.int().optional(), all: flag, q: z.string().optional(), dry_run: flag })
  const { parameters = [] } =
    buildOpenapi({ things: { list: { ...list, input } } }, [], { version: '1' }).paths['/api/page']?.get ?? {}
  const emptiable = parameters.filter((one) => 'allowEmptyValue' in one)
  expect(emptiable).toMatchObject([{ name: 'limit' }, { name: 'all' }])
})

test('a raw route needs its body, even one without required fields', () => {
  const route = rawRoute({
    name: 'things.say',
    summary: 'Say something',
    http: 'POST /api/say',
    access: 'public',
    input: z.object({ a: z.string().optional() }).catchall(z.boolean()),
  })
  expect(buildOpenapi({}, [route], { version: '1' }).paths['/api/say']?.post?.requestBody).toMatchObject({
    required: true,
    content: { 'application/json': { schema: { additionalProperties: { type: 'boolean' } } } },
  })
})

test('one route is one operation', () => {
  const twin = { ...things.list, name: 'things.again' }
  expect(() => buildOpenapi({ things, twins: { twin } }, [], { version: '1' })).toThrow(
    'things.again and things.list are both GET /api/things',
  )
})

test('one id is one schema', () => {
  const Other = z.object({ name: z.string() }).meta({ id: 'Thing' })
  const other = { ...things.list, name: 'others.list', http: 'GET /api/others', output: z.array(Other) } as const
  expect(() => buildOpenapi({ things, others: { other } }, [], { version: '1' })).toThrow(
    'Two different schemas have the id Thing',
  )
})
