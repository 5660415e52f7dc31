/** Moves what belongs to some networks to others that hold it: to the parts of one that is split, and to one that others merge into. */

import { type FieldIssue, rejectIssues } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'
import { parseCidrOrThrow } from '../../net/cidr.ts'
import type { Span } from '../../net/span.ts'
import type { Network } from './api.ts'
import type { Lost, Moved } from './planning-api.ts'

/** A network to which contents move, and its addresses. */
export type Target = Span & { readonly network: Network }

/**
 * The data of `networks.moving-contents`: the features move their objects of the networks `from` that lie in a target, and count them.
 * They refuse by adding an issue.
 */
export type ContentsMove = {
  readonly from: readonly Network[]
  /** In order; none overlaps another. */
  readonly targets: readonly Target[]
  readonly issues: FieldIssue[]
  readonly moved: Moved
}

/** Returns the target that holds an address or a range. */
export const getTarget = ({ targets }: ContentsMove, { first, last }: Span): Target | undefined => {
  let [low, high] = [0, targets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((targets[middle]?.last ?? 0n) < first) low = middle + 1
    else high = middle
  }
  const target = targets[low]
  return target && target.first <= first && last <= target.last ? target : undefined
}

/**
 * Locks the pools of networks until commit. Called before the networks are locked, because a change of a pool locks its network last; and
 * again after it, for pools that were created in between.
 */
export const lockContents = (ctx: Ctx, networkIds: readonly string[]): Promise<void> =>
  ctx.emit('networks.locking-contents', networkIds)

/** @throws AppError VALIDATION_ERROR if a pool would be cut */
export const moveContents = async (
  ctx: Ctx,
  from: readonly Network[],
  to: readonly Network[],
): Promise<ContentsMove['moved']> => {
  const targets = to
    .map((network): Target => ({ ...parseCidrOrThrow(network.subnet), network }))
    .sort((a, b) => (a.first < b.first ? -1 : 1))
  const move: ContentsMove = { from, targets, issues: [], moved: { pools: 0, reservations: 0, addresses: 0 } }
  await ctx.emit('networks.moving-contents', move)
  rejectIssues(move.issues)
  return move.moved
}

/** Returns the numbers of the moved objects, 0 for objects that the caller may not list. */
export const filterMovedCounts = (ctx: Ctx, { pools, reservations, addresses }: Moved): Moved => ({
  pools: holdsAnywhere(ctx.caller, 'pools:list') ? pools : 0,
  reservations: holdsAnywhere(ctx.caller, 'reservations:list') ? reservations : 0,
  addresses: holdsAnywhere(ctx.caller, 'devices:list') ? addresses : 0,
})

/** Like `filterMovedCounts`, for the deleted objects. */
export const filterLostCounts = (ctx: Ctx, lost: Lost): Lost =>
  holdsAnywhere(ctx.caller, 'discovery:list') ? lost : { scans: 0, discovered_devices: 0, rules: 0 }
