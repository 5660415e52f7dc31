/** A kernel on the database of a test, for the parts of features that take a context and have no operation of their own. */
import { createLogger } from '../../src/base/runtime/log.ts'
import type { Db } from '../../src/database/database.ts'
import type { Tables } from '../../src/database/tables.ts'
import { NO_AUDIT } from '../../src/kernel/changes/audit.ts'
import { NO_HISTORY } from '../../src/kernel/changes/history.ts'
import type { Ctx } from '../../src/kernel/ctx.ts'
import { NO_EVENTS } from '../../src/kernel/event-recorder.ts'
import { createKernel, type Kernel } from '../../src/kernel/kernel.ts'
import { scopeEnforcer } from '../../src/people/scopes/enforcer.ts'

type Work<T> = (ctx: Ctx) => Promise<T>

export type EstateKernel = {
  /** Runs work in a context without a transaction. */
  readonly read: <T>(work: Work<T>) => Promise<T>
  /** Runs work in a transaction. */
  readonly write: <T>(work: Work<T>) => Promise<T>
  readonly runRaw: Kernel<Tables>['runRaw']
}

export const estateKernel = (db: Db<Tables>): EstateKernel => {
  const kernel = createKernel<Tables>({
    ...{ db, features: [], now: () => new Date(), onCommit: () => {} },
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
    ...{ audit: NO_AUDIT, history: NO_HISTORY, events: NO_EVENTS, areas: scopeEnforcer, checksLockOrder: true },
  })
  const read = <T>(work: Work<T>): Promise<T> => {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const run = async (ctx: Ctx) => resolve(await work(ctx))
    kernel.runJob({ name: 'test', summary: '', everyMs: 1000, run }).catch(reject)
    return promise
  }
  return { read, write: (work) => read((ctx) => ctx.write(work)), runRaw: kernel.runRaw }
}
