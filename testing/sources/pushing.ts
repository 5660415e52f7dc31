/** A server with document sources that a test pushes snapshots to. */
import { afterAll, beforeAll } from 'bun:test'
import type { Source, SourceRun } from '../../src/sources/schema.ts'
import { type TestApp, type TestCaller, testApp } from '../app/app.ts'
import { ask } from '../estates/inventory.ts'
import type { Dialect } from '../servers/servers.ts'
import { until } from '../until.ts'

/** The first suite on PostgreSQL waits for the server to start. */
const START_TIMEOUT_MS = 60_000

type Pushed = { readonly status: number; readonly body: unknown }

export const pushingApp = (dialect: Dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  }, START_TIMEOUT_MS)
  afterAll(() => app.close(), START_TIMEOUT_MS)

  const push = async (id: string, file: unknown, { force = false } = {}): Promise<Pushed> => {
    const headers = { Authorization: `Bearer ${admin.key}`, 'Content-Type': 'application/octet-stream' }
    const request = { method: 'POST', headers, body: JSON.stringify(file) }
    const response = await app.fetch(new Request(`http://plat.test/api/sources/${id}/push?force=${force}`, request))
    return { status: response.status, body: await response.json() }
  }
  return {
    push,
    get api() {
      return admin.api
    },
    /** Makes a document source. @returns its id */
    source: async (draft: object): Promise<string> => {
      const { status, body } = await ask(admin, 'POST /api/sources', { name: 'pushed', kind: 'document', ...draft })
      if (status !== 201) throw new Error(JSON.stringify(body))
      // The answer of a 201 is a source.
      return (body as Source).id
    },
    /** Pushes a file. @returns its run at its end */
    run: async (id: string, file: unknown, terms: { readonly force?: boolean } = {}): Promise<SourceRun> => {
      const { status, body } = await push(id, file, terms)
      if (status !== 202) throw new Error(JSON.stringify(body))
      // The answer of a 202 is a run.
      const { id: run_id } = body as SourceRun
      return await until('the end of the run', async () => {
        const run = await admin.api.sources.showRun({ id, run_id })
        return run.completed_at === null ? undefined : run
      })
    },
  }
}
