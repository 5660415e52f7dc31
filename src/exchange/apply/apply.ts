/** Makes the estate look like a document: plans, and runs the plan in one transaction by the rules of the resources. */

import { pause } from '../../base/runtime/pause.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { lockPlacement } from '../../inventory/placement-lock.ts'
import { INVENTORY, type Resource, toTableName } from '../../inventory/resources.ts'
import { RecordFull } from '../../kernel/changes/change-record.ts'
import { RolledBack } from '../../kernel/changes/rolled-back.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import type { ParsedInputOf, Permission } from '../../kernel/operation.ts'
import { Answered } from '../../kernel/prepared-handler.ts'
import { MOST_OBJECTS } from '../../record/history/effects.ts'
import type { Means } from '../../record/history/kinds.ts'
import { type Refused, runSteps, type Step } from '../../record/history/steps.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import { narrowToKnown } from '../../resource/scoped/scoped-db.ts'
import { APPLY_WRITES, type estate, MAX_APPLY_PORTS, MAX_APPLY_ROWS } from '../estate/api.ts'
import type { EstateRows, Plan, PlanInput } from '../plan/context.ts'
import { orderByNeeds } from '../plan/needs.ts'
import { buildPlan } from '../plan/plan.ts'
import { buildRounds, type Later } from '../plan/second-pass.ts'
import { type AnswerParts, buildAnswer, createRefusal, getPermission, listPermissions, refuseMany } from './answer.ts'
import { canHoldCustom, loadReferenceFields } from './custom-references.ts'
import { toRowPlace } from './known-part.ts'
import { findGiverErrors, lockDevices } from './moved-addresses.ts'
import { placeInRow } from './references.ts'
import { getRules } from './resources.ts'
import type { PlannedChange, RowError } from './row.ts'
import { createOutsideError, findOutside, findOverlapping } from './visibility.ts'

export type ApplyInput = ParsedInputOf<(typeof estate)['apply']>

/** From this number of changes on, an apply is a large transaction. */
const LARGE_CHANGES = 1000

/** The tables that a plan reads. */
const READ_TABLES: readonly (keyof Tables & string)[] = [...INVENTORY.map(toTableName), 'pool_tags', 'refs']

const LIMITS = {
  maxObjects: MOST_OBJECTS,
  tooMany: () => {
    throw new RecordFull()
  },
}

/** The rows of ports and cables have another limit: a device is one row and has many interfaces. */
const PORT_ROWS: readonly Resource[] = ['ports', 'cables']

const countRows = (rows: EstateRows, resources: readonly Resource[]): number =>
  resources.reduce((sum, resource) => sum + (rows[resource]?.length ?? 0), 0)

const checkRows = (rows: EstateRows, given: readonly Resource[]): void => {
  const ports = countRows(
    rows,
    given.filter((resource) => PORT_ROWS.includes(resource)),
  )
  const others = countRows(rows, given) - ports
  if (others > MAX_APPLY_ROWS) throw invalidField('body', `has ${others} rows; there may be ${MAX_APPLY_ROWS}`)
  if (ports > MAX_APPLY_PORTS)
    throw invalidField('body', `has ${ports} ports and cables; there may be ${MAX_APPLY_PORTS}`)
}

const checkInput = ({ prune, allow_empty, managed_by }: ApplyInput, total: number): void => {
  if (prune && managed_by === '')
    throw invalidField('prune', 'needs managed_by: it deletes the other objects of an owner')
  if (prune && total === 0 && !allow_empty)
    throw invalidField('prune', 'would delete all objects of the owner, because there is no row; allow_empty allows it')
}

const hasSomewhere = ({ caller: { permissions, scopedPermissions } }: Ctx, permission: Permission): boolean =>
  permissions.has(permission) || scopedPermissions?.has(permission) === true

/** @throws AppError FORBIDDEN for a caller who may neither create nor change anything */
const requireWrite = (ctx: Ctx): void => {
  const [first] = APPLY_WRITES
  if (first && !APPLY_WRITES.some((permission) => hasSomewhere(ctx, permission))) ctx.require(first)
}

const toStep = ({ change: { resource, id, change }, document }: Later): Step => ({
  ...{ kind: getRules(resource).kind, id, change, document, isShared: false },
})

/** The second round sets fields of objects that the first one has made. */
const toSecondStep = (later: Later): Step => ({ ...toStep(later), change: 'update' })

/** True for a step with an effect that only a savepoint around all steps undoes. */
const isStuck = ({ isApplied }: Refused): boolean => isApplied === true

/** Undoes the savepoint around a plan with stuck steps. */
class Stuck extends Error {
  constructor(readonly refused: ReadonlyMap<PlannedChange, AppError>) {
    super()
  }
}

/** A deleted object may be deleted along with another one before its turn. */
const isGone = ({ step, error }: Refused): boolean => step.change === 'delete' && error.code === 'NOT_FOUND'

/** Undoes a savepoint in which rows failed. */
class RowsFailed extends Error {}

/** The resources with changes that exclude the placement of addresses. */
const REDRAWN: ReadonlySet<Resource> = new Set(['spaces', 'networks', 'pools'])

type Run = { readonly ctx: Ctx; readonly means: Means; readonly total: number; readonly isAtomic: boolean }

/** Runs a plan. @returns the refused steps, by change @throws Stuck unless `isAtomic` */
const runOnce = async (
  { ctx, means, total, isAtomic }: Run,
  changes: readonly PlannedChange[],
): Promise<Map<PlannedChange, AppError>> => {
  if (changes.some(({ resource }) => REDRAWN.has(resource))) await lockPlacement(ctx)
  const hasCustom = changes.some(({ document }) => canHoldCustom(document))
  const fields = hasCustom ? await loadReferenceFields(ctx, changes) : new Map()
  const fieldsOf = (resource: CustomResource) => fields.get(resource) ?? new Map()
  const { first, second } = buildRounds(await orderByNeeds(changes, fieldsOf), fieldsOf)
  const byStep = new Map(first.map((later) => [toStep(later), later.change]))
  const breathe = async (attempted: number) => {
    ctx.progress(total + Math.floor((total * attempted) / changes.length), 2 * total)
    await pause()
    // Nothing is applied for a client that has left.
    ctx.signal.throwIfAborted()
    await ctx.confirmRights()
  }
  const refused = await runSteps({ ctx, means, breathe }, [...byStep.keys()])
  const failed = new Set(refused.map(({ step }) => byStep.get(step)))
  const later = new Map(
    second.filter(({ change }) => !failed.has(change)).map((one) => [toSecondStep(one), one.change]),
  )
  for (const [step, change] of later) byStep.set(step, change)
  const isLate = (one: Refused): Refused => ({ ...one, isApplied: true })
  if (later.size > 0) refused.push(...(await runSteps({ ctx, means, breathe }, [...later.keys()])).map(isLate))
  const mapErrors = (some: readonly Refused[]) =>
    new Map(
      some.flatMap((one) => {
        const change = byStep.get(one.step)
        return change && !isGone(one) ? [[change, one.error]] : []
      }),
    )
  const errors = mapErrors(refused)
  const lost = findGiverErrors(changes, errors)
  if (lost.size > 0 && !isAtomic) throw new Stuck(new Map([...errors, ...lost]))
  const stuck = refused.filter(isStuck)
  if (stuck.length > 0 && !isAtomic) throw new Stuck(mapErrors(stuck))
  return errors
}

/** Runs a plan: if it is not atomic, without the changes that are refused after they had an effect. @returns the refused steps, by change */
const runPlan = async (run: Run, changes: readonly PlannedChange[]): Promise<Map<PlannedChange, AppError>> => {
  if (run.isAtomic) return runOnce(run, changes)
  const refused = new Map<PlannedChange, AppError>()
  for (;;) {
    const left = changes.filter((change) => !refused.has(change))
    try {
      return new Map([...refused, ...(await run.ctx.savepoint(() => runOnce(run, left)))])
    } catch (error) {
      if (!(error instanceof Stuck) || error.refused.size === 0) throw error
      for (const [change, one] of error.refused) refused.set(change, one)
    }
  }
}

const toRowError = (rows: EstateRows, change: PlannedChange, error: AppError): RowError => {
  const { resource, row = 0, name, places } = change
  const raw = rows[resource]?.[row]
  const details = error.details.map(({ field, message }) => ({
    field: placeInRow(resource, raw, toRowPlace(field, places)),
    message,
  }))
  return { resource, row, name, error: new AppError(error.code, error.message, { details }) }
}

const ID = /[A-Za-z0-9._-]{1,64}/g

/** Returns the error of a row that refers to a refused row: it names that row, because its new id is unknown to the caller. */
const replaceNewIds = (error: AppError, own: PlannedChange, refused: ReadonlyMap<string, PlannedChange>): AppError => {
  const text = JSON.stringify([error.message, error.details])
  const other = text
    .match(ID)
    ?.flatMap((id) => refused.get(id) ?? [])
    .find((one) => one !== own && one.change === 'create')
  return other ? new AppError(error.code, `${other.resource}[${other.row}] has errors`) : error
}

type Outcome = { readonly changes: readonly PlannedChange[]; readonly failed: readonly RowError[] }

type Applying = Run & { readonly rows: EstateRows }

const isDelete = ({ change }: PlannedChange): boolean => change === 'delete'

/** Runs a plan. A bad row undoes all, or has no effect and keeps everything from being pruned. */
const runAll = async ({ rows, ...run }: Applying, plan: Plan): Promise<Outcome> => {
  const { isAtomic } = run
  const tryChanges = async (changes: readonly PlannedChange[]): Promise<Outcome> => {
    const refused = await runPlan(run, changes)
    const failed: RowError[] = []
    const rowsById = new Map([...refused.keys()].map((change) => [change.id, change]))
    for (const [change, given] of refused) {
      const error = replaceNewIds(given, change, rowsById)
      if (isDelete(change))
        throw invalidField('prune', `can't delete the ${change.resource} "${change.name}": ${error.message}`)
      failed.push(toRowError(rows, change, error))
    }
    return { changes: changes.filter((change) => !refused.has(change)), failed }
  }
  const kept = plan.changes.filter((change) => !isDelete(change))
  if (plan.errors.length > 0) return tryChanges(kept)
  if (isAtomic || kept.length === plan.changes.length) return tryChanges(plan.changes)
  try {
    return await run.ctx.savepoint(async () => {
      const outcome = await tryChanges(plan.changes)
      if (outcome.failed.length > 0) throw new RowsFailed()
      return outcome
    })
  } catch (error) {
    if (error instanceof RowsFailed) return tryChanges(kept)
    throw error
  }
}

/** @returns the handler of the operation */
export const applyHandler = (means: Means) => ({
  isReadOnly: true as const,
  prepare: async (ctx: Ctx, input: ApplyInput) => {
    const { managed_by: owner, prune: prunes, take_over: takesOver, atomic: isAtomic, expect, lists, empty } = input
    const given = INVENTORY.filter((resource) => input[resource] !== undefined)
    const rows: EstateRows = Object.fromEntries(given.map((resource) => [resource, input[resource]]))
    checkRows(rows, given)
    const total = countRows(rows, given)
    checkInput(input, total)
    // The kernel sends true or false.
    const isDry = input.dry_run === true
    if (!isDry) requireWrite(ctx)
    const onNamed = (resource: Resource) => {
      if (isDry) ctx.require(`${resource}:list`)
    }
    const planInput: PlanInput = {
      ...{ rows, owner, takesOver, prunes, lists, empty, onNamed },
      ...(isAtomic && { onBadRow: refuseMany }),
      ...(ctx.caller.scopedPermissions && { unscoped: ctx }),
    }

    /** @returns the permissions that the caller lacks, of a dry run @throws AppError FORBIDDEN in earnest */
    const checkReach = async (by: Ctx, changes: readonly PlannedChange[]): Promise<Permission[]> => {
      const outside = [...new Set([...(await findOutside(by, changes)), ...(await findOverlapping(by, changes))])]
      if (!isDry && outside.length > 0) throw createOutsideError(outside)
      return [...new Set(outside.map(getPermission))]
    }
    const check = async (by: Ctx, plan: Plan): Promise<readonly Permission[]> => {
      if (isAtomic && plan.errors.length > 0) throw createRefusal(plan.errors)
      const needed = listPermissions(plan)
      if (!isDry) for (const permission of needed) ctx.require(permission)
      const lacking = needed.filter((permission) => !hasSomewhere(ctx, permission))
      const stored = plan.changes.filter(({ change }) => change !== 'create')
      return [...new Set([...lacking, ...(await checkReach(by, stored))])].sort()
    }
    const answer = async (by: Ctx, plan: Plan, parts: Pick<AnswerParts, 'failed' | 'lacking' | 'items'>) => {
      const result = await buildAnswer(by, { plan, given, isDry, ...parts })
      if (expect !== undefined && expect !== result.fingerprint)
        throw new AppError('PRECONDITION_FAILED', 'Not applied: it would do something else now than the plan says')
      return result
    }

    // Before the plan, so that it is of this state or a later one.
    const revision = await ctx.store.revision(READ_TABLES)
    // The comparison is the first half of the work.
    const reportPlanned = (done: number) => {
      ctx.signal.throwIfAborted()
      ctx.progress(done, 2 * total)
    }
    const plan = await buildPlan(await narrowToKnown(ctx), { ...planInput, planned: reportPlanned })
    const lacking = await check(ctx, plan)
    const isWatched = isDry || expect !== undefined
    const isRehearsed = lacking.length === 0 && plan.changes.length <= MOST_OBJECTS
    if (plan.changes.length === 0 || (isDry && !isRehearsed)) {
      const items = isWatched && plan.changes.length === 0 ? [] : undefined
      const result = await answer(ctx, plan, { failed: plan.errors, lacking, items })
      return new Answered(isDry ? new WithStatus(200, result, true) : result)
    }
    const run = async (tx: Ctx) => {
      await tx.lock('apply')
      const again = { ...planInput, settled: plan.settled, ...(planInput.unscoped && { unscoped: tx }) }
      const holds = async (one: Plan) => lists === 'replace' || (await lockDevices(tx, one))
      let current = plan
      let isCurrent = tx.revision(READ_TABLES) === revision && (await holds(plan))
      while (!isCurrent) {
        current = await buildPlan(await narrowToKnown(tx), again)
        await check(tx, current)
        isCurrent = await holds(current)
      }
      const { changes, failed } = await runAll({ ctx: tx, means, total, rows, isAtomic }, current)
      if (isAtomic && failed.length > 0) throw createRefusal(failed)
      const done = { ...current, changes }
      const outside = await checkReach(
        tx,
        changes.filter(({ change }) => change !== 'delete'),
      )
      const items = isWatched && isRehearsed ? await tx.plannedItems() : undefined
      const parts = { failed: [...current.errors, ...failed], lacking: outside.sort(), items }
      const result = await answer(tx, done, parts)
      if (isDry) throw new RolledBack(result)
      return result
    }
    const isLarge = plan.changes.length >= LARGE_CHANGES
    const options = { exclusive: true, large: isLarge, ...(isWatched && isRehearsed && { plan: LIMITS }) }
    return { run, options }
  },
})
