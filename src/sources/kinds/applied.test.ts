/** A server applies the recorded answers of each kind: the first run makes the objects, and the next ones change nothing. */
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { until } from '../../../testing/until.ts'
import { createIdentify, type RecordedCase } from '../fetch/record.ts'
import { encodeAnswer } from '../fetch/testing/replay.ts'
import type { Source, SourceObject, SourceRun } from '../schema.ts'
import { SOURCE_KINDS } from './index.ts'
import { KINDS } from './names.ts'

type PushedCase = Pick<RecordedCase, 'options' | 'now'> & { readonly snapshot: unknown }
type Content = RecordedCase | PushedCase

const cases = KINDS.flatMap((kind) => {
  const folder = join(import.meta.dirname, kind, 'answers')
  if (!SOURCE_KINDS[kind] || !existsSync(folder)) return []
  return readdirSync(folder).map((name) => ({
    ...{ kind, title: `${kind} ${name}` },
    // The test of recorded answers fails on a file of another form.
    content: JSON.parse(readFileSync(join(folder, name, 'answers.json'), 'utf8')) as Content,
  }))
})

/** A busy machine starts a process slowly. */
const TIMEOUT_MS = 180_000

/** True for answers that one server gives. */
const canServe = ({ url, answers }: RecordedCase): boolean =>
  url.startsWith('http') && answers.every(({ path }) => path.startsWith('/'))

/** Serves the answers of a case, or refuses all requests. */
const serve = (content: RecordedCase) => {
  const { url, answers } = content
  const identify = createIdentify(content)
  const state = { isRefusing: false }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      if (state.isRefusing) return new Response('', { status: 403 })
      const asked = identify({
        url: `${new URL(url).origin}${pathname}${search}`,
        method: request.method === 'POST' ? 'POST' : 'GET',
        headers: {},
        timeoutMs: TIMEOUT_MS,
        ...(request.method === 'POST' && { body: await request.bytes() }),
      })
      const found = answers.find(
        (one) => one.method === asked.method && one.path === asked.path && one.request === asked.request,
      )
      if (!found) return new Response('', { status: 404 })
      const { status, body, contentType } = encodeAnswer(found)
      return new Response(body, { status, headers: { 'content-type': contentType } })
    },
  })
  const { pathname, search } = new URL(url)
  const path = pathname === '/' && search === '' ? '' : `${pathname}${search}`
  return { state, url: `http://127.0.0.1:${server.port}${path}`, stop: () => server.stop(true) }
}

class Sourced {
  readonly #app: TestApp
  readonly #admin: TestCaller

  private constructor(app: TestApp, admin: TestCaller) {
    this.#app = app
    this.#admin = admin
  }

  /** Each case has a server of its own: machines of two cases have the same addresses. */
  static async start(): Promise<Sourced> {
    const app = await testApp({ env: { ENCRYPTION_KEY: 'c2'.repeat(32), SOURCE_TARGETS: '127.0.0.0/8' } })
    return new Sourced(app, await app.as('admin'))
  }

  readonly send = (http: string, body?: unknown) => ask(this.#admin, http, body)

  async create(draft: object): Promise<Source> {
    const settings = { name: 'recorded', mode: 'auto', interval_minutes: 0 }
    const { status, body } = await this.send('POST /api/sources', { ...settings, ...draft })
    expect([status, body]).toMatchObject([201, {}])
    // The answer of a 201 is a source.
    return body as Source
  }

  async push(id: string, file: unknown): Promise<SourceRun> {
    const headers = { Authorization: `Bearer ${this.#admin.key}`, 'Content-Type': 'application/octet-stream' }
    const request = { method: 'POST', headers, body: JSON.stringify(file) }
    const answer = await this.#app.fetch(new Request(`http://plat.test/api/sources/${id}/push`, request))
    expect(answer.status).toBe(202)
    return this.#end(id, (await answer.json()) as SourceRun)
  }

  async run(id: string): Promise<SourceRun> {
    const { status, body } = await this.send(`POST /api/sources/${id}/run`, {})
    expect(status).toBe(202)
    return this.#end(id, body as SourceRun)
  }

  /** Returns the objects that differ from the source. */
  async listOpen(id: string): Promise<Partial<SourceObject>[]> {
    const { body } = await this.send(`GET /api/sources/objects?source_id=${id}`)
    return (body as SourceObject[]).flatMap(({ resource, key, state, message }) =>
      state === 'synced' ? [] : [{ resource, key, state, message }],
    )
  }

  close(): Promise<void> {
    return this.#app.close()
  }

  #end(id: string, { id: run }: SourceRun): Promise<SourceRun> {
    const look = async () => {
      const { body } = await this.send(`GET /api/sources/${id}/runs/${run}`)
      return (body as SourceRun).completed_at === null ? undefined : (body as SourceRun)
    }
    return until('end of a run', look, TIMEOUT_MS)
  }
}

const fetched = cases.flatMap(({ content, ...one }) =>
  'answers' in content && canServe(content) ? [[one.title, { ...one, content }] as const] : [],
)
const pushed = cases.flatMap(({ content, ...one }) =>
  'snapshot' in content ? [[one.title, { ...one, content }] as const] : [],
)

describe.each(fetched)('%s', (_, { kind, content }) => {
  test(
    'is applied whole, neither the same answers nor refused requests change anything later, and a deletion takes the devices back',
    async () => {
      const plat = await Sourced.start()
      const { url, state, stop } = serve(content)
      const { options, secrets } = content
      const { id } = await plat.create({ kind, url, options, secrets })
      expect(await plat.run(id)).toMatchObject({ status: 'completed', error_code: '', message: '' })
      expect(await plat.listOpen(id)).toEqual([])
      expect(await plat.run(id)).toMatchObject({ status: 'completed', result: 'unchanged' })
      state.isRefusing = true
      expect(await plat.run(id)).toMatchObject({ status: 'failed', error_code: 'forbidden' })
      expect(await plat.listOpen(id)).toEqual([])
      await stop()
      expect((await plat.send(`DELETE /api/sources/${id}?objects=delete`)).status).toBe(204)
      expect((await plat.send('GET /api/devices')).body).toEqual([])
      await plat.close()
    },
    TIMEOUT_MS,
  )
})

describe.each(pushed)('%s, pushed', (_, { kind, content }) => {
  test(
    'is applied whole, and the same snapshot changes nothing later',
    async () => {
      const plat = await Sourced.start()
      const { options, snapshot } = content
      const { id } = await plat.create({ kind, options })
      expect(await plat.push(id, { kind, snapshot })).toMatchObject({ status: 'completed', result: 'applied' })
      expect(await plat.listOpen(id)).toEqual([])
      expect(await plat.push(id, { kind, snapshot })).toMatchObject({ status: 'completed', result: 'unchanged' })
      await plat.close()
    },
    TIMEOUT_MS,
  )
})
