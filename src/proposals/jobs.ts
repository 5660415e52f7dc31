/** The jobs of proposals: they run outdated ones again, close forgotten ones, and delete finished ones and plans of AI clients. */
import type { Config } from '../base/config/config.ts'
import { AppError } from '../contract/errors.ts'
import type { Tables } from '../database/tables.ts'
import type { Job } from '../kernel/context.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { Means } from './means.ts'
import { closeUnfinished } from './operations/end.ts'
import { runAgain } from './operations/rerun.ts'
import * as store from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The most proposals that one turn of the job runs. */
const MOST_RUN = 20
/** Larger proposals run when a user asks for it. */
const MOST_EFFECTS = 1000
/** The time for which a plan that has expired still explains why it cannot be applied. */
const PLANS_KEPT_MS = HOUR_MS
/** The number of proposals that are deleted in one transaction. */
const ENDED_AT_ONCE = 50

/** Runs open proposals of which an object or a scope was changed since their last run. */
const refreshMoved = async (means: Means, ctx: Ctx): Promise<void> => {
  const scopes = await ctx.store.revision(['scopes'])
  let left = MOST_RUN
  for (const candidate of await store.findOutdated(ctx, { scopes, mostEffects: MOST_EFFECTS })) {
    ctx.signal.throwIfAborted()
    if (left === 0) return
    if (candidate.scopes_revision === scopes && !(await store.hasMoved(ctx, candidate))) continue
    const row = await store.find(ctx, candidate.id)
    if (row?.state !== 'open') continue
    left--
    try {
      await runAgain(means, ctx, row)
    } catch (error) {
      // It was merged or closed since, its author is gone, or it has become too large: its page says so.
      if (!(error instanceof AppError)) throw error
      ctx.log.info('a proposal could not be run again', { proposal: row.number, error })
    }
  }
}

/** Closes drafts and open proposals without an entry or an edit for so many days. */
const expire = async (ctx: Ctx, days: number): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - days * DAY_MS).toISOString()
  for (const { seq } of await store.findUntouched(ctx, before)) {
    ctx.signal.throwIfAborted()
    // It may have been touched since.
    await ctx.write((tx) => closeUnfinished(tx, seq, 'expired', ({ touched_at }) => touched_at < before))
  }
}

/** Deletes merged and closed proposals that ended so many days ago, and old plans. */
const removeEnded = async (ctx: Ctx, days: number): Promise<void> => {
  const nowMs = Date.parse(ctx.now)
  const [proposals = '', plans = ''] = [days * DAY_MS, PLANS_KEPT_MS].map((ms) => new Date(nowMs - ms).toISOString())
  const selectEnded = (scope: Ctx) => store.selectEnded(scope, { proposals, plans }).limit(ENDED_AT_ONCE)
  while ((await selectEnded(ctx).execute()).length > 0) {
    ctx.signal.throwIfAborted()
    await ctx.write(async (tx) => {
      // One of them may have been opened again.
      const ended = await tx.store.sql.lockRows(selectEnded(tx)).execute()
      const seqs = ended.map(({ seq }) => seq)
      if (seqs.length > 0) await store.removeAll(tx, seqs)
    })
  }
  if (await store.hasFormerPlans(ctx, plans)) await ctx.write((tx) => store.removeFormerPlans(tx, plans))
}

export type JobOptions = { readonly config: Pick<Config, 'proposalExpiryDays' | 'historyRetentionDays'> }

export const createJobs = (means: Means, { config }: JobOptions): readonly Job<Tables>[] => [
  {
    name: 'proposals.refresh',
    summary: 'Runs open proposals again whose objects were changed',
    everyMs: MINUTE_MS,
    run: (ctx) => refreshMoved(means, ctx),
  },
  {
    name: 'proposals.expire',
    summary:
      'Closes proposals that are older than PROPOSAL_EXPIRY_DAYS, and deletes those and the plans that ended long ago',
    everyMs: HOUR_MS,
    runsAtStart: true,
    run: async (ctx) => {
      await expire(ctx, config.proposalExpiryDays)
      await removeEnded(ctx, config.historyRetentionDays)
    },
  },
]
