/** Makes the contexts of handlers: over the last commit, the past, a part of the estate, or a transaction. */

import type { Logger } from '../base/runtime/log.ts'
import { pause } from '../base/runtime/pause.ts'
import { waitForAll } from '../base/runtime/wait-for-all.ts'
import { AppError } from '../contract/errors.ts'
import { computeEtag, matchesEtag } from '../contract/etag.ts'
import type { Db, ReadPoint, Tx } from '../database/database.ts'
import { splitBatches } from '../database/query/batches.ts'
import { createStreamShares } from '../database/stream-shares.ts'
import { createLocal, savepoints } from '../database/transaction-state.ts'
import type { PlacedEvent } from './announced-event.ts'
import type { Caller, ScopeFilter } from './caller.ts'
import type { ChangeDetails, ChangedObject, ChangeRecord } from './changes/change-record.ts'
import type { History, Past } from './changes/history.ts'
import { LockOrder, lockNamed } from './changes/locks.ts'
import { createRandomId, type NewIds } from './changes/new-ids.ts'
import type { AtEnd, Feature, InTransaction, KernelCtx, OnObjectsChanged } from './context.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { TransactionOptions } from './prepared-handler.ts'
import type { Request } from './request.ts'
import { limitCaller } from './rights/access.ts'
import type { HeldRights } from './rights/rights.ts'
import type { ScopedDb, ScopeEnforcer } from './rights/scope-enforcer.ts'
import type { ScopedInput, ScopedWrite } from './rights/scoped-write.ts'

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
}

/** Returns a write for a caller who may have its permission only in a part of the estate. */
export const toLimitedWrite = (
  { scopedInput, held }: Call,
  own: ScopedInput | undefined = scopedInput,
): ScopedWrite | undefined =>
  scopedInput && own && held.caller.scopedPermissions
    ? { ...own, caller: held.caller, required: held.required }
    : undefined

/** Returns the caller with the permissions that it has wherever it has that of the call. */
const getLimitedCaller = ({ held: { caller }, scopeFilter, scopedInput }: Call): Caller => {
  const permission = scopedInput?.permission
  const own = permission && !caller.permissions.has(permission) ? caller.scopedPermissions?.get(permission) : undefined
  const scopeSet = scopeFilter ?? own
  return scopeSet ? limitCaller(caller, scopeSet) : caller
}

/** The state of the database that a context reads. */
export type Views<Tables> = {
  readonly readPoint?: ReadPoint | undefined
  readonly past?: Past<Tables>
  /** The whole estate at the moment of `past`, which hides a part of it. */
  readonly unscopedPast?: Past<Tables>
  readonly scoped?: ScopedDb<Tables>
}

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
  /** The ids of new objects, if a proposal has decided them, and its author. */
  readonly ids: NewIds | undefined
  readonly author: string | undefined
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

export type ContextOptions<Tables> = {
  readonly db: Db<Tables>
  readonly now: () => Date
  readonly log: Logger
  readonly history: History<Tables>
  readonly events: EventRecorder<Tables>
  readonly features: readonly Pick<Feature<Tables>, 'onFirstChange' | 'onObjectsChanged'>[]
  readonly follow: FollowChanges<Tables>
  readonly areas: ScopeEnforcer<Tables> | undefined
  readonly reactions: ReadonlyMap<string, readonly Reaction<Tables>[]>
  readonly checksLockOrder?: boolean | undefined
  readonly transact: <T>(
    call: Call,
    work: InTransaction<Tables, T>,
    done?: Done<Tables, T>,
    given?: TransactionOptions,
  ) => Promise<T>
}

export type ContextFor<Tables> = (call: Call, tx?: Transaction<Tables>, views?: Views<Tables>) => KernelCtx<Tables>

export const createContexts = <Tables>({
  db,
  now,
  log,
  history,
  events,
  features,
  follow,
  areas,
  reactions,
  checksLockOrder = false,
  transact,
}: ContextOptions<Tables>): ContextFor<Tables> => {
  const shares = db.streamsOfUser === undefined ? undefined : createStreamShares(db.streamsOfUser, db.recallSnapshots)

  /** Writes the events of changed objects, and the events announced so far. */
  const recordEvents = async (
    ctx: KernelCtx<Tables>,
    tx: Transaction<Tables>,
    items: readonly ChangedObject[],
  ): Promise<void> => {
    const announced = tx.announced.splice(0)
    if (items.length === 0 && announced.length === 0) return
    // More of them than a call takes arguments.
    for (const name of await events.record(ctx, items, announced)) tx.events.push(name)
  }

  const updateAreas = createUpdateAreas(areas)
  const settle = async (ctx: KernelCtx<Tables>, tx: Transaction<Tables>): Promise<void> => {
    await follow(ctx, tx)
    await runPending(ctx, tx)
    await updateAreas(ctx, tx)
  }

  /** Writes the change of a transaction and its events, once. */
  const recordOnce = async (
    ctx: KernelCtx<Tables>,
    tx: Transaction<Tables>,
    { name: operation, request: { tool = '' }, note }: Call,
    { undoes, defaultNote = '', proposalId = '' }: ChangeDetails,
  ): Promise<string> => {
    if (tx.recorded !== undefined) {
      await recordEvents(ctx, tx, [])
      return tx.recorded
    }
    await follow(ctx, tx)
    const items = tx.record.length === 0 ? [] : await tx.record.items()
    tx.recorded = items.length === 0 ? '' : tx.changeId
    const origin = { id: tx.changeId, operation, tool, note: note || defaultNote, undoes: undoes ?? null, proposalId }
    if (items.length === 0) await recordEvents(ctx, tx, items)
    else
      await waitForAll([
        ...features.map(({ onObjectsChanged }) => onObjectsChanged?.(ctx, items)),
        recordEvents(ctx, tx, items),
        history.record(ctx, origin, items),
      ])
    return tx.recorded
  }

  /** @param from.readPoint for a call that reads once; a long call or a write must not use it */
  const contextFor = (
    call: Call,
    tx?: Transaction<Tables>,
    { readPoint, past, unscopedPast, scoped }: Views<Tables> = {},
  ): KernelCtx<Tables> => {
    const { request, held } = call
    const { userId } = held.caller
    const read = scoped?.store ?? (readPoint ? db.at(readPoint) : db)
    // A past reads by the store of another context, so its streams have a share already.
    const store = past?.store ?? (shares && userId !== undefined && !tx ? shares(read, userId) : read)
    const at = new Date(now().getTime() - (request.aheadMs ?? 0))
    const order = tx && checksLockOrder ? new LockOrder() : undefined
    const step: KernelCtx<Tables>['step'] = async (work) => {
      const before = order?.begin()
      let isUndone = true
      try {
        const value = await work()
        if (tx) await follow(ctx, tx)
        isUndone = false
        return value
      } finally {
        if (before) order?.end(before, isUndone)
      }
    }
    let text: string | undefined
    const ctx: KernelCtx<Tables> = {
      get caller() {
        return getLimitedCaller(call)
      },
      rights: request.rights,
      db: tx?.db ?? past?.db ?? scoped?.db ?? store.read,
      store,
      readPoint: request.readPoint,
      get unscoped() {
        if (!scoped && !unscopedPast) return ctx
        const { scopeFilter: _, ...unlimited } = call
        if (unscopedPast) return contextFor(unlimited, undefined, { past: unscopedPast })
        return contextFor(unlimited, undefined, { readPoint: request.readPoint })
      },
      get now() {
        text ??= past?.at ?? at.toISOString()
        return text
      },
      isPast: past !== undefined,
      requestId: request.requestId,
      // Computed on first use, like the request's own.
      get client() {
        return request.client ?? ''
      },
      log,
      get signal() {
        return request.signal
      },
      emit: async (event, ...[data]) => {
        // `Events` gives the emitters and the reactions of a name one type.
        for (const reaction of reactions.get(event) ?? []) await reaction(ctx, data as never)
        // The change record decides on object events.
        if (!events.objectEvents.has(event)) tx?.events.push(event)
      },
      announce: (event) => void tx?.announced.push({ ...event, position: tx.record.length }),
      changed: (kind, write) => {
        if (tx?.recorded !== undefined) throw new Error('a write after the change of its transaction was recorded')
        if (tx?.record.add(kind, write)) for (const { onFirstChange } of features) onFirstChange?.(ctx, kind)
      },
      changeId: tx?.changeId ?? '',
      newId: tx?.ids ?? createRandomId,
      get author() {
        return tx?.author ?? ctx.caller.username
      },
      settle: async () => {
        if (tx) await settle(ctx, tx)
      },
      get changeCount() {
        return tx?.record.length ?? 0
      },
      changedObjects: async (since) => tx?.record.items(since) ?? [],
      commitChange: async (details = {}) => (tx ? recordOnce(ctx, tx, call, details) : ''),
      isPlanned: tx?.record.isPlanned ?? false,
      plannedItems: async () => (tx?.record.isPlanned ? tx.record.plannedItems() : undefined),
      searchTextChanged: (table, texts) => tx?.searchTextChanged(table, texts),
      atEnd: (work, item) => void tx?.pending.push({ work, item }),
      local: tx?.local ?? createLocal(),
      revision: (tables) => tx?.revision(tables),
      lock: (kind, keys, mode) => {
        order?.add(kind, keys)
        return lockNamed({ db: ctx.db, sql: store.sql }, kind, keys, mode)
      },
      step,
      savepoint: async (work) => {
        if (!tx) return work()
        const before = {
          ...{ events: tx.events.length, announced: tx.announced.length },
          ...{ pending: tx.pending.length, record: tx.record.length, followed: tx.followed },
          ...{ ran: tx.ran, placed: tx.placed },
        }
        try {
          return await tx.savepoint(() => step(work))
        } catch (error) {
          tx.local(savepoints).rolledBack++
          // The events of the rolled back savepoint did not happen.
          tx.events.length = before.events
          tx.announced.splice(before.announced)
          tx.pending.length = before.pending
          tx.record.truncate(before.record)
          tx.followed = before.followed
          tx.ran = before.ran
          tx.placed = before.placed
          throw error
        }
      },
      require: (permission) => held.require(permission),
      get isScoped() {
        return toLimitedWrite(call) !== undefined
      },
      canListAll: (resource) => {
        const { via, permissions } = held.caller
        return via === 'job' || (toLimitedWrite(call) === undefined && permissions.has(`${resource}:list`))
      },
      filterVisible: async (resource, ids) => {
        const write = toLimitedWrite(call)
        return write && areas ? areas.filterVisible(ctx, write, { resource, ids }) : new Set(ids)
      },
      filterPermitted: async (resource, ids) => {
        const write = toLimitedWrite(call)
        return write && areas ? areas.filterPermitted(ctx, write, { resource, ids }) : new Set(ids)
      },
      checkScope: async (own, work) => {
        const write = toLimitedWrite(call, own)
        return write && areas ? areas.checkScope(ctx, write, work) : work()
      },
      confirmRights: () => held.confirm(tx as never),
      confirmRightsFinally: () => held.confirmFinally(tx as never),
      showChanges: async (changes) => {
        if (request.onChanges) await request.onChanges(await changes())
      },
      progress: (done, total) => request.progress?.(done, total),
      precondition: (current) => {
        if (request.ifNoneMatch?.trim() === '*') throw new AppError('PRECONDITION_FAILED', 'The object exists already')
        if (request.ifMatch === undefined) return
        const json = typeof current === 'string' ? current : JSON.stringify(current)
        if (matchesEtag(request.ifMatch, computeEtag(json))) return
        throw new AppError('PRECONDITION_FAILED', 'The object has changed since you read it; read it again')
      },
      write: (work, { audit, note, ...options } = {}) =>
        transact(
          note === undefined ? call : { ...call, note },
          work,
          async (_made, _ctx, transaction, changeId) => audit?.succeeded(transaction, changeId),
          options,
        ),
    }
    return ctx
  }
  return contextFor
}
