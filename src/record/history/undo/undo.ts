import { pause } from '../../../base/runtime/pause.ts'
import { lockPlacement } from '../../../inventory/placement-lock.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { ItemChange } from '../api.ts'
import { compareFields } from '../items.ts'
import { INVERSE, KIND_NAMES, KINDS, type Kind } from '../kind-names.ts'
import { KIND_RULES, type Means, parseDocument } from '../kinds.ts'
import type { KindCounts } from '../record-store.ts'
import { type Refused, runSteps } from '../steps.ts'
import * as store from '../store.ts'
import { buildNothingLeftError, buildObstaclesError, buildUndoneError, type Obstacle } from './undo-obstacles.ts'
import { buildKey, buildPlan, hasExpired, type Plan } from './undo-plan.ts'
import { requireAllowed, requireDone, requirePlanned } from './undo-visibility.ts'

/** Objects of which the documents are read at once. */
const AT_ONCE = 250

const parseCounts = ({ counts }: store.StoredChange): KindCounts =>
  // Written by `record-store.ts`.
  JSON.parse(counts) as KindCounts

/** Returns the number of objects of a change. */
export const countObjects = (change: store.StoredChange): number =>
  Object.values(parseCounts(change))
    .flatMap((kinds) => Object.values(kinds))
    .reduce((sum, n) => sum + n, 0)

/** @throws AppError FORBIDDEN for the first permission that the caller lacks */
const requireRights = (ctx: Ctx, change: store.StoredChange): void => {
  const counts = parseCounts(change)
  for (const kind of KINDS)
    for (const done of ['create', 'update', 'delete'] as const)
      if (counts[done]?.[kind]) ctx.require(KIND_NAMES[kind].permissions[INVERSE[done]])
}

/** Returns the change at the end of the chain of undos, as far as it is kept. */
const findRoot = async (ctx: Ctx, change: store.StoredChange): Promise<string> => {
  let root = change
  while (root.undoes !== null) {
    const next = await store.findChange(ctx, root.undoes)
    if (!next) return root.undoes
    root = next
  }
  return root.id
}

const ALONG: Readonly<Record<ItemChange, string>> = {
  create: 'would be made along',
  update: 'would be changed along',
  delete: 'would be deleted along',
}

const NONE: ReadonlySet<string> = new Set()

type Check = { readonly ctx: Ctx; readonly breathe: () => Promise<void> }

/** Returns the objects and fields outside of the change that the steps have touched. */
const findTouchedOutside = async ({ ctx, breathe }: Check, { actions, scope, renames }: Plan): Promise<Obstacle[]> => {
  const seen = new Map(actions.map((action) => [buildKey(action), action.seen]))
  const nowMs = Date.parse(ctx.now)
  const obstacles: Obstacle[] = []
  const updated: { kind: Kind; id: string; before: string; fields: ReadonlySet<string> }[] = []
  for (const { kind: name, id, change, before } of await ctx.changedObjects()) {
    // The stores declare the kinds.
    const kind = name as Kind
    const key = buildKey({ kind, id })
    const allowed = scope.get(key)
    // One that has expired is no part of the estate.
    if (change === 'delete' && before !== undefined && hasExpired(kind, before, nowMs)) continue
    if (allowed instanceof Set && change === 'update' && before !== undefined)
      updated.push({ kind, id, before, fields: allowed })
    // A renamed field concerns all objects with a value.
    else if (allowed === undefined && change === 'update' && before !== undefined && renames.isConcerned(kind))
      updated.push({ kind, id, before, fields: NONE })
    else if (allowed !== INVERSE[change]) obstacles.push({ kind, id, message: ALONG[change], isLater: true })
    const decidedBy = seen.get(key)
    if (decidedBy !== undefined && before !== undefined && Bun.hash(before) !== decidedBy)
      obstacles.push({ kind, id, message: 'is being changed at this moment', isLater: true })
  }
  for (const [kind, all] of Map.groupBy(updated, (one) => one.kind))
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const batch = all.slice(from, from + AT_ONCE)
      const present = await KIND_RULES[kind].documents(
        ctx,
        batch.map(({ id }) => id),
      )
      for (const { id, before, fields } of batch)
        for (const field of Object.keys(
          compareFields(renames.apply(kind, parseDocument(before)), parseDocument(present.get(id) ?? '{}')),
        ))
          if (!fields.has(field)) obstacles.push({ kind, id, field, message: ALONG.update, isLater: true })
      await breathe()
    }
  return obstacles
}

const toObstacle = ({ step: { kind, id }, error }: Refused): Obstacle => ({
  kind,
  id,
  message: error.message,
  isLater: false,
})

/** One object is named once for each reason of the first kind that is found. */
const mergeObstacles = (...groups: readonly (readonly Obstacle[])[]): Obstacle[] => {
  const all: Obstacle[] = []
  const known = new Set<string>()
  for (const group of groups) {
    all.push(...group.filter((obstacle) => !known.has(buildKey(obstacle))))
    for (const obstacle of group) known.add(buildKey(obstacle))
  }
  return all
}

/** Undoes a change in the transaction of `ctx`, and records the new change. Returns its id. */
export const undoChange = async (ctx: Ctx, id: string, means: Means): Promise<string> => {
  const given = await store.findChange(ctx, id)
  if (!given) throw buildNothingLeftError()
  requireRights(ctx, given)
  await ctx.lock('undo', [await findRoot(ctx, given)])
  // Another undo may have been committed while this one waited.
  const change = (await store.findChange(ctx, id)) ?? given
  if (change.undone_by !== null) throw buildUndoneError(change.undone_by)
  const places = parseCounts(change)
  if (Object.values(places).some(({ network, pool }) => network || pool)) await lockPlacement(ctx)
  const breathe = async () => {
    await pause()
    await ctx.confirmRights()
  }
  const plan = await buildPlan(ctx, change, breathe)
  await requirePlanned(ctx, plan)
  const run = { ctx, means, breathe }
  const refused = await runSteps(run, plan.actions)
  requireAllowed(refused)
  const obstacles = mergeObstacles(plan.obstacles, refused.map(toObstacle), await findTouchedOutside(run, plan))
  if (obstacles.length > 0) throw await buildObstaclesError(ctx, change.seq, obstacles)
  await requireDone(ctx)
  const made = await ctx.commitChange({ undoes: id, defaultNote: `undo of ${id}` })
  if (made === '') throw buildNothingLeftError()
  await settleChain(ctx, change)
  return made
}

/** Settles `undone_by` of a change that is undone now, and of the changes that it undoes. */
const settleChain = async (ctx: Ctx, change: store.StoredChange): Promise<void> => {
  for (let next: store.StoredChange | undefined = change; next; ) {
    await store.settleUndone(ctx, next.id)
    next = next.undoes === null ? undefined : await store.findChange(ctx, next.undoes)
  }
}
