/** The stores of objects without a history. They record their writes for the plans of AI clients. */
import type { SelectQueryBuilder } from 'kysely'

import { splitBatches } from '../database/query/batches.ts'
import type { Tables } from '../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../kernel/ctx.ts'
import { toNameKey } from '../net/name-order.ts'
import { selectFromTable, toNamed } from './named-tables.ts'

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

type PlainOptions<Table extends keyof Tables, R, T> = {
  readonly kind: string
  readonly table: Table
  /** Returns the rows in the order of the list. */
  readonly query: (scope: DbScope) => SelectQueryBuilder<Tables, Table, R>
  readonly fromRow: (row: R) => T
  readonly toRow: (object: T) => PlainDocument
  /** Returns an object as the API sends it, if that is less than what is stored. */
  readonly toDocument?: (object: T) => PlainDocument
  /** Returns the existing objects with all that a write of them changes, if that is more. */
  readonly findDocuments?: KindOptions['find']
}

type Named = { readonly id: string; readonly name: string }

type PlainStore<T> = Recorder & {
  readonly find: (scope: DbScope, id: string) => Promise<T | undefined>
  /** Finds like `find`, and locks the row until commit. */
  readonly lock: (scope: StoreScope, id: string) => Promise<T | undefined>
  /** Returns another object with the name, in any case. */
  readonly findNamesake: (scope: DbScope, object: Named) => Promise<{ readonly name: string } | undefined>
  readonly insert: (scope: RecordScope, object: T) => Promise<void>
  readonly update: (scope: RecordScope, object: T) => Promise<void>
  readonly remove: (scope: RecordScope, id: string) => Promise<void>
}

/** Returns the store of a kind with a row for each object: the only writer of the table. */
export const createPlainStore = <Table extends keyof Tables, R, T>({
  kind,
  table,
  query,
  fromRow,
  toRow,
  toDocument = (object) => object as PlainDocument,
  findDocuments,
}: PlainOptions<Table, R, T>): PlainStore<T> => {
  // The builder knows tables by literal names.
  const select = (scope: DbScope) => query(scope) as object as SelectQueryBuilder<Tables, 'datacenters', R>
  const selectById = (scope: DbScope, id: string) => select(scope).clearOrderBy().where('id', '=', id)
  const toObject = (row: unknown): T | undefined => (row === undefined ? undefined : fromRow(row as R))
  const name = table as 'named'
  const recorder = createRecorder({
    ...{ kind, table },
    find: async (ctx, ids) => {
      if (findDocuments) return findDocuments(ctx, ids)
      const rows = await select(ctx).where('id', 'in', ids).execute()
      return rows.map((row) => toDocument(fromRow(row as R)))
    },
  })
  const write = (scope: RecordScope, id: string, work: () => { readonly execute: () => Promise<unknown> }) =>
    recorder.write(scope, [id], async () => void (await work().execute()))
  return {
    ...recorder,
    find: async (scope, id) => toObject(await selectById(scope, id).executeTakeFirst()),
    lock: async (scope, id) => toObject(await scope.store.sql.lockRows(selectById(scope, id)).executeTakeFirst()),
    findNamesake: ({ db }, object) => {
      const same = toNamed(db).selectFrom(name).select('name').where('name_key', '=', toNameKey(object.name.trim()))
      return same.where('id', '<>', object.id).executeTakeFirst()
    },
    insert: (scope, object) => {
      const row = toRow(object)
      return write(scope, row.id, () =>
        toNamed(scope.db)
          .insertInto(name)
          .values(row as never),
      )
    },
    update: (scope, object) => {
      const row = toRow(object)
      return write(scope, row.id, () => toNamed(scope.db).updateTable(name).set(row).where('id', '=', row.id))
    },
    remove: (scope, id) => write(scope, id, () => toNamed(scope.db).deleteFrom(name).where('id', '=', id)),
  }
}
