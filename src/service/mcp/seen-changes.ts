/** The changed objects of a plan that its caller sees. */
import type { Caller } from '../../kernel/caller.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { KINDS, type Kind } from '../../record/history/kind-names.ts'
import { getPlanKind } from '../../record/history/plan-kinds.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'

const KNOWN: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [kind, kind]))

export type SeenChanges = {
  readonly changes: readonly PlannedItem[]
  /** The permissions that the caller has for some of them. */
  readonly permissions: ReadonlySet<string>
}

/**
 * Returns all changes for a caller with the permissions everywhere. A caller with a part of the estate sees the objects in that part,
 * and created objects, which the scope check keeps in it. Objects without a history are for those who have the permission everywhere.
 * @param scope the state before or after the changes
 */
export const filterVisibleChanges = async (
  scope: StoreScope,
  caller: Caller,
  changes: readonly PlannedItem[],
): Promise<SeenChanges> => {
  const { permissions, scopedPermissions } = caller
  if (!scopedPermissions) return { changes, permissions }
  const visible = await VisibleItems.of({ ...scope, caller })
  const placed: { change: PlannedItem; kind: Kind; id: string; states: [] }[] = []
  const seen = new Set<PlannedItem>()
  for (const change of changes) {
    const kind = KNOWN.get(change.kind)
    if (kind === undefined) {
      const { permission } = getPlanKind(change.kind)
      if (permission !== undefined && permissions.has(permission)) seen.add(change)
    } else if (change.change !== 'create') placed.push({ change, kind, id: change.id, states: [] })
    else if (visible.kinds.includes(kind)) seen.add(change)
  }
  for (const { change } of await visible.seen(placed)) seen.add(change)
  return {
    changes: changes.filter((one) => seen.has(one)),
    permissions: permissions.union(new Set(scopedPermissions.keys())),
  }
}
