/** Runs reads: of the present or of an earlier moment, of the whole estate or of a part of it. */

import { AppError } from '../../contract/errors.ts'
import { isProposalMoment } from '../../contract/fields/history-fields.ts'
import type { Db, ReadPoint } from '../../database/database.ts'
import type { ContextFor } from '../call-context.ts'
import type { ScopeFilter } from '../caller.ts'
import type { History } from '../changes/history.ts'
import { mayHoldRefs, resolveRefs } from '../changes/resolve-refs.ts'
import type { Bound, KernelCtx } from '../context.ts'
import { JsonList } from '../handler-result.ts'
import type { AnyOperation } from '../operation.ts'
import { parseInput } from '../parse-input.ts'
import type { Request } from '../request.ts'
import { checkAccess, computeLimit, limitOfAnswer, listHidden } from '../rights/access.ts'
import type { ScopeEnforcer } from '../rights/scope-enforcer.ts'
import { runHandler } from './call-operation.ts'
import type { Call } from './transaction.ts'

type ScopedCall = Call & { readonly scopeFilter: ScopeFilter }

type Options<Tables> = {
  readonly db: Db<Tables>
  readonly history: Pick<History<Tables>, 'past'>
  readonly getAreasOrThrow: () => ScopeEnforcer<Tables>
  readonly contextFor: ContextFor<Tables>
  /** @throws AppError UNAUTHORIZED or FORBIDDEN */
  readonly buildCall: (op: AnyOperation, request: Omit<Request, 'input'>) => Call
}

type Reads<Tables> = {
  readonly runRead: (bound: Bound<Tables>, request: Request) => Promise<unknown>
  readonly createScopedContext: (call: ScopedCall, readPoint: ReadPoint | undefined) => KernelCtx<Tables>
}

/** @throws AppError FORBIDDEN for the estate as a proposal would leave it, without the permission to read proposals */
const checkMoment = ({ held }: Call, asOf: string): void => {
  // The proposals limit a caller who has it in a part of the estate.
  if (isProposalMoment(asOf)) checkAccess('proposals:read', held.caller, 'custom')
}

export const createReads = <Tables>({
  db,
  history,
  getAreasOrThrow,
  contextFor,
  buildCall,
}: Options<Tables>): Reads<Tables> => {
  const runRead = async (bound: Bound<Tables>, request: Request): Promise<unknown> => {
    const { op } = bound
    const call = buildCall(op, request)
    const { own, fields } = parseInput(op, request.input)
    const scopeFilter = limitOfAnswer(op, call.held.caller)
    if (scopeFilter && op.scope !== 'custom') return runScoped(bound, { ...call, scopeFilter }, { own, fields })
    let ctx = contextFor(call, undefined, { readPoint: request.readPoint })
    if (fields.asOf !== undefined) {
      checkMoment(call, fields.asOf)
      const past = await history.past(ctx, fields.asOf)
      request.setHeader?.('X-As-Of', past.at)
      ctx = contextFor(call, undefined, { past })
    }
    // Most calls hold no refs, and take no turn of the event loop for them.
    if (!mayHoldRefs(op.input, own)) return runHandler(ctx, bound, own)
    const input = await resolveRefs(
      scopeFilter ? createScopedContext({ ...call, scopeFilter }, request.readPoint) : ctx,
      op.input,
      own,
    )
    const answer = await runHandler(ctx, bound, input)
    return answer instanceof JsonList ? answer.of(JSON.stringify(input)) : answer
  }

  const createScopedContext = (call: ScopedCall, readPoint: ReadPoint | undefined): KernelCtx<Tables> => {
    const whole = readPoint ? db.at(readPoint) : db
    return contextFor(call, undefined, {
      readPoint,
      scoped: getAreasOrThrow().openScopedDb(whole, call.held.caller, call.scopeFilter),
    })
  }

  type Input = ReturnType<typeof parseInput>

  /** Returns the context of a scoped read at an earlier moment. */
  const pastFor = async (call: ScopedCall, asOf: string, whole: KernelCtx<Tables>): Promise<KernelCtx<Tables>> => {
    const past = await history.past(whole, asOf, listHidden(call.scopeFilter))
    call.request.setHeader?.('X-As-Of', past.at)
    return contextFor(call, undefined, { past, unscopedPast: await history.past(whole, asOf) })
  }

  /** Runs a read for a caller who may see a part of its answer. */
  const runScoped = async (bound: Bound<Tables>, call: ScopedCall, { own, fields }: Input): Promise<unknown> => {
    const { op } = bound
    // The past has no areas.
    if (fields.asOf !== undefined && call.held.caller.scopedPermissions)
      throw new AppError('FORBIDDEN', 'as_of needs the permission everywhere; you have it in a part of the estate')
    if (fields.asOf !== undefined) checkMoment(call, fields.asOf)
    const { readPoint } = call.request
    const whole = contextFor(call, undefined, { readPoint })
    let narrowed: KernelCtx<Tables> | undefined
    const part = (): KernelCtx<Tables> => (narrowed ??= createScopedContext(call, readPoint))
    // The object in the path only needs the permission of the operation.
    const scopeFilter = computeLimit(op, call.held.caller)
    const named =
      scopeFilter && scopeFilter !== call.scopeFilter
        ? () => createScopedContext({ ...call, scopeFilter }, readPoint)
        : part
    const input = mayHoldRefs(op.input, own) ? await resolveRefs(scopeFilter ? named() : whole, op.input, own) : own
    if (scopeFilter) await getAreasOrThrow().requireVisible({ unscoped: whole, scoped: named, scopeFilter }, op, input)
    const isWhole = op.scope === 'checkPath' && !call.scopeFilter.byResource
    const ctx = fields.asOf === undefined ? (isWhole ? whole : part()) : await pastFor(call, fields.asOf, whole)
    const answer = await runHandler(ctx, bound, input)
    return answer instanceof JsonList && input !== own ? answer.of(JSON.stringify(input)) : answer
  }

  return { runRead, createScopedContext }
}
