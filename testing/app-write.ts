/** Runs code in a transaction of an application, for tests of functions that take a context. */

import { createLogger } from '../src/base/runtime/log.ts'
import { NO_AUDIT } from '../src/kernel/changes/audit.ts'
import { NO_HISTORY } from '../src/kernel/changes/history.ts'
import type { Ctx } from '../src/kernel/ctx.ts'
import { NO_EVENTS } from '../src/kernel/event-recorder.ts'
import { createKernel } from '../src/kernel/kernel.ts'
import type { TestApp } from './app/app.ts'

/** Runs the work as a job does, in a kernel without features: its events have no reactions, and its changes no history. */
export const writeIn = async (
  { db }: TestApp,
  work: (ctx: Ctx) => Promise<void>,
  now = () => new Date(),
): Promise<void> => {
  const kernel = createKernel({
    ...{ db, features: [], now, onCommit: () => {} },
    ...{ audit: NO_AUDIT, history: NO_HISTORY, events: NO_EVENTS },
    log: createLogger({ level: 'error', format: 'text', write: () => {} }),
  })
  await kernel.runJob({ name: 'test', summary: '', everyMs: 1000, run: (ctx) => ctx.write(work) })
}
