/** Merges a proposal: its operations run under the rights of the merger in one transaction, as one change. */
import { AppError, type FieldIssue, notFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { ChangeDetails } from '../../kernel/changes/change-record.ts'
import type { Prepared } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ParsedInputOf } from '../../kernel/operation.ts'
import { describeMoved, detectDrift, toFingerprint } from '../../record/history/effects.ts'
import type { proposals } from '../api.ts'
import { describeProposal } from '../describe.ts'
import { findEffects, removeRecorded } from '../effect-store.ts'
import type { Means } from '../means.ts'
import { parseCounts, sumCounts } from '../review/counts.ts'
import { requireMet } from '../review/requirements.ts'
import { filterSeen, getVisibleOrThrow } from '../review/sight.ts'
import type { RunOutcome } from '../run/effect.ts'
import { RUN_LIMITS, runOperations, TooManyEffects } from '../run/run.ts'
import { prepareAll } from '../run/try.ts'
import type { Proposal } from '../schema.ts'
import * as store from '../store.ts'
import { requireState } from './access.ts'
import { endProposal } from './end.ts'
import { toIssues } from './inputs.ts'
import { runAgain } from './rerun.ts'
import { noteMoved, storeRun } from './store-run.ts'

/** From this number of objects, a merge is a large transaction. SQLite runs each of its statements on another thread, so a merge of one bulk call is none. */
const LARGE_EFFECTS = 2000

/** The refusal of a merge that would do something else than its preview says. */
class MovedError extends AppError {
  constructor(
    readonly outcome: RunOutcome,
    issues: readonly FieldIssue[],
  ) {
    const { words, details } = describeMoved(issues)
    const listed = words === '' ? '' : `: ${words}`
    super('PRECONDITION_FAILED', `Not merged, because the proposal would do something else now${listed}`, { details })
  }
}

/** Compares the effects that the merger sees. */
const createMovedError = async (tx: Ctx, row: store.StoredProposal, outcome: RunOutcome): Promise<MovedError> => {
  const { caller } = tx
  const stored = await findEffects(tx, row.seq)
  const [before = [], now = []] = [stored, outcome.effects].map((all) => filterSeen(caller, all).map(toFingerprint))
  const permissions = new Set([...caller.permissions, ...(caller.scopedPermissions?.keys() ?? [])])
  return new MovedError(outcome, detectDrift(before, now, permissions).issues)
}

/** The refusals that a call by hand would have as well: without rights, and by a limit of calls. */
const PASSED: ReadonlySet<number> = new Set([401, 403, 429])

/** Returns the refusal of an operation as a conflict, which names the operation. */
const toConflict = (refusal: AppError, position: number): AppError =>
  PASSED.has(refusal.status)
    ? refusal
    : new AppError('MERGE_CONFLICT', `Operation ${position + 1} is refused now: ${refusal.message}`, {
        details: toIssues(refusal, position),
        cause: refusal,
      })

type Merge = {
  readonly means: Means
  readonly first: store.StoredProposal
  /** The fingerprint that the caller has seen. */
  readonly fingerprint: string | undefined
  readonly prepared: ReadonlyMap<string, Prepared<Tables>>
}

/** The details of the change, which an undo records before the merge does. */
const getDetails = ({ id, title }: store.StoredProposal): ChangeDetails => ({ proposalId: id, defaultNote: title })

const runAll = async (tx: Ctx, row: store.StoredProposal, { means, first, prepared }: Merge): Promise<RunOutcome> => {
  try {
    return await runOperations(tx, {
      ...{ seed: row.id, author: row.author, operations: store.parseOperations(row), bounds: means.bounds },
      ...(row.version === first.version && { prepared }),
      merge: { details: getDetails(row), toConflict },
    })
  } catch (error) {
    if (!(error instanceof TooManyEffects)) throw error
    throw new AppError('MERGE_CONFLICT', `It would change more than ${RUN_LIMITS.maxObjects} objects now`)
  }
}

const mergeIn = async (tx: Ctx, merge: Merge): Promise<Proposal> => {
  const { means, first, fingerprint } = merge
  const row = await store.lock(tx, first.seq)
  if (!row) throw notFound('proposal', first.id)
  requireState(row, ['open'])
  const outcome = await runAll(tx, row, merge)
  if (outcome.effects.length === 0) throw new AppError('MERGE_CONFLICT', 'The proposal has nothing left to do')
  const { fingerprint: present } = outcome
  if (present !== row.fingerprint || (fingerprint ?? present) !== present)
    throw await createMovedError(tx, row, outcome)
  await requireMet(tx, row, outcome.effects)
  const change = await tx.commitChange(getDetails(row))
  const merged = await endProposal(tx, row, { reason: 'merged', change_id: change === '' ? null : change })
  await removeRecorded(tx, row.seq)
  return describeProposal({ ctx: tx, means }, merged)
}

/** Stores the preview of a merge that found something else, unless the proposal was changed since. */
const storePreview = async (ctx: Ctx, row: store.StoredProposal, { outcome }: MovedError): Promise<void> => {
  if (outcome.fingerprint === row.fingerprint) return
  await storeRun(ctx, { row, operations: store.parseOperations(row), outcome }, { stored: noteMoved })
}

/** True for effects that have the key of a new space: the next one, which another space may be given. */
const createsSpace = ({ outcome }: MovedError): boolean =>
  outcome.effects.some(({ kind, change }) => kind === 'space' && change === 'create')

/** Lets the refusal of the merge stand, if the proposal cannot be run again: it was merged or closed since. */
const ignoreRefusal = (error: unknown): void => {
  if (!(error instanceof AppError)) throw error
}

/** @returns the handler of the merge */
export const mergeHandler = (means: Means) => ({
  isReadOnly: true as const,
  prepare: async (ctx: Ctx, { id, fingerprint }: ParsedInputOf<typeof proposals.merge>) => {
    const { row: first } = await getVisibleOrThrow(ctx, id)
    requireState(first, ['open'])
    const prepared = await prepareAll(means, ctx, { operations: store.parseOperations(first) })
    return {
      run: (tx: Ctx) => mergeIn(tx, { means, first, fingerprint, prepared }),
      options: { exclusive: true, large: sumCounts(parseCounts(first)) >= LARGE_EFFECTS, plan: RUN_LIMITS },
      afterRefusal: async (error: unknown): Promise<void> => {
        if (!(error instanceof MovedError)) return
        await storePreview(ctx, first, error)
        if (createsSpace(error)) await runAgain(means, ctx, first).catch(ignoreRefusal)
      },
    }
  },
})
