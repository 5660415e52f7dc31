/** The difference that a sync would send, without sending it. */
import { invalidField } from '../../../contract/errors.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { ShownChanges } from '../../../kernel/request.ts'
import type { Rrset } from '../rrset-store.ts'
import * as rrsets from '../rrset-store.ts'
import type { SyncPlan, ZoneSettings } from '../schema.ts'
import { buildRrsetChanges } from '../shown-changes.ts'
import * as store from '../store.ts'
import { findZonePlace, toFullName, type Zone } from '../zone-index.ts'
import { computeWhole, findDanglingFilter } from './compute.ts'
import { checkDeletionLimit } from './deletion-limit.ts'
import { buildRrsetKey } from './desired-rrsets.ts'
import { isSettled, listChangedRrsets } from './diff.ts'

const MOST_ENTRIES = 100

type Action = SyncPlan['entries'][number]['action']

type Difference = {
  readonly zone: Zone
  /** All RRsets as they would be on record. */
  readonly after: readonly Rrset[]
  readonly blocked: ReadonlySet<Rrset>
  readonly changes: readonly { readonly one: Rrset; readonly action: Action }[]
}

const getAction = ({ published, wanted }: Rrset): Action | undefined => {
  if (published === null) return wanted === null ? undefined : 'create'
  return wanted === null ? 'delete' : 'update'
}

/** Returns the difference of a watched zone to an empty server, because Plat has written nothing. Undefined if the zone is gone. */
const computeDifference = async (ctx: Ctx, id: string): Promise<Difference | undefined> => {
  const place = findZonePlace(await store.findAllSettings({ db: ctx.store.read, store: ctx.store }), id)
  if (!place) return undefined
  const { zone, index } = place
  const before = await rrsets.findAll({ db: ctx.store.read }, id)
  const differences = listChangedRrsets(before, await computeWhole(ctx, zone, index), zone.mode)
  const byKey = new Map([...before, ...differences].map((one) => [buildRrsetKey(one.name, one.type), one]))
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))
  const wasBlocked = new Set(
    before.flatMap((one) => (one.state === 'blocked' ? [buildRrsetKey(one.name, one.type)] : [])),
  )
  const blocked = new Set(
    sorted.flatMap(([key, one]) => (one.state !== 'conflict' && wasBlocked.has(key) ? [one] : [])),
  )
  const after = sorted.map(([, one]) => one)
  const changes = after.flatMap((one) => {
    const action = one.state === 'conflict' || blocked.has(one) || isSettled(one) ? undefined : getAction(one)
    return action ? [{ one, action }] : []
  })
  return { zone, after, blocked, changes }
}

export const planSync = async (ctx: Ctx, { id }: ZoneSettings): Promise<SyncPlan> => {
  const plan = { creates: 0, updates: 0, deletes: 0, blocked: 0, conflicts: 0 }
  const entries: SyncPlan['entries'] = []
  const difference = await computeDifference(ctx, id)
  if (!difference) return { ...plan, entries }
  const { after, blocked, changes } = difference
  plan.conflicts = after.filter(({ state }) => state === 'conflict').length
  plan.blocked = blocked.size
  for (const { one, action } of changes) {
    plan[`${action}s`]++
    if (entries.length < MOST_ENTRIES)
      entries.push({
        ...{ name: one.name, type: one.type, action },
        ...{ before: [...(one.published ?? [])], after: [...(one.wanted ?? [])] },
      })
  }
  return { ...plan, entries }
}

/** Returns the changes that a sync makes. @throws AppError if the zone would be held, and nothing sent */
export const computeSyncChanges = async (ctx: Ctx, zone: Zone, isForced: boolean): Promise<ShownChanges> => {
  const dangling = await findDanglingFilter(ctx, zone)
  if (dangling !== undefined) throw invalidField(dangling.field, `the zone is held: ${dangling.message}`)
  const difference = await computeDifference(ctx, zone.id)
  if (!difference) return { answer: undefined, changes: [] }
  const published = difference.after.filter((one) => one.published !== null)
  const gone = published.filter(({ wanted, state }) => wanted === null && state === 'pending')
  const held = checkDeletionLimit(zone, { published: published.length, gone: gone.length })
  if (held !== '' && !isForced) throw invalidField('force', held)
  const changes = difference.changes.flatMap(({ one }) =>
    buildRrsetChanges('rrset', {
      ...{ fqdn: toFullName(one.name, zone.name), type: one.type },
      before: one.published === null ? undefined : { ttl: one.published_ttl, values: one.published },
      after: one.wanted === null ? undefined : { ttl: one.wanted_ttl, values: one.wanted },
    }),
  )
  return { answer: undefined, changes }
}
