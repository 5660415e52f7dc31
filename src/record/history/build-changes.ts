/** Builds the changes of answers: their numbers and first objects are those that the caller sees. */
import { type Counts, formatSummary } from '../../contract/change-summary.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { type Change, ItemChange } from './api.ts'
import { KIND_NAMES, type Kind } from './kind-names.ts'
import { formatTime } from './moment.ts'
import { loadObjects } from './names/change-objects.ts'
import type { KindCounts } from './record-store.ts'
import { countVisible } from './seen-changes.ts'
import type { StoredChange } from './store.ts'
import type { VisibleItems } from './visible-items.ts'

const toCounts = (stored: KindCounts, kinds: readonly Kind[]): Counts => {
  const counts: Counts = {}
  for (const change of ItemChange.options) {
    const some = kinds.flatMap((kind) => {
      const n = stored[change]?.[kind]
      return n === undefined ? [] : [[KIND_NAMES[kind].noun, n] as const]
    })
    if (some.length > 0) counts[change] = Object.fromEntries(some)
  }
  return counts
}

/** Returns the changes, in their order. One of which the caller sees no object has no counts. */
export const buildChanges = async (
  ctx: Ctx,
  visible: VisibleItems,
  rows: readonly StoredChange[],
): Promise<Change[]> => {
  const mayKnowWho = ctx.caller.permissions.has('audit:read')
  const counts = await countVisible(ctx, visible, rows)
  const seen = rows.map((row) => ({ ...row, seen: counts.get(row.seq) ?? { counts: {}, first: new Map() } }))
  const objects = await loadObjects(ctx, visible, seen)
  return seen.map(({ seen: { counts: ofKinds }, ...row }) => {
    const ofNouns = toCounts(ofKinds, visible.kinds)
    return {
      id: row.id,
      at: formatTime(row.atMs),
      operation: row.operation,
      user_id: mayKnowWho ? row.user_id : '',
      username: row.username,
      // Written by `record-store.ts` from a caller.
      via: row.via as Change['via'],
      key_id: mayKnowWho ? row.key_id : '',
      oauth_client: row.oauth_client,
      tool: row.tool,
      ip_address: mayKnowWho ? row.ip_address : '',
      request_id: row.request_id,
      note: row.note,
      summary: formatSummary(ofNouns),
      counts: ofNouns,
      objects: [...(objects.get(row.seq) ?? [])],
      undoes: row.undoes,
      undone_by: row.undone_by,
      proposal_id: row.proposal_id,
    }
  })
}
