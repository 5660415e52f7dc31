/** The queries of a resource whose rows are its objects with `name_key` (`PlainTable`); the only writer of its table. */
import type { z } from 'zod'
import type { Ctx } from './ctx.ts'
import type { PlainTable, Tables } from './tables.ts'

type Named = { readonly id: string; readonly name: string }

/** @param schema of the objects. Its fields are the columns. */
export const namedStore = <T extends Named>(table: PlainTable, schema: z.ZodObject & z.ZodType<T>) => {
  // All of them have the columns of their schema. The type of all of them together is too wide for the builder.
  const name = table as 'datacenters'
  const columns = Object.keys(schema.shape) as ['id']
  const rows = (ctx: Ctx) => ctx.db.selectFrom(name).select(columns).$castTo<T>()
  const byId = (ctx: Ctx, id: string) => rows(ctx).where('id', '=', id)
  const keyed = (object: T) => ({ ...object, name_key: object.name.toLowerCase() }) as object as Tables['datacenters']
  return {
    query: (ctx: Ctx) => rows(ctx).orderBy('name_key').orderBy('id'),
    find: (ctx: Ctx, id: string) => byId(ctx, id).executeTakeFirst() as Promise<T | undefined>,
    /** As `find`, and locks the row until commit. */
    lock: (ctx: Ctx, id: string) => ctx.store.sql.lockRows(byId(ctx, id)).executeTakeFirst() as Promise<T | undefined>,
    insert: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.insertInto(name).values(keyed(object)).execute()
    },
    update: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.updateTable(name).set(keyed(object)).where('id', '=', object.id).execute()
    },
    remove: async (ctx: Ctx, id: string): Promise<void> => {
      await ctx.db.deleteFrom(name).where('id', '=', id).execute()
    },
  }
}
