/** A kernel on an empty database, and a caller, for tests of code that runs in one. */

import { createLogger } from '../../src/base/runtime/log.ts'
import { type Caller, GUEST } from '../../src/kernel/caller.ts'
import { NO_AUDIT } from '../../src/kernel/changes/audit.ts'
import { NO_HISTORY } from '../../src/kernel/changes/history.ts'
import type { Feature, Job, KernelCtx } from '../../src/kernel/context.ts'
import { NO_EVENTS } from '../../src/kernel/event-recorder.ts'
import { createKernel } from '../../src/kernel/kernel.ts'
import { type ThingTables, thingsDatabase } from '../servers/database.ts'
import type { Dialect } from '../servers/servers.ts'

export const callerWith = (...permissions: readonly string[]): Caller => ({
  ...GUEST,
  userId: 'ann',
  username: 'Ann',
  via: 'key',
  permissions: new Set(permissions),
})

export type ThingsCtx = KernelCtx<ThingTables>

export const thingsKernel = async (features: readonly Feature<ThingTables>[] = [], dialect: Dialect = 'sqlite') => {
  const database = await thingsDatabase(dialect)
  const clock = { ms: Date.parse('2026-01-02T03:04:05.678Z') }
  const now = () => new Date(clock.ms)
  const entries: string[] = []
  const log = createLogger({ level: 'debug', format: 'text', write: (entry) => entries.push(entry) })
  const kernel = createKernel({
    db: database.db,
    features,
    now,
    log,
    onCommit: () => {},
    audit: NO_AUDIT,
    history: NO_HISTORY,
    events: NO_EVENTS,
  })
  /** Runs in the context of a job: without a transaction, and with `write`. */
  const inJob = (run: Job<ThingTables>['run']) => kernel.runJob({ name: 'test', summary: '', everyMs: 1000, run })
  /** Runs in a transaction. */
  const inJobWrite = async <T>(work: (ctx: KernelCtx<ThingTables>) => Promise<T>): Promise<T> => {
    const answers: T[] = []
    await inJob(async (ctx) => {
      answers.push(await ctx.write(work))
    })
    const [answer] = answers
    // The job has rejected unless it stored its answer there.
    return answer as T
  }
  const ids = async () =>
    (await database.db.read.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id)
  return { ...database, kernel, clock, now, log, entries, inJob, inJobWrite, ids }
}
export type ThingsKernel = Awaited<ReturnType<typeof thingsKernel>>

export const addThing = async (ctx: ThingsCtx, id: string): Promise<void> => {
  await ctx.db.insertInto('things').values({ id, n: 0, owner_id: null }).execute()
}
