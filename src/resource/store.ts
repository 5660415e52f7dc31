/** The queries of a resource with one row for each object; the only writer of its table. */
import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import { toSingular } from '../contract/command-name.ts'
import type { Refs } from '../contract/fields/external-fields.ts'
import { splitBatches } from '../database/query/batches.ts'
import { prepared, type Value } from '../database/query/prepared.ts'
import { preparedKeys, preparedRows } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import type { TableOf } from '../inventory/resources.ts'
import { createObjectRefs } from '../kernel/changes/object-refs.ts'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { createKeyBuilder, getLabel, type SelectedRow } from './columns.ts'
import { lockCustom, recordCustom } from './custom/engine.ts'
import type { CustomResource } from './custom/fields.ts'
import { formatCustom, type WithCustom } from './custom/rows.ts'
import { hasRefs, type ResourceFacts } from './facts.ts'
import { createConversion } from './rows.ts'

/** An object as it is stored. */
export type StoredObject = { readonly id: string; readonly refs?: Refs }

type Cells = Readonly<Record<string, Value>>

/** An object after a write, with the values of columns beyond the fields; without them an update keeps these columns. */
type Written<T> = { readonly after: T; readonly columns?: Cells | undefined }

/** A new object, a changed one, or a deleted one. */
export type ObjectWrite<T> =
  | (Written<T> & { readonly before?: undefined })
  | (Written<T> & { readonly before: T })
  | { readonly before: T; readonly after?: undefined; readonly columns?: undefined }

/** The fields of an object that its natural key is built from. */
type KeyFields<F extends ResourceFacts, T> = F extends { readonly identity: readonly (infer K)[] }
  ? Pick<T, K & keyof T>
  : T

/** The parts of a store that the facts do not tell. */
export type OwnStore<F extends ResourceFacts, T> = {
  /** Returns the text that is unique for the fields of `identity`, if it is not that of `createKeyBuilder`. */
  readonly buildKey?: (object: KeyFields<F, T>) => string
  /** Columns beyond the fields, such as keys of addresses, and the function that computes them, if writes do not give them. */
  readonly columns?: readonly string[]
  readonly toColumns?: (ctx: Ctx, objects: readonly T[]) => Promise<readonly Cells[]> | readonly Cells[]
  /** Fields without a column of their name. */
  readonly elsewhere?: readonly (keyof T & string)[]
  /** Returns a row with these fields in place of `columns`, which queries then select. */
  readonly fromColumns?: (row: never) => object
  /** Returns these fields of an object, if they are rows of other tables. */
  readonly readParts?: (ctx: Ctx, ids: readonly string[]) => Promise<(id: string) => Partial<T>>
  /** Fields that stand behind the times in objects. */
  readonly lastFields?: readonly (keyof T & string)[]
  /** The columns of the order of the list, if they are not those of `order`. */
  readonly orderBy?: readonly string[]
  /** Deletes the rows of other tables that refer to the objects, before their rows are deleted. */
  readonly removeParts?: (ctx: Ctx, ids: readonly string[]) => Promise<void>
  /** Writes the rows of other tables that belong to the objects. */
  readonly writeParts?: (ctx: Ctx, writes: readonly ObjectWrite<T>[]) => Promise<void>
  /** Called before a write, such as to clear a cache. */
  readonly onWrite?: (ctx: Ctx) => void
}

type Query<F extends ResourceFacts> = SelectQueryBuilder<Tables, TableOf<F['name']> & keyof Tables, SelectedRow<F>>

export type ObjectStore<F extends ResourceFacts, T> = {
  readonly facts: F
  /** The columns of the object itself. */
  readonly columns: readonly (keyof SelectedRow<F> & string)[]
  /** The rows of all objects, without an order. */
  readonly rows: (scope: DbScope) => Query<F>
  /** Returns `rows` in the order of the list. */
  readonly query: (ctx: Ctx) => Query<F>
  /** @param row with the fields that other tables have */
  readonly fromRow: (row: object) => T
  /** Returns the text that is unique for the fields of `identity`. */
  readonly buildKey: (object: KeyFields<F, T>) => string
  readonly find: (ctx: Ctx, id: string) => Promise<T | undefined>
  /** Returns the existing objects of these ids, by id. */
  readonly findAll: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, T>>
  /** Returns the existing ids. */
  readonly filterExisting: (ctx: Ctx, ids: readonly string[]) => Promise<Set<string>>
  /** Returns the existing objects of these ids as JSON text, by id. */
  readonly documents: (ctx: Ctx, ids: readonly string[]) => Promise<Map<string, string>>
  /** Finds an object and locks its row until commit. */
  readonly lock: (ctx: Ctx, id: string) => Promise<T | undefined>
  /** Locks several objects until commit. Returns them by id. */
  readonly lockAll: (ctx: Ctx, ids: readonly string[]) => Promise<T[]>
  /** Locks the objects with this value of a field. Returns them by id. */
  readonly lockWhere: (ctx: Ctx, field: string, value: string) => Promise<T[]>
  /** Returns the ids of the objects with these natural keys, by key. */
  readonly findIdsByKeys: (ctx: Ctx, keys: readonly string[]) => Promise<Map<string, string>>
  /** Locks the refs of a new object until commit. @throws RefTakenError */
  readonly claimRefs: (ctx: Ctx, refs: Refs) => Promise<void>
  /** Keeps the definitions of custom fields unchanged until commit. Called before rows are locked. */
  readonly lockCustom: (ctx: Ctx) => Promise<void>
  /** Stores objects with their refs and the values of custom fields, and records them in the change of the transaction. */
  readonly write: (ctx: Ctx, writes: readonly ObjectWrite<T>[]) => Promise<void>
  /** Deletes the objects that match, as `write` does. They have no parts in other tables. */
  readonly deleteWhere: (ctx: Ctx, condition: Expression<SqlBool>) => Promise<void>
  /** Stores only the values of custom fields, which is no change of the object. */
  readonly writeSilently: (ctx: Ctx, object: T) => Promise<void>
  /** Sets columns beyond the fields in the rows that match, which is no change of the objects. */
  readonly setColumns: (
    ctx: Ctx,
    values: Readonly<Record<string, Expression<string>>>,
    condition: Expression<SqlBool>,
  ) => Promise<void>
}

/** Returns the columns by which a list is ordered: a text by its lower case, and the id at last. */
const listOrderColumns = (facts: ResourceFacts, keyed: ReadonlySet<string>): string[] => [
  ...(facts.order ?? ['name']).map((field) => (keyed.has(`${field}_key`) ? `${field}_key` : field)),
  'id',
]

export const objectStore = <F extends ResourceFacts, T extends StoredObject>(
  facts: F,
  own: OwnStore<F, T> = {},
): ObjectStore<F, T> => {
  const { name } = facts
  const {
    buildKey = createKeyBuilder(facts),
    columns: ownColumns = [],
    toColumns,
    elsewhere,
    fromColumns,
    readParts,
    lastFields,
    orderBy,
    removeParts,
    writeParts,
    onWrite,
  } = own
  const kind = toSingular(name)
  // The builder knows the tables by name. All queries below are of the columns of the facts.
  const table = name.replaceAll('-', '_') as 'datacenters'
  const conversion = createConversion<T>(facts, {
    buildKey: buildKey as ((object: T) => string) | undefined,
    elsewhere,
    lastFields,
  })
  const { toRow } = conversion
  // The rows have the selected columns.
  const fromRow = fromColumns ? (row: object): T => conversion.fromRow(fromColumns(row as never)) : conversion.fromRow
  const allColumns = [...conversion.allColumns, ...ownColumns]
  const columns = [...conversion.columns, ...(fromColumns ? ownColumns : [])] as 'id'[]
  const orderColumns = orderBy ?? listOrderColumns(facts, new Set(allColumns))
  // A resource with custom fields is one of these.
  const refs = hasRefs(facts) ? createObjectRefs(name, kind, getLabel(facts)) : undefined
  const custom = facts.custom === undefined ? undefined : ((facts.customOf ?? name) as CustomResource)

  const selectRows = (db: Kysely<Tables>) => db.selectFrom(table).select(columns)
  const rowById = prepared((db: Kysely<Tables>, { id }: { id: string }) => selectRows(db).where('id', '=', id))
  const rowsByIds = preparedKeys((db: Kysely<Tables>, ids) => selectRows(db).where('id', 'in', ids))
  const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom(table).select('id').where('id', 'in', ids))
  const keysAmong = preparedKeys((db: Kysely<Tables>, keys) => {
    const keyed = table as string as 'device_types'
    return db.selectFrom(keyed).select(['id', 'natural_key']).where('natural_key', 'in', keys)
  })
  const insertRows = preparedRows(allColumns, (db: Kysely<Tables>, rows: Cells[]) =>
    db.insertInto(table).values(rows as unknown as Tables['datacenters'][]),
  )
  const prepareUpdate = (written: readonly string[]) =>
    prepared((db: Kysely<Tables>, values: Cells) =>
      db
        .updateTable(table)
        .set(Object.fromEntries(written.flatMap((column) => (column === 'id' ? [] : [[column, values[column]]]))))
        .where('id', '=', values.id as string),
    )
  const updateRow = prepareUpdate(allColumns)
  const updateFields = prepareUpdate(conversion.allColumns)

  const rows = ({ db }: DbScope) => selectRows(db) as unknown as Query<F>
  const query = (ctx: Ctx) =>
    orderColumns.reduce((ordered, column) => ordered.orderBy(column as 'id'), selectRows(ctx.db)) as unknown as Query<F>

  const find = async (ctx: Ctx, id: string): Promise<T | undefined> => {
    const [[row], getParts] = await Promise.all([rowById(ctx, { id }), readParts?.(ctx, [id])])
    return row && fromRow(getParts ? { ...row, ...getParts(id) } : row)
  }
  const fromRows = async (ctx: Ctx, found: readonly { readonly id: string }[]): Promise<T[]> => {
    const ids = found.map(({ id }) => id)
    const getParts = readParts && ids.length > 0 ? await readParts(ctx, ids) : undefined
    return found.map((row) => fromRow(getParts ? { ...row, ...getParts(row.id) } : row))
  }
  const findAll = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, T>> => {
    if (ids.length === 0) return new Map()
    return new Map((await fromRows(ctx, await rowsByIds(ctx, ids))).map((object) => [object.id, object]))
  }
  const lockRows = async (ctx: Ctx, of: ReturnType<typeof selectRows>): Promise<T[]> =>
    fromRows(ctx, await ctx.store.sql.lockRows(of.orderBy('id')).execute())
  const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<T[]> => {
    const locked: T[] = []
    for (const batch of splitBatches([...new Set(ids)].sort()))
      locked.push(...(await lockRows(ctx, selectRows(ctx.db).where('id', 'in', batch))))
    return locked
  }

  const toRows = async (ctx: Ctx, written: readonly Written<T>[]): Promise<Cells[]> => {
    const objects = written.map(({ after }) => after)
    const cells = await toColumns?.(ctx, objects)
    return written.map(({ after, columns: given }, i) => Object.assign(toRow(after), cells?.[i], given))
  }
  const deleteRows = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
    for (const batch of splitBatches(ids)) await ctx.db.deleteFrom(table).where('id', 'in', batch).execute()
  }
  type Referred = T & { readonly refs: Refs }
  // A resource with `refs` has them in each object.
  const toReferred = (objects: readonly T[]) => objects as readonly Referred[]
  const getCustom = (object: T | undefined) => (object as WithCustom | undefined)?.custom
  /** Records the values of custom fields, and the changes for the history. */
  const record = async (ctx: Ctx, writes: readonly ObjectWrite<T>[]): Promise<void> => {
    const changes = writes.map(({ before, after }) => ({ id: (after ?? before)?.id ?? '', before, after }))
    if (custom) {
      const values = changes.map(({ id, before, after }) => ({
        id,
        before: getCustom(before),
        after: getCustom(after),
      }))
      await recordCustom(ctx, custom, values)
    }
    for (const { id, before, after } of changes)
      ctx.changed(kind, { id, before: before && JSON.stringify(before), after: after && JSON.stringify(after) })
  }
  const write = async (ctx: Ctx, writes: readonly ObjectWrite<T>[]): Promise<void> => {
    const created = writes.flatMap(({ before, after, columns: given }) =>
      before === undefined && after !== undefined ? [{ after, columns: given }] : [],
    )
    const removed = writes.flatMap(({ before, after }) => (after === undefined ? (before ?? []) : []))
    onWrite?.(ctx)
    if (created.length > 0) await insertRows(ctx, await toRows(ctx, created))
    for (const { before, after, columns: given } of writes) {
      if (before === undefined || after === undefined) continue
      const [row = {}] = await toRows(ctx, [{ after, columns: given }])
      await (toColumns || given ? updateRow : updateFields)(ctx, row)
      await refs?.update(ctx, ...(toReferred([before, after]) as readonly [Referred, Referred]))
    }
    if (removed.length > 0) {
      const ids = removed.map(({ id }) => id)
      await removeParts?.(ctx, ids)
      await deleteRows(ctx, ids)
      await refs?.remove(ctx, toReferred(removed))
    }
    if (created.length > 0) await refs?.insert(ctx, toReferred(created.map(({ after }) => after)))
    await writeParts?.(ctx, writes)
    await record(ctx, writes)
  }

  return {
    facts,
    // The table has the columns of the facts.
    columns: columns as readonly string[] as readonly (keyof SelectedRow<F> & string)[],
    rows,
    query,
    fromRow,
    buildKey: (object) => {
      if (!buildKey) throw new Error(`${name} have no natural key`)
      return buildKey(object)
    },
    find,
    findAll,
    filterExisting: async (ctx, ids) => new Set((await idsAmong(ctx, ids)).map(({ id }) => id)),
    documents: async (ctx, ids) =>
      new Map([...(await findAll(ctx, ids))].map(([id, object]) => [id, JSON.stringify(object)])),
    lock: async (ctx, id) => (await lockRows(ctx, selectRows(ctx.db).where('id', '=', id)))[0],
    lockAll,
    lockWhere: (ctx, field, value) => lockRows(ctx, selectRows(ctx.db).where(field as 'id', '=', value)),
    findIdsByKeys: async (ctx, keys) =>
      new Map((await keysAmong(ctx, keys)).map(({ id, natural_key }) => [natural_key, id])),
    claimRefs: async (ctx, of) => refs?.claim(ctx, of),
    lockCustom: async (ctx) => {
      if (custom) await lockCustom(ctx, custom)
    },
    write,
    deleteWhere: async (ctx, condition) => {
      onWrite?.(ctx)
      const gone = (await ctx.db.deleteFrom(table).where(condition).returning(columns).execute()).map((row) =>
        fromRow(row),
      )
      await refs?.remove(ctx, toReferred(gone))
      await record(
        ctx,
        gone.map((before) => ({ before })),
      )
    },
    setColumns: async (ctx, values, condition) => {
      onWrite?.(ctx)
      await ctx.db.updateTable(table).set(values).where(condition).execute()
    },
    writeSilently: async (ctx, object) => {
      const set = { custom: formatCustom(object as WithCustom) }
      await ctx.db.updateTable(table).set(set).where('id', '=', object.id).execute()
    },
  }
}
