/** The queries of a resource with one row for each object; the only writer of its table. */
import type { Expression, Kysely, SelectQueryBuilder, SqlBool } from 'kysely'
import type { AppError } from '../contract/errors.ts'
import type { Refs } from '../contract/fields/external-fields.ts'
import { splitBatches } from '../database/query/batches.ts'
import { prepared } from '../database/query/prepared.ts'
import { preparedKeys, preparedTuples } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import type { TableOf } from '../inventory/resources.ts'
import type { Ctx, DbScope } from '../kernel/ctx.ts'
import { type SelectedRow, toSortColumn } from './columns.ts'
import { lockCustom } from './custom/engine.ts'
import { createDefinitionsOf } from './custom/fields.ts'
import type { ResourceFacts } from './facts.ts'
import { createLayout } from './layout.ts'
import type { KeyFields, ObjectWrite, OwnStore, StoredObject } from './own-store.ts'
import { createWriter } from './writer.ts'

export type { ObjectWrite, StoredObject } from './own-store.ts'

type Query<F extends ResourceFacts> = SelectQueryBuilder<Tables, TableOf<F['name']> & keyof Tables, SelectedRow<F>>

type Changed<T> = { readonly before: T; readonly after: T }

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
  /** Locks the refs of new objects until commit. @throws RefTakenError */
  readonly claimRefs: (ctx: Ctx, ...all: readonly Refs[]) => Promise<void>
  /** Locks the refs that objects get until commit. Returns the errors of refused changes, by id: the state after all of them counts. */
  readonly findRefusedRefs: (ctx: Ctx, changes: readonly Changed<T>[]) => Promise<ReadonlyMap<string, AppError>>
  /** Locks the refs that an object gets by a change until commit. */
  readonly lockRefs: (ctx: Ctx, before: T, after: T) => Promise<void>
  /** Locks the refs of a new object, before objects that have lost theirs are deleted. */
  readonly lockNewRefs: (ctx: Ctx, given: Refs) => Promise<void>
  /**
   * Keeps the definitions of custom fields unchanged until commit. Called before rows are locked.
   * @param object tells the kind of its definitions, if the resource has objects of several kinds
   */
  readonly lockCustom: (ctx: Ctx, object?: object) => Promise<void>
  /** Stores objects with their refs and the values of custom fields, and records them in the change of the transaction. */
  readonly write: (ctx: Ctx, writes: readonly ObjectWrite<T>[]) => Promise<void>
  /** Deletes the objects that match, as `write` does, and returns them. They have no parts in other tables. */
  readonly deleteWhere: (ctx: Ctx, condition: Expression<SqlBool>) => Promise<readonly T[]>
  /** Stores only the values of custom fields, which is no change of the objects. */
  readonly writeSilently: (ctx: Ctx, objects: readonly T[]) => Promise<void>
  /** Sets columns beyond the fields in the rows that match, which is no change of the objects. */
  readonly setColumns: (
    ctx: Ctx,
    values: Readonly<Record<string, Expression<string>>>,
    condition: Expression<SqlBool>,
  ) => Promise<void>
}

/** Returns the columns by which a list is ordered, and the id at last. */
const listOrderColumns = (facts: ResourceFacts): string[] => [
  ...(facts.order ?? ['name']).map((field) => toSortColumn(facts, field)),
  'id',
]

export const objectStore = <F extends ResourceFacts, T extends object = StoredObject>(
  facts: F,
  own: OwnStore<F, T> = {},
): ObjectStore<F, T> => {
  const { name } = facts
  const layout = createLayout(facts, own)
  const { table, getId, columns, fromRow, buildKey } = layout
  const { readParts, key } = own
  const writer = createWriter(facts, own, layout)
  const getDefinitions = createDefinitionsOf(facts)
  const orderColumns = own.orderBy ?? listOrderColumns(facts)

  const selectRows = (db: Kysely<Tables>) => db.selectFrom(table).select(columns)
  const rowById = prepared((db: Kysely<Tables>, { id }: { id: string }) => selectRows(db).where('id', '=', id))
  const rowsByIds = preparedKeys((db: Kysely<Tables>, ids) => selectRows(db).where('id', 'in', ids))
  // The keys have these columns.
  const rowsByKeys = preparedTuples([...(key?.columns ?? [])] as 'id'[], (db: Kysely<Tables>, keys: { id: string }[]) =>
    selectRows(db).where((eb) => eb.or(keys.map((one) => eb.and(one)))),
  )
  const readRows = (ctx: Ctx, ids: readonly string[]) =>
    key ? rowsByKeys(ctx, ids.map(key.parseId) as { id: string }[]) : rowsByIds(ctx, ids)
  const idsAmong = preparedKeys((db: Kysely<Tables>, ids) => db.selectFrom(table).select('id').where('id', 'in', ids))
  const keysAmong = preparedKeys((db: Kysely<Tables>, keys) => {
    const keyed = table as string as 'device_types'
    return db.selectFrom(keyed).select(['id', 'natural_key']).where('natural_key', 'in', keys)
  })

  const rows = ({ db }: DbScope) => selectRows(db) as unknown as Query<F>
  const query = (ctx: Ctx) =>
    orderColumns.reduce((ordered, column) => ordered.orderBy(column as 'id'), selectRows(ctx.db)) as unknown as Query<F>

  const find = async (ctx: Ctx, id: string): Promise<T | undefined> => {
    const [[row], getParts] = await Promise.all([
      key ? readRows(ctx, [id]) : rowById(ctx, { id }),
      readParts?.(ctx, [id]),
    ])
    return row && fromRow(getParts ? { ...row, ...getParts(id) } : row)
  }
  const fromRows = async (ctx: Ctx, found: readonly { readonly id: string }[]): Promise<T[]> => {
    const ids = found.map(({ id }) => id)
    const getParts = readParts && ids.length > 0 ? await readParts(ctx, ids) : undefined
    return found.map((row) => fromRow(getParts ? { ...row, ...getParts(row.id) } : row))
  }
  const findAll = async (ctx: Ctx, ids: readonly string[]): Promise<Map<string, T>> => {
    if (ids.length === 0) return new Map()
    return new Map((await fromRows(ctx, await readRows(ctx, ids))).map((object) => [getId(object), object]))
  }
  const lockRows = async (ctx: Ctx, of: ReturnType<typeof selectRows>): Promise<T[]> =>
    fromRows(ctx, await ctx.store.sql.lockRows(of.orderBy('id')).execute())
  const lockAll = async (ctx: Ctx, ids: readonly string[]): Promise<T[]> => {
    const locked: T[] = []
    for (const batch of splitBatches([...new Set(ids)].sort()))
      locked.push(...(await lockRows(ctx, selectRows(ctx.db).where('id', 'in', batch))))
    return locked
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
      // An object has the fields of the key.
      return buildKey(object as unknown as T)
    },
    find,
    findAll,
    filterExisting: async (ctx, ids) => new Set((await idsAmong(ctx, ids)).map(({ id }) => id)),
    documents: async (ctx, ids) =>
      new Map(
        [...(await findAll(ctx, ids))].map(([id, object]) => [id, JSON.stringify(own.toDocument?.(object) ?? object)]),
      ),
    lock: async (ctx, id) => (await lockRows(ctx, selectRows(ctx.db).where('id', '=', id)))[0],
    lockAll,
    lockWhere: (ctx, field, value) => lockRows(ctx, selectRows(ctx.db).where(field as 'id', '=', value)),
    findIdsByKeys: async (ctx, keys) =>
      new Map((await keysAmong(ctx, keys)).map(({ id, natural_key }) => [natural_key, id])),
    claimRefs: (ctx, ...all) => writer.claimRefs(ctx, all),
    findRefusedRefs: writer.findRefusedRefs,
    lockRefs: writer.lockRefs,
    lockNewRefs: writer.lockNewRefs,
    lockCustom: async (ctx, object = {}) => {
      if (getDefinitions) await lockCustom(ctx, getDefinitions(object))
    },
    write: writer.write,
    deleteWhere: writer.deleteWhere,
    setColumns: writer.setColumns,
    writeSilently: writer.writeSilently,
  }
}
