/** Where a caller with a part of the estate may change objects. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { ItemChange } from './api.ts'
import { KIND_NAMES, type Kind } from './kind-names.ts'
import { VisibleItems } from './visible-items.ts'

export type Touched = { readonly kind: Kind; readonly id: string; readonly change: ItemChange }

/** Returns the objects that the caller may not change at their present, or last, place. */
export const filterForbidden = async <T extends Touched>(ctx: Ctx, touched: readonly T[]): Promise<T[]> => {
  if (!ctx.caller.scopedPermissions) return []
  const outside: T[] = []
  for (const [change, some] of Map.groupBy(touched, (one) => one.change)) {
    const visible = await VisibleItems.of(ctx, (kind) => KIND_NAMES[kind].permissions[change])
    const reached = new Set(
      (await visible.seen(some.map((one) => ({ ...one, one, states: [] })))).map(({ one }) => one),
    )
    outside.push(...some.filter((one) => !reached.has(one)))
  }
  return outside
}
