/** Reads changed objects for the features that follow them. */
import { transactionState } from '../database/transaction-state.ts'
import type { ChangedObject } from '../kernel/changes/change-record.ts'
import type { Ctx } from '../kernel/ctx.ts'

/** An object before and after a change; undefined where it does not exist. */
export type ObjectStates<T> = { readonly before: T | undefined; readonly after: T | undefined }

type FindDocuments = (ctx: Ctx, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>

const parseChanges = async <T>(
  ctx: Ctx,
  changes: readonly ChangedObject[],
  documents: FindDocuments,
): Promise<ObjectStates<T>[]> => {
  const missing = changes.flatMap(({ id, change, after }) => (change !== 'delete' && after === undefined ? [id] : []))
  const found = missing.length > 0 ? await documents(ctx, missing) : undefined
  // Documents of `T`, written by its store.
  const parse = (json: string | undefined) => (json === undefined ? undefined : (JSON.parse(json) as T))
  return changes.map(({ id, before, after = found?.get(id) }) => ({ before: parse(before), after: parse(after) }))
}

/** The changes that were read last: all features that follow a kind get the same ones. */
const lastRead = transactionState((): { changes?: readonly ChangedObject[]; states?: Promise<unknown> } => ({}))

/** @param documents finds the documents that the change record has not kept */
export const readChanges = <T>(
  ctx: Ctx,
  changes: readonly ChangedObject[],
  documents: FindDocuments,
): Promise<readonly ObjectStates<T>[]> => {
  const last = ctx.local(lastRead)
  if (last.changes !== changes) Object.assign(last, { changes, states: parseChanges<T>(ctx, changes, documents) })
  // All read the objects of a kind as the same type.
  return last.states as Promise<readonly ObjectStates<T>[]>
}

/** Returns the states that exist. */
export const listStates = <T>({ before, after }: ObjectStates<T>): T[] =>
  [before, after].filter((state) => state !== undefined)

/** Returns true if the object was made or deleted, or one of the fields has changed. */
export const differsIn = <T>({ before, after }: ObjectStates<T>, fields: readonly (keyof T)[]): boolean =>
  !(before && after) || fields.some((field) => !Bun.deepEquals(before[field], after[field]))
