/** The rules of plans: applying a plan executes it if its changes are still exactly those shown. */

import { summaryOf } from '../../platform/contract/change-summary.ts'
import { AppError, type FieldIssue, invalid, notFound } from '../../platform/contract/errors.ts'
import type { Db } from '../../platform/db/database.ts'
import type { RowChange } from '../../platform/db/journal.ts'
import type { Plans } from '../../platform/mcp/call.ts'
import { needsPlan } from '../../platform/mcp/tools.ts'
import type { Caller } from '../../platform/operation/caller.ts'
import type { Bound } from '../../platform/operation/context.ts'
import { canDryRun, dryRun, runRecorded } from '../../platform/operation/dry-run.ts'
import type { Kernel } from '../../platform/operation/kernel.ts'
import type { Request } from '../../platform/operation/request.ts'
import type { Tables } from '../tables.ts'
import {
  countsOf,
  type DeviceNames,
  detectDrift,
  type Fingerprint,
  fingerprintsOf,
  MOST_OBJECTS,
  shownOf,
  WATCHED_TABLES,
} from './changes.ts'
import { deviceNames } from './device-names.ts'
import * as store from './plan-store.ts'
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

const tooMany = (): never => {
  throw new AppError(
    'INVALID_INPUT',
    `This would change more than ${MOST_OBJECTS} objects, too many to review; do it in parts`,
  )
}
const WATCHED = { rules: WATCHED_TABLES, most: MOST_OBJECTS, tooMany }

/** Returns the client that a plan is bound to besides its user: other keys and clients of the user have not seen it. */
const clientOf = ({ client, via, credentialId = '' }: Caller): string =>
  client ? `client:${client.id}` : `${via}:${credentialId}`

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Returns the failed items of an answer that reports each item separately. */
const failuresIn = (answer: unknown): readonly unknown[] => {
  const results = isRecord(answer) && Array.isArray(answer.results) ? answer.results : []
  return results.filter((one) => isRecord(one) && one.status === 'failed')
}

/** If the caller may read none of the moved objects, the error says only that the plan is out of date. */
const moved = (issues: readonly FieldIssue[]): AppError => {
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

const described = (changes: readonly RowChange[]) => {
  const counts = countsOf(changes)
  return { summary: summaryOf(counts), changes: counts }
}

const failures = (answer: unknown) => {
  const all = failuresIn(answer)
  return all.length > 0 ? { failures: all.slice(0, MOST_NAMED), failed: all.length } : {}
}

export type PlansOptions = {
  readonly db: Db<Tables>
  readonly kernel: Kernel<Tables>
  /** The result of `plannedOf`. */
  readonly planned: ReadonlyMap<string, Bound<Tables>>
  readonly now: () => Date
}

/** The operations that need a plan, by name. @throws if one does more than a transaction can roll back */
export const plannedOf = (operations: readonly Bound<Tables>[]): ReadonlyMap<string, Bound<Tables>> => {
  const planned = operations.filter(({ op }) => needsPlan(op) && op.mcp !== 'hidden')
  for (const bound of planned)
    if (!canDryRun(bound)) throw new Error(`${bound.op.name} needs a plan, but is not a single transaction`)
  return new Map(planned.map((bound) => [bound.op.name, bound]))
}

export const createPlans = ({ db, kernel, planned, now }: PlansOptions): Plans<Tables> => {
  const mustFind = async (id: string, caller: Caller, at: Date): Promise<PlanRow> => {
    const plan = await store.find({ db: db.read }, id)
    if (!plan || plan.user_id !== caller.userId || plan.client !== clientOf(caller)) throw notFound('plan', id)
    if (plan.applied_at !== null)
      throw new AppError(
        'PRECONDITION_FAILED',
        `The plan was applied at ${plan.applied_at}, and can be applied only once`,
      )
    if (plan.expires_at <= at.toISOString())
      throw new AppError('PRECONDITION_FAILED', `The plan has expired at ${plan.expires_at}; make a new one`)
    return plan
  }

  return {
    make: async (bound, asked) => {
      const at = now()
      // A dry run is rolled back, so no commit confirms it.
      const request = await kernel.confirmed(bound.op, asked)
      const { answer, changes } = await dryRun({ kernel, db, watched: WATCHED, at }, bound, request)
      const shown = { ...described(changes), ...failures(answer) }
      if (changes.length === 0) return { ...shown, objects: [] }
      const { caller, input } = request
      const { permissions } = caller
      const names = await deviceNames({ db: db.read }, changes, permissions)
      const plan: PlanRow = {
        id: Bun.randomUUIDv7(),
        user_id: caller.userId ?? '',
        client: clientOf(caller),
        operation: bound.op.name,
        input: JSON.stringify(input),
        changes: JSON.stringify(fingerprintsOf(changes, at.toISOString(), names)),
        created_at: at.toISOString(),
        expires_at: new Date(at.getTime() + PLAN_MS).toISOString(),
        applied_at: null,
      }
      await kernel.write(bound.op, request, async (tx) => {
        await store.insert(tx, plan)
        await store.keepNewest(tx, plan.user_id, MOST_PLANS)
      })
      const objects = shownOf(changes, { permissions, names, most: SHOWN_OF_A_KIND })
      return { plan_id: plan.id, expires_at: plan.expires_at, ...shown, objects }
    },
    apply: async (planId, asked) => {
      const at = now()
      const plan = await mustFind(planId, asked.caller, at)
      const bound = planned.get(plan.operation)
      if (!bound) throw invalid([{ field: 'plan_id', message: `is of ${plan.operation}, which no longer exists` }])
      const request = await kernel.confirmed(bound.op, asked)
      const { permissions } = request.caller
      let done: readonly RowChange[] = []
      let names: DeviceNames = new Map()
      const answer = await runRecorded(
        {
          kernel,
          db,
          watched: WATCHED,
          at,
          first: async (tx) => {
            if (await store.claim(tx, plan.id, at.toISOString())) return
            throw new AppError('PRECONDITION_FAILED', 'The plan was applied concurrently, and can be applied only once')
          },
          last: async (tx, changes) => {
            names = await deviceNames(tx, changes, permissions)
            // Written by this module.
            const planned = JSON.parse(plan.changes) as Fingerprint[]
            const { hasMoved, issues } = detectDrift(
              planned,
              fingerprintsOf(changes, at.toISOString(), names),
              permissions,
            )
            if (hasMoved) throw moved(issues)
            done = changes
          },
        },
        bound,
        // The stored input was validated when the plan was made.
        { ...request, input: JSON.parse(plan.input) } as Request,
      )
      const created = shownOf(
        done.filter(({ before }) => !before),
        { permissions, names, most: MOST_CREATED },
      )
      return {
        applied: true,
        operation: plan.operation,
        ...described(done),
        ...(created.length > 0 && { created }),
        ...failures(answer),
      }
    },
  }
}
