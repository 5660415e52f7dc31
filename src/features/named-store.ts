/** The queries of a resource with objects with `name_key` as rows (`PlainTable`); the only writer of its table. */
import { z } from 'zod'
import { type Refs, type StoredRefs, withRefs } from '../platform/contract/external-fields.ts'
import { splitBatches } from '../platform/db/batches.ts'
import { createObjectRefs } from '../platform/operation/object-refs.ts'
import type { Ctx } from './ctx.ts'
import { lockCustom, recordCustom } from './custom-fields/engine.ts'
import { CUSTOM_RESOURCES, type StoredCustom } from './custom-fields/fields.ts'
import { formatCustom, type WithCustom, withCustomOfRow } from './custom-fields/rows.ts'
import { toKind } from './history/kind-names.ts'
import { toTableName } from './inventory.ts'
import type { PlainTable, Tables } from './tables.ts'

export type Named = { readonly id: string; readonly name: string }

/** @param schema of the objects. Its fields are the columns. */
export const createNamedStore = <T extends Named>(table: PlainTable, schema: z.ZodObject & z.ZodType<T>) => {
  // All of them have the columns of their schema. The type of all of them together is too wide for the builder.
  const name = toTableName(table) as 'datacenters'
  const columns = Object.keys(schema.shape) as ['id']
  const refs = columns.some((column: string) => column === 'refs')
    ? createObjectRefs(table as 'datacenters', toKind(table), 'name')
    : undefined
  const custom = columns.some((column: string) => column === 'custom')
    ? CUSTOM_RESOURCES.find((resource) => resource === table)
    : undefined
  const flags = Object.entries(schema.shape).flatMap(([field, type]) => (type instanceof z.ZodBoolean ? [field] : []))
  /** SQL has 0 and 1 for false and true. */
  const withFlags = <Row extends object>(row: Row, of: (value: unknown) => unknown): Row => {
    if (flags.length === 0) return row
    const values = row as Readonly<Record<string, unknown>>
    return { ...row, ...Object.fromEntries(flags.map((flag) => [flag, of(values[flag])])) }
  }
  type Referred = T & { readonly refs: Refs }
  type Stored = StoredCustom<StoredRefs<T>>
  const selectRows = (ctx: Ctx) => ctx.db.selectFrom(name).select(columns).$castTo<Stored>()
  const parseJsonColumns = (row: Stored): T => {
    // The row has the columns of its schema.
    const read = (refs ? withRefs(row as object as { readonly refs: string }) : row) as object
    return (custom ? withCustomOfRow(read as { readonly custom: string | null }) : read) as T
  }
  /** Returns the object of a row. */
  const fromRow = (row: Stored): T => withFlags(parseJsonColumns(row), (value) => value === 1)
  const selectById = (ctx: Ctx, id: string) => selectRows(ctx).where('id', '=', id)
  const fromFoundRow = (row: Stored | undefined): T | undefined => row && fromRow(row)
  const toRow = (object: T) => {
    const row = withFlags({ ...object, name_key: object.name.toLowerCase() }, Number)
    const texts = {
      ...(refs && { refs: JSON.stringify((object as Referred).refs) }),
      ...(custom && { custom: formatCustom(object as WithCustom) }),
    }
    return { ...row, ...texts } as object as Tables['datacenters']
  }
  type Change = { readonly before?: T; readonly after?: T }
  const record = async (ctx: Ctx, id: string, { before, after }: Change): Promise<void> => {
    if (!custom) return
    const [old, fresh] = [before as WithCustom | undefined, after as WithCustom | undefined]
    await recordCustom(ctx, custom, [{ id, before: old?.custom, after: fresh?.custom }])
  }
  const noteChange = (ctx: Ctx, id: string, { before, after }: Change): void => {
    const documents = { before: before && JSON.stringify(before), after: after && JSON.stringify(after) }
    ctx.changed(toKind(table), { id, ...documents })
  }
  return {
    query: (ctx: Ctx) => selectRows(ctx).orderBy('name_key').orderBy('id'),
    objectOf: fromRow,
    find: async (ctx: Ctx, id: string): Promise<T | undefined> =>
      fromFoundRow((await selectById(ctx, id).executeTakeFirst()) as Stored | undefined),
    /** Finds like `find`, and locks the row until commit. */
    lock: async (ctx: Ctx, id: string): Promise<T | undefined> =>
      fromFoundRow((await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst()) as Stored | undefined),
    /** Returns the existing objects of these ids, as JSON text by id. */
    documents: async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, string>> => {
      const documents = new Map<string, string>()
      for (const batch of splitBatches(ids)) {
        const stored = (await selectRows(ctx).where('id', 'in', batch).execute()) as Stored[]
        for (const object of stored.map(fromRow)) documents.set(object.id, JSON.stringify(object))
      }
      return documents
    },
    /** Locks the refs of a new object until commit. @throws RefTakenError */
    claimRefs: async (ctx: Ctx, of: Readonly<Record<string, string>>): Promise<void> => refs?.claim(ctx, of),
    insert: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.insertInto(name).values(toRow(object)).execute()
      await refs?.insert(ctx, [object as Referred])
      await record(ctx, object.id, { after: object })
      noteChange(ctx, object.id, { after: object })
    },
    update: async (ctx: Ctx, before: T, object: T): Promise<void> => {
      const { id } = object
      await ctx.db.updateTable(name).set(toRow(object)).where('id', '=', id).execute()
      await refs?.update(ctx, before as Referred, object as Referred)
      await record(ctx, id, { before, after: object })
      noteChange(ctx, id, { before, after: object })
    },
    remove: async (ctx: Ctx, object: T): Promise<void> => {
      await ctx.db.deleteFrom(name).where('id', '=', object.id).execute()
      await refs?.remove(ctx, [object as Referred])
      await record(ctx, object.id, { before: object })
      noteChange(ctx, object.id, { before: object })
    },
    /** Keeps the definitions of custom fields unchanged until commit. Called before rows are locked. */
    lockCustom: async (ctx: Ctx): Promise<void> => {
      if (custom) await lockCustom(ctx, custom)
    },
    /** Like `lock`, for several objects. */
    lockAll: async (ctx: Ctx, ids: readonly string[]): Promise<T[]> => {
      const some = selectRows(ctx).where('id', 'in', ids).orderBy('id')
      return ((await ctx.store.sql.lockRows(some).execute()) as Stored[]).map(fromRow)
    },
    /** Stores only the values of custom fields, which is no change of the object. */
    renameCustom: async (ctx: Ctx, object: T): Promise<void> => {
      const set = { custom: formatCustom(object as WithCustom) }
      await ctx.db.updateTable(name).set(set).where('id', '=', object.id).execute()
    },
  }
}
