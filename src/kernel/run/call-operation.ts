/** Runs an operation inside the transaction of another call, with the access, the rules and the errors that it has by itself. */

import { omitFieldsOfCall } from '../../contract/fields/history-fields.ts'
import { isRecord } from '../../contract/unknown.ts'
import type { Caller } from '../caller.ts'
import type { PlanLimits, PlannedItem } from '../changes/change-record.ts'
import { resolveRefs } from '../changes/resolve-refs.ts'
import type { Bound, CallHow, InTransaction, KernelCtx, Prepared } from '../context.ts'
import { JsonText, WithStatus } from '../handler-result.ts'
import { type AnyOperation, isCheckedWrite } from '../operation.ts'
import { parseInput } from '../parse-input.ts'
import { Answered } from '../prepared-handler.ts'
import { copyRequest } from '../request.ts'
import { getGuardedInput } from '../rights/scoped-write.ts'
import { parseByRef, type Step, updateOrCreate } from './create-by-ref.ts'
import type { Call, Transaction } from './transaction.ts'

type Parent<Tables> = {
  readonly call: Call
  readonly tx: Transaction<Tables>
  readonly ctx: KernelCtx<Tables>
}

type Options<Tables> = {
  readonly contextFor: (call: Call, tx: Transaction<Tables>) => KernelCtx<Tables>
  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  readonly checkCall: (op: AnyOperation, caller: Caller) => void
  readonly getCreate: (op: AnyOperation) => Bound<Tables>
}

export type CallOperation<Tables> = (
  parent: Parent<Tables>,
  bound: Bound<Tables>,
  input: unknown,
  how?: CallHow<Tables>,
) => Promise<unknown>

/** True for an operation that runs in the transaction of another call. */
export const canBeCalled = <Tables>({ op, handler }: Bound<Tables>): boolean =>
  !op.hasOwnTransactions && !('prepare' in handler && !handler.isReadOnly)

/** Runs a handler in the transaction of `ctx`, or a read. @param prepared the result of its first step, if that has run before */
export const runHandler = async <Tables>(
  ctx: KernelCtx<Tables>,
  { handler }: Bound<Tables>,
  own: never,
  prepared?: Prepared<Tables>,
): Promise<unknown> => {
  if (typeof handler === 'function') return handler(ctx, own)
  if ('run' in handler) return handler.run(ctx, own)
  const step = prepared ?? (await handler.prepare(ctx, own))
  if (step instanceof Answered) return step.value
  return typeof step === 'function' ? step(ctx) : step.run(ctx)
}

type Compared<Tables> = {
  readonly limits: PlanLimits
  /** Called in the transaction, before the work. */
  readonly begin: InTransaction<Tables, void>
  /** Called at the end of the transaction, with all that it changes. If it throws, the transaction is rolled back. */
  readonly end: (ctx: KernelCtx<Tables>, items: readonly PlannedItem[]) => Promise<void>
}

/** Returns an operation that compares its changes with changes that were shown. */
export const compareChanges = <Tables>(
  bound: Bound<Tables>,
  { limits, begin, end }: Compared<Tables>,
): Bound<Tables> => {
  const { op, handler } = bound
  if (!canBeCalled(bound)) throw new Error(`${op.name} is not a single transaction`)
  let prepared: Prepared<Tables> | undefined
  return {
    op,
    handler: {
      transaction: async (ctx, own) => {
        if ('prepare' in handler) prepared = await handler.prepare(ctx, own)
        return { exclusive: true, plan: limits }
      },
      run: async (ctx, own) => {
        await begin(ctx)
        const answer = await runHandler(ctx, bound, own, prepared)
        await ctx.settle()
        await end(ctx, (await ctx.plannedItems()) ?? [])
        return answer
      },
    },
  }
}

const unwrap = (answer: unknown): unknown => {
  const value = answer instanceof WithStatus ? answer.value : answer
  // The text is the JSON of an answer.
  return value instanceof JsonText ? (JSON.parse(value.json) as unknown) : value
}

export const createCallOperation = <Tables>({
  contextFor,
  checkCall,
  getCreate,
}: Options<Tables>): CallOperation<Tables> => {
  const buildCall = ({ call, ctx }: Parent<Tables>, op: AnyOperation, how: CallHow<Tables>): Call => {
    const { caller, ids = call.ids, author = call.author } = how
    const scope = isCheckedWrite(op.scope) ? op.scope : undefined
    const held = call.held.nested((one) => checkCall(op, one), scope, caller)
    const request = copyRequest(call.request, caller)
    return { name: op.name, request, held, note: '', now: ctx.now, ids, author }
  }

  const callOnce = async (
    parent: Parent<Tables>,
    bound: Bound<Tables>,
    step: Pick<Step, 'input' | 'refusal'> | { readonly input: unknown; readonly refusal?: undefined },
    how: CallHow<Tables>,
  ): Promise<unknown> => {
    const { op } = bound
    const { tx } = parent
    const call = buildCall(parent, op, how)
    if (step.refusal) throw step.refusal
    const given = isRecord(step.input) ? omitFieldsOfCall(step.input) : step.input
    const { own } = parseInput(op, await resolveRefs(contextFor(call, tx), op.input, given))
    const scopedInput = getGuardedInput(op, own, given)
    const sub = contextFor({ ...call, scopedInput }, tx)
    const work = () => runHandler(sub, bound, own, how.prepared)
    const answer = await sub.savepoint(() => (scopedInput ? sub.checkScope(scopedInput, () => sub.step(work)) : work()))
    const value = unwrap(answer)
    // Nothing is applied by a run that is rolled back.
    return op.handlesDryRun && tx.root.isTrial && isRecord(value) ? { ...value, applied: false, change_id: '' } : value
  }

  return async (parent, bound, input, how = {}) => {
    const { op } = bound
    if (!canBeCalled(bound)) throw new Error(`${op.name} does not run in the transaction of another call`)
    if (how.change) parent.tx.details = { ...parent.tx.details, ...how.change }
    const byRef = parseByRef(op, input)
    if (!byRef) return callOnce(parent, bound, { input }, how)
    const held = parent.call.held.nested(() => {}, undefined, how.caller)
    const { request } = parent.call
    const ctx = contextFor(
      { name: op.name, request, held, note: '', scopedInput: getGuardedInput(op, {}, {}) },
      parent.tx,
    )
    const steps = { ctx, ifMatch: undefined, update: bound, create: getCreate(op) }
    return unwrap(await updateOrCreate(byRef, { ...steps, run: (one, step) => callOnce(parent, one, step, how) }))
  }
}
