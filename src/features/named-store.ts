/** The queries of a resource whose rows are its objects with `name_key` (`PlainTable`); the only writer of its table. */
import type { z } from 'zod'
import { batches } from '../platform/db/batches.ts'
import type { Ctx } from './ctx.ts'
import { kindOf } from './history/kind-names.ts'
import type { PlainTable, Tables } from './tables.ts'

export type Named = { readonly id: string; readonly name: string }

/** @param schema of the objects. Its fields are the columns. */
export const namedStore = <T extends Named>(table: PlainTable, schema: z.ZodObject & z.ZodType<T>) => {
  // All of them have the columns of their schema. The type of all of them together is too wide for the builder.
  const name = table as 'datacenters'
  const columns = Object.keys(schema.shape) as ['id']
  const rows = (ctx: Ctx) => ctx.db.selectFrom(name).select(columns).$castTo<T>()
  const byId = (ctx: Ctx, id: string) => rows(ctx).where('id', '=', id)
  const keyed = (object: T) => ({ ...object, name_key: object.name.toLowerCase() }) as object as Tables['datacenters']
  const changed = (ctx: Ctx, id: string, { before, after }: { readonly before?: T; readonly after?: T }): void => {
    const documents = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
    ctx.changed(kindOf(table), { id, ...documents })
  }
  return {
    query: (ctx: Ctx) => rows(ctx).orderBy('name_key').orderBy('id'),
    find: (ctx: Ctx, id: string) => byId(ctx, id).executeTakeFirst() as Promise<T | undefined>,
    /** As `find`, and locks the row until commit. */
    lock: (ctx: Ctx, id: string) => ctx.store.sql.lockRows(byId(ctx, id)).executeTakeFirst() as Promise<T | undefined>,
    /** Returns the existing objects of those ids, as JSON text by id. */
    documents: async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
      const documents = new Map<string, string>()
      for (const batch of batches(ids)) {
        const found = (await rows(ctx).where('id', 'in', batch).execute()) as T[]
        for (const object of found) documents.set(object.id, JSON.stringify(object))
      }
      return documents
    },
    insert: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.insertInto(name).values(keyed(object)).execute()
      changed(ctx, object.id, { after: object })
    },
    update: async (ctx: Ctx, before: T, object: T): Promise<void> => {
      const { id } = object
      await ctx.db.updateTable(name).set(keyed(object)).where('id', '=', id).execute()
      changed(ctx, id, { before, after: object })
    },
    remove: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.deleteFrom(name).where('id', '=', object.id).execute()
      changed(ctx, object.id, { before: object })
    },
  }
}
