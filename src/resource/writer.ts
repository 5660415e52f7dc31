/** The writes of a resource: rows, parts, refs and values of custom fields, and their record. Nothing else writes its table. */
import type { Expression, Kysely, SqlBool } from 'kysely'
import { createBreathe } from '../base/runtime/pause.ts'
import { toSingular } from '../contract/command-name.ts'
import type { AppError } from '../contract/errors.ts'
import type { Refs } from '../contract/fields/external-fields.ts'
import { splitBatches } from '../database/query/batches.ts'
import { preparedKeys, preparedRows } from '../database/query/prepared-lists.ts'
import type { Tables } from '../database/tables.ts'
import type { ItemWrite } from '../kernel/changes/change-record.ts'
import { createObjectRefs } from '../kernel/changes/object-refs.ts'
import type { Ctx } from '../kernel/ctx.ts'
import { getLabel } from './columns.ts'
import { createDefinitionsOf } from './custom/fields.ts'
import { formatCustom, type WithCustom } from './custom/rows.ts'
import { hasRefs, type ResourceFacts } from './facts.ts'
import type { Layout } from './layout.ts'
import type { ObjectWrite, OwnStore, Written } from './own-store.ts'
import { recordDocuments, recordValues } from './record.ts'
import { type Cells, createRowUpdate } from './row-updates.ts'

/** The objects that are updated or recorded before the event loop may run again. */
const WRITTEN_AT_ONCE = 50

type Referred = { readonly id: string; readonly refs: Refs }
type Change<T> = Written<T> & { readonly before: T }
/** The rows of written objects. */
type Rows<T> = ReadonlyMap<T, Cells>

const NONE: readonly string[] = []

const hasAny = ({ refs }: { readonly refs: Refs }): boolean => {
  for (const _ in refs) return true
  return false
}

const isNew = <T>({ before, after }: ObjectWrite<T>): boolean => before === undefined && after !== undefined

export const createWriter = <F extends ResourceFacts, T extends object>(
  facts: F,
  own: OwnStore<F, T>,
  { table, getId, pickKey, columns, fieldColumns, allColumns, toRows, fromRow }: Layout<T>,
) => {
  const { name } = facts
  const { rows: ownRows, key, search, removeParts, writeParts, onWrite, toColumns } = own
  const { indexed, document, valued = ['custom'] } = ownRows ?? {}
  const kind = toSingular(name)
  const refs = hasRefs(facts) ? createObjectRefs(name, kind.replaceAll('-', ' '), getLabel(facts)) : undefined
  const values = { getDefinitions: createDefinitionsOf(facts), getId, parts: own.valuedParts }
  // A resource with `refs` has them in each object.
  const toReferred = (objects: readonly T[]) => objects as readonly object[] as readonly Referred[]

  // The rows have the columns of the table.
  const toTableRows = (rows: readonly Cells[]) => rows as readonly object[] as Tables['datacenters'][]
  const insertRows = preparedRows(allColumns, (db: Kysely<Tables>, rows: Cells[]) =>
    db.insertInto(table).values(toTableRows(rows)),
  )
  // An upsert, because one statement then takes many rows.
  const upsertRows = preparedRows(allColumns, (db: Kysely<Tables>, rows: Cells[]) =>
    db
      .insertInto(table)
      .values(toTableRows(rows))
      .onConflict((conflict) =>
        conflict
          .columns([...(key?.columns ?? [])] as 'id'[])
          .doUpdateSet(({ ref }) =>
            Object.fromEntries(
              allColumns.flatMap((column) =>
                key?.columns.includes(column as keyof T & string) ? [] : [[column, ref(`excluded.${column}` as 'id')]],
              ),
            ),
          ),
      ),
  )
  const isPlain = (column: string) => column !== 'id' && !indexed?.columns.includes(column)
  const updateRow = createRowUpdate(table, allColumns.filter(isPlain))
  const updateFields = createRowUpdate(table, fieldColumns.filter(isPlain))
  const updateValues = createRowUpdate(table, valued)
  const storedTexts = preparedKeys((db: Kysely<Tables>, ids) =>
    db
      .selectFrom(table)
      .select(['id', (search?.column ?? 'id') as 'id'])
      .where('id', 'in', ids),
  )

  /** Returns the indexed columns that a change must set. */
  const listIndexed = ({ before }: Change<T>, row: Cells): readonly string[] => {
    if (!indexed) return NONE
    const old = indexed.toCells(before)
    return indexed.columns.filter((column) => row[column] !== old[column])
  }

  const insertAll = async (ctx: Ctx, created: readonly Written<T>[], written: Map<T, Cells>): Promise<void> => {
    const rows = await toRows(ctx, created)
    created.forEach(({ after }, i) => void written.set(after, rows[i] ?? {}))
    if (search) ctx.searchTextChanged(table, { added: rows.map((row) => String(row[search.column])) })
    await insertRows(ctx, rows)
  }

  const updateSome = async (ctx: Ctx, changes: readonly Change<T>[], written: Map<T, Cells>): Promise<void> => {
    const rows = await toRows(ctx, changes)
    changes.forEach(({ after }, i) => void written.set(after, rows[i] ?? {}))
    if (search) {
      const { getText, isFoundOtherwise } = await search.load(ctx)
      for (const [i, { before, after }] of changes.entries())
        if (isFoundOtherwise(before, after))
          ctx.searchTextChanged(table, { removed: [getText(before)], added: [String(rows[i]?.[search.column])] })
    }
    if (key) return upsertRows(ctx, rows)
    await Promise.all(
      changes.map((change, i) => {
        const row = rows[i] ?? {}
        const update = toColumns || change.columns ? updateRow : updateFields
        return update(ctx, row, listIndexed(change, row))
      }),
    )
  }

  const updateAll = async (ctx: Ctx, changes: readonly Change<T>[], written: Map<T, Cells>): Promise<void> => {
    if (changes.length <= WRITTEN_AT_ONCE) return updateSome(ctx, changes, written)
    const breathe = createBreathe()
    for (const batch of splitBatches(changes, WRITTEN_AT_ONCE)) {
      await updateSome(ctx, batch, written)
      await breathe()
    }
  }

  /** Returns the changes that may change refs. */
  const listMoved = (changes: readonly Change<T>[]) =>
    changes.flatMap(({ before, after }) => {
      const [old, fresh] = toReferred([before, after])
      return old && fresh && old.refs !== fresh.refs ? [{ before: old, after: fresh }] : []
    })

  const updateRefs = async (ctx: Ctx, changes: readonly Change<T>[]): Promise<void> => {
    if (!refs) return
    const moved = listMoved(changes)
    // One may get the ref of another.
    if (moved.length > 1) await refs.release(ctx, moved)
    for (const change of moved) await refs.update(ctx, change.before, change.after)
  }

  const removeAll = async (ctx: Ctx, removed: readonly T[]): Promise<void> => {
    if (search) {
      const { getText } = await search.load(ctx)
      ctx.searchTextChanged(table, { removed: removed.map(getText) })
    }
    await removeParts?.(ctx, removed)
    for (const batch of splitBatches(removed)) {
      const rows = ctx.db.deleteFrom(table)
      await (key
        ? rows.where((eb) => eb.or(batch.map((one) => eb.and(pickKey(one)))))
        : rows.where('id', 'in', batch.map(getId))
      ).execute()
    }
    await refs?.remove(ctx, toReferred(removed))
  }

  /** Records the values of custom fields, and the documents for the history. */
  const record = async (ctx: Ctx, writes: readonly ObjectWrite<T>[], rows?: Rows<T>): Promise<void> => {
    await recordValues(ctx, values, writes)
    const format = (object: T): string => {
      const stored = document === undefined ? undefined : rows?.get(object)?.[document]
      return typeof stored === 'string' ? stored : JSON.stringify(own.toDocument?.(object) ?? object)
    }
    const breathe = createBreathe()
    for (const batch of writes.length > WRITTEN_AT_ONCE ? splitBatches(writes, WRITTEN_AT_ONCE) : [writes]) {
      const items = batch.flatMap((write): ItemWrite[] => {
        const { before, after } = write
        const object = after ?? before
        if (!object) return []
        const event = 'event' in write ? write.event : undefined
        return [{ id: getId(object), before: before && format(before), after: after && format(after), event }]
      })
      recordDocuments(ctx, kind, items)
      await breathe()
    }
  }

  const write = async (ctx: Ctx, writes: readonly ObjectWrite<T>[]): Promise<void> => {
    if (writes.length === 0) return
    const created = writes.filter(isNew) as readonly Written<T>[]
    const changed = writes.filter(({ before, after }) => before && after) as readonly Change<T>[]
    const removed = writes.flatMap(({ before, after }) => (before && !after ? [before] : []))
    const rows = new Map<T, Cells>()
    onWrite?.(ctx)
    if (created.length > 0) await insertAll(ctx, created, rows)
    if (changed.length > 0) {
      await updateAll(ctx, changed, rows)
      await updateRefs(ctx, changed)
    }
    if (removed.length > 0) await removeAll(ctx, removed)
    const referred = toReferred(created.map(({ after }) => after))
    if (refs && referred.some(hasAny)) await refs.insert(ctx, referred)
    await writeParts?.(ctx, writes)
    await record(ctx, writes, rows)
  }

  return {
    claimRefs: async (ctx: Ctx, all: readonly Refs[]): Promise<void> => {
      if (all.some((one) => hasAny({ refs: one }))) await refs?.claim(ctx, all)
    },
    findRefusedRefs: async (ctx: Ctx, changes: readonly Change<T>[]) =>
      (await refs?.refused(ctx, listMoved(changes))) ?? new Map<string, AppError>(),
    lockNewRefs: async (ctx: Ctx, given: Refs) =>
      refs?.lock(ctx, [{ before: { id: '', refs: {} }, after: { id: '', refs: given } }]),
    lockRefs: async (ctx: Ctx, before: T, after: T) => refs?.lock(ctx, listMoved([{ before, after }])),
    write,
    deleteWhere: async (ctx: Ctx, condition: Expression<SqlBool>): Promise<readonly T[]> => {
      onWrite?.(ctx)
      const rows = await ctx.db.deleteFrom(table).where(condition).returning(columns).execute()
      const gone = rows.map(fromRow)
      await refs?.remove(ctx, toReferred(gone))
      await record(
        ctx,
        gone.map((before) => ({ before })),
      )
      return gone
    },
    writeSilently: async (ctx: Ctx, objects: readonly T[]): Promise<void> => {
      const rows: readonly Cells[] = ownRows
        ? await ownRows.toRows(ctx, objects)
        : objects.map((object) => ({ id: getId(object), custom: formatCustom(object as WithCustom) }))
      if (search) {
        const { column } = search
        const old = new Map((await storedTexts(ctx, objects.map(getId))).map((row) => [row.id, row as Cells]))
        for (const row of rows) {
          const [removed, added] = [String(old.get(String(row.id))?.[column]), String(row[column])]
          if (removed !== added) ctx.searchTextChanged(table, { removed: [removed], added: [added] })
        }
      }
      await Promise.all(rows.map((row) => updateValues(ctx, row)))
    },
    setColumns: async (
      ctx: Ctx,
      cells: Readonly<Record<string, Expression<string>>>,
      condition: Expression<SqlBool>,
    ): Promise<void> => {
      onWrite?.(ctx)
      await ctx.db.updateTable(table).set(cells).where(condition).execute()
    },
  }
}
