/** The rules of plans: applying a plan executes it if its changes still equal the shown ones exactly. */

import { formatSummary } from '../../contract/change-summary.ts'
import { AppError, type FieldIssue, invalid, notFound } from '../../contract/errors.ts'
import { formatImpactSummary, type ImpactCounts } from '../../contract/impact-summary.ts'
import { isObject } from '../../contract/unknown.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { PlannedItem } from '../../kernel/changes/change-record.ts'
import { canDryRun, runDry, runRecorded, runShowingChanges } from '../../kernel/changes/dry-run.ts'
import type { Bound } from '../../kernel/context.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listPermissions } from '../../kernel/operation.ts'
import type { Request, ShownChanges } from '../../kernel/request.ts'
import { runInTurn } from '../../kernel/turn.ts'
import {
  buildFingerprints,
  countEffects,
  detectDrift,
  type Fingerprint,
  MOST_OBJECTS,
  selectShown,
} from '../../record/history/effects.ts'
import type { DeviceNames } from '../../record/history/plan-kinds.ts'
import type { Plans } from '../../surfaces/mcp/call.ts'
import { needsPlan } from '../../surfaces/mcp/tools.ts'
import { findDeviceNames } from './device-names.ts'
import { countPlannedImpact } from './plan-impact.ts'
import * as store from './plan-store.ts'
import { filterVisibleChanges, type SeenChanges } from './seen-changes.ts'
import type { PlanRow } from './table.ts'

export const PLAN_MS = 5 * 60 * 1000
/** The number of plans stored for a user; beyond it the oldest are deleted. */
export const MOST_PLANS = 20
/** The number of objects of one kind and type of change that a plan lists; it counts the others. */
const SHOWN_OF_A_KIND = 20
/** The largest number of new ids of one kind in an answer. */
const MOST_CREATED = 1000
/** The number of moved objects and failed items that are named; the others are counted. */
const MOST_NAMED = 20

const throwTooMany = (): never => {
  throw new AppError(
    'INVALID_INPUT',
    `This would change more than ${MOST_OBJECTS} objects, too many to review; do it in parts`,
  )
}
const LIMITS = { maxObjects: MOST_OBJECTS, tooMany: throwTooMany }

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
  const named = issues.slice(0, MOST_NAMED)
  const others = issues.length - named.length
  const words = named.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new AppError(
    'PRECONDITION_FAILED',
    `Not applied, because things have moved: ${words}${others > 0 ? `; and ${others} more` : ''}. Make a new plan`,
    { details: named },
  )
}

const describeChanges = ({ changes, permissions }: SeenChanges, { op }: Pick<Bound<Tables>, 'op'>) => {
  const counts = countEffects(changes, { permissions, needed: listPermissions(op.access) })
  return { summary: formatSummary(counts), changes: counts }
}

const describeFailures = (answer: unknown) => {
  const all = listFailures(answer)
  return all.length > 0 ? { failures: all.slice(0, MOST_NAMED), failed: all.length } : {}
}

/** The summary also says how many devices would stop, if there are any. */
const describeImpact = (summary: string, impact: ImpactCounts) => ({
  summary: [summary, formatImpactSummary(impact)].filter(Boolean).join('; '),
  impact,
})

export type PlansOptions = {
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
    if (!canDryRun(bound) && !bound.op.showsChanges)
      throw new Error(`${bound.op.name} needs a plan, but is not a single transaction, and shows no changes`)
  return new Map(planned.map((bound) => [bound.op.name, bound]))
}

export const createPlans = ({ db, kernel, planned, now }: PlansOptions): Plans<Tables> => {
  const getOrThrow = async (id: string, caller: Caller, at: Date): Promise<PlanRow> => {
    const plan = await store.find({ db: db.read }, id)
    if (!plan || plan.user_id !== caller.userId || plan.client !== formatClient(caller)) throw notFound('plan', id)
    if (plan.applied_at !== null)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The plan was applied at ${plan.applied_at}, and can be applied only once`,
      )
    if (plan.expires_at <= at.toISOString())
      throw new AppError('PRECONDITION_FAILED', `The plan has expired at ${plan.expires_at}; make a new one`)
    return plan
  }

  const collectChanges = async (bound: Bound<Tables>, request: Request, at: Date): Promise<ShownChanges> => {
    if (!bound.op.showsChanges) return runDry({ kernel, db, limits: LIMITS, at }, bound, request)
    const shown = await runShowingChanges({ kernel, at }, bound, request)
    return shown.changes.length > MOST_OBJECTS ? throwTooMany() : shown
  }

  type Application = {
    readonly bound: Bound<Tables>
    readonly request: Request
    readonly at: Date
    readonly claim: (tx: DbScope) => Promise<void>
    readonly check: (scope: DbScope, changes: readonly PlannedItem[]) => Promise<void>
  }

  /** Compares, and then claims the plan before the first effect, which cannot be rolled back. */
  const runShown = ({ bound, request, at, claim, check }: Application): Promise<unknown> => {
    const onChanges = async ({ changes }: ShownChanges): Promise<void> => {
      await check({ db: db.read }, changes)
      await kernel.write(bound.op, request, claim)
    }
    return kernel.over({ now: () => at }).run(bound, { ...request, onChanges })
  }

  const runPlanned = (application: Application): Promise<unknown> => {
    const { bound, request, at, claim: first, check: last } = application
    if (bound.op.showsChanges) return runShown(application)
    return runRecorded({ kernel, db, limits: LIMITS, at, first, last }, bound, request)
  }

  return {
    make: async (bound, asked) => {
      const at = now()
      // A dry run is rolled back, so no commit confirms it.
      const request = await kernel.confirmed(bound.op, asked)
      const { answer, changes } = await collectChanges(bound, request, at)
      const { caller, input } = request
      const seen = await filterVisibleChanges({ db: db.read, store: db }, caller, changes)
      const shown = { ...describeChanges(seen, bound), ...describeFailures(answer) }
      if (changes.length === 0) return { ...shown, objects: [] }
      const impact = await countPlannedImpact(kernel, request, changes)
      const names = await findDeviceNames({ db: db.read }, changes, caller.permissions)
      const plan: PlanRow = {
        id: Bun.randomUUIDv7(),
        user_id: caller.userId ?? '',
        client: formatClient(caller),
        operation: bound.op.name,
        input: JSON.stringify(input),
        changes: JSON.stringify(buildFingerprints(changes, at.toISOString(), names)),
        created_at: at.toISOString(),
        expires_at: new Date(at.getTime() + PLAN_MS).toISOString(),
        applied_at: null,
      }
      await kernel.write(bound.op, request, async (tx) => {
        await store.insert(tx, plan)
        await store.keepNewest(tx, plan.user_id, MOST_PLANS)
      })
      const objects = selectShown(seen.changes, { permissions: seen.permissions, names, most: SHOWN_OF_A_KIND })
      return {
        ...{ plan_id: plan.id, expires_at: plan.expires_at },
        ...shown,
        ...(impact && describeImpact(shown.summary, impact)),
        objects,
      }
    },
    apply: async (planId, asked) => {
      const at = now()
      const plan = await getOrThrow(planId, asked.caller, at)
      const bound = planned.get(plan.operation)
      if (!bound) throw invalid([{ field: 'plan_id', message: `is of ${plan.operation}, which no longer exists` }])
      const request = await kernel.confirmed(bound.op, asked)
      const { permissions } = request.caller
      let done: readonly PlannedItem[] = []
      let names: DeviceNames = new Map()
      const application: Application = {
        ...{ bound, at },
        // The stored input was validated when the plan was made.
        request: { ...request, input: JSON.parse(plan.input) } as Request,
        claim: async (tx) => {
          if (await store.claim(tx, plan.id, at.toISOString())) return
          throw new AppError('PRECONDITION_FAILED', 'The plan was applied concurrently, and can be applied only once')
        },
        check: async (scope, changes) => {
          names = await findDeviceNames(scope, changes, permissions)
          // Written by this module.
          const planned = JSON.parse(plan.changes) as Fingerprint[]
          const { hasMoved, issues } = detectDrift(
            planned,
            buildFingerprints(changes, at.toISOString(), names),
            permissions,
          )
          if (hasMoved) throw buildMovedError(issues)
          done = changes
        },
      }
      const answer = await runInTurn(bound, request.caller, () => runPlanned(application))
      const seen = await filterVisibleChanges({ db: db.read, store: db }, request.caller, done)
      const created = selectShown(
        seen.changes.filter(({ change }) => change === 'create'),
        { permissions: seen.permissions, names, most: MOST_CREATED },
      )
      return {
        applied: true,
        operation: plan.operation,
        ...describeChanges(seen, bound),
        ...(created.length > 0 && { created }),
        ...describeFailures(answer),
        ...(bound.op.showsChanges && { result: answer }),
      }
    },
  }
}
