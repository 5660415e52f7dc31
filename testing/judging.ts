/** A source whose rows a test says by itself, judged and applied as a run does. */

import { afterAll, beforeAll } from 'bun:test'
import { createLogger } from '../src/base/runtime/log.ts'
import { createBreathe } from '../src/base/runtime/pause.ts'
import type { Db } from '../src/database/database.ts'
import type { Tables } from '../src/database/tables.ts'
import type { Resource } from '../src/inventory/resources.ts'
import { NO_AUDIT } from '../src/kernel/changes/audit.ts'
import type { Ctx } from '../src/kernel/ctx.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import { eventRecorder } from '../src/record/events/record.ts'
import { openHistory } from '../src/record/history/history.ts'
import { type JudgeInput, type JudgeOutcome, judgeRun } from '../src/sources/judge/judge.ts'
import { compareRows, type SaidRow } from '../src/sources/judge/object-reads.ts'
import { writeDifferences } from '../src/sources/judge/object-store.ts'
import { getSourceOrThrow } from '../src/sources/judge/settings.ts'
import { staleMarks } from '../src/sources/judge/stale.ts'
import type { SourceObject } from '../src/sources/schema.ts'
import { NEW_STATE } from '../src/sources/store.ts'
import type { SourceRow } from '../src/sources/table.ts'
import { type TestApp, type TestCaller, testApp } from './app/app.ts'
import { estateKernel } from './app/estate-kernel.ts'
import type { Dialect } from './servers/servers.ts'

type Fields = Readonly<Record<string, unknown>>

/** A row of a source, as a test writes it. */
export type Said = {
  readonly resource?: Resource
  readonly key: string
  readonly type?: string
  readonly row: Fields
  readonly macs?: readonly string[]
  readonly facts?: Readonly<Record<string, string>>
}

const toSaidRow = ({ resource = 'devices', key, type = 'vm', row, macs = [], facts = {} }: Said): SaidRow => ({
  ...{ resource, key, type, place: '', name: String(row.name ?? key), macs, facts },
  row: JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))),
})

/** Reads a row of a source, as a run does. */
export const sayRows = (db: Db<Tables>, sourceId: string, rows: readonly Said[]): Promise<void> =>
  estateKernel(db).read(async (ctx) => {
    const differences = await compareRows(ctx, sourceId, { said: rows.map(toSaidRow), breathe: createBreathe() })
    await writeDifferences((work) => ctx.write(work), sourceId, differences)
  })

const SETTINGS: Omit<SourceRow, 'id' | 'name' | 'name_key' | 'name_order' | 'created_at' | 'updated_at'> = {
  ...{ kind: 'proxmox', url: '', options: '{}', secrets: null, secrets_set: '[]', enabled: 1, mode: 'review' },
  ...{ interval_minutes: 0, timeout_seconds: 60, allow_private: 0, tls_ca: '', tls_fingerprint: '' },
  ...{ include: '[]', exclude: '[]', datacenter_id: null, space_id: null, places: '[]', tags: '[]', custom: '{}' },
  ...{ ref: 'proxmox', when_gone: 'decommission', gone_after_hours: 24, max_gone_percent: 30, description: '' },
}

export const quiet = createLogger({ level: 'error', format: 'text', write: () => {} })

export type JudgedApp = ReturnType<typeof judgedApp>

export const judgedApp = (dialect: Dialect) => {
  let app: TestApp
  let admin: TestCaller
  let clockMs = Date.parse('2030-01-01T00:00:00Z')
  const now = () => new Date(clockMs)
  let sources = 0
  beforeAll(async () => {
    app = await testApp({ dialect, now, withJobs: false })
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  /** A kernel with no feature but the marks of rows: nothing reacts to deletions there. */
  const startKernel = async () =>
    createKernel({
      ...{ db: app.db, features: [{ operations: [], ...staleMarks }], now, onCommit: () => {} },
      ...{ audit: NO_AUDIT, history: await openHistory(app.db, now), events: eventRecorder },
      log: quiet,
    })

  /** Runs work as a job does. */
  const inJob = async <T>(run: (ctx: Ctx) => Promise<T>): Promise<T> => {
    const kernel = await startKernel()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const job = { name: 'test', summary: '', everyMs: 1000, run: async (ctx: Ctx) => resolve(await run(ctx)) }
    kernel.runJob(job).catch(reject)
    return promise
  }

  /** Makes a source. @returns its id */
  const source = async (settings: Partial<SourceRow> = {}): Promise<string> => {
    const id = `s${++sources}`
    const at = now().toISOString()
    await inJob((ctx) =>
      ctx.write(async (tx) => {
        const names = { id, name: id, name_key: id, name_order: id, created_at: at, updated_at: at }
        await tx.db
          .insertInto('sources')
          .values({ ...SETTINGS, ...names, ...settings })
          .execute()
        await tx.db
          .insertInto('source_states')
          .values({ ...NEW_STATE, source_id: id })
          .execute()
      }),
    )
    return id
  }

  /** Reads the rows of a source, and judges them. Nothing is applied, unless the test says so. */
  const say = (id: string, rows: readonly Said[], given: Partial<JudgeInput> = {}): Promise<JudgeOutcome> =>
    inJob(async (ctx) => {
      clockMs += 1000
      const began = now().toISOString()
      clockMs += 1000
      const said = rows.map(toSaidRow)
      const differences = await compareRows(ctx, id, { said, breathe: createBreathe() })
      await writeDifferences((work) => ctx.write(work), id, differences)
      const settings = await getSourceOrThrow(ctx, id)
      const means = { operations: [], discoveryMaxHosts: 0 } as never
      const outcome = await judgeRun(ctx, means, {
        ...{ source: settings, force: false, applies: false, signal: new AbortController().signal },
        ...given,
      })
      await ctx.write(async (tx) => {
        const run = { ...EMPTY_RUN, id: `${id}-${clockMs}`, source_id: id, created_at: began, started_at: began }
        await tx.db
          .insertInto('source_runs')
          .values({ ...run, completed_at: now().toISOString() })
          .execute()
      })
      return outcome
    })

  const find = async (id: string, key: string): Promise<SourceObject> => {
    const all = await admin.api.sources.objects({ source_id: id })
    const one = all.find((object) => object.key === key)
    if (!one) throw new Error(`the source says no ${key}`)
    return one
  }

  const findId = async (id: string, key: string): Promise<string> => (await find(id, key)).object_id ?? ''

  return {
    source,
    say,
    find,
    /** Returns the id of the object of a row; '' without one. */
    findId,
    getDevice: async (id: string, key: string) => admin.api.devices.get({ id: await findId(id, key) }),
    inJob,
    startKernel,
    /** Applies everything that a source says. */
    apply: (id: string, more: object = {}) => admin.api.sources.apply({ id, ...more }),
    advance: (hours: number) => {
      clockMs += hours * 3_600_000
    },
    now,
    get app() {
      return app
    },
    get admin() {
      return admin
    },
    get api() {
      return admin.api
    },
    undo: async (): Promise<number> => {
      const [change] = await admin.api.history.list({ limit: 1 })
      return (await admin.request('POST', `/api/history/${change?.id}/undo`)).status
    },
  }
}

const EMPTY_RUN = {
  ...{ trigger: 'hand', status: 'completed', result: '', product: '', read: '{}', counts: '{}', left_over: '[]' },
  ...{
    warnings: '[]',
    log: '[]',
    requests: 0,
    bytes: 0,
    error_code: '',
    message: '',
    change_id: '',
    applies: 0,
    force: 0,
  },
}
