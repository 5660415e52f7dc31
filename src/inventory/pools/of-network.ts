/** The pools of a network, locked for claims of its addresses. */
import { lockScopedCache } from '../../database/cache/lock-scoped-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { findPools } from '../networks/tree-store.ts'

export type PoolsOfNetwork = Awaited<ReturnType<typeof findPools>>

/** Calls that share a transaction lock the same pools. */
const lastLocked = lockScopedCache<{ readonly networkId: string; readonly pools: PoolsOfNetwork }>()

/** Called when the transaction itself writes pools. */
export const clearPoolsOfNetwork = lastLocked.clear

/** Returns the pools of a network by name, and locks them until commit. @param isFresh reads them again */
export const lockPoolsOfNetwork = async (ctx: Ctx, networkId: string, isFresh = false): Promise<PoolsOfNetwork> => {
  const { value: known } = lastLocked.get(ctx)
  if (known?.networkId === networkId && !isFresh) return known.pools
  const ids = (await findPools(ctx, networkId)).map(({ id }) => id)
  if (ids.length > 0) await ctx.lock('pools', ids)
  const { set } = lastLocked.get(ctx)
  // A pool that was created since is not locked.
  const pools = ids.length === 0 ? [] : (await findPools(ctx, networkId)).filter(({ id }) => ids.includes(id))
  set({ networkId, pools })
  return pools
}
