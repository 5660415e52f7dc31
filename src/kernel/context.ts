/** Declares the context of a handler and the parts of a feature. */
import type { Kysely } from 'kysely'
import type { Logger } from '../base/runtime/log.ts'
import type { AppError } from '../contract/errors.ts'
import type { Db, ReadPoint, SearchTextChanged, Tx, WriteOptions } from '../database/database.ts'
import type { Local } from '../database/transaction-state.ts'
import type { AnnouncedEvent } from './announced-event.ts'
import type { Caller } from './caller.ts'
import type { Attempt } from './changes/attempt.ts'
import type { RawAudit } from './changes/audit.ts'
import type { ChangeDetails, ChangedObject, ItemWrite } from './changes/change-record.ts'
import type { Lock } from './changes/locks.ts'
import type { NewIds } from './changes/new-ids.ts'
import type { Emit, Reactions } from './events.ts'
import type { AnyOperation, Permission, RawRoute } from './operation.ts'
import type { PreparedStep, TransactionOptions } from './prepared-handler.ts'
import type { Identify, RawTarget, ShownChanges } from './request.ts'
import type { Rights } from './rights/rights.ts'
import type { ScopedInput } from './rights/scoped-write.ts'

export type KernelWriteOptions<Tables> = WriteOptions & {
  /** The audit entry of a raw route, written in this transaction. */
  readonly audit?: RawAudit<Tx<Tables>>
  /** The reason that the caller gives for the change. */
  readonly note?: string
  /** Runs the work once for its idempotency key. */
  readonly attempt?: Attempt | undefined
}

/** The context of a handler, and its only access to the rest of the product. */
export type KernelCtx<Tables> = {
  /** Has the permissions read by the latest transaction. Before the first, permissions are read from the request's headers. */
  readonly caller: Caller
  /** The rights of the request's caller, for running further calls on the caller's behalf. */
  readonly rights: Rights | undefined
  /** The transaction of a write, the last committed state, or that of an earlier moment. */
  readonly db: Kysely<Tables>
  /** Streams, revisions and the capabilities of the engine. */
  readonly store: Db<Tables>
  /**
   * The same call over the whole estate, where this context reads a part of it. Its caller has the permissions that count everywhere. For
   * the use of addresses, which counts all of their holders, and for tables that are not of the estate: nothing else of it may be sent.
   */
  readonly unscoped: KernelCtx<Tables>
  /** The state from which the caller was identified, if it is not the last commit. */
  readonly readPoint: ReadPoint | undefined
  /** The time of the call, or the moment of a read of the past: RFC 3339, UTC, milliseconds. */
  readonly now: string
  /** True if `db` has an earlier state, in which nothing can be done. */
  readonly isPast: boolean
  /** The value of X-Request-Id. */
  readonly requestId: string
  /** The client's address; '' when unknown. */
  readonly client: string
  readonly log: Logger
  readonly signal: AbortSignal
  /** Emits an event. The reactions of other features run in the same transaction. */
  readonly emit: Emit
  /** Adds an event that leaves Plat, after the events of the objects that the transaction has changed so far. It is written at the end. */
  readonly announce: (event: AnnouncedEvent) => void
  /**
   * Declares a write of an object, by its documents as they are sent. Called by the store beside the write. The transaction records all
   * of them as one change. Objects without a history are for plans (`createRecorder`).
   */
  readonly changed: (kind: string, write: ItemWrite) => void
  /** The id of the change that the transaction records, if it alters an object with a history. */
  readonly changeId: string
  /**
   * Records the change now and not at the end of the transaction, which may write no further object with a history.
   * @returns its id; '' if nothing has changed
   */
  readonly commitChange: (details?: ChangeDetails) => Promise<string>
  /** Returns the id of a new object of the estate. In a run of a proposal it is the same each time. */
  readonly newId: NewIds
  /** The name of who makes new objects: the caller, or the author of the proposal that is run. */
  readonly author: string
  /**
   * Does now what follows at the end of the transaction: the work of features on its changes, that of `atEnd`, and the areas of changed
   * objects. What is written later is followed again.
   */
  readonly settle: () => Promise<void>
  /** Lets policies refuse the changes so far, also those of a job. @throws AppError APPROVAL_REQUIRED */
  readonly checkPolicies: () => Promise<void>
  /**
   * Runs an operation in this transaction: its access, refs, rules and parts of the estate, in a savepoint. If it throws, its own changes are
   * rolled back.
   * @returns its answer as a plain value
   */
  readonly call: (bound: Bound<Tables>, input: unknown, how?: CallHow<Tables>) => Promise<unknown>
  /** The number of writes of such objects so far. */
  readonly changeCount: number
  /** Returns the objects with a history that the transaction has changed so far. @param since a `changeCount`: only what was changed after it */
  readonly changedObjects: (since?: number) => Promise<readonly ChangedObject[]>
  /** True in a transaction that a plan describes: the change record also has the objects without a history. */
  readonly isPlanned: boolean
  /** Returns all objects that the transaction has changed so far; undefined if it is not planned. */
  readonly plannedItems: () => Promise<readonly ChangedObject[] | undefined>
  /** Like `Tx.searchTextChanged`; does nothing in a context that cannot write. */
  readonly searchTextChanged: SearchTextChanged
  /** Hands an item to work that runs once at the end of the transaction, unless its savepoint was undone. */
  readonly atEnd: <Item>(work: AtEnd<Tables, Item>, item: Item) => void
  /** Like `Tx.local`, for state that the transaction has beside its rows. Without a transaction, the state is that of this context. */
  readonly local: Local
  /** Like `Tx.revision`; undefined in a context that cannot write. */
  readonly revision: Tx<Tables>['revision']
  /** Takes named locks until the transaction ends, in the order of `locks.ts`. Does nothing with one writer. */
  readonly lock: Lock
  /**
   * Runs one of many items of a call, which locks in an order of its own. A savepoint does so as well.
   * At its end the features follow the objects that it has changed. So a handler that needs their results runs the change as a step.
   */
  readonly step: <T>(work: () => Promise<T>) => Promise<T>
  /** Runs `work` in a savepoint. If it throws, only its own changes are rolled back. */
  readonly savepoint: <T>(work: () => Promise<T>) => Promise<T>
  /** @throws AppError FORBIDDEN without the permission. Later transactions of the call check it again. */
  readonly require: (permission: Permission) => void
  /** True for a write of a caller who may have its permission in some scopes only. */
  readonly isScoped: boolean
  /** True if an error may name any object of the resource: the caller may list all of them. The input may name further ones. */
  readonly canListAll: (resource: string) => boolean
  /**
   * Returns the ids that the caller may name in a write: all of them, or the ids of objects that the caller may read. For fields with a
   * schema that does not tell that they hold ids.
   */
  readonly filterVisible: (resource: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Returns the ids for which the caller has the permission of the operation: all of them, or the ids of objects in the part. */
  readonly filterPermitted: (resource: string, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /**
   * Runs a part of a write with its own input, such as an item of a bulk call. The caller may have the permission only in a part of the
   * estate. Its objects are checked like the objects of an operation.
   * @throws AppError NOT_FOUND, VALIDATION_ERROR or FORBIDDEN
   */
  readonly checkScope: <T>(input: ScopedInput, work: () => Promise<T>) => Promise<T>
  /**
   * Compares the caller's rights with the current ones. A long transaction calls it before each batch and before its end. Each
   * transaction does so when it begins. Decisions that used `caller` earlier are not repeated, except decisions of `require`.
   * @throws AppError UNAUTHORIZED (or EXPIRED_KEY) if the credentials are no longer valid, FORBIDDEN if a required permission is gone
   */
  readonly confirmRights: () => Promise<void>
  /**
   * Like `confirmRights`, before a call ends sessions in an external store. One of them may be the session of the call itself, so the
   * store is not queried again for this call.
   * @throws AppError as `confirmRights`
   */
  readonly confirmRightsFinally: () => Promise<void>
  /**
   * Declares the changes that an operation with `showsChanges` is about to make, once and before its first effect. A plan of an AI client
   * ends the call here, and its application compares them with the planned ones. Other calls do not compute them.
   */
  readonly showChanges: (changes: () => Promise<ShownChanges>) => Promise<void>
  /** Reports the progress of a long call, in the units of the operation. */
  readonly progress: (done: number, total: number) => void
  /**
   * @param current the object as it is sent, or its JSON
   * @throws AppError PRECONDITION_FAILED if the caller sent an If-Match that `current` doesn't match.
   */
  readonly precondition: (current: object | string) => void
  /** Runs a short transaction. For raw routes, jobs and operations with `hasOwnTransactions`. */
  readonly write: <T>(work: InTransaction<Tables, T>, options?: KernelWriteOptions<Tables>) => Promise<T>
}

export type InTransaction<Tables, T> = (ctx: KernelCtx<Tables>) => Promise<T>

/** A step that was prepared before the transaction. */
export type Prepared<Tables> = PreparedStep<InTransaction<Tables, unknown>, unknown>

/** The terms of an operation inside a transaction. */
export type CallHow<Tables> = {
  /** The ids of its new objects. */
  readonly ids?: NewIds
  /** The name of who makes its objects, if that is not the caller. */
  readonly author?: string
  /** The caller with other rights; they are not confirmed, so that nothing of it may be committed. */
  readonly caller?: Caller
  /** The result of `Kernel.prepare` for the same input. */
  readonly prepared?: Prepared<Tables> | undefined
  /** The details of the change of the transaction. They replace details that the operation decides. */
  readonly change?: ChangeDetails
}

/** Work at the end of a transaction: see `KernelCtx.atEnd`. */
export type AtEnd<Tables, Item> = (ctx: KernelCtx<Tables>, items: readonly Item[]) => Promise<void>

/**
 * Called at the first write of a kind of objects with a history in a transaction. Starts the reads of its end, so that they take no round trip
 * then.
 */
export type OnFirstChange<Tables> = (ctx: KernelCtx<Tables>, kind: string) => void

/** Work of a feature on the objects that a transaction has changed. */
export type OnObjectsChanged<Tables> = (ctx: KernelCtx<Tables>, changes: readonly ChangedObject[]) => Promise<void>

export type RawHandler<Tables> = (
  ctx: KernelCtx<Tables>,
  request: globalThis.Request,
  audit: RawAudit<Tx<Tables>>,
  target: RawTarget,
) => Promise<Response>

/** Waits for the turn of a call, before its body is read. Returns the function that ends it. @throws AppError RATE_LIMIT_EXCEEDED */
export type Enter = (caller: Caller) => Promise<() => void>

export type Bound<Tables> = {
  readonly op: AnyOperation
  readonly enter?: Enter
  readonly handler:
    | ((ctx: KernelCtx<Tables>, input: never) => Promise<unknown>)
    | {
        readonly isReadOnly?: true
        readonly readsNoState?: true
        readonly prepare: (
          ctx: KernelCtx<Tables>,
          input: never,
        ) => Promise<PreparedStep<InTransaction<Tables, unknown>, unknown>>
      }
    | {
        readonly transaction: (ctx: KernelCtx<Tables>, input: never) => Promise<TransactionOptions>
        readonly run: (ctx: KernelCtx<Tables>, input: never) => Promise<unknown>
      }
}
export type BoundRaw<Tables> = {
  readonly route: RawRoute
  readonly handler: RawHandler<Tables>
  /** Identifies the caller in place of the default; on public routes as well. */
  readonly identify?: Identify
}

/** An API in the form of another program's. A slash at the end of a path makes no difference there. */
export type ForeignApi = {
  /** The beginning of the paths of its routes. @example '/netbox/api' */
  readonly path: string
  /** Host names at which it is at `hostPath`, and nothing of Plat but health checks. */
  readonly hosts: readonly string[]
  readonly hostPath: string
  /** The headers of each of its answers. */
  readonly headers: Readonly<Record<string, string>>
  /** Returns status and body of an error: of a route, of a path without a route, or of a limit. */
  readonly describeError: (error: AppError) => { readonly status: number; readonly body: unknown }
}

/** Background work on a timer. Takes no input, is idempotent, and writes in short transactions by `ctx.write`. */
export type Job<Tables> = {
  readonly name: string
  readonly summary: string
  readonly everyMs: number
  /** Runs at the start as well as after each interval. */
  readonly runsAtStart?: true
  /** Runs on every instance that shares the database: it works on process memory, or divides the work itself. */
  readonly onEveryInstance?: true
  readonly run: (ctx: KernelCtx<Tables>) => Promise<void>
}

/** A stored object that the rules of this version would refuse, or that needs the attention of an administrator. */
export type Warning = {
  /** Names the rule. @example 'provider_links_by_email' */
  readonly kind: string
  /** The resource with the `list` permission that shows the object. @example 'networks' */
  readonly resource: string
  readonly id: string
  readonly name: string
  /** Says what is wrong with the object, and what to do. */
  readonly message: string
}

/** Returns the warnings of one kind, at most 100. Reads only. */
export type FindWarnings<Tables> = (ctx: KernelCtx<Tables>) => Promise<readonly Warning[]>

/** The implementation of a feature, as the registry lists it. */
export type Feature<Tables> = {
  readonly operations: readonly Bound<Tables>[]
  readonly routes?: readonly BoundRaw<Tables>[]
  readonly foreignApi?: ForeignApi
  readonly reactions?: Reactions<KernelCtx<Tables>>
  readonly onFirstChange?: OnFirstChange<Tables>
  /**
   * Work on changed objects, by their kind: at the end of each step and savepoint, and of the transaction, before its events are
   * recorded. Many are handed over in portions. The features work beside each other. They may announce events. Objects that they change
   * are followed in another round.
   */
  readonly follows?: Readonly<Record<string, OnObjectsChanged<Tables>>>
  /** Runs at the end of a transaction, beside the writes of its events and its history. It changes no object with a history. */
  readonly onObjectsChanged?: OnObjectsChanged<Tables>
  readonly jobs?: readonly Job<Tables>[]
  /** Finds stored objects that an administrator should look at. They are logged at the start and shown on the page *System*. */
  readonly warnings?: FindWarnings<Tables>
  /** Called after commit with the emitted event names. Must return quickly: callers wait for it. */
  readonly onCommit?: (events: readonly string[]) => void
  /** Called soon after each commit of another instance that shares the database, with the emitted event names. */
  readonly onRemoteCommit?: (events: readonly string[]) => void
  /** Notifications of other instances may have been lost: treat all cached remote state as stale. */
  readonly onNotificationGap?: () => void
  /** Shutdown started: close long-lived responses. */
  readonly onShutdown?: () => void
  /** Stops background work. Called before the database is closed. */
  readonly close?: () => Promise<void>
}
