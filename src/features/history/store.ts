/** The queries of the history; with `record-store.ts` the only writer of its tables. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { batches } from '../../platform/db/batches.ts'
import { prepared } from '../../platform/db/query/prepared.ts'
import { padded } from '../../platform/db/query/prepared-lists.ts'
import type { StoreScope } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { ItemChange, Kind } from './api.ts'
import { KINDS } from './api.ts'
import type { ChangeRow } from './table.ts'

export const EXTENT_ID = 1

export type StoredChange = Omit<ChangeRow, 'seq' | 'at' | 'snapshot_xmax'> & {
  readonly seq: number
  readonly atMs: number
  readonly settledAfter: bigint
}

type Selected = Omit<ChangeRow, 'seq'> & { readonly seq: number | string }

const storedOf = ({ seq, at, snapshot_xmax, ...row }: Selected): StoredChange => ({
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
  return row && storedOf(row)
}

/** Returns the change with the highest number that was recorded until a time. */
export const lastUntil = async (ctx: StoreScope, atMs: number): Promise<StoredChange | undefined> => {
  // Of changes with equal times, the one with the highest number.
  const [row] = await changeUntil(ctx, { at: atMs })
  return row && storedOf(row)
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

export const beginsAt = async ({ db }: StoreScope): Promise<number> =>
  Number((await db.selectFrom('history_extent').select('begins_at').executeTakeFirst())?.begins_at ?? 0)

/** The time of the newest change; 0 without one. */
export const newestMs = async ({ db }: StoreScope): Promise<number> =>
  Number((await db.selectFrom('changes').select('at').orderBy('seq', 'desc').limit(1).executeTakeFirst())?.at ?? 0)

/** The time by the clock that the instances share. @param ownMs by the clock of this instance */
export const nowMs = async ({ db, store }: StoreScope, ownMs: number): Promise<number> => {
  const { rows } = await sql<{ at: number | string }>`SELECT ${store.sql.nowMs(ownMs)} AS at`.execute(db)
  return Number(rows[0]?.at)
}

/** The history begins now, unless it has begun before. */
export const begin = async ({ db, store }: StoreScope, ownMs: number): Promise<void> => {
  const begins_at = store.sql.nowMs(ownMs)
  await db
    .insertInto('history_extent')
    .values({ id: EXTENT_ID, begins_at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** The history begins no earlier than this. */
export const moveBeginning = async ({ db }: StoreScope, begins_at: number): Promise<void> => {
  await db.updateTable('history_extent').set({ begins_at }).where('begins_at', '<', begins_at).execute()
}

/** The number of items, and of changes, that one transaction deletes. */
const REMOVED_AT_ONCE = 500

/**
 * Deletes some of the changes before a time, with their items. The newest change stays, because SQLite would give its
 * number to the next one.
 */
export const removeSome = async (
  { db }: StoreScope,
  beforeMs: number,
): Promise<{ changes: number; isDone: boolean }> => {
  const old = await db
    .selectFrom('changes')
    .select('seq')
    .where('at', '<', beforeMs)
    .where('seq', '<', ({ selectFrom }) => selectFrom('changes').select(({ fn }) => fn.max('seq').as('newest')))
    .orderBy('at')
    .orderBy('seq')
    .limit(REMOVED_AT_ONCE)
    .execute()
  const seqs = old.map(({ seq }) => Number(seq))
  if (seqs.length === 0) return { changes: 0, isDone: true }
  const items = await db
    .selectFrom('history')
    .select(['kind', 'id', 'seq'])
    .where('seq', 'in', seqs)
    .limit(REMOVED_AT_ONCE + 1)
    .execute()
  if (items.length > REMOVED_AT_ONCE) {
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
  return { changes: seqs.length, isDone: seqs.length < REMOVED_AT_ONCE }
}

/** Changes before the beginning of the history are not shown, although some are still stored. */
const isKept = sql<SqlBool>`changes.at >= (SELECT begins_at FROM history_extent)`

export type ChangeFilter = {
  /** Only changes with an object of one of these kinds. */
  readonly kinds: readonly Kind[]
  readonly object_id?: string | undefined
  readonly user_id?: string | undefined
  readonly operation?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
}

/** Returns the matching changes, newest first. */
export const changesQuery = ({ db }: StoreScope, filter: ChangeFilter) => {
  const { kinds, object_id, user_id, operation, from, to } = filter
  let query = db.selectFrom('changes').selectAll().where(isKept).orderBy('seq', 'desc')
  if (user_id !== undefined)
    query = query.where((eb) => eb.or([eb('user_id', '=', user_id), eb('key_id', '=', user_id)]))
  if (operation !== undefined) query = query.where('operation', '=', operation)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<=', to)
  if (object_id !== undefined) {
    const of = db.selectFrom('history').select('history.seq').where('kind', 'in', kinds).where('id', '=', object_id)
    query = query.where('seq', 'in', of)
  } else if (kinds.length < KINDS.length)
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('history')
          .select('history.id')
          .whereRef('history.seq', '=', 'changes.seq')
          .where('history.kind', 'in', kinds),
      ),
    )
  return query
}

export const changeOfRow = storedOf

/** An item as it is stored, with the next change of the same object. */
export type StoredItem = {
  readonly kind: Kind
  readonly id: string
  readonly seq: number
  readonly before: string | null
  /** The number of the next change; null if the object is as this change left it. */
  readonly next_seq: number | null
  readonly next_before: string | null
}

const kindOrder = sql<number>`CASE history.kind ${sql.join(
  KINDS.map((kind, at) => sql`WHEN ${sql.lit(kind)} THEN ${sql.lit(at)}`),
  sql` `,
)} END`

const withNext = (db: Kysely<Tables>) =>
  db
    .selectFrom('history')
    .leftJoin('history as next', (join) =>
      join
        .onRef('next.kind', '=', 'history.kind')
        .onRef('next.id', '=', 'history.id')
        .on('next.seq', '=', (eb) =>
          eb
            .selectFrom('history as later')
            .select(({ fn }) => fn.min('later.seq').as('seq'))
            .whereRef('later.kind', '=', 'history.kind')
            .whereRef('later.id', '=', 'history.id')
            .whereRef('later.seq', '>', 'history.seq'),
        ),
    )
    .select([
      'history.kind',
      'history.id',
      'history.seq',
      'history.before',
      'next.seq as next_seq',
      'next.before as next_before',
    ])

type SelectedItem = {
  readonly kind: string
  readonly id: string
  readonly seq: number | string
  readonly before: string | null
  readonly next_seq: number | string | null
  readonly next_before: string | null
}

const itemOfRow = ({ kind, seq, next_seq, ...row }: SelectedItem): StoredItem => ({
  ...row,
  // Written by `record-store.ts` with kinds alone.
  kind: kind as Kind,
  seq: Number(seq),
  next_seq: next_seq === null ? null : Number(next_seq),
})

/** The number of objects whose states are read at once. */
const AT_ONCE = 500

/** Yields the items of one kind of a change, by id, in batches. */
export async function* itemsOf(
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
export async function* changedIds(
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
export const statesBeforeLater = async (
  ctx: StoreScope,
  kind: Kind,
  { ids, seq }: { readonly ids: readonly string[]; readonly seq: number },
): Promise<Map<string, string | null>> => {
  const states = new Map<string, string | null>()
  for (const batch of batches(ids)) {
    const rows = await ctx.db
      .selectFrom('history')
      .select(['id', 'before'])
      .where('kind', '=', kind)
      .where('id', 'in', padded(batch, ''))
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

/** Returns the newest change of an object after a change, if there is one. */
export const newestChangeOf = async (
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
  return row && storedOf(row)
}

/** Sets the newest undo of a change that has not been undone itself; null if there is none. */
export const settleUndone = async ({ db }: StoreScope, id: string): Promise<void> => {
  const newest = sql<string | null>`(
    SELECT undos.id FROM changes AS undos WHERE undos.undoes = ${id} AND undos.undone_by IS NULL ORDER BY undos.seq DESC LIMIT 1
  )`
  await db.updateTable('changes').set({ undone_by: newest }).where('id', '=', id).execute()
}

/** The changes of one object, newest first; of a device with those of its relationships. */
export const objectQuery = ({ db }: StoreScope, kind: Kind, id: string) => {
  const own = sql<SqlBool>`history.kind = ${kind} AND history.id = ${id}`
  // Ids contain no space, and `!` is the character after it.
  const asParent = sql<SqlBool>`history.kind = 'relationship' AND history.id >= ${`${id} `} AND history.id < ${`${id}!`}`
  const asChild = sql<SqlBool>`history.kind = 'relationship' AND history.child_id = ${id}`
  return withNext(db)
    .innerJoin('changes', 'changes.seq', 'history.seq')
    .select([
      'changes.id as change_id',
      'changes.at',
      'changes.operation',
      'changes.user_id',
      'changes.username',
      'changes.via',
      'changes.oauth_client',
      'changes.tool',
      'changes.ip_address',
      'changes.request_id',
      'changes.note',
      'changes.undoes',
    ])
    .where(isKept)
    .where(kind === 'device' ? sql<SqlBool>`((${own}) OR (${asParent}) OR (${asChild}))` : own)
    .orderBy('history.seq', 'desc')
    .orderBy(kindOrder)
    .orderBy('history.id')
}

/** Returns a row of `objectQuery`. */
export const entryOfRow = <Row extends SelectedItem & { readonly at: number | string }>({ at, ...row }: Row) => ({
  ...row,
  ...itemOfRow(row),
  atMs: Number(at),
})
