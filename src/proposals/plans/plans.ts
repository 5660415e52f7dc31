/** The rules of plans: applying a plan executes it if its changes still equal the shown ones exactly. */

import { formatSummary } from '../../contract/change-summary.ts'
import { AppError, type FieldIssue, invalid, notFound } from '../../contract/errors.ts'
import { formatImpactSummary, type ImpactCounts } from '../../contract/impact-summary.ts'
import { isObject } from '../../contract/unknown.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import { NO_AUDIT } from '../../kernel/changes/audit.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import { createNewIds } from '../../kernel/changes/new-ids.ts'
import { catchRolledBack } from '../../kernel/changes/rolled-back.ts'
import type { Bound } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listPermissions } from '../../kernel/operation.ts'
import type { Request, ShownChanges } from '../../kernel/request.ts'
import { canBeCalled, compareChanges } from '../../kernel/run/call-operation.ts'
import { runInTurn } from '../../kernel/turn.ts'
import {
  countEffects,
  describeMoved,
  detectDrift,
  MOST_OBJECTS,
  selectShown,
  toFingerprint,
} from '../../record/history/effects.ts'
import type { Plans } from '../../surfaces/mcp/call.ts'
import { needsPlan } from '../../surfaces/mcp/tools.ts'
import { proposals } from '../api.ts'
import { findEffects, replaceEffects } from '../effect-store.ts'
import { createOperation } from '../operations/store-run.ts'
import * as store from '../store.ts'
import { type Observed, observe, observeLast } from './observed.ts'
import { countPlannedImpact } from './plan-impact.ts'
import * as planStore from './plan-store.ts'

export const PLAN_MS = 5 * 60 * 1000
/** The number of plans stored for a user; beyond it the oldest are deleted. */
export const MOST_PLANS = 20
/** The number of objects of one kind and type of change that a plan lists; it counts the others. */
const SHOWN_OF_A_KIND = 20
/** The largest number of new ids of one kind in an answer. */
const MOST_CREATED = 1000
/** The number of failed items that are named; the others are counted. */
const MOST_NAMED = 20

const TOO_MANY = `This would change more than ${MOST_OBJECTS} objects, too many to review; do it in parts`
const LIMITS = {
  maxObjects: MOST_OBJECTS,
  tooMany: (): never => {
    throw new AppError('INVALID_INPUT', TOO_MANY)
  },
}

/** Returns the client that a plan is bound to besides its user: other keys and clients of the user have not seen it. */
const formatClient = ({ client, via, credentialId = '' }: Caller): string =>
  client ? `client:${client.id}` : `${via}:${credentialId}`

/** Returns the failed items of an answer that reports each item, or only the failed ones. */
const listFailures = (answer: unknown): readonly unknown[] => {
  if (!isObject(answer)) return []
  if (Array.isArray(answer.failed)) return answer.failed
  const results = Array.isArray(answer.results) ? answer.results : []
  return results.filter((one) => isObject(one) && one.status === 'failed')
}

/** If the caller may read none of the moved objects, the error says only that the plan is out of date. */
const buildMovedError = (issues: readonly FieldIssue[]): AppError => {
  if (issues.length === 0)
    return new AppError('PRECONDITION_FAILED', 'Not applied: the plan is out of date. Make a new plan')
  const { words, details } = describeMoved(issues)
  return new AppError('PRECONDITION_FAILED', `Not applied, because things have moved: ${words}. Make a new plan`, {
    details,
  })
}

const describeChanges = ({ seen, permissions }: Observed, { op }: Pick<Bound<Tables>, 'op'>) => {
  const counts = countEffects(seen, { permissions, needed: listPermissions(op.access) })
  return { summary: formatSummary(counts), changes: counts }
}

const describeObjects = ({ seen, permissions, names }: Observed) =>
  selectShown(seen, { permissions, names, most: SHOWN_OF_A_KIND })

const describeFailures = (answer: unknown) => {
  const all = listFailures(answer)
  return all.length > 0 ? { failures: all.slice(0, MOST_NAMED), failed: all.length } : {}
}

/** The summary also says how many devices would stop, if there are any. */
const describeImpact = (summary: string, impact: ImpactCounts) => ({
  summary: [summary, formatImpactSummary(impact)].filter(Boolean).join('; '),
  impact,
})

type Options = {
  readonly db: Db<Tables>
  readonly kernel: Kernel<Tables>
  /** The result of `selectPlanned`. */
  readonly planned: ReadonlyMap<string, Bound<Tables>>
  readonly now: () => Date
}

/** Returns the operations that need a plan, by name. @throws if one can neither be rolled back nor shows its changes */
export const selectPlanned = (operations: readonly Bound<Tables>[]): ReadonlyMap<string, Bound<Tables>> => {
  const planned = operations.filter(({ op }) => needsPlan(op) && op.mcp !== 'hidden')
  for (const bound of planned)
    if (!canBeCalled(bound) && !bound.op.showsChanges)
      throw new Error(`${bound.op.name} needs a plan, but is not a single transaction, and shows no changes`)
  return new Map(planned.map((bound) => [bound.op.name, bound]))
}

/** Returns the ids of new objects, which are the same in each run of a plan. */
const createIds = (plan: string) => createNewIds({ proposal: plan, operation: planStore.OPERATION })

type Preview = { readonly answer: unknown; readonly observed: Observed }

export const createPlans = ({ db, kernel, planned, now }: Options): Plans<Tables> => {
  const getOrThrow = async (id: string, caller: Caller, at: Date): Promise<store.StoredProposal> => {
    const plan = await planStore.find({ db: db.read }, id)
    if (!plan || plan.author_id !== caller.userId || plan.client !== formatClient(caller)) throw notFound('plan', id)
    if (plan.applied_at !== null)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The plan was applied at ${plan.applied_at}, and can be applied only once`,
      )
    if ((plan.expires_at ?? '') <= at.toISOString())
      throw new AppError('PRECONDITION_FAILED', `The plan has expired at ${plan.expires_at}; make a new one`)
    return plan
  }

  /** Runs the operation with the ids that it makes when the plan is applied, and rolls it back. */
  const preview = async (bound: Bound<Tables>, request: Request, id: string): Promise<Preview> => {
    if (bound.op.showsChanges) {
      const at = now()
      const showing = kernel.over({ audit: NO_AUDIT, now: () => at })
      // The call ends where it shows its changes.
      const { answer, changes } = await catchRolledBack<[ShownChanges], ShownChanges>((undo) =>
        showing.run(bound, { ...request, onChanges: undo(async (shown) => shown) }),
      )
      if (changes.length > MOST_OBJECTS) LIMITS.tooMany()
      return { answer, observed: await kernel.write(bound.op, request, (tx) => observe(tx, changes, request.input)) }
    }
    const run = async (tx: Ctx): Promise<Preview> => {
      const answer = await tx.call(bound, request.input, { ids: createIds(id) })
      await tx.settle()
      return { answer, observed: await observe(tx, (await tx.plannedItems()) ?? [], request.input) }
    }
    return kernel.trial(request, run, LIMITS)
  }

  const claim = async (tx: Ctx, { id }: store.StoredProposal): Promise<void> => {
    if (await planStore.claim(tx, id, tx.now)) return
    throw new AppError('PRECONDITION_FAILED', 'The plan was applied concurrently, and can be applied only once')
  }

  return {
    make: async (bound, asked) => {
      // A dry run is rolled back, so no commit confirms it.
      const request = await kernel.confirmed(bound.op, asked)
      const id = Bun.randomUUIDv7()
      const { answer, observed } = await preview(bound, request, id)
      const shown = { ...describeChanges(observed, bound), ...describeFailures(answer) }
      if (observed.all.length === 0) return { ...shown, objects: [] }
      const { caller, input } = request
      const impact = await countPlannedImpact(kernel, request, observed.all)
      const at = now()
      const expires_at = new Date(at.getTime() + PLAN_MS).toISOString()
      // A tool sends an object.
      const given = { id: planStore.OPERATION, operation: bound.op.name, input: input as object, note: '' }
      const author_id = caller.userId ?? ''
      await kernel.write(bound.op, request, async (tx) => {
        const created_at = at.toISOString()
        const { seq } = await store.insert(tx, {
          ...{ id, state: 'plan', title: bound.op.summary, description: '', expires_at },
          ...{ author_id, author: caller.username, client: formatClient(caller) },
          operations: JSON.stringify([createOperation({ caller, now: created_at }, given)]),
          ...{ created_at, updated_at: created_at, touched_at: created_at },
        })
        await replaceEffects(tx, Number(seq), observed.effects)
        await planStore.keepNewest(tx, author_id, MOST_PLANS)
      })
      return {
        ...{ plan_id: id, expires_at },
        ...shown,
        ...(impact && describeImpact(shown.summary, impact)),
        objects: describeObjects(observed),
      }
    },
    propose: async (bound, request) => {
      let named = ''
      const setHeader: Request['setHeader'] = (name, value) => {
        if (name === 'X-Proposal') named = value
      }
      const answer = await kernel.run(bound, { ...request, setHeader })
      const observed = await kernel.write(proposals.create, request, (tx) => observeLast(tx, named))
      return {
        ...{ proposal: Number(named), ...describeChanges(observed, bound), ...describeFailures(answer) },
        objects: describeObjects(observed),
      }
    },
    apply: async (planId, asked) => {
      const plan = await getOrThrow(planId, asked.caller, now())
      const [operation] = store.parseOperations(plan)
      const bound = planned.get(operation?.operation ?? '')
      if (!operation || !bound)
        throw invalid([{ field: 'plan_id', message: `is of ${operation?.operation}, which no longer exists` }])
      const confirmed = await kernel.confirmed(bound.op, asked)
      const request = { ...confirmed, input: operation.input, ids: createIds(plan.id) }
      let done: Observed | undefined
      const check = async (tx: Ctx, changes: readonly PlannedItem[]): Promise<void> => {
        done = await observe(tx, changes, request.input)
        const { hasMoved, issues } = detectDrift(
          (await findEffects(tx, plan.seq)).map(toFingerprint),
          done.effects.map(toFingerprint),
          request.caller.permissions,
        )
        if (hasMoved) throw buildMovedError(issues)
      }
      /** Compares, and then claims the plan before the first effect, which cannot be rolled back. */
      const onChanges = ({ changes }: ShownChanges): Promise<void> =>
        kernel.write(bound.op, request, async (tx) => {
          await check(tx, changes)
          await claim(tx, plan)
        })
      const answer = await runInTurn(bound, request.caller, () =>
        bound.op.showsChanges
          ? kernel.run(bound, { ...request, onChanges })
          : kernel.run(
              compareChanges(bound, { limits: LIMITS, begin: (tx: Ctx) => claim(tx, plan), end: check }),
              request,
            ),
      )
      if (!done) throw new Error(`${bound.op.name} was not compared with its plan`)
      const { seen, permissions, names } = done
      const created = selectShown(
        seen.filter(({ change }) => change === 'create'),
        { permissions, names, most: MOST_CREATED },
      )
      return {
        ...{ applied: true, operation: bound.op.name },
        ...describeChanges(done, bound),
        ...(created.length > 0 && { created }),
        ...describeFailures(answer),
        ...(bound.op.showsChanges && { result: answer }),
      }
    },
  }
}
