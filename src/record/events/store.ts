/** The queries of events; the only writer of their table. */
import type { Kysely } from 'kysely'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { StoreScope } from '../../kernel/ctx.ts'
import type { EventRow } from './table.ts'

type New = Pick<EventRow, 'event' | 'resource_id' | 'data' | 'change_id' | 'created_at'>

export const insertAll = preparedRows(
  ['event', 'resource_id', 'data', 'change_id', 'created_at'],
  (db: Kysely<Tables>, rows: New[]) => db.insertInto('events').values(rows),
)

export type StoredEvent = New & { readonly seq: number }

/** Returns the events that were committed after an event, in order. */
export const findAfter = async ({ db }: StoreScope, seq: number, most: number): Promise<StoredEvent[]> => {
  const rows = await db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').limit(most).execute()
  // PostgreSQL's driver returns 64-bit numbers as text.
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** Returns the first and the last number; 0 and 0 without events. */
export const findEnds = async ({ db }: StoreScope): Promise<{ readonly first: number; readonly last: number }> => {
  const { first, last } = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.min('seq').as('first'), fn.max('seq').as('last')])
    .executeTakeFirstOrThrow()
  return { first: Number(first ?? 0), last: Number(last ?? 0) }
}

/** @returns the number of deleted events */
export const removeBefore = async ({ db }: StoreScope, seq: number): Promise<number> => {
  const { numDeletedRows } = await db.deleteFrom('events').where('seq', '<', seq).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the number of the first event at or after a time; undefined without one. */
export const findFirstSince = async ({ db }: StoreScope, moment: string): Promise<number | undefined> => {
  const row = await db
    .selectFrom('events')
    .select('seq')
    .where('created_at', '>=', moment)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row && Number(row.seq)
}
