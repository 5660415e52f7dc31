import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { z } from 'zod'
import { bound, type SmallApp, smallApp } from '../../../../testing/http.ts'
import { JsonList, JsonText } from '../../../kernel/handler-result.ts'
import type { AnyOperation } from '../../../kernel/operation.ts'
import { operation } from '../../../kernel/operation.ts'

const DECODE = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
  identity: (bytes: Uint8Array) => Buffer.from(bytes),
}

/** Returns the result of the operations below; each test sets it. */
let answer: () => unknown
let app: SmallApp

const read = (name: string) =>
  operation({
    name,
    summary: '',
    http: `GET /api/${name}`,
    access: 'public',
    input: z.object({}),
    output: z.unknown(),
  })
const write = (name: string, more: Partial<AnyOperation>) =>
  operation({
    name,
    summary: '',
    http: `POST /api/${name}`,
    effect: 'create',
    access: 'public',
    input: z.object({}),
    output: z.unknown(),
    ...more,
  })

beforeAll(async () => {
  const operations = [read('value'), read('other'), write('created', { status: 201 }), write('done', {})]
  app = await smallApp({ operations: operations.map((op) => bound(op, async () => answer())) })
})
afterAll(() => app.close())
beforeEach(() => {
  app.entries.length = 0
})

const get = (headers: Record<string, string> = {}, path = '/api/value') => app.request(`GET ${path}`, { headers })
const LONG = { text: 'a long text '.repeat(500) }

type ListOptions = {
  revision?: string
  rows: number
  size?: number
  before?: (chunk: number) => void
  ended?: () => void
}

/** A list of `rows` objects in chunks of 100. */
const list = ({ revision = 'r1', rows, size = 100, before, ended }: ListOptions) =>
  new JsonList<object>({
    revision,
    total: async () => rows,
    rows: async function* () {
      try {
        for (let i = 0; i < rows; i += 100) {
          before?.(i / 100)
          const count = Math.min(100, rows - i)
          yield Array.from({ length: count }, (_, j) => JSON.stringify({ n: i + j, text: 'x'.repeat(size) }))
        }
      } finally {
        ended?.()
      }
    },
  })

const FORMS: readonly [string, () => unknown][] = [
  ['an object', () => LONG],
  ['JSON text', () => new JsonText(JSON.stringify(LONG))],
  ['an array', () => [LONG, LONG]],
  ['a streamed list', () => list({ rows: 1000 })],
]

describe.each(FORMS)('%s', (_, make) => {
  beforeEach(() => {
    answer = make
  })

  test.each(['gzip', 'br', 'zstd'] as const)('in %s is the same as without', async (coding) => {
    const plain = await (await get()).text()
    const response = await get({ 'Accept-Encoding': coding })
    expect(response.headers.get('content-encoding')).toBe(coding)
    expect(DECODE[coding](await response.bytes()).toString()).toBe(plain)
  })

  test.each(['identity', 'gzip;q=0', 'deflate', '*;q=0'])(
    'stays as it is for a client that takes %s',
    async (header) => {
      expect((await get({ 'Accept-Encoding': header })).headers.get('content-encoding')).toBeNull()
    },
  )

  test('says that it varies with the codings that the client takes', async () => {
    expect((await get()).headers.get('vary')).toBe('Accept-Encoding')
  })

  test('has a strong entity tag, another one in each coding', async () => {
    const tags = []
    for (const coding of ['identity', 'gzip', 'br', 'zstd'])
      tags.push((await get({ 'Accept-Encoding': coding })).headers.get('etag'))
    expect(new Set(tags).size).toBe(4)
    for (const tag of tags) expect(tag).toMatch(/^"[^"]+"$/)
  })

  test.each(['identity', 'gzip', 'br', 'zstd'])('is 304 for the ETag of its %s form', async (coding) => {
    const etag = (await get({ 'Accept-Encoding': coding })).headers.get('etag') ?? ''
    expect((await get({ 'If-None-Match': etag, 'Accept-Encoding': 'br' })).status).toBe(304)
  })

  test.each([
    ['a list of tags', (tag: string) => `"other", ${tag}, "more"`],
    ['a weak tag, as a proxy makes them', (tag: string) => `W/${tag}`],
    ['any tag', () => '*'],
  ])('is 304 for %s', async (_name, header) => {
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get({ 'If-None-Match': header(etag) })).status).toBe(304)
  })

  test('is sent for another ETag', async () => {
    expect((await get({ 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('not modified has no body, and the tag again', async () => {
    const etag = (await get()).headers.get('etag') ?? ''
    const response = await get({ 'If-None-Match': etag })
    expect([await response.text(), response.headers.get('etag')]).toEqual(['', etag])
  })

  test('is private, and revalidated', async () => {
    expect((await get()).headers.get('cache-control')).toBe('private, no-cache')
  })

  test('to HEAD is the same without a body', async () => {
    const full = await get()
    const head = await app.request('HEAD /api/value')
    expect(await head.text()).toBe('')
    for (const name of ['content-type', 'etag', 'x-total-count'])
      expect(head.headers.get(name)).toBe(full.headers.get(name))
  })
})

describe('a value', () => {
  test('of up to 1 KiB is not compressed', async () => {
    answer = () => 'x'.repeat(1022)
    expect((await get({ 'Accept-Encoding': 'gzip' })).headers.get('content-encoding')).toBeNull()
  })

  test('of more than 1 KiB is compressed', async () => {
    answer = () => 'x'.repeat(1023)
    expect((await get({ 'Accept-Encoding': 'gzip' })).headers.get('content-encoding')).toBe('gzip')
  })

  test('that changes has another tag', async () => {
    answer = () => ({ n: 1 })
    const before = (await get()).headers.get('etag')
    answer = () => ({ n: 2 })
    expect((await get()).headers.get('etag')).not.toBe(before)
  })

  test('of a write has the tag that reading it would have', async () => {
    answer = () => LONG
    expect((await app.request('POST /api/created')).headers.get('etag')).toBe((await get()).headers.get('etag'))
  })

  test('of a write is sent whatever If-None-Match says', async () => {
    answer = () => LONG
    expect((await app.request('POST /api/created', { headers: { 'If-None-Match': '*' } })).status).toBe(201)
  })

  test('that is none is 204 without a body', async () => {
    answer = () => undefined
    const response = await app.request('POST /api/done')
    expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([204, '', null])
  })

  test('has no total', async () => {
    answer = () => LONG
    expect((await get()).headers.get('x-total-count')).toBeNull()
  })
})

describe('a list', () => {
  const rowsOf = async (response: Response) => (await response.json()) as { n: number }[]

  test.each([0, 1, 100, 101, 2500])('of %d rows has all of them, in order', async (rows) => {
    answer = () => list({ rows })
    expect((await rowsOf(await get())).map(({ n }) => n)).toEqual(Array.from({ length: rows }, (_, i) => i))
  })

  test.each([0, 2500])('of %d rows says how many there are', async (rows) => {
    answer = () => list({ rows })
    expect((await get()).headers.get('x-total-count')).toBe(`${rows}`)
  })

  test('with empty chunks in between is whole', async () => {
    const rows = async function* () {
      yield []
      yield ['1']
      yield []
      yield ['2', '3']
    }
    answer = () => new JsonList<number>({ revision: 'r', total: async () => 3, rows })
    expect(await (await get()).text()).toBe('[1,2,3]')
  })

  test('of up to 1 KiB is not compressed', async () => {
    answer = () => list({ rows: 3 })
    expect((await get({ 'Accept-Encoding': 'gzip' })).headers.get('content-encoding')).toBeNull()
  })

  test('has another tag when its revision changes', async () => {
    answer = () => list({ rows: 1 })
    const before = (await get()).headers.get('etag')
    answer = () => list({ rows: 1, revision: 'r2' })
    expect((await get()).headers.get('etag')).not.toBe(before)
  })

  test('has another tag with another query', async () => {
    answer = () => list({ rows: 1 })
    expect((await get({}, '/api/value?limit=1')).headers.get('etag')).not.toBe((await get()).headers.get('etag'))
  })

  test('has another tag at another address', async () => {
    answer = () => list({ rows: 1 })
    expect((await get({}, '/api/other')).headers.get('etag')).not.toBe((await get()).headers.get('etag'))
  })

  test('that is not modified is not read', async () => {
    let reads = 0
    answer = () => list({ rows: 1000, before: () => reads++ })
    await get({ 'If-None-Match': '*' })
    expect(reads).toBe(0)
  })

  test('is not read for HEAD', async () => {
    let reads = 0
    answer = () => list({ rows: 1000, before: () => reads++ })
    await app.request('HEAD /api/value')
    expect(reads).toBe(0)
  })

  test('is read as the client takes it', async () => {
    let chunks = 0
    answer = () => list({ rows: 100_000, size: 1000, before: () => chunks++ })
    const reader = (await get()).body?.getReader()
    await reader?.read()
    await reader?.read()
    expect(chunks).toBeLessThan(6)
    await reader?.cancel()
  })

  test.each(['identity', 'gzip'])('in %s that a client stops reading is not read on', async (coding) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    answer = () => list({ rows: 1_000_000, ended: () => resolve('ended') })
    const reader = (await get({ 'Accept-Encoding': coding })).body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await promise).toBe('ended')
  })

  test.each(['identity', 'gzip'])('in %s that a client never begins to read is ended', async (coding) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    answer = () => list({ rows: 1_000_000, ended: () => resolve('ended') })
    await (await get({ 'Accept-Encoding': coding })).body?.cancel()
    expect(await promise).toBe('ended')
  })

  const failingAt = (chunk: number) =>
    list({
      rows: 1000,
      size: 1000,
      before: (i) => {
        if (i === chunk) throw new Error('the disk is gone')
      },
    })

  test('that fails before its first row is an error like any other', async () => {
    answer = () => failingAt(0)
    expect([(await get()).status, app.entries.join('')]).toEqual([500, expect.stringContaining('the disk is gone')])
  })

  test.each(['identity', 'gzip'])('in %s that fails half-way is broken off', async (coding) => {
    answer = () => failingAt(5)
    expect((await get({ 'Accept-Encoding': coding })).bytes()).rejects.toThrow()
  })

  test('that fails half-way is logged with the id of the request', async () => {
    answer = () => failingAt(5)
    const response = await get()
    await Promise.allSettled([response.text()])
    expect(app.entries.join('')).toContain(response.headers.get('x-request-id') ?? 'an id')
  })
})

describe('over a socket', () => {
  const served = async <T>(work: (url: string) => Promise<T>): Promise<T> => {
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request) => app.fetch(request),
      development: false,
    })
    try {
      return await work(server.url.href)
    } finally {
      await server.stop(true)
    }
  }

  test.each(['identity', 'gzip'])('a list in %s that fails half-way does not look whole', async (coding) => {
    let chunks = 0
    const before = () => {
      if (++chunks > 5) throw new Error('the disk is gone')
    }
    answer = () => list({ rows: 10_000, size: 1000, before })
    const reading = served(async (url) => {
      const response = await fetch(`${url}api/value`, { headers: { 'Accept-Encoding': coding } })
      return response.text()
    })
    expect(reading).rejects.toThrow()
    await Promise.allSettled([reading])
  })

  test.each(['identity', 'gzip'])('a list in %s ends when its client goes away', async (coding) => {
    const { promise, resolve } = Promise.withResolvers<string>()
    answer = () => list({ rows: 100_000_000, ended: () => resolve('ended') })
    await served(async (url) => {
      const leaving = new AbortController()
      const response = await fetch(`${url}api/value`, {
        headers: { 'Accept-Encoding': coding },
        signal: leaving.signal,
      })
      await response.body?.getReader().read()
      leaving.abort()
      expect(await promise).toBe('ended')
    })
  })

  test('a client that does not read on keeps the memory bounded', async () => {
    let chunks = 0
    // Each chunk has 100 KB. The buffers of the socket hold some of them.
    answer = () => list({ rows: 100_000_000, size: 1000, before: () => chunks++ })
    await served(async (url) => {
      const socket = await Bun.connect({
        hostname: '127.0.0.1',
        port: Number(new URL(url).port),
        socket: { data: (one) => void one.pause() },
      })
      socket.write('GET /api/value HTTP/1.1\r\nHost: plat.test\r\n\r\n')
      let before = -1
      // Until no more is read.
      while (chunks !== before) {
        before = chunks
        await Bun.sleep(100)
      }
      expect(chunks).toBeLessThan(300)
      socket.end()
    })
  })
})
