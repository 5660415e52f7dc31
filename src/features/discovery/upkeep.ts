/** What discovery does by itself, but for running scans: starts those that are due, and forgets what is long gone. */
import type { Config } from '../../platform/config.ts'
import type { Ctx } from '../ctx.ts'
import * as queries from './found-queries.ts'
import * as foundStore from './found-store.ts'
import * as ruleStore from './rule-store.ts'
import { takeDue } from './rules.ts'
import { startByRule } from './scans.ts'

const DAY_MS = 86_400_000
/** Devices of one transaction. */
const FORGET_AT_ONCE = 200

export const startDue = async (ctx: Ctx, config: Config): Promise<void> => {
  for (const { id } of await ruleStore.due(ctx, ctx.now))
    await ctx.write(async (tx) => {
      const rule = await takeDue(tx, id)
      if (rule) await startByRule(tx, rule, config)
    })
}

export const forgetOld = async (ctx: Ctx, days: number): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - days * DAY_MS).toISOString()
  let forgotten = 0
  for (;;) {
    const ids = await queries.forgettable(ctx, before, FORGET_AT_ONCE)
    if (ids.length > 0) await ctx.write((tx) => foundStore.remove(tx, ids))
    forgotten += ids.length
    if (ids.length < FORGET_AT_ONCE) break
  }
  if (forgotten > 0) ctx.log.info('discovered devices forgotten', { forgotten, unseen_for_days: days })
}
