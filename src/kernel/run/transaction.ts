/** The state of a call and of its transaction, and the work at the end of a transaction. */

import { pause } from '../../base/runtime/pause.ts'
import { waitForAll } from '../../base/runtime/wait-for-all.ts'
import type { Tx } from '../../database/database.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { PlacedEvent } from '../announced-event.ts'
import type { ScopeFilter } from '../caller.ts'
import type { ChangeDetails, ChangeRecord } from '../changes/change-record.ts'
import type { LockOrder } from '../changes/locks.ts'
import type { NewIds } from '../changes/new-ids.ts'
import type { AtEnd, Feature, KernelCtx, OnObjectsChanged } from '../context.ts'
import type { Request } from '../request.ts'
import type { HeldRights } from '../rights/rights.ts'
import type { ScopeEnforcer } from '../rights/scope-enforcer.ts'
import type { ScopedInput, ScopedWrite } from '../rights/scoped-write.ts'

/** A request in progress. */
export type Call = {
  /** The name of the operation, the route or the job. */
  readonly name: string
  readonly request: Omit<Request, 'input'>
  readonly held: HeldRights
  readonly note: string
  /** The part of the estate that a read is limited to. */
  readonly scopeFilter?: ScopeFilter
  /** The input of a write that a caller may make only in a part of the estate. */
  readonly scopedInput?: ScopedInput | undefined
  /** The ids of new objects, if a proposal has decided them, and its author. */
  readonly ids?: NewIds | undefined
  readonly author?: string | undefined
  /** The time of a call inside the transaction of another one: that of the transaction. */
  readonly now?: string
  /** True for a call that is rolled back: policies let it pass. */
  readonly isDry?: boolean
  /** True for a run of a proposal, which is rolled back. */
  readonly isTrial?: boolean
  /** True for a call of an operation that takes `proposal`. */
  readonly canBeProposed?: boolean
}

/** Returns a write for a caller who may have its permission only in a part of the estate. */
export const toLimitedWrite = (
  { scopedInput, held }: Call,
  own: ScopedInput | undefined = scopedInput,
): ScopedWrite | undefined =>
  scopedInput && own && held.caller.scopedPermissions
    ? { ...own, caller: held.caller, required: held.required }
    : undefined

/** Work for the end of a transaction, and one of its items. */
export type Pending<Tables> = { readonly work: AtEnd<Tables, never>; readonly item: unknown }

/** A transaction, the names of the events emitted in it so far, the announced events, the work for its end, and its change. */
export type Transaction<Tables> = Tx<Tables> & {
  readonly events: string[]
  /** The events that are not written yet. */
  readonly announced: PlacedEvent[]
  readonly pending: Pending<Tables>[]
  readonly record: ChangeRecord
  /** The number of writes that the features have followed. */
  followed: number
  /** The number of writes with stored areas. */
  placed: number
  /** The number of `pending` that have run. */
  ran: number
  readonly changeId: string
  /** The locks that it holds, if their order is checked. */
  readonly order: LockOrder | undefined
  /** The call that began the transaction, under which its change is recorded. */
  readonly root: Call
  /** The details of its change that a part of the transaction does not decide. */
  details: ChangeDetails
  /** The id of the recorded change, '' if nothing has changed; undefined until it is recorded. */
  recorded: string | undefined
}

/** The last step of a transaction. @param changeId '' if nothing has changed */
export type Done<Tables, T> = (made: T, ctx: KernelCtx<Tables>, tx: Tx<Tables>, changeId: string) => Promise<void>

/** The response of a feature to one event. */
export type Reaction<Tables> = (ctx: KernelCtx<Tables>, data: never) => Promise<void>

/** Runs the work of features on the objects that have changed since the call before. */
export type FollowChanges<Tables> = (ctx: KernelCtx<Tables>, tx: Transaction<Tables>) => Promise<void>

/** Work that changes objects in more rounds has no end. */
const MAX_ROUNDS = 10

/** The number of objects that are followed before the event loop runs again. */
const FOLLOWED_AT_ONCE = 250

export const createFollow = <Tables>(features: readonly Pick<Feature<Tables>, 'follows'>[]): FollowChanges<Tables> => {
  const all = features.flatMap(({ follows = {} }) => Object.entries(follows))
  const kinds = new Map<string, OnObjectsChanged<Tables>[]>()
  for (const [kind, work] of all) kinds.set(kind, [...(kinds.get(kind) ?? []), work])
  return async (ctx, tx) => {
    if (tx.record.kinds.isDisjointFrom(kinds)) return
    for (let round = 0; tx.followed < tx.record.length; round++) {
      if (round === MAX_ROUNDS) throw new Error(`changes are followed by changes in more than ${MAX_ROUNDS} rounds`)
      const changes = await tx.record.items(tx.followed, kinds)
      tx.followed = tx.record.length
      for (const [kind, own] of Map.groupBy(changes, (one) => one.kind))
        for (const some of splitBatches(own, FOLLOWED_AT_ONCE)) {
          // Beside each other: one after the other, each would take round trips of its own.
          await waitForAll((kinds.get(kind) ?? []).map((work) => work(ctx, some)))
          if (some.length < own.length) await pause()
        }
    }
  }
}

export const runPending = async <Tables>(ctx: KernelCtx<Tables>, tx: Transaction<Tables>): Promise<void> => {
  if (tx.pending.length === tx.ran) return
  const pending = tx.pending.slice(tx.ran)
  tx.ran = tx.pending.length
  // The work and its items came together in `atEnd`.
  for (const [work, own] of Map.groupBy(pending, (one) => one.work))
    await work(ctx, own.map(({ item }) => item) as never)
}

/** Updates the areas of the objects that have changed, unless nothing has changed since the call before. */
export const createUpdateAreas =
  <Tables>(areas: ScopeEnforcer<Tables> | undefined): FollowChanges<Tables> =>
  async (ctx, tx) => {
    if (tx.placed > 0 && tx.placed === tx.record.length) return
    await areas?.updateAreas(ctx)
    tx.placed = tx.record.length
  }
