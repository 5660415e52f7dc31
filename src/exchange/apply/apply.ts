/** Makes the estate look like a document: plans, and runs the plan in one transaction by the rules of the resources. */

import { AppError, invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import { INVENTORY, type Resource, toTableName } from '../../inventory/resources.ts'
import { RecordFull } from '../../kernel/changes/change-record.ts'
import { findRevision, isOfRevision } from '../../kernel/changes/read-revision.ts'
import { RolledBack } from '../../kernel/changes/rolled-back.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import type { ParsedInputOf, Permission } from '../../kernel/operation.ts'
import { Answered } from '../../kernel/prepared-handler.ts'
import { holdsAnywhere } from '../../kernel/rights/access.ts'
import { MOST_OBJECTS } from '../../record/history/effects.ts'
import { narrowToKnown } from '../../resource/scoped/scoped-db.ts'
import { APPLY_WRITES, type estate, MAX_APPLY_PORTS, MAX_APPLY_ROWS } from '../estate/api.ts'
import { findMissingPacks, installMissingPacks, listPacks } from '../packs/document-packs.ts'
import { PACK_LISTS } from '../packs/files.ts'
import type { PackMeans } from '../packs/run-pack.ts'
import type { EstateRows, Plan, PlanInput } from '../plan/context.ts'
import { buildPlan } from '../plan/plan.ts'
import { type AnswerParts, buildAnswer, createRefusal, getPermission, listPermissions, refuseMany } from './answer.ts'
import { lockDevices } from './moved-addresses.ts'
import { type KeepNames, listNamePermissions } from './names.ts'
import type { PlannedChange } from './row.ts'
import { runAll } from './run-plan.ts'
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

/** @throws AppError FORBIDDEN for a caller who may neither create nor change anything */
const requireWrite = (ctx: Ctx): void => {
  const [first] = APPLY_WRITES
  if (first && !APPLY_WRITES.some((permission) => holdsAnywhere(ctx.caller, permission))) ctx.require(first)
}

/** @returns the handler of the operation */
export const applyHandler = (means: PackMeans & { readonly keepNames: KeepNames }) => ({
  isReadOnly: true as const,
  prepare: async (ctx: Ctx, input: ApplyInput) => {
    const { managed_by: owner, prune: prunes, take_over: takesOver, atomic: isAtomic, expect, lists, empty } = input
    const given = INVENTORY.filter((resource) => input[resource] !== undefined)
    const rows: EstateRows = Object.fromEntries(given.map((resource) => [resource, input[resource]]))
    const packs = listPacks(input.packs ?? [], means.packs())
    const names = input.names ?? []
    checkRows(rows, given)
    const total = countRows(rows, given)
    checkInput(input, total)
    // The kernel sends true or false.
    const isDry = input.dry_run === true
    if (!isDry) requireWrite(ctx)
    const onNamed = (resource: Resource) => {
      if (isDry) ctx.require(`${resource}:list`)
    }
    if (packs.length > 0) for (const resource of PACK_LISTS) onNamed(resource)
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
      const needed = [...new Set([...listPermissions(plan), ...listNamePermissions(names)])]
      if (!isDry) for (const permission of needed) ctx.require(permission)
      const lacking = needed.filter((permission) => !holdsAnywhere(ctx.caller, permission))
      const stored = plan.changes.filter(({ change }) => change !== 'create')
      return [...new Set([...lacking, ...(await checkReach(by, stored))])].sort()
    }
    const answer = async (by: Ctx, plan: Plan, parts: Pick<AnswerParts, 'failed' | 'lacking' | 'items'>) => {
      const result = await buildAnswer(by, { plan, given, isDry, newNames, ...parts })
      if (expect !== undefined && expect !== result.fingerprint)
        throw new AppError('PRECONDITION_FAILED', 'Not applied: it would do something else now than the plan says')
      return result
    }

    // A caller who may not make names does not learn which there are.
    const mayName = listNamePermissions(names).every((permission) => holdsAnywhere(ctx.caller, permission))
    const newNames = isDry && names.length > 0 && mayName ? await means.keepNames.countNew(ctx, names) : undefined
    // Before the plan, so that it is of this state or a later one.
    const revision = await findRevision(ctx, READ_TABLES)
    // The comparison is the first half of the work.
    const reportPlanned = (done: number) => {
      ctx.signal.throwIfAborted()
      ctx.progress(done, 2 * total)
    }
    const isWatched = isDry || expect !== undefined
    const isRehearsed = (plan: Plan, lacking: readonly Permission[]): boolean =>
      lacking.length === 0 && plan.changes.length <= MOST_OBJECTS
    // Rows may name what a pack brings, so that they are planned when it is installed.
    const hasPacks = (await findMissingPacks(ctx, packs)).length === 0
    const plan = hasPacks
      ? await buildPlan(await narrowToKnown(ctx), { ...planInput, planned: reportPlanned })
      : undefined
    const lacking = plan ? await check(ctx, plan) : []
    const isNothing = plan?.changes.length === 0 && (isDry || names.length === 0)
    if (plan && (isNothing || (isDry && !isRehearsed(plan, lacking)))) {
      const items = isWatched && plan.changes.length === 0 ? [] : undefined
      const result = await answer(ctx, plan, { failed: plan.errors, lacking, items })
      return new Answered(isDry ? new WithStatus(200, result, true) : result)
    }

    /** Plans in the transaction, until the plan is of its state. */
    const planAgain = async (tx: Ctx, made: readonly PlannedChange[]) => {
      const again = {
        ...planInput,
        ...(plan && { settled: plan.settled }),
        ...(planInput.unscoped && { unscoped: tx }),
      }
      for (;;) {
        const rowsOnly = await buildPlan(await narrowToKnown(tx), again)
        const left = await check(tx, { ...rowsOnly, changes: [...made, ...rowsOnly.changes] })
        if (await holds(tx, rowsOnly)) return { current: rowsOnly, left }
      }
    }
    const holds = async (tx: Ctx, one: Plan) => lists === 'replace' || (await lockDevices(tx, one.changes))
    const run = async (tx: Ctx) => {
      await tx.lock('apply')
      const isSame = plan !== undefined && isOfRevision(tx, READ_TABLES, revision)
      const made = isSame ? [] : await installMissingPacks({ ctx: tx, means }, packs)
      const { current, left } =
        isSame && (await holds(tx, plan)) ? { current: plan, left: lacking } : await planAgain(tx, made)
      const isRun = isRehearsed(current, left)
      if (isDry && !isRun) {
        const whole = { ...current, changes: [...made, ...current.changes] }
        throw new RolledBack(await answer(tx, whole, { failed: current.errors, lacking: left, items: undefined }))
      }
      const { changes, failed } = await runAll({ ctx: tx, means, total, rows, isAtomic }, current)
      if (isAtomic && failed.length > 0) throw createRefusal(failed)
      if (names.length > 0) await means.keepNames.keep(tx, names)
      const done = { ...current, changes: [...made, ...changes] }
      const outside = await checkReach(
        tx,
        done.changes.filter(({ change }) => change !== 'delete'),
      )
      const items = isWatched && isRun ? await tx.plannedItems() : undefined
      const parts = { failed: [...current.errors, ...failed], lacking: outside.sort(), items }
      const result = await answer(tx, done, parts)
      if (isDry) throw new RolledBack(result)
      return result
    }
    const isLarge = (plan?.changes.length ?? total) >= LARGE_CHANGES
    const isRecorded = isWatched && (!plan || isRehearsed(plan, lacking))
    const options = { exclusive: true, large: isLarge, ...(isRecorded && { plan: LIMITS }) }
    return { run, options }
  },
})
