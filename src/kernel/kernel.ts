/**
 * Runs operations. `run` is the only entry, for HTTP, MCP and jobs alike: access, parse, transaction, handler, events,
 * audit entry, commit. Nothing else checks permissions, opens a transaction, emits events or writes to the audit trail.
 */

import type { Logger } from '../base/runtime/log.ts'
import { canPropose } from '../contract/can-propose.ts'
import { AppError } from '../contract/errors.ts'
import { asksForDryRun, asksForProposal, readProposal } from '../contract/fields/history-fields.ts'
import type { Db, Tx } from '../database/database.ts'
import { createContexts } from './call-context.ts'
import { type Caller, GUEST } from './caller.ts'
import { type Attempt, createAttempt } from './changes/attempt.ts'
import {
  type AuditSink,
  buildEvent,
  buildRefusal,
  buildSubject,
  createRawAudit,
  getAuditedCall,
  NO_AUDIT,
} from './changes/audit.ts'
import { ChangeRecord, type PlanLimits } from './changes/change-record.ts'
import type { History } from './changes/history.ts'
import { prepareOnce, withIdempotencyKey } from './changes/idempotency.ts'
import { LockOrder } from './changes/locks.ts'
import { NO_PROPOSALS, type Proposals } from './changes/proposals.ts'
import { mayHoldRefs, resolveRefs } from './changes/resolve-refs.ts'
import { catchRolledBack, RolledBack, runRolledBack } from './changes/rolled-back.ts'
import type { Bound, BoundRaw, Feature, InTransaction, Job, KernelCtx, Prepared } from './context.ts'
import type { EventRecorder } from './event-recorder.ts'
import { addFence, type Fence } from './fence.ts'
import { WithStatus } from './handler-result.ts'
import { type AnyOperation, isCheckedWrite, type RawRoute } from './operation.ts'
import { parseInput } from './parse-input.ts'
import { Answered, runPreparedStep, type TransactionOptions } from './prepared-handler.ts'
import { copyRequest, type RawRequest, type Request } from './request.ts'
import { checkCaller, checkConsent, limitOfAnswer, offerProposal, refuseFeedKey } from './rights/access.ts'
import { HeldRights } from './rights/rights.ts'
import type { ScopeEnforcer } from './rights/scope-enforcer.ts'
import { getGuardedInput, ROUTE_INPUT } from './rights/scoped-write.ts'
import { type ByRef, createGetCreate, parseByRef, type Step, updateOrCreate } from './run/create-by-ref.ts'
import { createReads } from './run/run-read.ts'
import {
  type Call,
  createFollow,
  createUpdateAreas,
  type Done,
  type Reaction,
  runPending,
  type Transaction,
  toLimitedWrite,
} from './run/transaction.ts'

/** The signal of work that is never cancelled. */
const NEVER = new AbortController().signal

/** The name of transactions in which a proposal is tried. */
const TRIAL = 'proposals.try'

export type KernelOptions<Tables> = {
  readonly db: Db<Tables>
  readonly features: readonly Feature<Tables>[]
  readonly now: () => Date
  readonly log: Logger
  /** Called after the commit of every transaction with the emitted event names. */
  readonly onCommit: (events: readonly string[]) => void
  readonly audit: AuditSink<Tx<Tables>>
  readonly history: History<Tables>
  readonly events: EventRecorder<Tables>
  readonly areas?: ScopeEnforcer<Tables>
  readonly proposals?: Proposals<Tables>
  /** For tests: a lock out of the order of `locks.ts` throws. */
  readonly checksLockOrder?: boolean
}

/** The signal that stops a job, the fence that guards its writes, and the fault of this clock. */
export type JobTerms<Tables> = Pick<Request, 'aheadMs'> & {
  readonly signal?: AbortSignal
  readonly fence?: Fence<Tables>
}

export type Kernel<Tables> = {
  /** Returns a kernel of the same features with other options, such as another view of the database. */
  readonly over: (other: Partial<Omit<KernelOptions<Tables>, 'features'>>) => Kernel<Tables>
  readonly run: (bound: Bound<Tables>, request: Request) => Promise<unknown>
  /** Returns the request with its caller's current rights. @throws AppError UNAUTHORIZED, FORBIDDEN */
  readonly confirmed: <R extends Omit<Request, 'input'>>(op: AnyOperation, request: R) => Promise<R>
  /**
   * Runs work in a transaction that is rolled back, and returns its result. No policy, event, change or audit entry follows from it.
   * @param work calls operations by `ctx.call`; the rights of the caller are not confirmed
   */
  readonly trial: <T>(request: Omit<Request, 'input'>, work: InTransaction<Tables, T>, limits: PlanLimits) => Promise<T>
  /** Runs the first step of a write that reads nothing but its input. @returns undefined for any other write */
  readonly prepare: (
    bound: Bound<Tables>,
    request: Omit<Request, 'input'>,
    input: unknown,
  ) => Promise<Prepared<Tables> | undefined>
  /** Runs a short transaction for a caller who may call the operation. */
  readonly write: <T>(op: AnyOperation, request: Omit<Request, 'input'>, work: InTransaction<Tables, T>) => Promise<T>
  /** Records in the audit trail that a call was rejected before it ran, with the reason. */
  readonly refused: (called: AnyOperation | RawRoute, request: Request, error: unknown) => Promise<void>
  readonly runJob: (job: Job<Tables>, terms?: JobTerms<Tables>) => Promise<void>
  readonly runRaw: (bound: BoundRaw<Tables>, request: RawRequest, raw: globalThis.Request) => Promise<Response>
}

export const createKernel = <Tables>(options: KernelOptions<Tables>): Kernel<Tables> => {
  const { db, features, now, log, onCommit, audit, history, events, areas, checksLockOrder } = options
  const { proposals = NO_PROPOSALS } = options
  const reactions = new Map<string, Reaction<Tables>[]>()
  for (const feature of features)
    for (const [event, reaction] of Object.entries(feature.reactions ?? {}))
      reactions.set(event, [...(reactions.get(event) ?? []), reaction])

  type Work<T> = (ctx: KernelCtx<Tables>) => Promise<T>

  const getAreasOrThrow = (): ScopeEnforcer<Tables> => {
    if (!areas) throw new Error('this kernel has no scopes')
    return areas
  }

  const nowMs = (): number => now().getTime()

  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  const checkCall = (op: AnyOperation, caller: Caller): void => {
    refuseFeedKey(caller)
    checkCaller(op, caller, nowMs)
    checkConsent(op, caller)
  }

  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  const buildCall = (op: AnyOperation, request: Omit<Request, 'input'>, note = ''): Call => {
    const scope = isCheckedWrite(op.scope) ? op.scope : undefined
    const held = new HeldRights(request, (caller) => checkCall(op, caller), scope)
    return { name: op.name, request, held, note, canBeProposed: canPropose(op) }
  }

  const transact = async <T>(
    call: Call,
    work: Work<T>,
    done?: Done<Tables, T>,
    { plan, attempt, ...options }: TransactionOptions = {},
  ): Promise<T> => {
    const { request, held } = call
    const { value, tx } = await held.tried((isFirst) =>
      db.write((inner) => {
        const record = new ChangeRecord(plan)
        const changeId = Bun.randomUUIDv7()
        const lists = { events: [], announced: [], pending: [] }
        const numbers = { followed: 0, placed: 0, ran: 0 }
        const order = checksLockOrder ? new LockOrder() : undefined
        const state = { record, changeId, recorded: undefined, root: call, details: {}, order }
        const tx: Transaction<Tables> = { ...inner, ...lists, ...numbers, ...state }
        const run = async () => {
          const ctx = contextFor(call, tx)
          const whole = async (): Promise<T> => {
            const value = await work(ctx)
            await follow(ctx, tx)
            await runPending(ctx, tx)
            return value
          }
          await areas?.begin(ctx, { name: call.name, isFirst, guard: inner.guard })
          const write = toLimitedWrite(call)
          const checked = async (): Promise<T> => {
            const value = write ? await getAreasOrThrow().checkScope(ctx, write, whole) : await whole()
            await updateAreas(ctx, tx)
            return value
          }
          const checkRepeat = async () => write && getAreasOrThrow().checkRepeat(ctx, write)
          const value = await (attempt ? withIdempotencyKey(ctx, attempt, { work: checked, checkRepeat }) : checked())
          const recorded = await ctx.commitChange()
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

  const getCreate = createGetCreate(features)
  const follow = createFollow(features)
  const updateAreas = createUpdateAreas(areas)
  const listeners = features.filter(({ onFirstChange, onObjectsChanged }) => onFirstChange ?? onObjectsChanged)
  const contextFor = createContexts<Tables>({
    ...{ db, now, log, history, events, proposals, features: listeners, follow, areas, reactions },
    ...{ transact, checkCall, getCreate },
  })

  const { runRead, createScopedContext } = createReads({ db, history, getAreasOrThrow, contextFor, buildCall })

  type RunWrite = {
    readonly bound: Bound<Tables>
    readonly call: Call
    /** The handler's own input. */
    readonly own: never
    /** Called with the handler's result, in its transaction if there was one. */
    readonly done: (made: unknown, ctx?: KernelCtx<Tables>, tx?: Tx<Tables>, changeId?: string) => Promise<void>
    readonly attempt?: Attempt | undefined
  }

  /** Checks the input of a write before work without a transaction. */
  const checkInput = async (call: Call): Promise<void> => {
    const write = toLimitedWrite(call)
    if (write) await getAreasOrThrow().checkInput(contextFor(call), write)
  }

  const runWrite = async ({ bound: { op, handler }, call, own, done, attempt }: RunWrite): Promise<unknown> => {
    const turn = op.serializeBy?.(own)
    const shared = turn === undefined ? undefined : { serializeBy: `${op.name} ${turn}` }
    const inTransaction = (work: Work<unknown>, options: TransactionOptions | undefined = shared) =>
      transact(call, work, done, attempt ? { ...options, attempt } : options)
    if ('run' in handler)
      return inTransaction((ctx) => handler.run(ctx, own), await handler.transaction(contextFor(call), own))
    if ('prepare' in handler) {
      const second = await prepareOnce(contextFor(call), attempt, async () => {
        await checkInput(call)
        return handler.prepare(contextFor(call), own)
      })
      if (!(second instanceof Answered)) return runPreparedStep(second, inTransaction, call.isDry)
      if (attempt) return inTransaction(async () => second.value)
      await done(second.value)
      return second.value
    }
    if (!op.hasOwnTransactions) return inTransaction((ctx) => handler(ctx, own))
    await checkInput(call)
    const made = await handler(contextFor(call), own)
    await done(made)
    return made
  }

  /** @param step replaces the input of the request */
  const runAudited = async (bound: Bound<Tables>, request: Request, step?: Step): Promise<unknown> => {
    const audited = getAuditedCall(bound.op)
    if (!audited) throw new Error(`${bound.op.name} is no write`)
    let input = step ? step.input : request.input
    const trail = bound.op.skipsAudit ? NO_AUDIT : audit
    const event = (made?: unknown) => buildEvent(audited, request, buildSubject(bound.op, input, made))
    // An invalid input is no call in earnest either.
    const isDry = bound.op.hasHistory === true && asksForDryRun(input)
    try {
      const access = buildCall(bound.op, request)
      if (step?.refusal) throw step.refusal
      const given = input
      if (mayHoldRefs(bound.op.input, input)) input = await resolveRefs(contextFor(access), bound.op.input, input)
      const { own, fields } = parseInput(bound.op, input)
      const scopedInput = getGuardedInput(bound.op, own, given)
      const call: Call = { ...access, note: fields.note, scopedInput, isDry, ids: request.ids }
      if (isDry && bound.op.handlesDryRun) request.setHeader?.('X-Dry-Run', 'true')
      if (fields.dryRun !== false) {
        const run = (done: RunWrite['done']) => runWrite({ bound, call, own, done })
        return await runRolledBack({ op: bound.op, request, dryRun: fields.dryRun, preview: history.preview, run })
      }
      const done: RunWrite['done'] = async (made, _ctx, tx, changeId) => {
        if (made instanceof WithStatus && made.isDryRun) return
        await trail.succeeded({ ...event(made), changeId: changeId ?? '' }, tx)
      }
      const onRepeat = (changeId: string) => request.setHeader?.('X-Change-Id', changeId)
      // A dry run uses up no key, and a plan can be applied once.
      const key = isDry || request.ids ? undefined : fields.idempotencyKey
      // A ref may mean nothing more, after the work.
      const inputs = key === undefined || input === given ? [own] : [parseInput(bound.op, given).own, own]
      const { name: operation, isLong, answersSecret: isSecret } = bound.op
      const attempt = createAttempt({ operation, key, inputs, isLong, isSecret, onRepeat })
      return await runWrite({ bound, call, own, done, attempt })
    } catch (error) {
      if (bound.op.handlesDryRun && error instanceof RolledBack) return new WithStatus(200, error.value, true)
      if (step?.isExpected(error)) throw error
      // A dry run leaves no entry, except for a refusal for want of rights.
      if (!isDry || (error instanceof AppError && (error.status === 401 || error.status === 403)))
        await trail.failed(event(), error)
      throw offerProposal(bound.op, request.caller, error)
    }
  }

  /** Runs an update by a ref: as the update of the object that has the ref, or as the create of its noun. The two calls check the access. */
  const runByRef = (update: Bound<Tables>, request: Request, byRef: ByRef): Promise<unknown> => {
    const scopedInput = getGuardedInput(update.op, {}, {})
    const ctx = contextFor({ name: update.op.name, request, held: new HeldRights(request), note: '', scopedInput })
    const run = (bound: Bound<Tables>, step: Step) => runAudited(bound, request, step)
    return updateOrCreate(byRef, { ctx, ifMatch: request.ifMatch, update, create: getCreate(update.op), run })
  }

  const propose = async (bound: Bound<Tables>, request: Request): Promise<unknown> => {
    const setHeader: Request['setHeader'] = (name, value) => request.setHeader?.(name, value)
    return proposals.add(
      bound,
      { ...copyRequest(request), setHeader, input: request.input },
      readProposal(request.input),
    )
  }

  const run = (bound: Bound<Tables>, request: Request): Promise<unknown> => {
    if (canPropose(bound.op) && asksForProposal(request.input)) return propose(bound, request)
    if (!getAuditedCall(bound.op)) return runRead(bound, request)
    const byRef = parseByRef(bound.op, request.input)
    return byRef ? runByRef(bound, request, byRef) : runAudited(bound, request)
  }

  return {
    over: (other) => createKernel({ ...options, ...other }),
    run,
    trial: async <T>(request: Omit<Request, 'input'>, work: InTransaction<Tables, T>, limits: PlanLimits) => {
      const { caller } = request
      const held = new HeldRights({ caller })
      const call: Call = { name: TRIAL, request: copyRequest(request, caller), held, note: '', isTrial: true }
      return catchRolledBack<[KernelCtx<Tables>], T>((undo) =>
        transact(call, undo(work), undefined, { exclusive: true, plan: limits }),
      )
    },
    prepare: async ({ op, handler }, request, input) => {
      if (!('prepare' in handler && handler.readsNoState)) return undefined
      return handler.prepare(contextFor(buildCall(op, request)), parseInput(op, input).own)
    },
    confirmed: async (op, request) => {
      const { held } = buildCall(op, request)
      await held.confirm()
      return { ...request, caller: held.caller, rights: held.rights }
    },
    write: (op, request, work) => transact(buildCall(op, request), work),
    refused: async (called, request, error) => {
      const event = buildRefusal(called, request, error)
      if (event) await audit.failed(event, error)
    },
    runJob: async (job, { signal = NEVER, fence, aheadMs } = {}) => {
      const caller: Caller = { ...GUEST, username: job.name, via: 'job' }
      const request = { caller, requestId: job.name, signal, ...(aheadMs && { aheadMs }) }
      const ctx = contextFor({ name: job.name, request, held: new HeldRights(request), note: '' })
      await job.run(fence ? addFence(ctx, fence) : ctx)
    },
    runRaw: async ({ route, handler }, request, raw) => {
      const call = createRawAudit(audit, route, request)
      try {
        const held = new HeldRights(request, (caller) => checkCaller(route, caller, nowMs), route.scope)
        const scopedInput = route.scope === 'checkWrite' ? ROUTE_INPUT : undefined
        const own: Call = { name: route.name, request, held, note: '', scopedInput }
        const isNarrowed = route.scope === 'filter' || route.scope === 'filterEach'
        const scopeFilter = isNarrowed ? limitOfAnswer(route, held.caller) : undefined
        const readPoint = route.readsOnce ? request.readPoint : undefined
        const ctx = scopeFilter
          ? createScopedContext({ ...own, scopeFilter }, readPoint)
          : contextFor(own, undefined, { readPoint })
        return await handler(ctx, raw, call, request.target)
      } catch (error) {
        await call.failed(error)
        throw error
      }
    },
  }
}
