/** The difference that a sync would send, without sending it. */
import type { Ctx } from '../ctx.ts'
import { computeWhole } from './compute.ts'
import { changed, isSettled } from './diff.ts'
import * as rrsets from './rrset-store.ts'
import type { SyncPlan, ZoneSettings } from './schema.ts'
import * as store from './store.ts'
import { rrsetKey } from './wanted.ts'
import { placeOfZone } from './zone-index.ts'

const MOST_ENTRIES = 100

/** Of a watched zone: the difference to an empty server, because Plat has written nothing. */
export const planOf = async (ctx: Ctx, { id }: ZoneSettings): Promise<SyncPlan> => {
  const place = placeOfZone(await store.allSettings({ db: ctx.store.read, store: ctx.store }), id)
  const plan = { creates: 0, updates: 0, deletes: 0, blocked: 0, conflicts: 0 }
  const entries: SyncPlan['entries'] = []
  if (!place) return { ...plan, entries }
  const { zone, index } = place
  const before = await rrsets.all({ db: ctx.store.read }, id)
  const differences = changed(before, await computeWhole(ctx, zone, index), zone.mode)
  const after = new Map([...before, ...differences].map((one) => [rrsetKey(one.name, one.type), one]))
  const wasBlocked = new Set(before.flatMap((one) => (one.state === 'blocked' ? [rrsetKey(one.name, one.type)] : [])))
  for (const [key, one] of [...after].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (one.state === 'conflict') plan.conflicts++
    else if (wasBlocked.has(key)) plan.blocked++
    else if (!isSettled(one)) {
      const action = one.published === null ? 'create' : one.wanted === null ? 'delete' : 'update'
      if (one.published === null && one.wanted === null) continue
      plan[`${action}s`]++
      if (entries.length < MOST_ENTRIES)
        entries.push({
          ...{ name: one.name, type: one.type, action },
          ...{ before: [...(one.published ?? [])], after: [...(one.wanted ?? [])] },
        })
    }
  }
  return { ...plan, entries }
}
