/** Judges the rows of a source after a reading, and applies them: the last two steps of a run. */

import { AppError, shorten } from '../../contract/errors.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import { lockDevices } from '../../exchange/apply/moved-addresses.ts'
import type { PlannedChange } from '../../exchange/apply/row.ts'
import { INVENTORY, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../../record/history/kinds.ts'
import type { ObjectState, SourceRun } from '../schema.ts'
import { findState } from '../store.ts'
import {
  type Applied,
  type Applying,
  applyJudgment,
  hasChanges,
  type Selected,
  select,
  storeJudgment,
} from './apply-judgment.ts'
import { findAcceptedAt, findHeld } from './guards.ts'
import { type Judgment, judgeRows, OVERWRITES_NONE } from './judge-rows.ts'
import { countLinked, countStates, findOpen, hasDue, hasMarked, hasOpen, type StoredObject } from './object-reads.ts'
import type { JudgedSource } from './row.ts'
import { getSourceOrThrow } from './settings.ts'

export type RunCounts = SourceRun['counts']

export type JudgeOutcome = {
  readonly counts: RunCounts
  readonly result: Exclude<SourceRun['result'], ''>
  readonly changeId: string
  /** The numbers of a run that is held. */
  readonly message: string
}

export type JudgeInput = {
  /** The source as of the begin of the run. */
  readonly source: JudgedSource
  /** Applies although too many objects are gone. */
  readonly force: boolean
  /** False: stops before anything is applied. */
  readonly applies: boolean
  readonly signal: AbortSignal
  /** Called in each transaction. @throws if the run has been ended */
  readonly confirm?: (ctx: Ctx) => Promise<void>
}

/** The tables that a judgment reads. */
export const JUDGED_TABLES: readonly (keyof Tables & string)[] = [
  ...INVENTORY.map(toTableName),
  ...(['pool_tags', 'refs', 'discovery_locks', 'source_objects', 'source_runs', 'sources'] as const),
]

/** The states of rows that a run judges again although nothing has marked them. */
const UNDECIDED: readonly ObjectState[] = ['unclear']
export const OPEN: readonly ObjectState[] = ['unclear', 'changed', 'failed', 'gone']

/** From this number of changes on, an apply is a large transaction. */
export const LARGE_CHANGES = 1000
const VERDICTS_AT_ONCE = 500
/** The characters of a message that names policies. */
const MAX_HELD = 1000
const HOUR_MS = 3_600_000

const NONE = { created: 0, updated: 0, gone: 0, kept: 0, unclear: 0, failed: 0 }

const countOpen = async (
  ctx: Ctx,
  sourceId: string,
  done: readonly PlannedChange[] | undefined,
): Promise<RunCounts> => {
  const counts: Record<string, typeof NONE> = {}
  const add = (resource: string, field: keyof typeof NONE, n: number) => {
    const own = counts[resource] ?? { ...NONE }
    counts[resource] = { ...own, [field]: own[field] + n }
  }
  for (const { resource, state, action, count } of await countStates(ctx, sourceId)) {
    if (state === 'kept' || state === 'unclear' || state === 'failed') add(resource, state, count)
    else if (done) continue
    else if (state === 'changed') add(resource, action === 'create' ? 'created' : 'updated', count)
    else if (state === 'gone' && action !== 'none') add(resource, 'gone', count)
  }
  for (const change of done ?? []) {
    const { resource, change: verb, document } = change
    const isGone = verb === 'delete' || document.status === 'decommissioned'
    add(resource, isGone ? 'gone' : verb === 'create' ? 'created' : 'updated', 1)
  }
  return counts
}

/** Returns the message of a source of which too many objects would go; undefined without. */
export const findHeldMessage = async (
  ctx: Ctx,
  source: JudgedSource,
  { gone }: Judgment,
): Promise<string | undefined> => {
  const rows = gone.flatMap(({ does, stored }) => (does === 'delete' || does === 'update' ? [stored] : []))
  const [first] = rows.map(({ missing_since }) => missing_since ?? '').sort()
  if (first === undefined) return undefined
  const linked = await countLinked(ctx, source.id)
  const judgeMissing = (missing: readonly StoredObject[]) =>
    findHeld(
      [...Map.groupBy(missing, ({ resource }) => resource)].map(([resource, some]) => ({
        ...{ resource, missing: some.length, linked: linked.get(resource) ?? some.length },
      })),
      source.max_gone_percent,
    )
  if (judgeMissing(rows) === undefined) return undefined
  const acceptedAt = await findAcceptedAt(ctx, source.id, first)
  return judgeMissing(rows.filter(({ missing_since }) => (missing_since ?? '') > acceptedAt))
}

const hasWork = async (ctx: Ctx, source: JudgedSource, applies: boolean): Promise<boolean> => {
  if (await hasMarked(ctx, source.id)) return true
  // Objects that are gone and not due hold a source too.
  if ((await findState(ctx, source.id))?.is_held === 1) return true
  if (!applies) return hasOpen(ctx, source.id, UNDECIDED)
  const before = new Date(Date.parse(ctx.now) - source.gone_after_hours * HOUR_MS).toISOString()
  return (await hasOpen(ctx, source.id, ['unclear', 'changed', 'failed'])) || hasDue(ctx, source.id, before)
}

const judge = async (ctx: Ctx, source: JudgedSource, states: readonly ObjectState[]): Promise<Judgment> =>
  judgeRows(ctx, source, await findOpen(ctx, source.id, states), OVERWRITES_NONE)

type Storing = Pick<JudgeInput, 'source' | 'signal' | 'confirm'>

/** Stores verdicts in short transactions. */
const store = async (ctx: Ctx, { source, signal, confirm }: Storing, { said, gone }: Judgment): Promise<void> => {
  const parts = [
    ...splitBatches(said, VERDICTS_AT_ONCE).map((some) => ({ said: some, gone: [] })),
    ...splitBatches(gone, VERDICTS_AT_ONCE).map((some) => ({ said: [], gone: some })),
  ]
  for (const part of parts) {
    signal.throwIfAborted()
    // Judged again if it is lost.
    const options = { deferSync: true }
    await ctx.write(async (tx) => {
      await confirm?.(tx)
      await storeJudgment(tx, source.id, part)
    }, options)
  }
}

/** Judges again in the transaction, until the judgment is of its state. */
export const judgeUntilLocked = async (tx: Ctx, again: () => Promise<Judgment>): Promise<Judgment> => {
  for (;;) {
    const judgment = await again()
    if (await lockChanged(tx, judgment)) return judgment
  }
}

/** Locks the devices that an apply changes. @returns false if another caller has changed one since */
export const lockChanged = (tx: Ctx, { said, gone }: Judgment): Promise<boolean> =>
  lockDevices(
    tx,
    [...said, ...gone].flatMap(({ change }) => change ?? []),
  )

/** Returns the outcome of a run that has applied nothing. */
const describeOpen = async (ctx: Ctx, sourceId: string, held: string | undefined): Promise<JudgeOutcome> => {
  const counts = await countOpen(ctx, sourceId, undefined)
  if (held !== undefined) return { counts, result: 'held', changeId: '', message: held }
  const isOpen = Object.values(counts).some(
    ({ created, updated, gone, unclear }) => created + updated + gone + unclear > 0,
  )
  return { counts, result: isOpen ? 'read' : 'unchanged', changeId: '', message: '' }
}

const NOTHING: Selected = { said: [], gone: [] }

/**
 * Applies a judgment, unless policies protect its objects: anybody with a key to push makes the content of a source. Then the verdicts are
 * stored, and the message names the policies.
 */
const applyUnlessProtected = async (
  applying: Applying,
  judgment: Judgment,
  selected: Selected,
): Promise<Applied | { readonly held: string }> => {
  const { ctx: tx } = applying
  try {
    return await tx.savepoint(async () => {
      const applied = await applyJudgment(applying, judgment, selected)
      await tx.settle()
      await tx.checkPolicies()
      return applied
    })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'APPROVAL_REQUIRED') throw error
    await applyJudgment(applying, judgment, NOTHING)
    const names = error.details.map(({ field }) => `"${field}"`).join(', ')
    return { held: shorten(`its changes need an approval by the policy ${names}; propose its apply`, MAX_HELD) }
  }
}

/**
 * Judges rows that are new, different, missing or marked, stores the verdicts, and applies them. Settings that a person has changed
 * since the run began count, and another mode stops it before it applies.
 */
export const judgeRun = async (ctx: Ctx, means: Means, input: JudgeInput): Promise<JudgeOutcome> => {
  const { force, signal, confirm } = input
  const { id, mode } = input.source
  // Before the settings and the judgment, so that they are of this state or a later one.
  const revision = await ctx.store.revision(JUDGED_TABLES)
  const source = await getSourceOrThrow(ctx, id)
  const applies = input.applies && source.mode === mode
  const unchanged = { counts: {}, result: 'unchanged', changeId: '', message: '' } as const
  if (!(await hasWork(ctx, source, applies))) return unchanged
  const states = applies ? OPEN : [...UNDECIDED, 'gone' as const]
  const first = await judge(ctx, source, states)
  signal.throwIfAborted()
  const held = force ? undefined : await findHeldMessage(ctx, source, first)
  if (!applies || held !== undefined) {
    await store(ctx, { ...input, source }, first)
    return await describeOpen(ctx, id, held)
  }
  const options = {
    exclusive: true,
    large: first.said.length + first.gone.length >= LARGE_CHANGES,
    note: `source ${source.name}`,
  }
  return await ctx.write(async (tx): Promise<JudgeOutcome> => {
    await confirm?.(tx)
    await tx.lock('apply')
    const isSame = tx.revision(JUDGED_TABLES) === revision && (await lockChanged(tx, first))
    const settings = isSame ? source : await getSourceOrThrow(tx, id)
    const judgment = isSame ? first : await judgeUntilLocked(tx, () => judge(tx, settings, states))
    const late = force || isSame ? undefined : await findHeldMessage(tx, settings, judgment)
    const isStopped = late !== undefined || settings.mode !== mode
    const selected = isStopped ? NOTHING : select(judgment, undefined)
    const applied = await applyUnlessProtected({ ctx: tx, means, source: settings }, judgment, selected)
    signal.throwIfAborted()
    if (isStopped) return await describeOpen(tx, id, late)
    if ('held' in applied) return await describeOpen(tx, id, applied.held)
    const { changes } = applied
    const isApplied = hasChanges(selected) && changes.length > 0
    return {
      counts: await countOpen(tx, id, changes),
      result: isApplied ? 'applied' : 'unchanged',
      ...{ changeId: isApplied ? tx.changeId : '', message: '' },
    }
  }, options)
}

/** Judges the rows that a change of the inventory has marked. Nothing is applied. */
export const judgeStale = async (ctx: Ctx, source: JudgedSource, signal: AbortSignal): Promise<void> => {
  if (await hasMarked(ctx, source.id)) await store(ctx, { source, signal }, await judge(ctx, source, []))
}
