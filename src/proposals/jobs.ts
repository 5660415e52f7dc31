/** The jobs of proposals: runs again what has moved, closes the forgotten and deletes the finished. */
import type { Config } from '../base/config/config.ts'
import { AppError } from '../contract/errors.ts'
import type { Tables } from '../database/tables.ts'
import type { Job } from '../kernel/context.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { removeEffects } from './effect-store.ts'
import { removeEntries } from './entry-store.ts'
import type { Means } from './means.ts'
import { runAgain } from './operations/change.ts'
import { closeProposal } from './operations/close.ts'
import { removeChecks } from './review/check-store.ts'
import * as store from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** The most proposals that one turn of the job runs. */
const MOST_RUN = 20
/** Larger proposals run when a user asks for it. */
const MOST_EFFECTS = 1000
/** The number of proposals that end in one transaction. */
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
    await ctx.write(async (tx) => {
      const row = await store.lock(tx, seq)
      // It may have been touched since.
      if (!row || (row.state !== 'draft' && row.state !== 'open') || row.touched_at >= before) return
      await closeProposal(tx, row, { reason: 'expired', by: '' })
    })
  }
}

/** Deletes merged and closed proposals that ended so many days ago. */
const removeEnded = async (ctx: Ctx, days: number): Promise<void> => {
  const before = new Date(Date.parse(ctx.now) - days * DAY_MS).toISOString()
  for (;;) {
    ctx.signal.throwIfAborted()
    const ended = await store.findEnded(ctx, { before, most: ENDED_AT_ONCE })
    if (ended.length === 0) return
    await ctx.write(async (tx) => {
      for (const seq of ended) {
        const row = await store.lock(tx, seq)
        // It may have been opened again.
        if (row?.state !== 'merged' && row?.state !== 'closed') continue
        await removeEffects(tx, seq)
        await removeEntries(tx, seq)
        await removeChecks(tx, seq)
        await store.remove(tx, seq)
      }
    })
  }
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
    summary: 'Closes proposals that are older than PROPOSAL_EXPIRY_DAYS, and deletes those that ended long ago',
    everyMs: HOUR_MS,
    runsAtStart: true,
    run: async (ctx) => {
      await expire(ctx, config.proposalExpiryDays)
      await removeEnded(ctx, config.historyRetentionDays)
    },
  },
]
