/** The changed rows of a plan that its caller sees. */
import type { RowChange } from '../../database/journal.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import { KIND_NAMES, KINDS, type Kind } from '../../record/history/kind-names.ts'
import { VisibleItems } from '../../record/history/visible-items.ts'
import { describeRow } from './changes.ts'

const BY_NOUN: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [KIND_NAMES[kind].noun, kind]))

export type SeenChanges = {
  readonly changes: readonly RowChange[]
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
  changes: readonly RowChange[],
): Promise<SeenChanges> => {
  const { permissions, scopedPermissions } = caller
  if (!scopedPermissions) return { changes, permissions }
  const visible = await VisibleItems.of({ ...scope, caller })
  const placed: { change: RowChange; kind: Kind; id: string; states: [] }[] = []
  const seen = new Set<RowChange>()
  for (const change of changes) {
    const { noun, id, permission } = describeRow(change)
    const kind = BY_NOUN.get(noun)
    if (kind === undefined) {
      if (permission !== undefined && permissions.has(permission)) seen.add(change)
    } else if (change.before) placed.push({ change, kind, id, states: [] })
    else if (visible.kinds.includes(kind)) seen.add(change)
  }
  for (const { change } of await visible.seen(placed)) seen.add(change)
  return {
    changes: changes.filter((one) => seen.has(one)),
    permissions: permissions.union(new Set(scopedPermissions.keys())),
  }
}
