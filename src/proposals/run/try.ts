/** Tries the operations of a proposal in a transaction that is rolled back. */

import { AppError, invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { trialState } from '../../inventory/spaces/store.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Prepared } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Request } from '../../kernel/request.ts'
import { findAccount } from '../../people/users/account.ts'
import type { Means } from '../means.ts'
import * as store from '../store.ts'
import type { RunOutcome, StoredOperation } from './effect.ts'
import { toTrier } from './rights-to-try.ts'
import { RUN_LIMITS, runOperations, TooManyEffects } from './run.ts'

export type Trial = {
  /** The proposal that operations are tried for. Its id decides the ids of new objects. */
  readonly of: Pick<store.StoredProposal, 'id' | 'author_id' | 'author'>
  /** The row as it was read before; undefined for a proposal that is not stored. */
  readonly row?: store.StoredProposal | undefined
  /** Returns the operations. @param row locked, and the present one; undefined for a proposal that is not stored */
  readonly operations: (row: store.StoredProposal | undefined) => readonly StoredOperation[]
  /** The operations that the caller writes now, with the own rights to try. */
  readonly isOwn?: (operation: string, row: store.StoredProposal | undefined) => boolean
  /** Reads more out of the transaction before it is rolled back. */
  readonly finish?: ((tx: Ctx, outcome: RunOutcome) => Promise<unknown>) | undefined
}

export type Ran = {
  readonly outcome: RunOutcome
  readonly operations: readonly StoredOperation[]
  /** The row that was locked. */
  readonly row: store.StoredProposal | undefined
  /** The result of `finish`. */
  readonly value: unknown
}

/** Returns the request of a caller who tries work. */
const toRequest = ({ requestId, client, signal }: Ctx, caller: Caller): Omit<Request, 'input'> => ({
  ...{ caller, requestId, client, signal },
})

/** Returns the author with the rights to try; undefined for a user who is gone or inactive. */
const findAuthor = async (ctx: Ctx, userId: string): Promise<Caller | undefined> => {
  const account = await findAccount({ db: ctx.store.read }, userId)
  if (!account?.isActive) return undefined
  const { username, permissions, scopedPermissions } = account
  const rights = { permissions, ...(scopedPermissions && { scopedPermissions }) }
  return toTrier({ userId, username, via: 'session', credentialId: undefined, ...rights }, rights)
}

/** Prepares the operations that read no state, before the transaction. A refusal is left to the run, which prepares again. */
export const prepareAll = async (
  { kernel, bounds }: Means,
  ctx: Ctx,
  { operations, caller = ctx.caller }: { readonly operations: readonly StoredOperation[]; readonly caller?: Caller },
): Promise<Map<string, Prepared<Tables>>> => {
  const prepared = new Map<string, Prepared<Tables>>()
  const { prepare } = kernel()
  const request = toRequest(ctx, caller)
  for (const { id, operation, input } of operations) {
    const bound = bounds.get(operation)
    const step = bound && (await prepare(bound, request, input).catch(() => undefined))
    if (step) prepared.set(id, step)
  }
  return prepared
}

/**
 * Runs the operations with the rights to try: of the caller for the caller's own operations, of the author for the others.
 * @throws AppError, also VALIDATION_ERROR on `state` if the author is gone
 */
export const tryOperations = async (means: Means, ctx: Ctx, trial: Trial): Promise<Ran> => {
  const { of, row: before, isOwn, finish } = trial
  const { caller } = ctx
  const own = toTrier(caller, caller)
  // A key may have less than its user.
  const isAuthor = caller.userId === of.author_id && caller.via === 'session'
  const author = isAuthor || !before ? own : await findAuthor(ctx, of.author_id)
  if (!author) throw invalidField('state', 'the author of the proposal is gone or inactive, so that it cannot be run')
  const prepared = await prepareAll(means, ctx, { operations: trial.operations(before), caller: author })
  const run = async (tx: Ctx): Promise<Ran> => {
    const row = before && (await store.lock(tx, before.seq))
    const operations = trial.operations(row)
    tx.local(trialState).isTrial = true
    const outcome = await runOperations(tx, {
      ...{ seed: of.id, author: of.author, operations, bounds: means.bounds },
      ...(row?.version === before?.version && { prepared }),
      callerFor: (id) => (isOwn?.(id, row) ? own : author),
    })
    return { outcome, operations, row, value: await finish?.(tx, outcome) }
  }
  try {
    return await means.kernel().trial(toRequest(ctx, caller), run, RUN_LIMITS)
  } catch (error) {
    if (!(error instanceof TooManyEffects)) throw error
    const most = RUN_LIMITS.maxObjects
    throw new AppError('INVALID_INPUT', `This would change more than ${most} objects; propose it in parts`)
  }
}
