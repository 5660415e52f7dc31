/** The requests of a fetch: their bounds, and the code and message of each error, against a server on loopback. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Answered, Ask } from '../kinds/source-kind.ts'
import { type AskSettings, createAsk } from './ask.ts'
import { FetchError } from './fetch-error.ts'
import { FetchLog } from './fetch-log.ts'
import { createSend } from './send.ts'

const SECRET = 'p&ss w<rd-1234'
const HOST = '127.0.0.1'

let answer: (request: Request) => Response | Promise<Response>
let seen: string[] = []
const server = Bun.serve({
  port: 0,
  hostname: HOST,
  fetch: (request) => {
    seen.push(new URL(request.url).pathname + new URL(request.url).search)
    return answer(request)
  },
})
afterAll(() => server.stop(true))
beforeEach(() => {
  seen = []
  answer = () => Response.json({ ok: true })
})

const origin = `http://${HOST}:${server.port}`
const kind = { title: 'The system', needs: 'the role of an auditor' }

const create = (more: Partial<AskSettings> = {}, targets: readonly string[] = [HOST]) => {
  const secrets = { token: SECRET }
  const log = new FetchLog(secrets)
  const url = more.url ?? `${origin}/base/`
  const target = { url, allowPrivate: false, targets, tlsCa: '', tlsFingerprint: '' }
  const ask = createAsk({ kind, log, timeoutMs: 20_000, send: createSend({ target, secrets, log }), ...more, url })
  return { ask, log }
}
/** Returns the code of an error, and its text. */
const fail = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!(error instanceof FetchError)) throw new Error(`No FetchError: ${error}`)
  return { code: error.code, message: error.message, retryAfter: error.retryAfterSeconds }
}
const failWith = (response: () => Response, work: (ask: Ask) => Promise<unknown> = (ask) => ask.json('/a')) => {
  answer = response
  return fail(work(create().ask))
}

describe('a path', () => {
  test.each<[string, string | undefined]>([
    ['/a?b=c', '/base/a?b=c'],
    ['', '/base/'],
    [`${origin}/other`, '/other'],
    ['//evil.test/a', '/base//evil.test/a'],
    ['/../../a', '/a'],
    ['@evil.test/a', undefined],
    ['http://evil.test/a', undefined],
    [`http://${HOST}:1/a`, undefined],
    ['file:///etc/passwd', undefined],
  ])('%p leads to %p', async (path, wanted) => {
    const { ask } = create()
    if (wanted === undefined) {
      expect((await fail(ask(path))).code).toBe('bad_answer')
      expect(seen).toEqual([])
      return
    }
    await ask(path)
    expect(seen).toEqual([wanted])
  })

  test('of another base is judged as the URL of the source is', async () => {
    const { ask } = create()
    expect((await fail(ask.at('http://127.0.0.9/')('/a'))).code).toBe('target')
    expect(await ask.at(`${origin}/region`).json('/a')).toEqual({ ok: true })
    expect(seen).toEqual(['/region/a'])
  })
})

describe('a target', () => {
  test('that SOURCE_TARGETS does not list gets no request', async () => {
    const { code, message } = await fail(create({}, []).ask('/a'))
    expect([code, seen]).toEqual(['target', []])
    expect(message).toContain('SOURCE_TARGETS')
  })

  test('that is private names allow_private', async () => {
    expect((await fail(create({ url: 'http://10.0.0.1/' }).ask('/a'))).message).toContain('allow_private')
  })
})

describe('a status', () => {
  test.each<[number, string, RegExp]>([
    [401, 'unauthorized', /GET \/base\/a: 401.*Needed: the role of an auditor/],
    [403, 'forbidden', /GET \/base\/a: 403.*Needed: the role of an auditor/],
    [404, 'wrong_url', /404, The system has no such path/],
    [405, 'wrong_url', /405/],
    [429, 'rate_limited', /429, too many requests/],
    [500, 'bad_answer', /500 in place of 200/],
    [503, 'unreachable', /503/],
    [204, 'bad_answer', /204 in place of 200/],
  ])('%d is %s', async (status, code, message) => {
    const failed = await failWith(() => new Response(null, { status }))
    expect(failed.code).toBe(code as never)
    expect(failed.message).toMatch(message)
  })

  test('that is a redirect names its target, and is not followed', async () => {
    const failed = await failWith(
      () => new Response(null, { status: 307, headers: { location: `${origin}/elsewhere` } }),
    )
    expect([failed.code, seen]).toEqual(['wrong_url', ['/base/a']])
    expect(failed.message).toContain(`a redirect to ${origin}/elsewhere`)
  })

  test.each<[string, number | undefined]>([
    ['120', 120],
    ['86400', 3600],
    ['-5', undefined],
    ['soon', undefined],
    ['Thu, 01 Jan 2099 00:00:00 GMT', 3600],
    ['Thu, 01 Jan 2009 00:00:00 GMT', 0],
  ])('429 with Retry-After %p waits for %p s', async (text, seconds) => {
    const failed = await failWith(() => new Response(null, { status: 429, headers: { 'retry-after': text } }))
    expect([failed.code, failed.retryAfter]).toEqual(['rate_limited', seconds])
  })

  test('503 with Retry-After is a limit', async () => {
    const failed = await failWith(() => new Response(null, { status: 503, headers: { 'retry-after': '7' } }))
    expect([failed.code, failed.retryAfter]).toEqual(['rate_limited', 7])
  })

  test.each<[string, string]>([
    ['JSON', JSON.stringify({ message: 'no quota', token: 'abc' })],
    ['JSON with an error object', JSON.stringify({ error: { code: 'quota', message: 'no quota' } })],
    ['a text', 'no quota'],
  ])('shows the message of %s', async (_, body) => {
    expect((await failWith(() => new Response(body, { status: 500 }))).message).toContain('("no quota")')
  })

  test('shows a secret in no form', async () => {
    const forms = [
      SECRET,
      encodeURIComponent(SECRET),
      'p&amp;ss w&lt;rd-1234',
      new URLSearchParams({ a: SECRET }).toString(),
    ]
    for (const form of forms) {
      const { message } = await failWith(() => new Response(`refused: ${form}`, { status: 500 }))
      expect(message).toMatch(/refused: (a=)?\*\*\*"/)
    }
  })

  test('that is allowed besides is an answer', async () => {
    answer = () => new Response('fault', { status: 500 })
    const { status, body } = await create().ask('/a', { alsoAllows: [500] })
    expect([status, Buffer.from(body).toString()]).toEqual([500, 'fault'])
  })
})

describe('an answer', () => {
  test.each<[string, () => Response, string]>([
    [
      'is a web page',
      () => new Response('<!doctype html><p>', { headers: { 'content-type': 'text/plain' } }),
      'wrong_url',
    ],
    ['says that it is one', () => new Response('{}', { headers: { 'content-type': 'text/html' } }), 'wrong_url'],
    ['is no JSON', () => new Response('hello'), 'bad_answer'],
    ['is cut off', () => new Response('{"a": [1, 2'), 'bad_answer'],
    ['is empty', () => new Response(''), 'bad_answer'],
    ['is no UTF-8', () => new Response(new Uint8Array([0x22, 0xff, 0x22])), 'bad_answer'],
    ['has 65 levels', () => new Response(`${'['.repeat(65)}${']'.repeat(65)}`), 'bad_answer'],
  ])('that %s is %3$s', async (_, response, code) => {
    expect((await failWith(response)).code).toBe(code as never)
  })

  test('may have 64 levels, and brackets in texts', async () => {
    const text = `${'['.repeat(63)}{"a": "\\"${'['.repeat(100)}"}${']'.repeat(63)}`
    answer = () => new Response(text)
    expect(await create().ask.json('/a')).toEqual(JSON.parse(text))
  })

  test('may be a web page where the caller takes one', async () => {
    answer = () => new Response('<html></html>', { headers: { 'content-type': 'text/html' } })
    expect((await create().ask('/a', { allowsHtml: true })).status).toBe(200)
  })

  test('that is sent to a socket which closes is unreachable', async () => {
    const closing = Bun.listen({
      port: 0,
      hostname: HOST,
      socket: { open: (socket) => void socket.end(), data: () => {} },
    })
    const { ask } = create({ url: `http://${HOST}:${closing.port}` })
    expect((await fail(ask('/a'))).code).toBe('unreachable')
    closing.stop(true)
  })
})

describe('an optional request', () => {
  test.each([401, 403, 404, 500])('warns of %d', async (status) => {
    answer = () => new Response(null, { status })
    const { ask, log } = create()
    expect(await ask.optionalJson('/agent')).toBeUndefined()
    expect(log.facts().warnings.map(({ message }) => message.slice(0, 20))).toEqual([`GET /base/agent: ${status}`])
    expect((await ask('/agent', { isOptional: true })).status).toBe(status)
  })

  test.each<[string, Partial<AskSettings>, () => Response]>([
    ['rate_limited', {}, () => new Response(null, { status: 429 })],
    ['unreachable', {}, () => new Response(null, { status: 502 })],
    ['too_large', { bounds: { answerBytes: 3 } }, () => new Response('12345')],
  ])('ends the run where the error is %s', async (code, settings, response) => {
    answer = response
    expect((await fail(create(settings).ask.optionalJson('/agent'))).code).toBe(code as never)
  })
})

describe('a bound', () => {
  test('of the bytes of an answer ends the run', async () => {
    answer = () => new Response('x'.repeat(100_000))
    const failed = await fail(create({ bounds: { answerBytes: 1000 } }).ask('/a'))
    expect(failed).toMatchObject({ code: 'too_large', message: 'GET /base/a: more than 1000 bytes an answer' })
  })

  test('of all bytes ends the run', async () => {
    answer = () => new Response('x'.repeat(600))
    const { ask } = create({ bounds: { answerBytes: 1000, bytes: 1000 } })
    await ask('/a')
    expect(await fail(ask('/b'))).toMatchObject({
      code: 'too_large',
      message: 'GET /base/b: more than 1000 bytes in all',
    })
  })

  test('of the requests ends the run', async () => {
    const { ask } = create({ bounds: { requests: 2 } })
    await Promise.all([ask('/a'), ask('/b')])
    expect((await fail(ask('/c'))).code).toBe('too_large')
    expect(seen).toEqual(['/base/a', '/base/b'])
  })

  test('of the time of the whole fetch ends the run', async () => {
    answer = () => new Promise<Response>(() => {})
    const failed = await fail(create({ timeoutMs: 200 }).ask('/a'))
    expect(failed.code).toBe('timeout')
    expect(failed.message).toContain('longer than 0.2 s (timeout_seconds)')
  })

  test('of the time of one request ends only that request', async () => {
    answer = (request) => (request.url.endsWith('/a') ? new Promise<Response>(() => {}) : Response.json({}))
    const { ask } = create()
    const failed = await fail(ask('/a', { timeoutMs: 100 }))
    expect(failed).toMatchObject({ code: 'timeout', message: 'GET /base/a: no answer within 0.1 s' })
    expect((await ask('/b')).status).toBe(200)
  })

  test('of eight requests at once holds the others back', async () => {
    const arrived = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    let open = 0
    let most = 0
    answer = async () => {
      open++
      most = Math.max(most, open)
      if (open === 8) arrived.resolve()
      await release.promise
      open--
      return Response.json({})
    }
    const { ask } = create()
    const all = Array.from({ length: 20 }, (_, at) => ask(`/${at}`))
    await arrived.promise
    release.resolve()
    await Promise.all(all)
    expect([most, seen.length]).toEqual([8, 20])
  })

  test('of the lines of the log counts the others', async () => {
    const { ask, log } = create()
    for (let at = 0; at < 205; at++) await ask(`/${at}`)
    const { log: lines, requests } = log.facts()
    expect([lines.length, lines.at(-1)?.text, requests]).toEqual([200, '6 further lines', 205])
  })

  test('of the warnings counts the others', () => {
    const log = new FetchLog({})
    for (let at = 0; at < 300; at++) log.warn(`${at}`)
    expect(log.facts().warnings.slice(198)).toEqual([{ message: '198' }, { message: '101 further warnings' }])
  })
})

test('an abort ends the requests, also those that wait', async () => {
  answer = () => new Promise<Response>(() => {})
  const abort = new AbortController()
  const { ask } = create({ signal: abort.signal })
  const all = Array.from({ length: 10 }, (_, at) => ask(`/${at}`).catch((error: unknown) => error))
  const reason = new Error('cancelled')
  abort.abort(reason)
  const errors: unknown[] = await Promise.all(all)
  expect(errors.filter((error): error is Answered => !(error instanceof Error))).toEqual([])
})

test('the secrets of a request reach the system, and no line of the log', async () => {
  let header = ''
  answer = (request) => {
    header = request.headers.get('authorization') ?? ''
    return Response.json({})
  }
  const { ask, log } = create()
  await ask(`/a?token=${encodeURIComponent(SECRET)}`, { headers: { authorization: `Bearer ${SECRET}` } })
  expect(header).toBe(`Bearer ${SECRET}`)
  expect(log.facts().log.map(({ text }) => text.replace(/:.*/, ''))).toEqual(['GET /base/a?token=***'])
})
