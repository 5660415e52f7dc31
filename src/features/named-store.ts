/** The queries of a resource whose rows are its objects with `name_key` (`PlainTable`); the only writer of its table. */
import { z } from 'zod'
import { type Refs, type StoredRefs, withRefs } from '../platform/contract/external-fields.ts'
import { batches } from '../platform/db/batches.ts'
import { objectRefs } from '../platform/operation/object-refs.ts'
import type { Ctx } from './ctx.ts'
import { kindOf } from './history/kind-names.ts'
import type { PlainTable, Tables } from './tables.ts'

export type Named = { readonly id: string; readonly name: string }

/** @param schema of the objects. Its fields are the columns. */
export const namedStore = <T extends Named>(table: PlainTable, schema: z.ZodObject & z.ZodType<T>) => {
  // All of them have the columns of their schema. The type of all of them together is too wide for the builder.
  const name = table as 'datacenters'
  const columns = Object.keys(schema.shape) as ['id']
  const refs = columns.some((column: string) => column === 'refs') ? objectRefs(name, kindOf(table), 'name') : undefined
  const flags = Object.entries(schema.shape).flatMap(([field, type]) => (type instanceof z.ZodBoolean ? [field] : []))
  /** SQL has 0 and 1 for false and true. */
  const withFlags = <Row extends object>(row: Row, of: (value: unknown) => unknown): Row => {
    if (flags.length === 0) return row
    const values = row as Readonly<Record<string, unknown>>
    return { ...row, ...Object.fromEntries(flags.map((flag) => [flag, of(values[flag])])) }
  }
  type Referred = T & { readonly refs: Refs }
  const rows = (ctx: Ctx) => ctx.db.selectFrom(name).select(columns).$castTo<StoredRefs<T>>()
  /** Returns the object of a row. */
  const objectOf = (row: StoredRefs<T>): T =>
    withFlags((refs ? withRefs(row as { readonly refs: string }) : row) as T, (value) => value === 1)
  const byId = (ctx: Ctx, id: string) => rows(ctx).where('id', '=', id)
  const found = (row: StoredRefs<T> | undefined): T | undefined => row && objectOf(row)
  const rowOf = (object: T) => {
    const row = withFlags({ ...object, name_key: object.name.toLowerCase() }, Number)
    return (refs ? { ...row, refs: JSON.stringify((object as Referred).refs) } : row) as object as Tables['datacenters']
  }
  const changed = (ctx: Ctx, id: string, { before, after }: { readonly before?: T; readonly after?: T }): void => {
    const documents = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
    ctx.changed(kindOf(table), { id, ...documents })
  }
  return {
    query: (ctx: Ctx) => rows(ctx).orderBy('name_key').orderBy('id'),
    objectOf,
    find: async (ctx: Ctx, id: string): Promise<T | undefined> =>
      found((await byId(ctx, id).executeTakeFirst()) as StoredRefs<T> | undefined),
    /** As `find`, and locks the row until commit. */
    lock: async (ctx: Ctx, id: string): Promise<T | undefined> =>
      found((await ctx.store.sql.lockRows(byId(ctx, id)).executeTakeFirst()) as StoredRefs<T> | undefined),
    /** Returns the existing objects of those ids, as JSON text by id. */
    documents: async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
      const documents = new Map<string, string>()
      for (const batch of batches(ids)) {
        const stored = (await rows(ctx).where('id', 'in', batch).execute()) as StoredRefs<T>[]
        for (const object of stored.map(objectOf)) documents.set(object.id, JSON.stringify(object))
      }
      return documents
    },
    /** Locks the refs of a new object until commit. @throws RefTakenError */
    claimRefs: async (ctx: Ctx, of: Readonly<Record<string, string>>): Promise<void> => refs?.claim(ctx, of),
    insert: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.insertInto(name).values(rowOf(object)).execute()
      await refs?.insert(ctx, [object as Referred])
      changed(ctx, object.id, { after: object })
    },
    update: async (ctx: Ctx, before: T, object: T): Promise<void> => {
      const { id } = object
      await ctx.db.updateTable(name).set(rowOf(object)).where('id', '=', id).execute()
      await refs?.update(ctx, before as Referred, object as Referred)
      changed(ctx, id, { before, after: object })
    },
    remove: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.deleteFrom(name).where('id', '=', object.id).execute()
      await refs?.remove(ctx, [object as Referred])
      changed(ctx, object.id, { before: object })
    },
  }
}
