/** The queries of events; the only writer of their table. */
import type { Kysely } from 'kysely'
import { prepared } from '../../platform/db/query/prepared.ts'
import type { StoreScope } from '../ctx.ts'
import type { Tables } from '../tables.ts'

type New = { readonly event: string; readonly resource_id: string; readonly data: string; readonly created_at: string }

const insertOne = prepared((db: Kysely<Tables>, row: New) =>
  db.insertInto('events').values({
    event: row.event,
    resource_id: row.resource_id,
    data: row.data,
    created_at: row.created_at,
  }),
)

export const insert = async (ctx: StoreScope, row: New): Promise<void> => {
  await insertOne(ctx, row)
}

export type StoredEvent = New & { readonly seq: number }

/** What was committed after an event, in order. */
export const after = async ({ db }: StoreScope, seq: number, most: number): Promise<StoredEvent[]> => {
  const rows = await db.selectFrom('events').selectAll().where('seq', '>', seq).orderBy('seq').limit(most).execute()
  // PostgreSQL sends numbers of 64 bits as text.
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

/** The first and the last number there is; 0 and 0 for none. */
export const ends = async ({ db }: StoreScope): Promise<{ readonly first: number; readonly last: number }> => {
  const { first, last } = await db
    .selectFrom('events')
    .select(({ fn }) => [fn.min('seq').as('first'), fn.max('seq').as('last')])
    .executeTakeFirstOrThrow()
  return { first: Number(first ?? 0), last: Number(last ?? 0) }
}

/** @returns how many were deleted */
export const removeBefore = async ({ db }: StoreScope, seq: number): Promise<number> => {
  const { numDeletedRows } = await db.deleteFrom('events').where('seq', '<', seq).executeTakeFirst()
  return Number(numDeletedRows)
}

/** The number of the first event that is not older than a moment; undefined when there is none. */
export const firstSince = async ({ db }: StoreScope, moment: string): Promise<number | undefined> => {
  const row = await db
    .selectFrom('events')
    .select('seq')
    .where('created_at', '>=', moment)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  return row && Number(row.seq)
}
