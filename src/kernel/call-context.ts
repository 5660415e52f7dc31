/** Makes the contexts of handlers: over the last commit, the past, a part of the estate, or a transaction. */

import type { Logger } from '../base/runtime/log.ts'
import { AppError } from '../contract/errors.ts'
import { computeEtag, matchesEtag } from '../contract/etag.ts'
import type { Db, ReadPoint } from '../database/database.ts'
import { createStreamShares } from '../database/stream-shares.ts'
import { createLocal, savepoints } from '../database/transaction-state.ts'
import type { Caller } from './caller.ts'
import type { History, Past } from './changes/history.ts'
import { lockNamed } from './changes/locks.ts'
import { createRandomId } from './changes/new-ids.ts'
import type { Proposals } from './changes/proposals.ts'
import type { Bound, Feature, InTransaction, KernelCtx } from './context.ts'
import type { EventRecorder } from './event-recorder.ts'
import type { AnyOperation } from './operation.ts'
import type { TransactionOptions } from './prepared-handler.ts'
import { limitCaller } from './rights/access.ts'
import type { ScopedDb, ScopeEnforcer } from './rights/scope-enforcer.ts'
import { createCallOperation } from './run/call-operation.ts'
import { createRecordChange } from './run/record-change.ts'
import {
  type Call,
  createUpdateAreas,
  type Done,
  type FollowChanges,
  type Reaction,
  runPending,
  type Transaction,
  toLimitedWrite,
} from './run/transaction.ts'

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

export type ContextOptions<Tables> = {
  readonly db: Db<Tables>
  readonly now: () => Date
  readonly log: Logger
  readonly history: History<Tables>
  readonly events: EventRecorder<Tables>
  readonly proposals: Proposals<Tables>
  /** @throws AppError UNAUTHORIZED or FORBIDDEN for a caller who may not call the operation */
  readonly checkCall: (op: AnyOperation, caller: Caller) => void
  /** Returns the create of the noun of an operation. */
  readonly getCreate: (op: AnyOperation) => Bound<Tables>
  readonly features: readonly Pick<Feature<Tables>, 'onFirstChange' | 'onObjectsChanged'>[]
  readonly follow: FollowChanges<Tables>
  readonly areas: ScopeEnforcer<Tables> | undefined
  readonly reactions: ReadonlyMap<string, readonly Reaction<Tables>[]>
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
  proposals,
  checkCall,
  getCreate,
  features,
  follow,
  areas,
  reactions,
  transact,
}: ContextOptions<Tables>): ContextFor<Tables> => {
  const shares = db.streamsOfUser === undefined ? undefined : createStreamShares(db.streamsOfUser, db.recallSnapshots)

  const recordChange = createRecordChange({ history, events, proposals, features, follow })
  const updateAreas = createUpdateAreas(areas)

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
    const order = tx?.order
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
        text ??= call.now ?? past?.at ?? at.toISOString()
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
        // Objects without a history are no part of the change.
        if (tx?.recorded !== undefined && write.hasHistory !== false)
          throw new Error('a write after the change of its transaction was recorded')
        if (tx?.record.add(kind, write)) for (const { onFirstChange } of features) onFirstChange?.(ctx, kind)
      },
      changeId: tx?.changeId ?? '',
      newId: call.ids ?? createRandomId,
      get author() {
        return call.author ?? held.caller.username
      },
      settle: async () => {
        if (!tx) return
        await follow(ctx, tx)
        await runPending(ctx, tx)
        await updateAreas(ctx, tx)
      },
      checkPolicies: async () => {
        if (tx && !tx.details.proposalId) await proposals.gate(ctx, { canBeProposed: tx.root.canBeProposed === true })
      },
      call: async (bound, input, how) => {
        if (!tx) throw new Error(`${bound.op.name} is called without a transaction`)
        return callOperation({ call, tx, ctx }, bound, input, how)
      },
      get changeCount() {
        return tx?.record.length ?? 0
      },
      changedObjects: async (since) => tx?.record.items(since) ?? [],
      commitChange: async (details = {}) => (tx ? recordChange(ctx, tx, details) : ''),
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
  const callOperation = createCallOperation<Tables>({ contextFor, checkCall, getCreate })
  return contextFor
}
