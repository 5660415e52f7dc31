/** Deletes intervals that ended long ago, and all intervals of networks that are gone, in short transactions. */
import type { Ctx } from '../../kernel/ctx.ts'
import * as store from './store.ts'

const DAY_MS = 86_400_000
/** Intervals deleted in one transaction. */
const FORGET_AT_ONCE = 200
/** Is after the end of each interval, open ones included. */
const EVERYTHING = '~'

const hasNetwork = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await ctx.db.selectFrom('networks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

const forgetBefore = async (ctx: Ctx, networkId: string, before: string): Promise<number> => {
  for (let forgotten = 0; ; ) {
    const ids = await store.findEndedBefore(ctx, { networkId, before, limit: FORGET_AT_ONCE })
    if (ids.length > 0) await ctx.write((tx) => store.remove(tx, ids))
    forgotten += ids.length
    if (ids.length < FORGET_AT_ONCE) return forgotten
  }
}

/** @param days how long intervals are kept; 0 as long as their network */
export const forgetPresence = async (ctx: Ctx, days: number): Promise<void> => {
  const old = days === 0 ? '' : new Date(Date.parse(ctx.now) - days * DAY_MS).toISOString()
  let forgotten = 0
  for (let id = await store.findNetworkAfter(ctx, ''); id !== undefined; id = await store.findNetworkAfter(ctx, id))
    forgotten += await forgetBefore(ctx, id, (await hasNetwork(ctx, id)) ? old : EVERYTHING)
  if (forgotten > 0) ctx.log.info('intervals of presence deleted', { forgotten, older_than_days: days })
}
