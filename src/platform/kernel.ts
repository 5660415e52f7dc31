/**
 * Runs operations. `run` is the only way in, for HTTP, MCP and jobs alike: access, parse, transaction, handler, events,
 * audit entry, commit. Nothing else checks permissions, opens a transaction, emits events or writes to the audit trail.
 */
import type { Kysely } from 'kysely'
import { checkAccess, checkConsent } from './access.ts'
import { WithStatus } from './answer.ts'
import { type AuditedCall, type AuditSink, auditedAs, eventOf, type RawAudit, rawAuditOf, subjectOf } from './audit.ts'
import type { Db, SearchedBy, Standing, Tx, WriteOptions } from './db/database.ts'
import { AppError } from './errors.ts'
import { type Etag, matchesEtag } from './etag.ts'
import { type Fence, fenced } from './fence.ts'
import type { Logger } from './log.ts'
import type { AnyOperation, Permission, RawRoute } from './operation.ts'
import { HeldRights, type Rights } from './rights.ts'
import { parse } from './validate.ts'

/** Who calls. A guest has no user; everyone else acts with the permissions of their user at this moment. */
export type Caller = {
  readonly userId: string | undefined
  readonly username: string
  readonly via: 'guest' | 'session' | 'key' | 'oauth' | 'job'
  /** Id of the session, key or grant that was shown. */
  readonly credentialId: string | undefined
  readonly permissions: ReadonlySet<string>
  /** The client that acts for the user, where one does. */
  readonly client?: ActingClient
}

export type ActingClient = {
  readonly id: string
  /** What it calls itself. */
  readonly name: string
  /** What the user may do and the client was not allowed to: a new consent may change that. */
  readonly withheld: ReadonlySet<string>
}

export const GUEST: Caller = {
  userId: undefined,
  username: '',
  via: 'guest',
  credentialId: undefined,
  permissions: new Set(),
}

/** Who a request's credentials stand for. */
export type Identity = {
  readonly caller: Caller
  /** Set when the request was let in by a cookie, which a browser sends without being asked. */
  readonly isAmbient: boolean
  /** A session cookie to send again, because its expiry moved. */
  readonly setCookie?: string
  /** By which it was found out: of a moment after the request came. */
  readonly standing?: Standing
  /** By which each write of the request finds out whether the caller may still make it. */
  readonly rights?: Rights
}

/** Whom the headers of a request stand for; undefined without credentials. @throws AppError for credentials that don't hold. */
export type Identify = (headers: Headers) => Promise<Identity | undefined>

/** What a caller brings along with the input. */
export type Request = {
  readonly caller: Caller
  readonly input: unknown
  readonly requestId: string
  /** The address it comes from, where there is one. */
  readonly client?: string
  readonly signal: AbortSignal
  /** The If-Match header of a PUT or DELETE. */
  readonly ifMatch?: string | undefined
  /** The MCP tool by which it is called. */
  readonly tool?: string
  /** Of a moment after the request came: what it reads is as new as that, or newer. */
  readonly standing?: Standing | undefined
  /** What the caller's rights were read from; undefined for guests and jobs, who have none to lose. */
  readonly rights?: Rights | undefined
}

export type KernelWriteOptions<Tables> = WriteOptions & {
  /** Of a raw route whose change is this transaction: it holds the entry as well. */
  readonly audit?: RawAudit<Tx<Tables>>
}

/** All that a handler gets; there is nothing else to reach for. */
export type KernelCtx<Tables> = {
  /** With the permissions of the latest transaction, or of the request's headers before the first. */
  readonly caller: Caller
  /** As they came with the request: for whoever runs other calls for its caller. */
  readonly rights: Rights | undefined
  /** The transaction of a write, or the last committed state. */
  readonly db: Kysely<Tables>
  /** Streams, revisions and the engine's named capabilities. */
  readonly store: Db<Tables>
  /** By which it was found out who calls, where that is not the last commit. */
  readonly standing: Standing | undefined
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
  /** As `Tx.searchedBy`; of what cannot write, nothing. */
  readonly searchedBy: SearchedBy
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

type InTransaction<Tables, T> = (ctx: KernelCtx<Tables>) => Promise<T>

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
  /** Told the names of the events of every transaction, after its commit. Must be quick: callers wait for it. */
  readonly committed?: (events: readonly string[]) => void
  /** Told the same of what other instances have committed, soon after, where they share the database. */
  readonly heard?: (events: readonly string[]) => void
  /** Others may have committed anything meanwhile, of which nothing was heard. */
  readonly missed?: () => void
  /** The process is told to end: lets go of whoever would wait for more. */
  readonly beginStop?: () => void
  /** Ends what goes on between calls, before the database is closed. */
  readonly close?: () => Promise<void>
}

/** What has no end of its own is not called off half-way. */
const NEVER = new AbortController().signal

/** A request under way. */
type Call = { readonly request: Omit<Request, 'input'>; readonly held: HeldRights }

/** A transaction, and the names of what was emitted in it so far. */
type Transaction<Tables> = Tx<Tables> & { readonly events: string[] }

export type KernelOptions<Tables> = {
  readonly db: Db<Tables>
  readonly features: readonly Feature<Tables>[]
  readonly now: () => Date
  readonly log: Logger
  /** Told the names of the events of every transaction, after its commit. */
  readonly committed: (events: readonly string[]) => void
  readonly audit: AuditSink<Tx<Tables>>
}

/** On what terms a job runs: it may be told to stop, and be kept from writing. */
export type JobTerms<Tables> = { readonly signal?: AbortSignal; readonly fence?: Fence<Tables> }

export type Kernel<Tables> = {
  /** The same features on another view of the database, or with others to tell of what happens. */
  readonly over: (other: Partial<Omit<KernelOptions<Tables>, 'features'>>) => Kernel<Tables>
  readonly run: (bound: Bound<Tables>, request: Request) => Promise<unknown>
  /** The request with the rights that its caller has now. @throws AppError UNAUTHORIZED or FORBIDDEN where they do not suffice. */
  readonly confirmed: <R extends Omit<Request, 'input'>>(op: AnyOperation, request: R) => Promise<R>
  /** Runs a short transaction for a caller who may call the operation. */
  readonly write: <T>(op: AnyOperation, request: Omit<Request, 'input'>, work: InTransaction<Tables, T>) => Promise<T>
  /** Puts on record that a call was turned away, and why, before it came to be run. */
  readonly refused: (called: AnyOperation | RawRoute, request: Request, error: unknown) => Promise<void>
  readonly runJob: (job: Job<Tables>, terms?: JobTerms<Tables>) => Promise<void>
  readonly runRaw: (
    bound: BoundRaw<Tables>,
    request: Omit<Request, 'input'>,
    raw: globalThis.Request,
  ) => Promise<Response>
}

export const createKernel = <Tables>(options: KernelOptions<Tables>): Kernel<Tables> => {
  const { db, features, now, log, committed, audit } = options
  const reactions = new Map<string, Reaction<Tables>[]>()
  for (const feature of features)
    for (const [event, reaction] of Object.entries(feature.reactions ?? {}))
      reactions.set(event, [...(reactions.get(event) ?? []), reaction])

  type Work<T> = (ctx: KernelCtx<Tables>, tx: Tx<Tables>) => Promise<T>

  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  const callOf = (op: AnyOperation, request: Omit<Request, 'input'>): Call => {
    const check = (caller: Caller): void => {
      checkAccess(op.access, caller)
      checkConsent(op, caller)
    }
    return { request, held: new HeldRights(request, check) }
  }

  const transact = async <T>({ request, held }: Call, work: Work<T>, options: WriteOptions = {}): Promise<T> => {
    const { value, events } = await held.tried((isFirst) =>
      db.write((tx) => {
        const events: string[] = []
        const run = async () => ({ value: await work(contextFor({ request, held }, { ...tx, events }), tx), events })
        // Rights have no tables.
        return held.within(tx as never, run, isFirst && !options.alone)
      }, options),
    )
    committed(events)
    return value
  }

  /** @param standing for what reads once and is done: nothing that lasts, or writes, may go by it */
  const contextFor = ({ request, held }: Call, tx?: Transaction<Tables>, standing?: Standing): KernelCtx<Tables> => {
    const at = now()
    let text: string | undefined
    const ctx: KernelCtx<Tables> = {
      get caller() {
        return held.caller
      },
      rights: request.rights,
      db: tx?.db ?? db.read,
      store: standing ? { ...db, ...standing } : db,
      standing: request.standing,
      get now() {
        text ??= at.toISOString()
        return text
      },
      requestId: request.requestId,
      // Made when asked for, as the request's own are.
      get client() {
        return request.client ?? ''
      },
      log,
      get signal() {
        return request.signal
      },
      emit: async (event, data) => {
        // A reaction declares the type of the event it reacts to; the emitter is the one place that makes it.
        for (const reaction of reactions.get(event) ?? []) await reaction(ctx, data as never)
        tx?.events.push(event)
      },
      searchedBy: (table, texts) => tx?.searchedBy(table, texts),
      savepoint: async (work) => {
        if (!tx) return work()
        const before = tx.events.length
        try {
          return await tx.savepoint(work)
        } catch (error) {
          // What was undone did not happen.
          tx.events.length = before
          throw error
        }
      },
      require: (permission) => held.require(permission),
      confirmRights: () => held.confirm(tx as never),
      precondition: (current) => {
        if (request.ifMatch === undefined || matchesEtag(request.ifMatch, current)) return
        throw new AppError('PRECONDITION_FAILED', 'The object has changed since you read it; read it again')
      },
      write: (work, options = {}) =>
        transact(
          { request, held },
          async (inner, transaction) => {
            const value = await work(inner)
            await options.audit?.succeeded(transaction)
            return value
          },
          options,
        ),
    }
    return ctx
  }

  const runRead = async ({ op, handler }: Bound<Tables>, request: Request): Promise<unknown> => {
    const call = callOf(op, request)
    const input = parse(op.input, request.input) as never // the handler's own input type; `implement` has paired them
    const ctx = contextFor(call, undefined, request.standing)
    return typeof handler === 'object' ? (await handler.prepare(ctx, input))(ctx) : handler(ctx, input)
  }

  /** `done` is told what was made, in the transaction that made it if there is one. */
  const runWrite = async (
    { op, handler }: Bound<Tables>,
    request: Request,
    done: (made: unknown, tx?: Tx<Tables>) => Promise<void>,
  ): Promise<unknown> => {
    const call = callOf(op, request)
    const input = parse(op.input, request.input) as never // as in `runRead`
    const turn = op.inTurnBy?.(input)
    const inTransaction = (work: Work<unknown>) =>
      transact(
        call,
        async (ctx, tx) => {
          const made = await work(ctx, tx)
          await done(made, tx)
          return made
        },
        turn === undefined ? undefined : { inTurn: `${op.name} ${turn}` },
      )
    if (typeof handler === 'object') return inTransaction(await handler.prepare(contextFor(call), input))
    if (!op.hasOwnTransactions) return inTransaction((ctx) => handler(ctx, input))
    const made = await handler(contextFor(call), input)
    await done(made)
    return made
  }

  const runAudited = async (bound: Bound<Tables>, request: Request, audited: AuditedCall): Promise<unknown> => {
    const event = (made?: unknown) => eventOf(audited, request, subjectOf(bound.op, request.input, made))
    try {
      return await runWrite(bound, request, async (made, tx) => {
        if (made instanceof WithStatus && made.isDryRun) return
        await audit.succeeded(event(made), tx)
      })
    } catch (error) {
      await audit.failed(event(), error)
      throw error
    }
  }

  return {
    over: (other) => createKernel({ ...options, ...other }),
    run: (bound, request) => {
      const audited = auditedAs(bound.op)
      return audited ? runAudited(bound, request, audited) : runRead(bound, request)
    },
    confirmed: async (op, request) => {
      const { held } = callOf(op, request)
      await held.confirm()
      return { ...request, caller: held.caller, rights: held.rights }
    },
    write: (op, request, work) => transact(callOf(op, request), work),
    refused: async (called, request, error) => {
      const audited = auditedAs(called)
      if (!audited) return
      const subject = 'effect' in called ? subjectOf(called, request.input) : {}
      await audit.failed(eventOf(audited, request, subject), error)
    },
    runJob: async (job, { signal = NEVER, fence } = {}) => {
      const caller: Caller = { ...GUEST, username: job.name, via: 'job' }
      const request = { caller, requestId: job.name, signal }
      const ctx = contextFor({ request, held: new HeldRights(request) })
      await job.run(fence ? fenced(ctx, fence) : ctx)
    },
    runRaw: async ({ route, handler }, request, raw) => {
      const call = rawAuditOf(audit, route, request)
      try {
        const held = new HeldRights(request, (caller) => checkAccess(route.access, caller))
        return await handler(contextFor({ request, held }), raw, call)
      } catch (error) {
        await call.failed(error)
        throw error
      }
    },
  }
}
