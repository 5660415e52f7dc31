/** Applies a judgment in one transaction: changes by the rules of the resources, links and bases. */

import { pause } from '../../base/runtime/pause.ts'
import { type AppError, shorten } from '../../contract/errors.ts'
import { toText } from '../../contract/unknown.ts'
import type { PlannedChange } from '../../exchange/apply/row.ts'
import { runPlan } from '../../exchange/apply/run-plan.ts'
import type { Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Means } from '../../record/history/kinds.ts'
import type { GoneResult } from './gone.ts'
import type { Judgment, Result } from './judge-rows.ts'
import { formatKey, type ObjectKey } from './object-reads.ts'
import { type Judged, removeRows, type Verdict, writeVerdicts } from './object-store.ts'
import { buildOwner, type JudgedSource, parseFields } from './row.ts'
import { noteWritten } from './stale.ts'

/** The part of a judgment that an apply runs. */
export type Selected = { readonly said: readonly Result[]; readonly gone: readonly GoneResult[] }

export type Applying = {
  readonly ctx: Ctx
  readonly means: Means
  readonly source: Pick<JudgedSource, 'id'>
}

export type Failure = ObjectKey & { readonly message: string }

export type Applied = {
  readonly changes: readonly PlannedChange[]
  readonly failed: readonly Failure[]
}

/**
 * Returns the results that an apply runs.
 * @param chosen the keys that a person has named; undefined for all, and of missing ones all that are due
 */
export const select = ({ said, gone }: Judgment, chosen: ReadonlySet<string> | undefined): Selected => {
  if (!chosen) return { said, gone: gone.filter(({ isDue }) => isDue) }
  const isMade = new Map(said.map(({ open, change }) => [formatKey(open.stored), change?.change === 'create']))
  let left = said.filter(({ open }) => chosen.has(formatKey(open.stored)))
  for (;;) {
    const keys = new Set(left.map(({ open }) => formatKey(open.stored)))
    // A row that refers to an object which is not made waits for it.
    const next = left.filter(({ targets }) =>
      targets.every((target) => !isMade.get(formatKey(target)) || keys.has(formatKey(target))),
    )
    if (next.length === left.length) break
    left = next
  }
  return { said: left, gone: gone.filter(({ stored }) => chosen.has(formatKey(stored))) }
}

/** True if an apply has any effect on the inventory. */
export const hasChanges = ({ said, gone }: Selected): boolean =>
  said.some(({ change }) => change) || gone.some(({ change }) => change)

const describeError = ({ message, details: [first] }: AppError): string =>
  shorten(first ? `${first.field}: ${first.message}` : message, MAX_MESSAGE)
const MAX_MESSAGE = 1000

/** Undoes a savepoint in which a deletion would take along more than the source has made. */
class Obstructed extends Error {
  constructor(readonly obstacle: string) {
    super(obstacle)
  }
}

/** Returns the first object that is touched along, and was not made by the source. */
const findObstacle = async (ctx: Ctx, since: number, owner: string): Promise<string | undefined> => {
  for (const { kind, before, change } of await ctx.changedObjects(since)) {
    const document = parseFields(before ?? '{}')
    if (before !== undefined && toText(document.managed_by) === owner) continue
    const name = toText(document.name) || toText(document.type) || kind
    return `the ${kind} "${name}" would be ${change === 'delete' ? 'deleted' : 'changed'} along`
  }
  return undefined
}

/** Deletes objects in a savepoint. @returns the message that says why not; undefined once it is done */
const tryDelete = async (
  { ctx, means, source }: Applying,
  changes: readonly PlannedChange[],
): Promise<string | undefined> => {
  const since = ctx.changeCount
  try {
    await ctx.savepoint(async () => {
      const run = { ctx, means, total: changes.length, isAtomic: true }
      const [refused] = (await runPlan(run, changes)).values()
      if (refused) throw new Obstructed(describeError(refused))
      const obstacle = await findObstacle(ctx, since, buildOwner(source.id))
      if (obstacle !== undefined) throw new Obstructed(obstacle)
    })
    return undefined
  } catch (error) {
    if (error instanceof Obstructed) return error.obstacle
    throw error
  }
}

/** Objects that hold others go after them. */
export const DELETE_ORDER: readonly Resource[] = ['relationships', 'ports', 'devices', 'networks', 'vlans']

type Deletion = { readonly change?: PlannedChange }

/** Deletes objects, all together or one by one. @returns the messages of objects that stay */
export const deleteMade = async <D extends Deletion>(
  applying: Applying,
  given: readonly D[],
  order = DELETE_ORDER,
): Promise<ReadonlyMap<D, string>> => {
  const all = order.flatMap((resource) =>
    given.flatMap((one) => (one.change?.resource === resource ? [{ one, change: one.change }] : [])),
  )
  const stays = new Map<D, string>()
  const changes = all.map(({ change }) => change)
  if (all.length === 0 || (await tryDelete(applying, changes)) === undefined) return stays
  for (const { one, change } of all) {
    const message = await tryDelete(applying, [change])
    if (message !== undefined) stays.set(one, message)
    await pause()
    applying.ctx.signal.throwIfAborted()
  }
  return stays
}

const fail = ({ verdict, open: { stored } }: Result, message: string): Verdict => ({
  ...verdict,
  ...{ object_id: stored.object_id, base: stored.base, state: 'failed', action: 'none', message },
})

type Written = { readonly verdicts: Judged[]; readonly removed: ObjectKey[] }

/** Adds the verdicts of missing rows. */
const addGone = (
  written: Written,
  results: readonly GoneResult[],
  stays: ReadonlyMap<GoneResult, string>,
  refused: ReadonlySet<PlannedChange>,
): void => {
  for (const result of results) {
    const { stored, verdict, does, applied, change } = result
    const message = stays.get(result)
    if (message !== undefined)
      written.verdicts.push({ stored, verdict: { ...verdict, action: 'none', message: `stays: ${message}` } })
    else if (does === 'forget' || does === 'delete') written.removed.push(stored)
    else written.verdicts.push({ stored, verdict: (change && !refused.has(change) && applied) || verdict })
  }
}

/** Runs the selected part, and writes all verdicts of the judgment. */
export const applyJudgment = async (
  applying: Applying,
  judgment: Judgment,
  { said, gone }: Selected,
): Promise<Applied> => {
  const { ctx, means, source } = applying
  const done = new Set(said)
  const ofGone = new Set(gone)
  const stays = await deleteMade(
    applying,
    gone.filter(({ does }) => does === 'delete'),
  )
  const changes = [
    ...said.flatMap(({ change }) => change ?? []),
    ...gone.flatMap(({ does, change }) => (does === 'update' && change ? [change] : [])),
  ]
  const refused =
    changes.length === 0
      ? new Map<PlannedChange, AppError>()
      : await runPlan({ ctx, means, total: changes.length, isAtomic: false }, changes)
  const failed: Failure[] = []
  const written: Written = { verdicts: [], removed: [] }
  for (const result of judgment.said) {
    const { stored } = result.open
    const error = result.change && refused.get(result.change)
    if (error) failed.push({ resource: stored.resource, key: stored.key, message: describeError(error) })
    const verdict = error ? fail(result, describeError(error)) : done.has(result) ? result.applied : result.verdict
    written.verdicts.push({ stored, verdict })
  }
  addGone(written, gone, stays, new Set(refused.keys()))
  addGone(
    written,
    judgment.gone.filter((one) => !ofGone.has(one) && one.does !== 'delete' && one.does !== 'update'),
    new Map(),
    new Set(),
  )
  for (const one of judgment.gone)
    if (!ofGone.has(one) && (one.does === 'delete' || one.does === 'update')) written.verdicts.push(one)
  for (const [result, message] of stays)
    failed.push({ resource: result.stored.resource, key: result.stored.key, message })
  noteWritten(
    ctx,
    source.id,
    [...judgment.said, ...judgment.gone].flatMap(({ change }) => change?.id ?? []),
  )
  await writeVerdicts(ctx, source.id, written.verdicts)
  await removeRows(ctx, source.id, written.removed)
  await forget(ctx, judgment)
  const deleted = gone.flatMap((one) => (one.does === 'delete' && one.change && !stays.has(one) ? [one.change] : []))
  return { changes: [...changes.filter((change) => !refused.has(change)), ...deleted], failed }
}

/** Forgets missing rows of which other rows have taken the objects. */
const forget = async (ctx: Ctx, { said }: Judgment): Promise<void> => {
  const links = said.flatMap(({ forgets }) => forgets)
  for (const [sourceId, some] of Map.groupBy(links, ({ source_id }) => source_id))
    await removeRows(
      ctx,
      sourceId,
      // The column has names of resources only.
      some.map(({ resource, key }) => ({ resource: resource as Resource, key })),
    )
}

/** Stores verdicts of which nothing is applied, in the transaction of `ctx`. */
export const storeJudgment = async (ctx: Ctx, sourceId: string, judgment: Judgment): Promise<void> => {
  const written: Judged[] = judgment.said.map(({ open: { stored }, verdict }) => ({ stored, verdict }))
  const [forgotten, kept] = [true, false].map((is) => judgment.gone.filter(({ does }) => (does === 'forget') === is))
  await writeVerdicts(ctx, sourceId, [...written, ...(kept ?? [])])
  await removeRows(
    ctx,
    sourceId,
    (forgotten ?? []).map(({ stored }) => stored),
  )
  await forget(ctx, judgment)
}
