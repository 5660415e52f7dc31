/** What a handler gets, and what a feature is made of. */
import type { Kysely } from 'kysely'
import type { Etag } from '../contract/etag.ts'
import type { Db, ReadPoint, SearchTextChanged, Tx, WriteOptions } from '../db/database.ts'
import type { Logger } from '../runtime/log.ts'
import type { RawAudit } from './audit.ts'
import type { Caller } from './caller.ts'
import type { AnyOperation, Permission, RawRoute } from './operation.ts'
import type { Identify } from './request.ts'
import type { Rights } from './rights.ts'

export type KernelWriteOptions<Tables> = WriteOptions & {
  /** Of a raw route whose change is this transaction: it holds the entry as well. */
  readonly audit?: RawAudit<Tx<Tables>>
}

/** All that a handler gets; there is nothing else to reach for. */
export type KernelCtx<Tables> = {
  /** With the permissions of the latest transaction, or of the request's headers before the first. */
  readonly caller: Caller
  /** The rights that came with the request, for running other calls on behalf of its caller. */
  readonly rights: Rights | undefined
  /** The transaction of a write, or the last committed state. */
  readonly db: Kysely<Tables>
  /** Streams, revisions and the engine's named capabilities. */
  readonly store: Db<Tables>
  /** The state that identified the caller, where that is not the last commit. */
  readonly readPoint: ReadPoint | undefined
  /** The moment of the call: RFC 3339, UTC, milliseconds. */
  readonly now: string
  /** As in X-Request-Id. */
  readonly requestId: string
  /** The address that the request comes from; '' when unknown. */
  readonly client: string
  readonly log: Logger
  readonly signal: AbortSignal
  /** Tells the rest of the product, inside the same transaction. */
  readonly emit: (event: string, data: unknown) => Promise<void>
  /** As `Tx.searchTextChanged`; does nothing in a context that cannot write. */
  readonly searchTextChanged: SearchTextChanged
  /** Undoes only what `work` did if it throws. */
  readonly savepoint: <T>(work: () => Promise<T>) => Promise<T>
  /** @throws AppError FORBIDDEN unless the caller holds the permission. Each later transaction of the call asks for it again. */
  readonly require: (permission: Permission) => void
  /**
   * Compares the caller's rights with those of now: for a transaction that lasts, before each of its batches and its end. Each
   * transaction does it by itself when it begins. What was judged by `caller` before, but for `require`, is not judged again.
   * @throws AppError UNAUTHORIZED (or EXPIRED_KEY) for credentials that do not hold any more, FORBIDDEN without a permission that
   * the call needs
   */
  readonly confirmRights: () => Promise<void>
  /** @throws AppError PRECONDITION_FAILED if the caller sent an If-Match that `current` doesn't match. */
  readonly precondition: (current: Etag) => void
  /** Runs a short transaction, for raw routes, jobs and operations with `hasOwnTransactions`, which begin without one. */
  readonly write: <T>(work: InTransaction<Tables, T>, options?: KernelWriteOptions<Tables>) => Promise<T>
}

export type InTransaction<Tables, T> = (ctx: KernelCtx<Tables>) => Promise<T>

export type RawHandler<Tables> = (
  ctx: KernelCtx<Tables>,
  request: globalThis.Request,
  audit: RawAudit<Tx<Tables>>,
) => Promise<Response>

/** What a feature does when another feature emits an event, inside the same transaction. */
export type Reaction<Tables> = (ctx: KernelCtx<Tables>, data: never) => Promise<void>

export type Bound<Tables> = {
  readonly op: AnyOperation
  readonly handler:
    | ((ctx: KernelCtx<Tables>, input: never) => Promise<unknown>)
    | {
        readonly prepare: (
          ctx: KernelCtx<Tables>,
          input: never,
        ) => Promise<(ctx: KernelCtx<Tables>) => Promise<unknown>>
      }
}
export type BoundRaw<Tables> = {
  readonly route: RawRoute
  readonly handler: RawHandler<Tables>
  /** Tells who calls, in place of what tells it everywhere else; of a public route as well. */
  readonly identify?: Identify
}

/** Background work: takes no input, is idempotent, runs on a timer, and writes in transactions of its own (`ctx.write`). */
export type Job<Tables> = {
  readonly name: string
  readonly summary: string
  readonly everyMs: number
  /** Not only after that time, but at the start as well. */
  readonly runsAtStart?: true
  /** Also where several instances share a database: it works on what this process keeps, or shares the work out by itself. */
  readonly onEveryInstance?: true
  readonly run: (ctx: KernelCtx<Tables>) => Promise<void>
}

/** The implementation of a feature, as it stands in the registry. */
export type Feature<Tables> = {
  readonly operations: readonly Bound<Tables>[]
  readonly routes?: readonly BoundRaw<Tables>[]
  readonly reactions?: Readonly<Record<string, Reaction<Tables>>>
  readonly jobs?: readonly Job<Tables>[]
  /** Called after commit with the names of the emitted events. Must return quickly: callers wait for it. */
  readonly onCommit?: (events: readonly string[]) => void
  /** Called with the events of commits by other instances that share the database, soon after each. */
  readonly onRemoteCommit?: (events: readonly string[]) => void
  /** Notifications of other instances may have been lost: treat all cached remote state as stale. */
  readonly onNotificationGap?: () => void
  /** Shutdown started: close long-lived responses. */
  readonly onShutdown?: () => void
  /** Stops background work. Called before the database is closed. */
  readonly close?: () => Promise<void>
}
