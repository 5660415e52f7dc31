/** Sources in their process: its job, its output, and its end at each bound. */
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChildren } from '../../base/child/testing/children.ts'
import { createSourceReader, type Pushed } from './process.ts'
import type { SourceJob } from './protocol.ts'

const HOST = '127.0.0.1'
const CONTAINERS = Array.from({ length: 700 }, (_, at) => ({
  Id: `${at}`,
  Names: [`/c${at}`],
  State: 'running',
  Image: 'i',
}))
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/version': { Version: '24.0.7', ApiVersion: '1.43' },
  '/info': { Name: 'box', OperatingSystem: 'Debian' },
  '/networks': [],
  '/containers/json': CONTAINERS,
}
let answer: (path: string) => Response | Promise<Response>
let open = 0
const server = Bun.serve({ port: 0, hostname: HOST, fetch: (request) => answer(new URL(request.url).pathname) })
const dir = mkdtempSync(join(tmpdir(), 'sources-'))
afterAll(() => {
  server.stop(true)
  rmSync(dir, { recursive: true })
})
beforeEach(() => {
  answer = (path) => Response.json(ANSWERS[path])
})

const common = { kind: 'docker' as const, options: {}, ref: 'docker', nowMs: 0 }
const createJob = (
  more: { readonly do?: 'fetch' | 'test'; readonly timeoutMs?: number; readonly targets?: string[] } = {},
): SourceJob => ({
  ...common,
  do: more.do ?? 'fetch',
  secrets: { client_key: 'a-secret-of-the-job' },
  timeoutMs: more.timeoutMs ?? 30_000,
  target: {
    url: `http://${HOST}:${server.port}`,
    allowPrivate: false,
    targets: more.targets ?? [HOST],
    tlsCa: '',
    tlsFingerprint: '',
  },
})
const { signal } = new AbortController()
const toPushed = (text: string): Pushed => {
  const bytes = new TextEncoder().encode(text)
  async function* pieces() {
    yield bytes
  }
  return { pieces: pieces(), length: bytes.length }
}
const push = (text: string, bounds?: Parameters<typeof createSourceReader>[1]) =>
  createSourceReader(dir, bounds).read({ ...common, do: 'push' }, { signal, pushed: toPushed(text) })

describe('a fetch', () => {
  test('gives the rows in their order, and what it was told', async () => {
    const outcome = await createSourceReader(dir).read(createJob(), { signal })
    if (!outcome.isDone) throw new Error(outcome.error.message)
    if (outcome.isSame) throw new Error('the rows were not converted')
    expect(outcome).toMatchObject({ product: 'Docker 24.0.7', requests: 4, certificate: null, warnings: [], hosts: [] })
    const names = outcome.documents.devices?.map(({ name }) => name)
    expect(names).toEqual(['box', ...CONTAINERS.map((_, at) => `c${at}`)])
    expect(outcome.documents.relationships).toHaveLength(700)
    expect(outcome.about['devices container/c699']).toMatchObject({ type: 'container', facts: { image: 'i' } })
    expect(outcome.report.read).toEqual({ host: 1, container: 700 })
    expect(outcome.log).toHaveLength(4)
  })

  test('that fails has the code and the counts of its requests', async () => {
    answer = (path) => (path === '/info' ? new Response(null, { status: 403 }) : Response.json(ANSWERS[path]))
    const outcome = await createSourceReader(dir).read(createJob(), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'forbidden' }, product: 'Docker 24.0.7' })
    expect(outcome.requests).toBeGreaterThan(1)
  })

  test('that a kind does not expect names the request', async () => {
    answer = (path) => Response.json(path === '/info' ? 'a text' : ANSWERS[path])
    const outcome = await createSourceReader(dir).read(createJob(), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'bad_answer' } })
    if (!outcome.isDone) expect(outcome.error.message).toContain('GET /info')
  })

  test('reaches only the targets of its job', async () => {
    const outcome = await createSourceReader(dir).read(createJob({ targets: [] }), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'target' } })
  })

  test('ends at its time limit', async () => {
    answer = () => new Promise<Response>(() => {})
    const outcome = await createSourceReader(dir).read(createJob({ timeoutMs: 300 }), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'timeout' } })
  })

  test('shows no secret that the system sends back', async () => {
    answer = () => new Response('a-secret-of-the-job is wrong', { status: 500 })
    const outcome = await createSourceReader(dir).read(createJob(), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'bad_answer' } })
    expect(JSON.stringify(outcome)).not.toContain('a-secret-of-the-job')
  })
})

test('a test sends the first request alone', async () => {
  const seen: string[] = []
  answer = (path) => {
    seen.push(path)
    return Response.json(ANSWERS[path])
  }
  const outcome = await createSourceReader(dir).read(createJob({ do: 'test' }), { signal })
  expect(outcome).toMatchObject({ isDone: true, product: 'Docker 24.0.7', documents: {} })
  expect(seen).toEqual(['/version'])
})

describe('a push', () => {
  const snapshot = {
    version: ANSWERS['/version'],
    info: ANSWERS['/info'],
    networks: [],
    containers: CONTAINERS.slice(0, 3),
  }

  test('is converted without a request', async () => {
    const outcome = await push(JSON.stringify({ kind: 'docker', snapshot }))
    if (!outcome.isDone) throw new Error(outcome.error.message)
    if (outcome.isSame) throw new Error('the rows were not converted')
    expect(outcome.documents.devices).toHaveLength(4)
    expect(outcome.requests).toBe(0)
  })

  test.each<[string, string, 'kind' | 'snapshot']>([
    ['of another kind', JSON.stringify({ kind: 'aws', snapshot }), 'kind'],
    ['without a kind', JSON.stringify({ snapshot }), 'kind'],
    ['of another shape', JSON.stringify({ kind: 'docker', snapshot: { version: 1 } }), 'snapshot'],
    ['without a snapshot', JSON.stringify({ kind: 'docker' }), 'snapshot'],
    ['that is no JSON', '{"kind": "docker"', 'snapshot'],
    ['that is nested too deep', `{"kind": "docker", "snapshot": ${'['.repeat(100_000)}`, 'snapshot'],
    ['that is empty', '', 'snapshot'],
  ])('%s names %3$s', async (_, text, field) => {
    expect(await push(text)).toMatchObject({ isDone: false, error: { code: 'bad_answer', field } })
  })

  test('with more than 100,000 objects is too large', async () => {
    const containers = Array.from({ length: 100_001 }, (_, at) => ({ Id: `${at}`, Names: [`/${at}`] }))
    const outcome = await push(JSON.stringify({ kind: 'docker', snapshot: { ...snapshot, containers } }))
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'too_large', field: 'snapshot' } })
  })
})

describe('the process', () => {
  test('that needs too much memory is ended', async () => {
    expect(await push('{}', { memoryBytes: 1024 * 1024 })).toMatchObject({
      isDone: false,
      error: { code: 'too_large' },
    })
  })

  test('that gives too much is ended', async () => {
    const bounds = { outputBytes: 1000 }
    const outcome = await createSourceReader(dir, bounds).read(createJob(), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'too_large' } })
  })

  test('that takes too long is ended', async () => {
    answer = () => new Promise<Response>(() => {})
    const outcome = await createSourceReader(dir, { ms: -29_999 }).read(createJob(), { signal })
    expect(outcome).toMatchObject({ isDone: false, error: { code: 'timeout' } })
  })

  test('ends when its caller cancels, with the reason', async () => {
    const abort = new AbortController()
    const reason = new Error('cancelled')
    answer = () => {
      abort.abort(reason)
      return new Promise<Response>(() => {})
    }
    await expect(createSourceReader(dir).read(createJob(), { signal: abort.signal })).rejects.toBe(reason)
    expect(findChildren('source-child')).toEqual([])
  })

  test('runs at most twice at once, beside the tests of sources', async () => {
    const release = Promise.withResolvers<void>()
    const full = Promise.withResolvers<void>()
    let most = 0
    answer = async (path) => {
      if (path !== '/version') return Response.json(ANSWERS[path])
      open++
      most = Math.max(most, open)
      if (open === 2) full.resolve()
      await release.promise
      open--
      return Response.json(ANSWERS[path])
    }
    const reader = createSourceReader(dir, { atOnce: 2 })
    const all = Array.from({ length: 4 }, () => reader.read(createJob(), { signal }))
    await full.promise
    release.resolve()
    const outcomes = await Promise.all(all)
    expect([most, outcomes.map(({ isDone }) => isDone)]).toEqual([2, [true, true, true, true]])
  })
})
