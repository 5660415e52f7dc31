/** Records writes of objects without a history, for the plans of AI clients. */

import { splitBatches } from '../database/query/batches.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { selectFromTable } from './named-tables.ts'

/** A context; or a transaction of a command on the host, which no plan describes. */
export type RecordScope = DbScope & Partial<Pick<Ctx, 'isPlanned'>>

/** An object as the API sends it, without its secrets. */
type PlainDocument = { readonly id: string }

type KindOptions = {
  /** The name of the kind in `history/plan-kinds.ts`. */
  readonly kind: string
  /** The table of the objects, if their ids are its key: their rows are locked before they are read. */
  readonly table?: keyof Tables
  /** Returns the existing objects of these ids. */
  readonly find: (ctx: Ctx, ids: readonly string[]) => Promise<readonly PlainDocument[]>
}

type FindIds = () => Promise<readonly PlainDocument[]>

export type Recorder = {
  /** Runs a write of the objects with these ids. */
  readonly write: <T>(scope: RecordScope, ids: readonly string[], work: () => Promise<T>) => Promise<T>
  /** Runs a write of the objects that a condition selects. @param work returns the ids of the written objects */
  readonly writeWhere: (scope: RecordScope, select: FindIds, work: FindIds) => Promise<readonly string[]>
}

const listIds = (objects: readonly PlainDocument[]): string[] => objects.map(({ id }) => id)

/** Only contexts are planned. */
const toPlanned = (scope: RecordScope): Ctx | undefined => (scope.isPlanned ? (scope as Ctx) : undefined)

/** Returns the recorder of a kind, for the store that writes its objects. */
export const createRecorder = ({ kind, table, find }: KindOptions): Recorder => {
  const read = async (ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const documents = new Map<string, string>()
    for (const some of splitBatches(ids)) {
      const rows = table && selectFromTable(ctx.db, table).select('id').where('id', 'in', some)
      if (rows) await ctx.store.sql.lockRows(rows).execute()
      for (const object of await find(ctx, some)) documents.set(object.id, JSON.stringify(object))
    }
    return documents
  }

  return {
    write: async (scope, ids, work) => {
      const ctx = toPlanned(scope)
      if (!ctx) return work()
      const before = await read(ctx, ids)
      const value = await work()
      const after = await read(ctx, ids)
      for (const id of ids) ctx.changed(kind, { id, before: before.get(id), after: after.get(id), hasHistory: false })
      return value
    },
    writeWhere: async (scope, select, work) => {
      const ctx = toPlanned(scope)
      if (!ctx) return listIds(await work())
      const before = await read(ctx, listIds(await select()))
      const written = listIds(await work())
      const after = await read(ctx, written)
      for (const id of written) {
        // An object that another transaction has added in between has no document here.
        const known = before.get(id) ?? JSON.stringify({ id })
        ctx.changed(kind, { id, before: known, after: after.get(id), hasHistory: false })
      }
      return written
    },
  }
}
