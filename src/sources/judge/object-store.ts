/** The objects that sources say; the only writer of their table. */

import { type Kysely, sql } from 'kysely'
import { pause } from '../../base/runtime/pause.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { prepared } from '../../database/query/prepared.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import type { ObjectAction, ObjectState } from '../schema.ts'
import type { SourceObjectRow } from '../table.ts'
import {
  formatKey,
  hasLink,
  type ObjectKey,
  type RowDifferences,
  type SaidRow,
  type StoredObject,
} from './object-reads.ts'

/** Rows of one transaction, so that others can write in between. */
const ROWS_OF_WRITE = 500
/** Rows of one statement, which holds the event loop. */
const ROWS_AT_ONCE = 100

const toColumns = ({ type, place, name, row, facts, macs }: SaidRow) => ({
  ...{ type, place, name, ...buildNameKeys(name), row },
  ...{ facts: JSON.stringify(facts), macs: JSON.stringify(macs) },
})

/** The base is the row before, if it was applied as it was. */
const keepBase = sql<string | null>`CASE WHEN base = '' THEN row ELSE base END`
const addMark = sql<number>`is_stale + 1`

const COLUMNS = [
  ...(['source_id', 'resource', 'key', 'type', 'place', 'name', 'name_key', 'name_order', 'row', 'facts'] as const),
  ...(['macs', 'object_id', 'state', 'action', 'base', 'diff', 'why', 'because', 'message'] as const),
  ...(['is_stale', 'missing_since', 'first_seen_at', 'updated_at'] as const),
] as const satisfies readonly (keyof SourceObjectRow)[]

const addRows = preparedRows(COLUMNS, (db: Kysely<Tables>, rows: SourceObjectRow[]) =>
  db.insertInto('source_objects').values(rows),
)

const insertRows = (ctx: Ctx, sourceId: string, rows: readonly SaidRow[]): Promise<void> =>
  addRows(
    ctx,
    rows.map((one) => ({
      ...{ source_id: sourceId, resource: one.resource, key: one.key, ...toColumns(one) },
      ...{ object_id: null, state: 'changed', action: 'create', base: null, diff: '{}', why: '', because: '' },
      ...{ message: '', is_stale: 1, missing_since: null, first_seen_at: ctx.now, updated_at: ctx.now },
    })),
  )

const selectOne = (ctx: Ctx, sourceId: string, { resource, key }: ObjectKey) =>
  ctx.db
    .updateTable('source_objects')
    .where('source_id', '=', sourceId)
    .where('resource', '=', resource)
    .where('key', '=', key)

/** Marks rows as missing, and the rows of other sources that say or said the same objects. */
const markMissing = async (ctx: Ctx, sourceId: string, keys: readonly ObjectKey[]): Promise<void> => {
  for (const [resource, some] of Map.groupBy(keys, (one) => one.resource)) {
    const rows = await ctx.db
      .updateTable('source_objects')
      .set({ missing_since: ctx.now, is_stale: addMark, updated_at: ctx.now })
      .where('source_id', '=', sourceId)
      .where('resource', '=', resource)
      .where(
        'key',
        'in',
        some.map(({ key }) => key),
      )
      .returning('object_id')
      .execute()
    await markLinked(
      ctx,
      rows.flatMap(({ object_id }) => object_id ?? []),
      sourceId,
    )
  }
}

/** Writes some differences in the transaction of `ctx`. */
const writePortion = async (
  ctx: Ctx,
  sourceId: string,
  { fresh, changed, shown, missing }: Omit<RowDifferences, 'unchanged'>,
): Promise<void> => {
  await insertRows(ctx, sourceId, fresh)
  for (const one of changed)
    await selectOne(ctx, sourceId, one)
      .set({ base: keepBase, ...toColumns(one), is_stale: addMark, missing_since: null, updated_at: ctx.now })
      .execute()
  for (const one of shown)
    await selectOne(ctx, sourceId, one)
      .set({ ...toColumns(one), updated_at: ctx.now })
      .execute()
  await markMissing(ctx, sourceId, missing)
}

const NOTHING: Omit<RowDifferences, 'unchanged'> = { fresh: [], changed: [], shown: [], missing: [] }

/** Writes the differences of a reading in short transactions. The next reading finds differences again that a kill has left out. */
export const writeDifferences = async (
  write: Ctx['write'],
  sourceId: string,
  differences: RowDifferences,
): Promise<void> => {
  for (const name of ['missing', 'changed', 'fresh', 'shown'] as const)
    for (const portion of splitBatches<SaidRow | ObjectKey>(differences[name], ROWS_OF_WRITE))
      await write(
        async (ctx) => {
          for (const batch of splitBatches(portion, ROWS_AT_ONCE)) {
            await writePortion(ctx, sourceId, { ...NOTHING, [name]: batch })
            await pause()
          }
        },
        { deferSync: true },
      )
}

/** The result of a judgment of one row. */
export type Verdict = {
  readonly object_id: string | null
  readonly state: ObjectState
  readonly action: ObjectAction
  readonly base: string | null
  readonly diff: string
  readonly why: string
  readonly because: string
  readonly message: string
}

export type Judged = { readonly stored: StoredObject; readonly verdict: Verdict }

/** True for a verdict that the row has already. */
const isKnown = ({ stored, verdict }: Judged): boolean =>
  // The fields of a verdict are columns of the row.
  stored.is_stale === 0 &&
  (Object.keys(verdict) as (keyof Verdict)[]).every((field) => stored[field] === verdict[field])

/** Returns the rows that are as they were when they were read, locked until commit. Others are judged again by their marks. */
const filterUntouched = async (ctx: Ctx, sourceId: string, batch: readonly Judged[]): Promise<Judged[]> => {
  const now = new Map<string, Pick<SourceObjectRow, 'object_id' | 'because' | 'is_stale' | 'row'>>()
  for (const [resource, some] of Map.groupBy(batch, ({ stored }) => stored.resource)) {
    const query = ctx.db
      .selectFrom('source_objects')
      .select(['resource', 'key', 'object_id', 'because', 'is_stale', 'row'])
      .where('source_id', '=', sourceId)
      .where('resource', '=', resource)
      .where(
        'key',
        'in',
        some.map(({ stored }) => stored.key),
      )
      .orderBy('key')
    for (const row of await ctx.store.sql.lockRows(query).execute()) now.set(formatKey(row), row)
  }
  return batch.filter(({ stored }) => {
    const row = now.get(formatKey(stored))
    return row?.object_id === stored.object_id && row.because === stored.because && row.row === stored.row
  })
}

const KEY_COLUMNS = ['source_id', 'resource', 'key'] as const
const VERDICT_COLUMNS = [
  ...KEY_COLUMNS,
  ...(['object_id', 'state', 'action', 'base', 'diff', 'why', 'because', 'message'] as const),
  ...(['is_stale', 'updated_at'] as const),
] as const satisfies readonly (keyof SourceObjectRow)[]

/** Values of the other columns, which are of no row: all rows of `setVerdicts` are stored. */
const UNUSED = {
  ...{ type: sql.lit(''), place: sql.lit(''), name: sql.lit(''), name_key: sql.lit(''), name_order: sql.lit('') },
  ...{ row: sql.lit(''), facts: sql.lit(''), macs: sql.lit(''), first_seen_at: sql.lit('') },
}

/** Writes verdicts by one statement for many rows, which only an insert with a conflict is on both databases. */
const setVerdicts = preparedRows(
  VERDICT_COLUMNS,
  (db: Kysely<Tables>, rows: Pick<SourceObjectRow, (typeof VERDICT_COLUMNS)[number]>[]) =>
    db
      .insertInto('source_objects')
      .values(rows.map((row) => ({ ...row, ...UNUSED })))
      .onConflict((conflict) =>
        conflict.columns(KEY_COLUMNS).doUpdateSet(({ ref, eb }) => ({
          object_id: ref('excluded.object_id'),
          state: ref('excluded.state'),
          action: ref('excluded.action'),
          base: ref('excluded.base'),
          diff: ref('excluded.diff'),
          why: ref('excluded.why'),
          because: ref('excluded.because'),
          message: ref('excluded.message'),
          is_stale: eb('source_objects.is_stale', '-', ref('excluded.is_stale')),
          updated_at: ref('excluded.updated_at'),
        })),
      ),
)

/** Writes verdicts. Marks that came after the row was read stay. */
export const writeVerdicts = async (ctx: Ctx, sourceId: string, judged: readonly Judged[]): Promise<void> => {
  const all = judged.filter((one) => !isKnown(one))
  for (const batch of splitBatches(all, ROWS_AT_ONCE)) {
    const untouched = await filterUntouched(ctx, sourceId, batch)
    if (untouched.length === 0) continue
    await setVerdicts(
      ctx,
      untouched.map(({ stored, verdict }) => ({ ...stored, ...verdict, updated_at: ctx.now })),
    )
    await pause()
  }
}

/** Forgets rows: nothing is left to be done of them. */
export const removeRows = async (ctx: Ctx, sourceId: string, keys: readonly ObjectKey[]): Promise<void> => {
  for (const [resource, some] of Map.groupBy(keys, (one) => one.resource))
    for (const batch of splitBatches(some.map(({ key }) => key)))
      await ctx.db
        .deleteFrom('source_objects')
        .where('source_id', '=', sourceId)
        .where('resource', '=', resource)
        .where('key', 'in', batch)
        .execute()
}

export const removeAll = async (ctx: Ctx, sourceId: string): Promise<void> => {
  await ctx.db.deleteFrom('source_objects').where('source_id', '=', sourceId).execute()
}

const markOne = prepared((db: Kysely<Tables>, { id, except }: { readonly id: string; readonly except: string }) =>
  db
    .updateTable('source_objects')
    .set({ is_stale: addMark })
    .where('object_id', '=', id)
    .where('object_id', 'is not', null)
    .where('source_id', '<>', except),
)

/** Marks the rows that are linked to these objects. @param except the source of which no row is marked */
export const markLinked = async (ctx: Ctx, ids: readonly string[], except = ''): Promise<void> => {
  const [only] = ids
  if (only !== undefined && ids.length === 1) {
    if (await hasLink(ctx, only)) await markOne(ctx, { id: only, except })
    return
  }
  for (const batch of splitBatches(ids))
    await ctx.db
      .updateTable('source_objects')
      .set({ is_stale: addMark })
      .where('object_id', 'in', batch)
      .where('object_id', 'is not', null)
      .where('source_id', '<>', except)
      .execute()
}

export type NewLink = {
  readonly key: ObjectKey
  /** Null for a new object, and for one that is to be found again. */
  readonly objectId: string | null
  readonly because: string
  /** True if the row has had this object. */
  readonly keepsBase?: boolean
}

/** Links a row as a person says. */
export const setLink = async (
  ctx: Ctx,
  sourceId: string,
  { key, objectId, because, keepsBase = false }: NewLink,
): Promise<void> => {
  const base = keepsBase ? {} : { base: null }
  await selectOne(ctx, sourceId, key)
    .set({ object_id: objectId, ...base, because, why: '', is_stale: addMark, updated_at: ctx.now })
    .execute()
}

/** Returns the key of a missing row beside the row that had its object before. */
const buildLeftKey = ({ key, object_id }: StoredObject): string => `${key} ${object_id}`

/**
 * Adds missing rows with the objects of rows that get others, so that they go as objects that are not said any more. The rows have
 * been applied.
 */
export const leaveObjects = async (ctx: Ctx, sourceId: string, rows: readonly StoredObject[]): Promise<void> => {
  const left = rows.map((row) => ({
    ...{ ...row, key: buildLeftKey(row), state: 'gone', action: 'none', diff: '{}', why: '', message: '' },
    ...{ is_stale: 1, missing_since: ctx.now, updated_at: ctx.now },
  }))
  await removeRows(ctx, sourceId, left)
  for (const batch of splitBatches(left, ROWS_AT_ONCE))
    await ctx.db.insertInto('source_objects').values(batch).execute()
}
