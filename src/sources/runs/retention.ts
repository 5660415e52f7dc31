/** Deletes runs that ended long ago. */
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from '../store.ts'
import { removeOld } from './run-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const KEEP_DAYS = 90
/** Runs of each source that are kept regardless of age. */
const KEEP_RUNS = 20

export const forgetRuns = async (ctx: Ctx): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - KEEP_DAYS * DAY_MS).toISOString()
  for (const { id } of await store.findAll(ctx)) await ctx.write((tx) => removeOld(tx, id, { before, kept: KEEP_RUNS }))
}
