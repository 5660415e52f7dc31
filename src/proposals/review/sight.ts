/** The proposals that a caller sees, and their items: by the present permissions to read, and the places of the objects. */
import { type Counts, countChanges } from '../../contract/change-summary.ts'
import { orNotFound } from '../../contract/errors.ts'
import type { ScopeSet } from '../../kernel/caller.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { isInScopeSet } from '../../kernel/rights/access.ts'
import { getPlanKind } from '../../record/history/plan-kinds.ts'
import type { ListedRow, StoredProposal } from '../store.ts'
import * as store from '../store.ts'
import { listCounted, parseCounts, sumCounts } from './counts.ts'
import { findSeenEffects, type SeenEffect } from './effect-reads.ts'
import type { Places } from './places.ts'
import { countSeen } from './seen-counts.ts'

/** The items of a proposal that a caller sees, in numbers. */
export type Glance = {
  readonly isVisible: boolean
  /** True if the caller sees all items. */
  readonly isWhole: boolean
  /** The number of seen items by change and kind. */
  readonly counts: Counts
}

/** The effects are empty after the merge, which leaves a change with the same items. */
export type Sight = Glance & {
  /** The effects that the caller sees, in the order in which they came about. */
  readonly seen: readonly SeenEffect[]
  readonly all: readonly SeenEffect[]
}

type Caller = Pick<Ctx['caller'], 'permissions' | 'scopedPermissions' | 'userId'>

/** The objects of a kind that a caller sees. */
type Part = ScopeSet | 'all' | 'none'

const findPart = ({ permissions, scopedPermissions }: Caller, kind: string): Part => {
  const { permission } = getPlanKind(kind)
  if (permission === undefined) return 'none'
  // The scoped permissions are looked up first: in a scoped call, the permissions also include them.
  return scopedPermissions?.get(permission) ?? (permissions.has(permission) ? 'all' : 'none')
}

const isReached = (part: Part, { before, after }: Places): boolean =>
  part === 'all' || (part !== 'none' && [...before, ...after].every((set) => isInScopeSet(part, set)))

/** Returns the effects that the caller sees: of an object in all states that exist. */
export const filterSeen = <E extends Pick<SeenEffect, 'kind' | 'places'>>(
  caller: Caller,
  effects: readonly E[],
): readonly E[] =>
  [...Map.groupBy(effects, ({ kind }) => kind)].flatMap(([kind, some]) => {
    const part = findPart(caller, kind)
    return some.filter(({ places }) => isReached(part, places))
  })

const toGlance = ({ caller }: Ctx, row: ListedRow, counts: Counts): Glance => {
  const [seen, all] = [sumCounts(counts), sumCounts(parseCounts(row))]
  const isUnlimited = (caller.scopedPermissions?.size ?? 0) === 0
  const isShown = row.state !== 'draft' && (seen > 0 || (all === 0 && isUnlimited))
  const isVisible = row.state !== 'plan' && (row.author_id === caller.userId || isShown)
  return { isVisible, isWhole: seen === all, counts }
}

/** Returns the numbers of seen items, by the id of the proposal. Effects are read only for a caller who sees a part of a kind. */
export const glance = async (ctx: Ctx, rows: readonly ListedRow[]): Promise<ReadonlyMap<string, Glance>> => {
  const parts = new Map<string, Part>()
  const getPart = (kind: string): Part => {
    const part = parts.get(kind) ?? findPart(ctx.caller, kind)
    parts.set(kind, part)
    return part
  }
  const partial = rows.filter((row) =>
    listCounted(parseCounts(row)).some(({ kind }) => typeof getPart(kind) === 'object'),
  )
  const counted = await countSeen(ctx, partial, (effects) => countChanges(filterSeen(ctx.caller, effects)))
  return new Map(
    rows.map((row) => {
      const counts =
        counted.get(row.id) ?? countChanges(listCounted(parseCounts(row)).filter(({ kind }) => getPart(kind) === 'all'))
      return [row.id, toGlance(ctx, row, counts)]
    }),
  )
}

const NOTHING: Glance = { isVisible: false, isWhole: false, counts: {} }

/** Returns the items of a proposal that the caller sees. */
export const lookAt = async (ctx: Ctx, row: ListedRow): Promise<Sight> => {
  if (row.state === 'merged') return { ...((await glance(ctx, [row])).get(row.id) ?? NOTHING), seen: [], all: [] }
  const effects = await findSeenEffects(ctx, row)
  const own = new Set(filterSeen(ctx.caller, effects))
  const seen = effects.filter((effect) => own.has(effect))
  return { ...toGlance(ctx, row, countChanges(seen)), seen, all: effects }
}

/** A proposal with the items that the caller sees. */
export type Visible = { readonly row: StoredProposal; readonly sight: Sight }

const withSight = async (ctx: Ctx, row: StoredProposal | undefined): Promise<Visible | undefined> => {
  const sight = row && (await lookAt(ctx, row))
  return row && sight?.isVisible ? { row, sight } : undefined
}

/** Returns a proposal that the caller sees. */
export const findVisible = async (ctx: Ctx, idOrNumber: string): Promise<Visible | undefined> =>
  withSight(ctx, await store.find(ctx, idOrNumber))

/** @throws AppError NOT_FOUND without a proposal that the caller sees */
export const getVisibleOrThrow = async (ctx: Ctx, idOrNumber: string): Promise<Visible> =>
  orNotFound(await findVisible(ctx, idOrNumber), 'proposal', idOrNumber)

/** Finds like `getVisibleOrThrow`, and locks the row until commit. */
export const lockVisibleOrThrow = async (tx: Ctx, idOrNumber: string): Promise<Visible> => {
  const row = await store.find(tx, idOrNumber)
  return orNotFound(await withSight(tx, row && (await store.lock(tx, row.seq))), 'proposal', idOrNumber)
}
