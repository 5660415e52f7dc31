/** A server with sources. A test begins their runs and awaits the ends. */
import { expect } from 'bun:test'
import type { Source, SourceObject, SourceRun } from '../../src/sources/schema.ts'
import { type TestApp, type TestCaller, testApp } from '../app/app.ts'
import { ask } from '../estates/inventory.ts'
import type { Dialect } from '../servers/servers.ts'
import { until } from '../until.ts'

/** A busy machine starts a process slowly. */
const TIMEOUT_MS = 180_000

export class Sourced {
  readonly #app: TestApp
  readonly #admin: TestCaller

  private constructor(app: TestApp, admin: TestCaller) {
    this.#app = app
    this.#admin = admin
  }

  /** Each case has a server of its own: machines of two cases have the same addresses. */
  static async start(dialect: Dialect = 'sqlite'): Promise<Sourced> {
    const app = await testApp({ dialect, env: { ENCRYPTION_KEY: 'c2'.repeat(32), SOURCE_TARGETS: '127.0.0.0/8' } })
    return new Sourced(app, await app.as('admin'))
  }

  get api() {
    return this.#admin.api
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
