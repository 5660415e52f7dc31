// The calls that handlers of the NetBox API get, and the answers that they give.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type SmallApp, smallApp } from '../../../testing/http.ts'
import type { BoundRaw } from '../../kernel/context.ts'
import type { Identify } from '../../kernel/request.ts'
import { respondJson, respondNothing, respondStream } from './answers.ts'
import { runItem } from './body.ts'
import { bindRoute, type Handle } from './call.ts'
import { describeError, refuseField } from './errors.ts'
import { API_PATH, type Declared, declareRoute } from './route.ts'

const LONG = 'x'.repeat(100_000)

async function* countTo(most: number): AsyncGenerator<string> {
  for (let n = 1; n <= most; n++) yield `${n}`.padStart(1000)
}

async function* failAfter(count: number): AsyncGenerator<string> {
  yield* countTo(count)
  throw new Error('the query has failed')
}

const HANDLERS: readonly (readonly [Declared['method'], string, Handle])[] = [
  ['GET', 'things', async (_, call) => respondJson(call, { query: [...call.query], next: call.links.api('things') })],
  ['GET', 'things/{id}', async (_, call) => respondJson(call, { ...call.params, page: call.links.page('/things/7') })],
  ['OPTIONS', 'things', async (_, call) => respondJson(call, { name: 'Thing' })],
  [
    'POST',
    'things',
    async (_, call) => {
      const body = await call.readBody()
      for (const [index, item] of body.items.entries())
        await runItem({ index, body, names: {} }, async () => {
          if (item.name === undefined) throw refuseField('name', 'This field is required.')
        })
      return respondJson(call, body.items, { status: 201, headers: { Location: call.links.api('things/1') } })
    },
  ],
  ['PATCH', 'things/{id}', async (_, call) => respondJson(call, (await call.readBody()).items[0])],
  ['DELETE', 'things/{id}', async () => respondNothing()],
  ['GET', 'long', async (_, call) => respondJson(call, LONG)],
  ['GET', 'few', async (_, call) => respondStream(call, countTo(3))],
  ['GET', 'many', async (_, call) => respondStream(call, countTo(1000))],
  ['GET', 'fails', async (_, call) => respondStream(call, failAfter(2))],
  [
    'GET',
    'broken',
    async () => {
      throw new Error('secret')
    },
  ],
]

let app: SmallApp
beforeAll(async () => {
  const identify: Identify = async () => undefined
  const routes = HANDLERS.map(([method, path, handle]) =>
    bindRoute(declareRoute({ method, path, access: 'public' }), handle, { identify, publicUrl: undefined }),
  )
  app = await smallApp({
    // They use no table.
    routes: routes as unknown as readonly BoundRaw<object>[],
    foreignApi: { path: API_PATH, hosts: [], hostPath: '/api', headers: { 'API-Version': '4.5' }, describeError },
  })
})
afterAll(() => app.close())

const send = (http: string, body?: string, headers: Record<string, string> = {}) =>
  app.request(http.replace(' ', ` ${API_PATH}/`), {
    ...(body !== undefined && { body }),
    headers: { Host: 'plat.test', ...headers },
  })
const read = async (response: Response) => [response.status, await response.json()]

describe('a call', () => {
  test('has its query, its parameters and links', async () => {
    const next = 'http://plat.test/netbox/api/things/'
    expect(await read(await send('GET things/?a=1&a=2'))).toEqual([
      200,
      {
        query: [
          ['a', '1'],
          ['a', '2'],
        ],
        next,
      },
    ])
    const page = 'http://plat.test/things/7'
    expect(await read(await send('GET things/a%20b/'))).toEqual([200, { id: 'a b', page }])
  })

  test.each(['OPTIONS things/', 'GET things/', 'PATCH things/7/', 'DELETE things/7/'])('may be %s', async (http) => {
    const answer = await send(http)
    expect([answer.status, answer.headers.get('api-version')]).toEqual([http.startsWith('DELETE') ? 204 : 200, '4.5'])
  })

  test('of a method that its path lacks gets the names of all others', async () => {
    const { status, headers } = await send('PUT things/', '{}')
    expect([status, headers.get('allow')?.split(', ').toSorted()]).toEqual([405, ['GET', 'HEAD', 'OPTIONS', 'POST']])
  })

  test('has one object or many, and errors at their places', async () => {
    const one = await send('POST things/', '{"name":"a"}')
    expect([one.headers.get('location'), ...(await read(one))]).toEqual([
      ...['http://plat.test/netbox/api/things/1/', 201],
      [{ name: 'a' }],
    ])
    const required = { name: ['This field is required.'] }
    expect(await read(await send('POST things/', '{}'))).toEqual([400, required])
    expect(await read(await send('POST things/', '[{"name":"a"},{}]'))).toEqual([400, [{}, required]])
    expect(await read(await send('POST things/', '{'))).toMatchObject([400, { detail: expect.stringMatching(/^JSON/) }])
    expect(await read(await send('POST things/', `{"name":"${'x'.repeat(1024 * 1024)}"}`))).toMatchObject([413, {}])
  })
})

describe('an answer', () => {
  test('is compressed if it is long and the client takes that', async () => {
    const plain = await send('GET long/')
    expect([plain.headers.get('content-encoding'), (await plain.text()).length]).toEqual([null, LONG.length + 2])
    const { headers } = await send('GET long/', undefined, { 'Accept-Encoding': 'gzip' })
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding'])
  })

  test.each([
    ['few', 3],
    ['many', 1000],
  ])('of %s pieces is whole', async (path, count) => {
    const answer = await send(`GET ${path}/`)
    expect([answer.status, (await answer.text()).length]).toEqual([200, count * 1000])
  })

  test('of many pieces is compressed piece by piece', async () => {
    const answer = await send('GET many/', undefined, { 'Accept-Encoding': 'gzip' })
    const text = new TextDecoder().decode(Bun.gunzipSync(await answer.arrayBuffer()))
    expect([answer.headers.get('content-encoding'), text.length]).toEqual(['gzip', 1_000_000])
  })

  test('of HEAD has no body', async () => {
    const answer = await send('HEAD many/')
    expect([answer.status, await answer.text()]).toEqual([200, ''])
  })

  test.each(['fails', 'broken'])('of a handler that fails is a 500 that tells nothing: %s', async (path) => {
    const detail = 'Something went wrong on the server'
    expect(await read(await send(`GET ${path}/`))).toEqual([500, { detail }])
  })
})
