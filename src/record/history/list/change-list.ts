/** The queries for pages of changes, by their objects, their callers and their times. */
import { type Kysely, type SqlBool, sql } from 'kysely'
import { memoized } from '../../../database/cache/revision-cache.ts'
import { splitBatches } from '../../../database/query/batches.ts'
import type { Tables } from '../../../database/tables.ts'
import type { StoreScope } from '../../../kernel/ctx.ts'
import { countRows } from '../../../kernel/list.ts'
import { KINDS, type Kind } from '../kind-names.ts'
import { isNamedNow, type ObjectIds, selectNamedSeqs } from '../names/by-name.ts'
import { isKept, type StoredChange, toStored } from '../store.ts'

export type ChangeFilter = {
  /** Only changes with an object of one of these kinds. */
  readonly kinds: readonly Kind[]
  readonly object_id?: string | undefined
  /** Only changes of an object with this name. `objects` are absent if there are too many of them. */
  readonly named?: { readonly text: string; readonly objects: ObjectIds | undefined } | undefined
  readonly user_id?: string | undefined
  readonly operation?: string | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Only changes with a lower number. */
  readonly before?: number | undefined
}

/** Up to this many items, the changes of a kind are found by its items. */
const MAX_ITEMS_READ_BY_KIND = 5000

/** Returns true if few items have these kinds. */
const hasFewItems = async ({ db }: StoreScope, kinds: readonly Kind[]): Promise<boolean> => {
  const some = db
    .selectFrom('history')
    .select('seq')
    .where('kind', 'in', kinds)
    .limit(MAX_ITEMS_READ_BY_KIND + 1)
  const { n } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n) <= MAX_ITEMS_READ_BY_KIND
}

/** Returns a key of the filter. Its text tells which objects have the name. */
export const buildFilterKey = ({ named, ...filter }: ChangeFilter): string => JSON.stringify([filter, named?.text])

/** Selects the numbers of the changes of objects. */
const selectSeqs = (db: Kysely<Tables>, objects: ObjectIds) => {
  const select = ([kind, ids]: readonly [string, readonly string[]]) =>
    db.selectFrom('history').select('history.seq').where('history.kind', '=', kind).where('history.id', 'in', ids)
  const [first, ...others] = Object.entries(objects)
  return first && others.reduce((all, one) => all.unionAll(select(one)), select(first))
}

/** Returns the query for the matching changes, newest first. */
const buildChangesQuery = async (ctx: StoreScope, filter: ChangeFilter) => {
  const { db } = ctx
  const { kinds, object_id, named, user_id, operation, from, to, before } = filter
  let query = db.selectFrom('changes').selectAll().where(isKept).orderBy('seq', 'desc')
  if (user_id !== undefined)
    query = query.where((eb) => eb.or([eb('user_id', '=', user_id), eb('key_id', '=', user_id)]))
  if (operation !== undefined) query = query.where('operation', '=', operation)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<=', to)
  if (before !== undefined) query = query.where('seq', '<', before)
  if (kinds.length === 0) return query.where(sql<SqlBool>`1 = 0`)
  if (named && !named.objects) {
    const seqs = selectNamedSeqs(ctx, { kinds, text: named.text })
    const ofObject = object_id === undefined ? seqs : seqs.where('history.id', '=', object_id)
    return query.where('seq', 'in', ofObject).modifyEnd(ctx.store.sql.slowMark)
  }
  if (named?.objects) {
    const seqs = selectSeqs(db, named.objects)
    query = query.where(seqs ? ({ eb }) => eb('seq', 'in', seqs) : sql<SqlBool>`1 = 0`)
  }
  if (object_id === undefined && kinds.length === KINDS.length) return query
  const items = db.selectFrom('history').select('history.seq').where('kind', 'in', kinds)
  if (object_id !== undefined) return query.where('seq', 'in', items.where('id', '=', object_id))
  if (await hasFewItems(ctx, kinds)) return query.where('seq', 'in', items)
  return query.where(({ exists, selectFrom }) =>
    exists(
      selectFrom('history')
        .select('history.id')
        .whereRef('history.seq', '=', 'changes.seq')
        .where('history.kind', 'in', kinds),
    ),
  )
}

/** So many changes are looked at one by one before the changes of very many objects are found by these. */
const RECENT_CHANGES = 2000
/** Changes with more objects are left out of that. */
const MAX_RECENT_ITEMS = 20_000

/** Returns the page of the changes of very many objects if it is found among the recent changes. */
const findRecentNamed = async (
  ctx: StoreScope,
  filter: ChangeFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<StoredChange[] | undefined> => {
  const { kinds, named, object_id } = filter
  if (!named || named.objects || object_id !== undefined) return undefined
  const all = await buildChangesQuery(ctx, { ...filter, named: undefined })
  const recent = await all.clearSelect().select('seq').limit(RECENT_CHANGES).execute()
  const first = recent.at(-1)?.seq ?? 0
  const items = ctx.db
    .selectFrom('history')
    .select('seq')
    .where('seq', '>=', Number(first))
    .limit(MAX_RECENT_ITEMS + 1)
  if ((await items.execute()).length > MAX_RECENT_ITEMS) return undefined
  const rows = await all
    .where('seq', '>=', Number(first))
    .where(({ exists, selectFrom }) => {
      const ofChange = selectFrom('history').select('history.id').whereRef('history.seq', '=', 'changes.seq')
      return exists(ofChange.where('history.kind', 'in', kinds).where(isNamedNow(ctx.db, { kinds, text: named.text })))
    })
    .limit(limit)
    .offset(offset)
    .modifyEnd(ctx.store.sql.slowMark)
    .execute()
  return rows.length === limit ? rows.map(toStored) : undefined
}

/** Returns a page of the matching changes, newest first. */
export const findChanges = async (
  ctx: StoreScope,
  filter: ChangeFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<StoredChange[]> => {
  const recent = await findRecentNamed(ctx, filter, { limit, offset })
  if (recent) return recent
  const query = await buildChangesQuery(ctx, filter)
  return (await query.limit(limit).offset(offset).execute()).map(toStored)
}

/** A change with the number of its objects. */
export type SizedChange = Pick<StoredChange, 'seq' | 'counts'>

/** Returns the changes with these numbers, newest first. */
export const findChangesBySeq = async ({ db }: StoreScope, seqs: readonly number[]): Promise<StoredChange[]> => {
  const found: StoredChange[] = []
  for (const batch of splitBatches(seqs))
    found.push(...(await db.selectFrom('changes').selectAll().where('seq', 'in', batch).execute()).map(toStored))
  return found.sort((a, b) => b.seq - a.seq)
}

/** Counts the changes of a name. The objects that have it change with nearly every change, so that no part of the number stays. */
const countNamed = async (ctx: StoreScope, filter: ChangeFilter): Promise<number> => {
  const revision = await ctx.store.revision(['changes', 'history_extent'])
  const known = memoized<number>(ctx.store.cache.at('history.named', revision))
  return known(buildFilterKey(filter), async () => countRows(await buildChangesQuery(ctx, filter)))
}

/** A number of changes up to a number, which no later change alters. */
type Counted = { readonly seq: number; readonly count: number }

/** The number of new changes after which the count up to them is cached. */
const COUNTED_AT_ONCE = 1000

/** Returns the highest number below which all changes are visible. */
const findSettledSeq = async ({ db, store }: StoreScope): Promise<number> => {
  const newest = db.selectFrom('changes').select(['seq', 'snapshot_xmax']).orderBy('seq', 'desc').limit(1)
  const underWay = await store.sql.underWay(db)
  const row = await newest.offset(underWay ? COUNTED_AT_ONCE : 0).executeTakeFirst()
  return row && (!underWay || underWay.oldest >= BigInt(row.snapshot_xmax)) ? Number(row.seq) : 0
}

/** Counts the matching changes. Counting a million takes long, so the count of the older ones is cached. */
export const countChanges = async (ctx: StoreScope, filter: ChangeFilter): Promise<number> => {
  if (filter.named) return countNamed(ctx, filter)
  const query = await buildChangesQuery(ctx, filter)
  const within = (after: number, until?: number): Promise<number> => {
    const newer = query.where('seq', '>', after)
    return countRows(until === undefined ? newer : newer.where('seq', '<=', until))
  }
  // Only the beginning of the history hides changes.
  const counts = ctx.store.cache.at<Counted>('history.counts', await ctx.store.revision(['history_extent']))
  const key = JSON.stringify(filter)
  let known = counts.get(key) ?? { seq: 0, count: 0 }
  const settled = await findSettledSeq(ctx)
  if (settled >= known.seq + COUNTED_AT_ONCE) {
    known = { seq: settled, count: known.count + (await within(known.seq, settled)) }
    counts.set(key, known, key.length)
  }
  return known.count + (await within(known.seq))
}
