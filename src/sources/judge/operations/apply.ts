/** The operation that writes into the inventory what a source says. */

import { AppError, invalid } from '../../../contract/errors.ts'
import { getPermission, toShownChange, withNames } from '../../../exchange/apply/answer.ts'
import { type ApplyResult, MAX_SHOWN_CHANGES } from '../../../exchange/estate/api.ts'
import { INVENTORY, type Resource } from '../../../inventory/resources.ts'
import { RecordFull } from '../../../kernel/changes/change-record.ts'
import { findRevision, isOfRevision } from '../../../kernel/changes/read-revision.ts'
import { RolledBack } from '../../../kernel/changes/rolled-back.ts'
import type { Ctx } from '../../../kernel/ctx.ts'
import type { OutputOf, ParsedInputOf } from '../../../kernel/operation.ts'
import { MOST_OBJECTS } from '../../../record/history/effects.ts'
import type { Means } from '../../../record/history/kinds.ts'
import type { sourceObjects } from '../../api.ts'
import type { ObjectState } from '../../schema.ts'
import { settleStatus } from '../../status.ts'
import * as store from '../../store.ts'
import { type Applied, applyJudgment, type Selected, select } from '../apply-judgment.ts'
import { findHeldMessage, JUDGED_TABLES, judgeUntilLocked, LARGE_CHANGES, lockChanged, OPEN } from '../judge.ts'
import { type Judgment, judgeRows } from '../judge-rows.ts'
import { findByKeys, findOpen, formatKey, type StoredObject } from '../object-reads.ts'
import type { JudgedSource } from '../row.ts'
import { getSourceOrThrow } from '../settings.ts'
import { filterDependents } from './dependents.ts'

/** The kernel adds the flag of a dry run. */
type ApplyInput = ParsedInputOf<(typeof sourceObjects)['apply']> & { readonly dry_run?: boolean }
type Answer = OutputOf<(typeof sourceObjects)['apply']>

/** The states of rows that an apply of everything judges; with `overwrite` also the rows that are kept. */
const listStates = (overwrite: boolean): readonly ObjectState[] => (overwrite ? [...OPEN, 'kept'] : OPEN)

type Asked = {
  readonly rows: readonly StoredObject[]
  /** The keys of the rows that are applied; undefined for all. */
  readonly chosen: ReadonlySet<string> | undefined
}

/** Returns the rows of an apply. @throws AppError VALIDATION_ERROR for an unknown key */
const findAsked = async (ctx: Ctx, source: JudgedSource, { objects, overwrite }: ApplyInput): Promise<Asked> => {
  const open = await findOpen(ctx, source.id, listStates(overwrite))
  if (!objects) return { rows: open, chosen: undefined }
  const named = await findByKeys(ctx, source.id, objects)
  const issues = objects.flatMap((one, at) =>
    named.has(formatKey(one))
      ? []
      : [{ field: `objects[${at}].key`, message: `the source has no ${one.resource} with this key` }],
  )
  if (issues.length > 0) throw invalid(issues)
  const chosen = new Set(named.keys())
  const among = { rows: open, keys: new Set(named.keys()) }
  for (const row of await filterDependents(ctx, source, among)) chosen.add(formatKey(row))
  const rows = new Map([...open.map((row) => [formatKey(row), row] as const), ...named])
  return { rows: [...rows.values()], chosen }
}

type Work = {
  readonly judgment: Judgment
  readonly selected: Selected
  readonly chosen: ReadonlySet<string> | undefined
}

const judge = async (ctx: Ctx, source: JudgedSource, input: ApplyInput): Promise<Work> => {
  const { rows, chosen } = await findAsked(ctx, source, input)
  const overwrites = (key: string) => input.overwrite && (!chosen || chosen.has(key))
  const judgment = await judgeRows(ctx, source, rows, { overwrites })
  return { judgment, chosen, selected: select(judgment, chosen) }
}

/** @throws AppError SOURCE_HELD with the numbers, FORBIDDEN for the first permission that the caller lacks */
const check = async (ctx: Ctx, source: JudgedSource, { judgment, selected }: Work, force: boolean): Promise<void> => {
  const changes = [...selected.said, ...selected.gone].flatMap(({ change }) => change ?? [])
  for (const permission of [...new Set(changes.map(getPermission))].sort()) ctx.require(permission)
  const held = force ? undefined : await findHeldMessage(ctx, source, judgment)
  if (held !== undefined) throw new AppError('SOURCE_HELD', `The source "${source.name}" is held: ${held}`)
}

const buildAnswer = async (
  ctx: Ctx,
  { selected }: Work,
  { changes, failed }: Applied,
  isDry: boolean,
): Promise<Answer> => {
  const counts: Record<string, ApplyResult['counts'][Resource]> = {}
  const add = (resource: Resource, field: keyof NonNullable<ApplyResult['counts'][Resource]>) => {
    const own = counts[resource] ?? { created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 }
    counts[resource] = { ...own, [field]: own[field] + 1 }
  }
  for (const { resource, change } of changes) add(resource, `${change}d`)
  for (const { resource } of failed) add(resource, 'failed')
  for (const { open, change } of selected.said) if (!change) add(open.stored.resource, 'unchanged')
  const ordered = (['delete', 'update', 'create'] as const).flatMap((verb) =>
    changes.filter(({ change }) => change === verb),
  )
  const shown = await withNames(ctx, ordered.slice(0, MAX_SHOWN_CHANGES))
  return {
    applied: !isDry,
    change_id: isDry || changes.length === 0 ? '' : ctx.changeId,
    counts: Object.fromEntries(INVENTORY.flatMap((one) => (counts[one] ? [[one, counts[one]]] : []))),
    // A row of a source has no place in a document.
    changes: shown.map(({ row: _, ...change }) => toShownChange(change, isDry)),
    failed: [...failed],
  }
}

const LIMITS = {
  maxObjects: MOST_OBJECTS,
  tooMany: () => {
    throw new RecordFull()
  },
}

/** @returns the handler of the operation */
export const createApplyHandler = (means: Means) => ({
  isReadOnly: true as const,
  prepare: async (ctx: Ctx, input: ApplyInput) => {
    const isDry = input.dry_run === true
    const source = await getSourceOrThrow(ctx, input.id)
    // Before the judgment, so that it is of this state or a later one.
    const revision = await findRevision(ctx, JUDGED_TABLES)
    const first = await judge(ctx, source, input)
    await check(ctx, source, first, input.force)
    const run = async (tx: Ctx): Promise<Answer> => {
      // A run takes the locks in this order too.
      await store.lockState(tx, input.id)
      await tx.lock('apply')
      const isSame = isOfRevision(tx, JUDGED_TABLES, revision) && (await lockChanged(tx, first.judgment))
      let work = first
      if (!isSame) {
        const settings = await getSourceOrThrow(tx, input.id)
        await judgeUntilLocked(tx, async () => {
          work = await judge(tx, settings, input)
          return work.judgment
        })
        await check(tx, settings, work, input.force)
      }
      const applied = await applyJudgment({ ctx: tx, means, source }, work.judgment, work.selected)
      if (input.force) await store.updateState(tx, input.id, { is_held: 0 })
      await settleStatus(tx, input.id)
      const answer = await buildAnswer(tx, work, applied, isDry)
      if (isDry) throw new RolledBack(answer)
      return answer
    }
    const isLarge = first.selected.said.length + first.selected.gone.length >= LARGE_CHANGES
    return { run, options: { exclusive: true, large: isLarge, ...(isDry && { plan: LIMITS }) } }
  },
})
