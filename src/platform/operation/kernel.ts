/**
 * Runs operations. `run` is the only entry, for HTTP, MCP and jobs alike: access, parse, transaction, handler, events,
 * audit entry, commit. Nothing else checks permissions, opens a transaction, emits events or writes to the audit trail.
 */
import { AppError } from '../contract/errors.ts'
import { etagOf, matchesEtag } from '../contract/etag.ts'
import { asksForDryRun, type HistoryFields } from '../contract/history-fields.ts'
import type { Db, ReadPoint, Tx } from '../db/database.ts'
import { type Journal, journaled } from '../db/journal.ts'
import type { Logger } from '../runtime/log.ts'
import { checkAccess, checkConsent, refuseFeedKey } from './access.ts'
import { type AuditedCall, type AuditSink, auditedAs, eventOf, rawAuditOf, subjectOf } from './audit.ts'
import { type Caller, GUEST } from './caller.ts'
import { type ChangeDetails, ChangeRecord } from './change-record.ts'
import type { AtEnd, Bound, BoundRaw, Feature, InTransaction, Job, KernelCtx, Reaction } from './context.ts'
import { type ByRef, byRefOf, type Step, updateOrCreate } from './create-by-ref.ts'
import { type Fence, fenced } from './fence.ts'
import { inputOf } from './handler-input.ts'
import { JsonList, WithStatus } from './handler-result.ts'
import type { History, Past } from './history.ts'
import { type AnyOperation, nounOf, type RawRoute } from './operation.ts'
import type { Request } from './request.ts'
import { idOfRef, mayHoldRefs, resolveRefs } from './resolve-refs.ts'
import { HeldRights } from './rights.ts'
import { RolledBack } from './rolled-back.ts'
import { Answered, runSecondStep, type TransactionOptions } from './second-step.ts'

/** The signal of work that is never cancelled. */
const NEVER = new AbortController().signal

/** A request in progress. */
type Call = {
  /** The name of the operation, the route or the job. */
  readonly name: string
  readonly request: Omit<Request, 'input'>
  readonly held: HeldRights
  readonly note: string
}

/** Work for the end of a transaction, and one of its items. */
type Pending<Tables> = { readonly work: AtEnd<Tables, never>; readonly item: unknown }

/** A transaction, the names of the events emitted in it so far, the work for its end, and its change. */
type Transaction<Tables> = Tx<Tables> & {
  readonly events: string[]
  readonly pending: Pending<Tables>[]
  readonly record: ChangeRecord
  readonly changeId: string
  /** The id of the recorded change, '' if nothing has changed; undefined until it is recorded. */
  recorded: string | undefined
  readonly journal: Journal | undefined
}

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
  readonly history: History<Tables>
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
  const { db, features, now, log, onCommit, audit, history } = options
  const reactions = new Map<string, Reaction<Tables>[]>()
  for (const feature of features)
    for (const [event, reaction] of Object.entries(feature.reactions ?? {}))
      reactions.set(event, [...(reactions.get(event) ?? []), reaction])

  type Work<T> = (ctx: KernelCtx<Tables>) => Promise<T>
  /** The last step of a transaction. @param changeId '' if nothing has changed */
  type Done<T> = (made: T, ctx: KernelCtx<Tables>, tx: Tx<Tables>, changeId: string) => Promise<void>

  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  const callOf = (op: AnyOperation, request: Omit<Request, 'input'>, note = ''): Call => {
    const check = (caller: Caller): void => {
      refuseFeedKey(caller)
      checkAccess(op.access, caller)
      checkConsent(op, caller)
    }
    return { name: op.name, request, held: new HeldRights(request, check), note }
  }

  const transact = async <T>(call: Call, work: Work<T>, done?: Done<T>, given: TransactionOptions = {}): Promise<T> => {
    const { request, held } = call
    const { watched, ...options } = given
    const { value, tx } = await held.tried((isFirst) =>
      db.write((plain) => {
        const { tx: inner, journal } = watched
          ? journaled(plain, { ...watched, sql: db.sql })
          : { tx: plain, journal: undefined }
        const record = new ChangeRecord()
        const changeId = Bun.randomUUIDv7()
        const own = { events: [], pending: [], record, changeId, recorded: undefined, journal }
        const tx: Transaction<Tables> = { ...inner, ...own }
        const run = async () => {
          const ctx = contextFor(call, tx)
          const value = await work(ctx)
          if (tx.pending.length > 0) await runPending(ctx, tx.pending)
          const recorded = await ctx.recordChange()
          await done?.(value, ctx, inner, recorded)
          return { value, tx }
        }
        // The type of the rights does not depend on the tables.
        return held.within(inner as never, run, isFirst && !options.exclusive)
      }, options),
    )
    onCommit(tx.events)
    if (tx.recorded) request.setHeader?.('X-Change-Id', tx.recorded)
    return value
  }

  /** Writes the change of a transaction, once. */
  const recordOnce = async (
    ctx: KernelCtx<Tables>,
    tx: Transaction<Tables>,
    { name: operation, request: { tool = '' }, note }: Call,
    { undoes, defaultNote = '' }: ChangeDetails,
  ): Promise<string> => {
    if (tx.recorded !== undefined) return tx.recorded
    const items = tx.record.length === 0 ? [] : await tx.record.items()
    tx.recorded = items.length === 0 ? '' : tx.changeId
    const origin = { id: tx.changeId, operation, tool, note: note || defaultNote, undoes: undoes ?? null }
    if (items.length > 0) await history.record(ctx, origin, items)
    return tx.recorded
  }

  /** @param from.readPoint for a call that reads once; a long call or a write must not use it */
  const contextFor = (
    call: Call,
    tx?: Transaction<Tables>,
    { readPoint, past }: { readonly readPoint?: ReadPoint | undefined; readonly past?: Past<Tables> } = {},
  ): KernelCtx<Tables> => {
    const { request, held } = call
    const at = now()
    let text: string | undefined
    const ctx: KernelCtx<Tables> = {
      get caller() {
        return held.caller
      },
      rights: request.rights,
      db: tx?.db ?? past?.db ?? db.read,
      store: past?.store ?? (readPoint ? { ...db, ...readPoint } : db),
      readPoint: request.readPoint,
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
      emit: async (event, data) => {
        // A reaction declares the data type of its event, and the emitter is the only code that creates that data.
        for (const reaction of reactions.get(event) ?? []) await reaction(ctx, data as never)
        tx?.events.push(event)
      },
      changed: (kind, write) => {
        if (tx?.recorded !== undefined) throw new Error('a write after the change of its transaction was recorded')
        tx?.record.add(kind, write)
      },
      changeId: tx?.changeId ?? '',
      changedItems: async () => tx?.record.items() ?? [],
      recordChange: async (details = {}) => (tx ? recordOnce(ctx, tx, call, details) : ''),
      rowChanges: () => tx?.journal?.changes(),
      searchTextChanged: (table, texts) => tx?.searchTextChanged(table, texts),
      atEnd: (work, item) => void tx?.pending.push({ work, item }),
      revision: (tables) => tx?.revision(tables),
      savepoint: async (work) => {
        if (!tx) return work()
        const before = { events: tx.events.length, pending: tx.pending.length, record: tx.record.length }
        try {
          return await tx.savepoint(work)
        } catch (error) {
          // The events of the rolled back savepoint did not happen.
          tx.events.length = before.events
          tx.pending.length = before.pending
          tx.record.truncate(before.record)
          throw error
        }
      },
      require: (permission) => held.require(permission),
      confirmRights: () => held.confirm(tx as never),
      showChanges: async (changes) => {
        if (request.onChanges) await request.onChanges(await changes())
      },
      progress: (done, total) => request.progress?.(done, total),
      precondition: (current) => {
        if (request.ifNoneMatch?.trim() === '*') throw new AppError('PRECONDITION_FAILED', 'The object exists already')
        if (request.ifMatch === undefined) return
        const json = typeof current === 'string' ? current : JSON.stringify(current)
        if (matchesEtag(request.ifMatch, etagOf(json))) return
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

  const answerOf = (handler: Bound<Tables>['handler'], ctx: KernelCtx<Tables>, input: never): Promise<unknown> => {
    if (typeof handler === 'function') return handler(ctx, input)
    if ('run' in handler) return handler.run(ctx, input)
    throw new Error('a read has one step')
  }

  const runRead = async ({ op, handler }: Bound<Tables>, request: Request): Promise<unknown> => {
    const call = callOf(op, request)
    const { own, fields } = inputOf(op, request.input)
    let ctx = contextFor(call, undefined, { readPoint: request.readPoint })
    if (fields.asOf !== undefined) {
      const past = await history.past(ctx, fields.asOf)
      request.setHeader?.('X-As-Of', past.at)
      ctx = contextFor(call, undefined, { past })
    }
    // Most calls hold no refs, and take no turn of the event loop for them.
    if (!mayHoldRefs(op.input, own)) return answerOf(handler, ctx, own)
    const input = await resolveRefs(ctx, op.input, own)
    const answer = await answerOf(handler, ctx, input)
    return answer instanceof JsonList ? answer.of(JSON.stringify(input)) : answer
  }

  type RunWrite = {
    readonly bound: Bound<Tables>
    readonly call: Call
    /** The handler's own input. */
    readonly own: never
    /** Called with the handler's result, in its transaction if there was one. */
    readonly done: (made: unknown, ctx?: KernelCtx<Tables>, tx?: Tx<Tables>, changeId?: string) => Promise<void>
  }

  const runWrite = async ({ bound: { op, handler }, call, own, done }: RunWrite): Promise<unknown> => {
    const turn = op.serializeBy?.(own)
    const shared = turn === undefined ? undefined : { serializeBy: `${op.name} ${turn}` }
    const inTransaction = (work: Work<unknown>, options: TransactionOptions | undefined = shared) =>
      transact(call, work, done, options)
    if ('run' in handler)
      return inTransaction((ctx) => handler.run(ctx, own), await handler.transaction(contextFor(call), own))
    if ('prepare' in handler) {
      const second = await handler.prepare(contextFor(call), own)
      if (!(second instanceof Answered)) return runSecondStep(second, inTransaction)
      await done(second.value)
      return second.value
    }
    if (!op.hasOwnTransactions) return inTransaction((ctx) => handler(ctx, own))
    const made = await handler(contextFor(call), own)
    await done(made)
    return made
  }

  /** Runs a write and rolls it back. Returns its answer, or the objects that it would change. */
  const runDry = async (run: Omit<RunWrite, 'done'>, dryRun: HistoryFields['dryRun']): Promise<unknown> => {
    const done: RunWrite['done'] = async (made, ctx, _tx, changeId = '') => {
      if (!ctx) throw new Error(`${run.bound.op.name} is not a single transaction, so it cannot be rolled back`)
      const value = made instanceof WithStatus ? made.value : made
      const isPreview = dryRun === 'changes' || value === undefined || run.bound.op.answersChange
      throw new RolledBack(isPreview ? await history.preview(ctx, changeId) : value)
    }
    try {
      return await runWrite({ ...run, done })
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error
      run.call.request.setHeader?.('X-Dry-Run', 'true')
      return new WithStatus(200, error.value, true)
    }
  }

  type Audit = { readonly bound: Bound<Tables>; readonly request: Request; readonly audited: AuditedCall }

  /** @param step replaces the input of the request */
  const runAudited = async ({ bound, request, audited }: Audit, step?: Step): Promise<unknown> => {
    let input = step ? step.input : request.input
    const event = (made?: unknown) => eventOf(audited, request, subjectOf(bound.op, input, made))
    // An invalid input is no call in earnest either.
    const isDry = bound.op.keeps === true && asksForDryRun(input)
    try {
      const access = callOf(bound.op, request)
      if (step?.refusal) throw step.refusal
      if (mayHoldRefs(bound.op.input, input)) input = await resolveRefs(contextFor(access), bound.op.input, input)
      const { own, fields } = inputOf(bound.op, input)
      const call = { ...access, note: fields.note }
      if (isDry && bound.op.handlesDryRun) request.setHeader?.('X-Dry-Run', 'true')
      if (fields.dryRun !== false) return await runDry({ bound, call, own }, fields.dryRun)
      const done: RunWrite['done'] = async (made, _ctx, tx, changeId) => {
        if (made instanceof WithStatus && made.isDryRun) return
        await audit.succeeded({ ...event(made), changeId: changeId ?? '' }, tx)
      }
      return await runWrite({ bound, call, own, done })
    } catch (error) {
      if (bound.op.handlesDryRun && error instanceof RolledBack) return new WithStatus(200, error.value, true)
      if (step?.isExpected(error)) throw error
      // A dry run leaves no entry, except for a refusal for want of rights.
      if (!isDry || (error instanceof AppError && (error.status === 401 || error.status === 403)))
        await audit.failed(event(), error)
      throw error
    }
  }

  const runByRef = async (update: Audit, byRef: ByRef): Promise<unknown> => {
    const { bound, request } = update
    const noun = nounOf(bound.op)
    const create = features.flatMap(({ operations }) => operations).find(({ op }) => op.name === `${noun}.create`)
    const audited = create && auditedAs(create.op)
    if (!create || !audited) throw new Error(`${noun} has no create`)
    // The two calls check the access.
    const ctx = contextFor({ name: bound.op.name, request, held: new HeldRights(request), note: '' })
    return updateOrCreate(byRef, {
      ifMatch: request.ifMatch,
      find: () => idOfRef(ctx, noun, byRef.ref),
      update: (step) => runAudited(update, step),
      create: async (step) => {
        const made = await runAudited({ bound: create, request, audited }, step)
        return made instanceof WithStatus ? made : new WithStatus(create.op.status ?? 200, made)
      },
    })
  }

  return {
    over: (other) => createKernel({ ...options, ...other }),
    run: (bound, request) => {
      const audited = auditedAs(bound.op)
      if (!audited) return runRead(bound, request)
      const byRef = byRefOf(bound.op, request.input)
      const call = { bound, request, audited }
      return byRef ? runByRef(call, byRef) : runAudited(call)
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
      const ctx = contextFor({ name: job.name, request, held: new HeldRights(request), note: '' })
      await job.run(fence ? fenced(ctx, fence) : ctx)
    },
    runRaw: async ({ route, handler }, request, raw) => {
      const call = rawAuditOf(audit, route, request)
      try {
        const held = new HeldRights(request, (caller) => checkAccess(route.access, caller))
        return await handler(contextFor({ name: route.name, request, held, note: '' }), raw, call)
      } catch (error) {
        await call.failed(error)
        throw error
      }
    },
  }
}
