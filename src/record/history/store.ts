/** The queries of the history; with `record-store.ts` the only writer of its tables. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { padKeys } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import type { ItemChange } from './api.ts'
import type { Kind } from './kind-names.ts'
import type { ChangeRow } from './table.ts'

export const EXTENT_ID = 1

export type StoredChange = Omit<ChangeRow, 'seq' | 'at' | 'snapshot_xmax'> & {
  readonly seq: number
  readonly atMs: number
  readonly settledAfter: bigint
}

type Selected = Omit<ChangeRow, 'seq'> & { readonly seq: number | string }

export const toStored = ({ seq, at, snapshot_xmax, ...row }: Selected): StoredChange => ({
  ...row,
  seq: Number(seq),
  atMs: Number(at),
  settledAfter: BigInt(snapshot_xmax),
})

const changeById = prepared((db: Kysely<Tables>, { id }: { id: string }) =>
  db.selectFrom('changes').selectAll().where('id', '=', id),
)

/** Also of one before the beginning of the history, as long as it is stored. */

export const findChange = async (ctx: StoreScope, id: string): Promise<StoredChange | undefined> => {
  const [row] = await changeById(ctx, { id })
  return row && toStored(row)
}

/** Returns the changes of these ids, also of ones before the beginning of the history. */
export const findChangesById = async ({ db }: StoreScope, ids: readonly string[]): Promise<StoredChange[]> => {
  const found: StoredChange[] = []
  for (const some of splitBatches(ids))
    found.push(...(await db.selectFrom('changes').selectAll().where('id', 'in', some).execute()).map(toStored))
  return found
}

/** Returns the change with the highest number that was recorded until a time. */
export const findLastUntil = async (ctx: StoreScope, atMs: number): Promise<StoredChange | undefined> => {
  // The highest number is the last of changes with equal times.
  const [row] = await changeUntil(ctx, { at: atMs })
  return row && toStored(row)
}

const changeUntil = prepared((db: Kysely<Tables>, { at }: { at: number }) =>
  db.selectFrom('changes').selectAll().where('at', '<=', at).orderBy('at', 'desc').orderBy('seq', 'desc').limit(1),
)

/** Counts the items of later changes, up to `most`. */
export const countLater = async (ctx: StoreScope, moment: { readonly seq: number; readonly most: number }) =>
  Number((await laterCount(ctx, moment))[0]?.n ?? 0)

const laterCount = prepared((db: Kysely<Tables>, { seq, most }: { seq: number; most: number }) =>
  db
    .selectFrom(db.selectFrom('history').select('seq').where('seq', '>', seq).limit(most).as('later'))
    .select(({ fn }) => fn.countAll<number | string>().as('n')),
)

export const readBeginning = async ({ db }: StoreScope): Promise<number> =>
  Number((await db.selectFrom('history_extent').select('begins_at').executeTakeFirst())?.begins_at ?? 0)

/** Returns the time of the newest change; 0 without one. */
export const findNewestMs = async ({ db }: StoreScope): Promise<number> =>
  Number((await db.selectFrom('changes').select('at').orderBy('seq', 'desc').limit(1).executeTakeFirst())?.at ?? 0)

/** Returns the time by the clock that the instances share. @param ownMs by the clock of this instance */
export const readNowMs = async ({ db, store }: StoreScope, ownMs: number): Promise<number> => {
  const { rows } = await sql<{ at: number | string }>`SELECT ${store.sql.nowMs(ownMs)} AS at`.execute(db)
  return Number(rows[0]?.at)
}

/** Begins the history now, unless it has begun before. */
export const begin = async ({ db, store }: StoreScope, ownMs: number): Promise<void> => {
  const begins_at = store.sql.nowMs(ownMs)
  await db
    .insertInto('history_extent')
    .values({ id: EXTENT_ID, begins_at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Moves the beginning of the history, so that it is no earlier than this. */
export const moveBeginning = async ({ db }: StoreScope, begins_at: number): Promise<void> => {
  await db.updateTable('history_extent').set({ begins_at }).where('begins_at', '<', begins_at).execute()
}

/**
 * Deletes some of the changes before a time, with their items: `most` of each. The newest change stays, because SQLite would
 * give its number to the next one.
 */
export const removeSome = async (
  { db }: StoreScope,
  beforeMs: number,
  most: number,
): Promise<{ changes: number; isDone: boolean }> => {
  const old = await db
    .selectFrom('changes')
    .select('seq')
    .where('at', '<', beforeMs)
    .where('seq', '<', ({ selectFrom }) => selectFrom('changes').select(({ fn }) => fn.max('seq').as('newest')))
    .orderBy('at')
    .orderBy('seq')
    .limit(most)
    .execute()
  const seqs = old.map(({ seq }) => Number(seq))
  if (seqs.length === 0) return { changes: 0, isDone: true }
  const items = await db
    .selectFrom('history')
    .select(['kind', 'id', 'seq'])
    .where('seq', 'in', seqs)
    .limit(most + 1)
    .execute()
  if (items.length > most) {
    // One of the changes has many items: they go first.
    for (const [seq, ofChange] of Map.groupBy(items, (item) => Number(item.seq)))
      for (const [kind, ofKind] of Map.groupBy(ofChange, (item) => item.kind)) {
        const ids = ofKind.map(({ id }) => id)
        await db.deleteFrom('history').where('kind', '=', kind).where('seq', '=', seq).where('id', 'in', ids).execute()
      }
    return { changes: 0, isDone: false }
  }
  await db.deleteFrom('history').where('seq', 'in', seqs).execute()
  await db.deleteFrom('changes').where('seq', 'in', seqs).execute()
  return { changes: seqs.length, isDone: seqs.length < most }
}

/**
 * Changes before the beginning of the history are not shown, although some are still stored. Nearly all match: the sign
 * keeps SQLite from reading them by the index of their times (sqlite.org/optoverview.html, 'unary +').
 */
export const isKept = sql<SqlBool>`+changes.at >= (SELECT begins_at FROM history_extent)`

/** The number of objects with states that are read at once. */
const AT_ONCE = 500

/** Yields the items of one kind of a change, by id, in batches. */
export async function* streamItems(
  { db }: StoreScope,
  { seq, kind, change }: { readonly seq: number; readonly kind: Kind; readonly change?: ItemChange | undefined },
): AsyncGenerator<{ id: string; before: string | null }[]> {
  let query = db.selectFrom('history').select(['id', 'before']).where('seq', '=', seq).where('kind', '=', kind)
  if (change === 'create') query = query.where('before', 'is', null)
  else if (change !== undefined) query = query.where('before', 'is not', null)
  for (let last = ''; ; ) {
    const rows = await query.where('id', '>', last).orderBy('id').limit(AT_ONCE).execute()
    if (rows.length > 0) yield rows
    if (rows.length < AT_ONCE) return
    last = rows.at(-1)?.id ?? ''
  }
}

/** Yields the ids of the objects of one kind that changed after `after` and not after `until`, in batches. */
export async function* streamChangedIds(
  { db }: StoreScope,
  { kind, after, until }: { readonly kind: Kind; readonly after: number; readonly until: number | undefined },
): AsyncGenerator<string[]> {
  let query = db.selectFrom('history').select('id').distinct().where('kind', '=', kind).where('seq', '>', after)
  if (until !== undefined) query = query.where('seq', '<=', until)
  for (let last = ''; ; ) {
    const rows = await query.where('id', '>', last).orderBy('id').limit(AT_ONCE).execute()
    if (rows.length > 0) yield rows.map(({ id }) => id)
    if (rows.length < AT_ONCE) return
    last = rows.at(-1)?.id ?? ''
  }
}

/**
 * Returns the documents before the first change after a moment, by id; null for an object that did not exist. Objects
 * that have not changed since are missing.
 */
export const findStatesBeforeLater = async (
  ctx: StoreScope,
  kind: Kind,
  { ids, seq }: { readonly ids: readonly string[]; readonly seq: number },
): Promise<Map<string, string | null>> => {
  const states = new Map<string, string | null>()
  for (const batch of splitBatches(ids)) {
    const rows = await ctx.db
      .selectFrom('history')
      .select(['id', 'before'])
      .where('kind', '=', kind)
      .where('id', 'in', padKeys(batch, ''))
      .where('seq', '=', ({ selectFrom }) =>
        selectFrom('history as later')
          .select(({ fn }) => fn.min('later.seq').as('seq'))
          .whereRef('later.kind', '=', 'history.kind')
          .whereRef('later.id', '=', 'history.id')
          .where('later.seq', '>', seq),
      )
      .execute()
    for (const { id, before } of rows) states.set(id, before)
  }
  return states
}

/** Returns all kept states of objects before a change, in the order of the changes. */
export const findStates = async (
  ctx: StoreScope,
  kind: Kind,
  ids: readonly string[],
): Promise<{ id: string; seq: number; before: string | null }[]> => {
  const states: { id: string; seq: number; before: string | null }[] = []
  for (const batch of splitBatches(ids)) {
    const query = ctx.db.selectFrom('history').select(['id', 'seq', 'before']).where('kind', '=', kind)
    const rows = await query.where('id', 'in', padKeys(batch, '')).orderBy('seq').execute()
    for (const { seq, ...row } of rows) states.push({ ...row, seq: Number(seq) })
  }
  return states
}

/** Returns the last documents of objects that are gone, by id. */
export const findLastDocuments = async (
  ctx: StoreScope,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  const documents = new Map<string, string>()
  for (const batch of splitBatches(ids)) {
    const rows = await ctx.db
      .selectFrom('history')
      .select(['id', 'before'])
      .where('kind', '=', kind)
      .where('id', 'in', padKeys(batch, ''))
      .where('seq', '=', ({ selectFrom }) =>
        selectFrom('history as last')
          .select(({ fn }) => fn.max('last.seq').as('seq'))
          .whereRef('last.kind', '=', 'history.kind')
          .whereRef('last.id', '=', 'history.id'),
      )
      .execute()
    for (const { id, before } of rows) if (before !== null) documents.set(id, before)
  }
  return documents
}

/** Returns the newest change of an object after a change, if there is one. */
export const findNewestChange = async (
  { db }: StoreScope,
  { kind, id, after }: { readonly kind: Kind; readonly id: string; readonly after: number },
) => {
  const row = await db
    .selectFrom('history')
    .innerJoin('changes', 'changes.seq', 'history.seq')
    .selectAll('changes')
    .where('history.kind', '=', kind)
    .where('history.id', '=', id)
    .where('history.seq', '>', after)
    .orderBy('history.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toStored(row)
}

/** Sets the newest undo of a change that has not been undone itself; null if there is none. */
export const settleUndone = async ({ db }: StoreScope, id: string): Promise<void> => {
  const newest = sql<string | null>`(
    SELECT undos.id FROM changes AS undos WHERE undos.undoes = ${id} AND undos.undone_by IS NULL ORDER BY undos.seq DESC LIMIT 1
  )`
  await db.updateTable('changes').set({ undone_by: newest }).where('id', '=', id).execute()
}
