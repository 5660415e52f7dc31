/** Checks whether the caller may create an object where its facts place it. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import type { ObjectFacts } from './areas.ts'
import { loadCurrentScopes } from './update-areas.ts'

/** Returns true if the caller has the permission everywhere, or in a part of the estate that holds an object with these facts. */
export const canPlace = async (ctx: Ctx, permission: Permission, facts: ObjectFacts): Promise<boolean> => {
  const scopeSet = ctx.caller.scopedPermissions?.get(permission)
  if (!scopeSet) return ctx.caller.permissions.has(permission)
  const setOf = await loadCurrentScopes(ctx.unscoped)
  return setOf !== undefined && isInScopeSet(scopeSet, setOf(facts))
}

/** Like `canPlace`, for an object in a pool. */
export const canReachPool = async (ctx: Ctx, permission: Permission, poolId: string): Promise<boolean> => {
  const scopeSet = ctx.caller.scopedPermissions?.get(permission)
  if (!scopeSet) return ctx.caller.permissions.has(permission)
  const row = await ctx.db.selectFrom('pools').select('area').where('id', '=', poolId).executeTakeFirst()
  return row !== undefined && scopeSet.areas.has(row.area)
}
