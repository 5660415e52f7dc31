/** Runs a plan by the rules of the resources. A bad row undoes all, or has no effect. */
import { pause } from '../../base/runtime/pause.ts'
import { AppError, invalidField } from '../../contract/errors.ts'
import { lockPlacement } from '../../inventory/placement-lock.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../../record/history/kinds.ts'
import { type Refused, runSteps, type Step } from '../../record/history/steps.ts'
import type { CustomResource } from '../../resource/custom/fields.ts'
import type { EstateRows, Plan } from '../plan/context.ts'
import { orderByNeeds } from '../plan/needs.ts'
import { buildRounds, type Later } from '../plan/second-pass.ts'
import { canHoldCustom, loadReferenceFields } from './custom-references.ts'
import { toRowPlace } from './known-part.ts'
import { findGiverErrors } from './moved-addresses.ts'
import { placeInRow } from './references.ts'
import { getRules } from './resources.ts'
import type { PlannedChange, RowError } from './row.ts'

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
export const runPlan = async (run: Run, changes: readonly PlannedChange[]): Promise<Map<PlannedChange, AppError>> => {
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
export const runAll = async ({ rows, ...run }: Applying, plan: Plan): Promise<Outcome> => {
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
