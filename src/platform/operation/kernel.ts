/**
 * Runs operations. `run` is the only entry, for HTTP, MCP and jobs alike: access, parse, transaction, handler, events,
 * audit entry, commit. Nothing else checks permissions, opens a transaction, emits events or writes to the audit trail.
 */
import { AppError } from '../contract/errors.ts'
import { etagOf, matchesEtag } from '../contract/etag.ts'
import { parse } from '../contract/validate.ts'
import type { Db, ReadPoint, Tx, WriteOptions } from '../db/database.ts'
import type { Logger } from '../runtime/log.ts'
import { checkAccess, checkConsent } from './access.ts'
import { type AuditedCall, type AuditSink, auditedAs, eventOf, rawAuditOf, subjectOf } from './audit.ts'
import { type Caller, GUEST } from './caller.ts'
import type { AtEnd, Bound, BoundRaw, Feature, InTransaction, Job, KernelCtx, Reaction } from './context.ts'
import { type Fence, fenced } from './fence.ts'
import { WithStatus } from './handler-result.ts'
import type { AnyOperation, RawRoute } from './operation.ts'
import type { Request } from './request.ts'
import { HeldRights } from './rights.ts'

/** The signal of work that is never cancelled. */
const NEVER = new AbortController().signal

/** A request in progress. */
type Call = { readonly request: Omit<Request, 'input'>; readonly held: HeldRights }

/** Work for the end of a transaction, and one of its items. */
type Pending<Tables> = { readonly work: AtEnd<Tables, never>; readonly item: unknown }

/** A transaction, the names of the events emitted in it so far, and the work for its end. */
type Transaction<Tables> = Tx<Tables> & { readonly events: string[]; readonly pending: Pending<Tables>[] }

const runPending = async <Tables>(ctx: KernelCtx<Tables>, pending: readonly Pending<Tables>[]): Promise<void> => {
  // The work and its items came together in `atEnd`.
  for (const [work, own] of Map.groupBy(pending, (one) => one.work))
    await work(ctx, own.map(({ item }) => item) as never)
}

export type KernelOptions<Tables> = {
  readonly db: Db<Tables>
  readonly features: readonly Feature<Tables>[]
  readonly now: () => Date
  readonly log: Logger
  /** Called after the commit of every transaction with the emitted event names. */
  readonly onCommit: (events: readonly string[]) => void
  readonly audit: AuditSink<Tx<Tables>>
}

/** The signal that stops a job and the fence that guards its writes. */
export type JobTerms<Tables> = { readonly signal?: AbortSignal; readonly fence?: Fence<Tables> }

export type Kernel<Tables> = {
  /** Returns a kernel of the same features with other options, such as another view of the database. */
  readonly over: (other: Partial<Omit<KernelOptions<Tables>, 'features'>>) => Kernel<Tables>
  readonly run: (bound: Bound<Tables>, request: Request) => Promise<unknown>
  /** Returns the request with its caller's current rights. @throws AppError UNAUTHORIZED, FORBIDDEN */
  readonly confirmed: <R extends Omit<Request, 'input'>>(op: AnyOperation, request: R) => Promise<R>
  /** Runs a short transaction for a caller who may call the operation. */
  readonly write: <T>(op: AnyOperation, request: Omit<Request, 'input'>, work: InTransaction<Tables, T>) => Promise<T>
  /** Records in the audit trail that a call was rejected before it ran, with the reason. */
  readonly refused: (called: AnyOperation | RawRoute, request: Request, error: unknown) => Promise<void>
  readonly runJob: (job: Job<Tables>, terms?: JobTerms<Tables>) => Promise<void>
  readonly runRaw: (
    bound: BoundRaw<Tables>,
    request: Omit<Request, 'input'>,
    raw: globalThis.Request,
  ) => Promise<Response>
}

export const createKernel = <Tables>(options: KernelOptions<Tables>): Kernel<Tables> => {
  const { db, features, now, log, onCommit, audit } = options
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
        const pending: Pending<Tables>[] = []
        const run = async () => {
          const ctx = contextFor({ request, held }, { ...tx, events, pending })
          const value = await work(ctx, tx)
          if (pending.length > 0) await runPending(ctx, pending)
          return { value, events }
        }
        // The type of the rights does not depend on the tables.
        return held.within(tx as never, run, isFirst && !options.exclusive)
      }, options),
    )
    onCommit(events)
    return value
  }

  /** @param readPoint for a call that reads once; a long call or a write must not use it */
  const contextFor = ({ request, held }: Call, tx?: Transaction<Tables>, readPoint?: ReadPoint): KernelCtx<Tables> => {
    const at = now()
    let text: string | undefined
    const ctx: KernelCtx<Tables> = {
      get caller() {
        return held.caller
      },
      rights: request.rights,
      db: tx?.db ?? db.read,
      store: readPoint ? { ...db, ...readPoint } : db,
      readPoint: request.readPoint,
      get now() {
        text ??= at.toISOString()
        return text
      },
      requestId: request.requestId,
      // Computed on first use, like the request's own.
      get client() {
        return request.client ?? ''
      },
      log,
      get signal() {
        return request.signal
      },
      emit: async (event, data) => {
        // A reaction declares the data type of its event, and the emitter is the only code that creates that data.
        for (const reaction of reactions.get(event) ?? []) await reaction(ctx, data as never)
        tx?.events.push(event)
      },
      searchTextChanged: (table, texts) => tx?.searchTextChanged(table, texts),
      atEnd: (work, item) => void tx?.pending.push({ work, item }),
      revision: (tables) => tx?.revision(tables),
      savepoint: async (work) => {
        if (!tx) return work()
        const before = { events: tx.events.length, pending: tx.pending.length }
        try {
          return await tx.savepoint(work)
        } catch (error) {
          // The events of the rolled back savepoint did not happen.
          tx.events.length = before.events
          tx.pending.length = before.pending
          throw error
        }
      },
      require: (permission) => held.require(permission),
      confirmRights: () => held.confirm(tx as never),
      precondition: (current) => {
        if (request.ifMatch === undefined) return
        const json = typeof current === 'string' ? current : JSON.stringify(current)
        if (matchesEtag(request.ifMatch, etagOf(json))) return
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
    const ctx = contextFor(call, undefined, request.readPoint)
    return typeof handler === 'object' ? (await handler.prepare(ctx, input))(ctx) : handler(ctx, input)
  }

  /** @param done called with the handler's result, in its transaction if there was one */
  const runWrite = async (
    { op, handler }: Bound<Tables>,
    request: Request,
    done: (made: unknown, tx?: Tx<Tables>) => Promise<void>,
  ): Promise<unknown> => {
    const call = callOf(op, request)
    const input = parse(op.input, request.input) as never // as in `runRead`
    const turn = op.serializeBy?.(input)
    const inTransaction = (work: Work<unknown>) =>
      transact(
        call,
        async (ctx, tx) => {
          const made = await work(ctx, tx)
          await done(made, tx)
          return made
        },
        turn === undefined ? undefined : { serializeBy: `${op.name} ${turn}` },
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
