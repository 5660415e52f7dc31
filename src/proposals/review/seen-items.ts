/** The items of proposals that are open, or merged, by kind and id. */
import type { Ctx } from '../../kernel/ctx.ts'
import { findItemKeys } from '../../record/history/item-keys.ts'
import { isKind } from '../../record/history/kind-names.ts'
import { findChange } from '../../record/history/store.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'
import type { Visible } from './sight.ts'

export const hasSeenItem = async (
  ctx: Ctx,
  { row, sight }: Visible,
  { kind, id }: { readonly kind: string; readonly id: string },
): Promise<boolean> => {
  if (row.state !== 'merged') return sight.seen.some((effect) => effect.kind === kind && effect.id === id)
  const change = row.change_id === null ? undefined : await findChange(ctx, row.change_id)
  if (!change || !isKind(kind)) return false
  const key = (await findItemKeys(ctx, [change.seq], { kinds: [kind] })).find((one) => one.id === id)
  if (!key) return false
  const states = [...(key.isNew ? [] : [{ seq: key.seq - 1 }]), { seq: key.seq }]
  return (await (await VisibleItems.of(ctx)).seen([{ kind, id, states }])).length > 0
}
