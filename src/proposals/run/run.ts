/**
 * Runs the operations of a proposal in a transaction, one after the other, and collects the objects that they change: the effects. A preview rolls the
 * transaction back, a merge commits it.
 */
import { AppError, invalidField } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { ChangeDetails, ChangedObject } from '../../kernel/changes/change-record.ts'
import { createNewIds } from '../../kernel/changes/new-ids.ts'
import type { Bound, Prepared } from '../../kernel/context.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { MOST_OBJECTS, nameItem } from '../../record/history/effects.ts'
import { isKind } from '../../record/history/kind-names.ts'
import { buildRows } from '../../record/history/kinds.ts'
import { readScopesRevision } from '../review/effect-reads.ts'
import { findPlaces, NOWHERE } from '../review/places.ts'
import { findLastChange } from '../store.ts'
import { findDeviceNames } from './device-names.ts'
import { type EffectKeys, type NewEffect, NO_KEYS, type RunOutcome, type StoredOperation } from './effect.ts'
import { buildFingerprint, createClock, hashFields } from './fingerprint.ts'

/** Thrown out of a run that changes too many objects. No operation takes it for a refusal of its own. */
export class TooManyEffects extends Error {
  override readonly name = 'TooManyEffects'
}

export const RUN_LIMITS = {
  maxObjects: MOST_OBJECTS,
  tooMany: (): never => {
    throw new TooManyEffects(`more than ${MOST_OBJECTS} objects`)
  },
}

export type Run = {
  /** The id of the proposal, from which new ids follow. */
  readonly seed: string
  /** The name of its author. */
  readonly author: string
  readonly operations: readonly StoredOperation[]
  readonly bounds: ReadonlyMap<string, Bound<Tables>>
  /** Returns the caller who tries an operation; undefined for the caller of the transaction, with the rights at the commit. */
  readonly callerFor?: ((operation: string) => Caller | undefined) | undefined
  /** The steps of operations that were prepared before the transaction, by their ids. */
  readonly prepared?: ReadonlyMap<string, Prepared<Tables>>
  /** The details of the change that is recorded, and the error by which a refusal ends the run. Undefined for a run that is rolled back. */
  readonly merge?: {
    readonly details: ChangeDetails
    readonly toConflict: (refusal: AppError, position: number) => AppError
  }
}

const isRefusal = (error: unknown): error is AppError => error instanceof AppError && error.status < 500

type Ran = Pick<RunOutcome, 'errors' | 'answers' | 'starts'>

const callAll = async (tx: Ctx, { author, merge, ...run }: Run): Promise<Ran> => {
  const errors = new Map<string, AppError>()
  const answers = new Map<string, unknown>()
  const starts = new Map<string, number>()
  for (const [position, { id, operation, input }] of run.operations.entries()) {
    tx.signal.throwIfAborted()
    starts.set(id, tx.changeCount)
    const bound = run.bounds.get(operation)
    const ids = createNewIds({ proposal: run.seed, operation: id })
    const caller = run.callerFor?.(id)
    const prepared = run.prepared?.get(id)
    try {
      if (!bound) throw invalidField('operation', `there is no operation ${operation} any more`)
      const how = { ids, author, prepared, ...(caller && { caller }), ...(merge && { change: merge.details }) }
      answers.set(id, await tx.call(bound, input, how))
    } catch (error) {
      if (!isRefusal(error)) throw error
      if (merge) throw merge.toConflict(error, position)
      errors.set(id, error)
    }
  }
  return { errors, answers, starts }
}

/** Returns the columns by which views find the documents that the run leaves, by kind and id. */
const buildKeys = async (tx: Ctx, items: readonly ChangedObject[]): Promise<ReadonlyMap<string, EffectKeys>> => {
  const known = items.filter(({ kind }) => isKind(kind))
  const rows = await buildRows(
    tx,
    known.map(({ kind, id, after }) => ({ kind, id, before: after })),
  )
  return new Map(
    rows.map(({ kind, id, sort_key, order_key, derived, child_id }) => [
      `${kind} ${id}`,
      { sort_key, order_key, derived, child_id },
    ]),
  )
}

/** Returns the operation that made the write with this number: the last one that began before it. */
const findOperation = (starts: readonly (readonly [string, number])[], write: number): string =>
  starts.findLast(([, start]) => start <= write)?.[0] ?? ''

/** Returns the effects of the transaction so far. */
const collectEffects = async (tx: Ctx, run: Run, starts: Ran['starts']): Promise<NewEffect[]> => {
  const items = (await tx.plannedItems()) ?? []
  const places = await findPlaces(tx, items)
  const keys = await buildKeys(tx, items)
  const devices = await findDeviceNames(tx, items)
  const clock = createClock(
    tx.now,
    run.operations.map(({ input }) => input),
  )
  const all = [...starts]
  return items.map((item, position) => {
    const { kind, id, change, before, after, firstWrite } = item
    return {
      ...{ kind, id, change, position, before, after },
      name: nameItem(item, devices),
      operation: findOperation(all, firstWrite),
      hash: hashFields(item, clock),
      places: places[position] ?? NOWHERE,
      keys: keys.get(`${kind} ${id}`) ?? NO_KEYS,
    }
  })
}

/**
 * Runs the operations in the transaction of `tx`, which records all objects.
 * @throws TooManyEffects; AppError of 500 and more, and with `merge` of a refusal
 */
export const runOperations = async (tx: Ctx, run: Run): Promise<RunOutcome> => {
  // Before the first operation, so that it is never too new.
  const baseSeq = await findLastChange(tx)
  const scopesRevision = await readScopesRevision(tx)
  const ran = await callAll(tx, run)
  await tx.settle()
  const effects = await collectEffects(tx, run, ran.starts)
  return { ...ran, effects, fingerprint: buildFingerprint(effects), at: tx.now, baseSeq, scopesRevision }
}
