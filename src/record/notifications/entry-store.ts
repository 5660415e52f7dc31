/** The queries of waiting events and of messages that were composed; the only writer of their tables. */
import { type Kysely, sql } from 'kysely'
import { splitBatches } from '../../database/query/batches.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope, StoreScope } from '../../kernel/ctx.ts'
import type { EntryRow, ToldRow } from './table.ts'

export type NewEntry = Omit<EntryRow, 'seq'>

const COLUMNS = ['webhook_id', 'event', 'resource_id', 'line', 'link', 'created_at'] as const

export const insertEntries: (scope: StoreScope, rows: readonly NewEntry[]) => Promise<void> = preparedRows(
  COLUMNS,
  (db: Kysely<Tables>, rows: NewEntry[]) => db.insertInto('notification_entries').values(rows),
)

/** An object is held when a message told of it so often within an hour. */
const MAX_TOLD_PER_HOUR = 3
/** The largest number of events of a message. */
const MAX_EVENTS = 100_000

/** Returns the objects of which messages have told too often since a moment. */
const selectHeld = (db: Kysely<Tables>, webhookId: string, since: string) =>
  db
    .selectFrom('notification_told')
    .select('resource_id')
    .where('webhook_id', '=', webhookId)
    .where('told_at', '>', since)
    .where('resource_id', '<>', '')
    .groupBy('resource_id')
    .having(({ fn }) => fn.countAll(), '>=', MAX_TOLD_PER_HOUR)

type Selection = {
  readonly webhookId: string
  /** Objects with too many messages since then are held; undefined selects all. */
  readonly heldSince: string | undefined
}

const selectWaiting = (db: Kysely<Tables>, { webhookId, heldSince }: Selection) =>
  db
    .selectFrom('notification_entries')
    .where('webhook_id', '=', webhookId)
    .$if(heldSince !== undefined, (query) =>
      query.where('resource_id', 'not in', selectHeld(db, webhookId, heldSince ?? '')),
    )
    .orderBy('seq')

/** Returns when the oldest of the selected events was recorded; undefined without events. */
export const findOldest = async ({ db }: DbScope, selection: Selection): Promise<string | undefined> =>
  (await selectWaiting(db, selection).select('created_at').limit(1).executeTakeFirst())?.created_at

/** Returns when the oldest event of each of some webhooks was recorded. */
export const findOldestOfEach = async (
  { db }: DbScope,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const rows = await db
    .selectFrom('webhooks')
    .select((eb) => [
      'id',
      eb
        .selectFrom('notification_entries')
        .whereRef('webhook_id', '=', 'webhooks.id')
        .select('notification_entries.created_at')
        .orderBy('seq')
        .limit(1)
        .as('oldest'),
    ])
    .where('id', 'in', webhookIds)
    .execute()
  return new Map(rows.flatMap(({ id, oldest }) => (oldest === null ? [] : [[id, oldest]])))
}

export type Waiting = Pick<NewEntry, 'event' | 'resource_id'> & { readonly seq: number }

/** Returns the selected events in their order. */
export const findWaiting = async ({ db }: DbScope, selection: Selection): Promise<Waiting[]> => {
  const rows = await selectWaiting(db, selection).select(['seq', 'event', 'resource_id']).limit(MAX_EVENTS).execute()
  // The driver of PostgreSQL returns 64-bit numbers as text.
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }))
}

export type EntryText = Pick<NewEntry, 'line' | 'link'>

/** Returns the texts of a few events by their numbers. */
export const findTexts = async ({ db }: DbScope, seqs: readonly number[]): Promise<ReadonlyMap<number, EntryText>> => {
  if (seqs.length === 0) return new Map()
  const query = db.selectFrom('notification_entries').select(['seq', 'line', 'link']).where('seq', 'in', seqs)
  return new Map((await query.execute()).map(({ seq, ...text }) => [Number(seq), text]))
}

/** Returns the first events of a webhook, with their texts. */
export const listFirst = ({ db }: DbScope, webhookId: string, most: number) =>
  selectWaiting(db, { webhookId, heldSince: undefined })
    .select(['event', 'resource_id', 'line', 'created_at'])
    .limit(most)
    .execute()

export const countEntries = async ({ db }: DbScope, webhookId: string): Promise<number> => {
  const { n } = await db
    .selectFrom('notification_entries')
    .where('webhook_id', '=', webhookId)
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Returns the names of the events that wait. */
export const findEventNames = async ({ db }: DbScope, webhookId: string): Promise<string[]> => {
  const query = db.selectFrom('notification_entries').select('event').distinct()
  return (await query.where('webhook_id', '=', webhookId).execute()).map(({ event }) => event)
}

export const removeEntries = async ({ db }: DbScope, seqs: readonly number[]): Promise<void> => {
  for (const batch of splitBatches(seqs))
    await db.deleteFrom('notification_entries').where('seq', 'in', batch).execute()
}

export const removeAllEntries = async ({ db }: DbScope, webhookId: string): Promise<void> => {
  await db.deleteFrom('notification_entries').where('webhook_id', '=', webhookId).execute()
}

const insertToldRows = preparedRows(['webhook_id', 'resource_id', 'told_at'], (db: Kysely<Tables>, rows: ToldRow[]) =>
  db
    .insertInto('notification_told')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
)

/**
 * Records a message and the objects of which it tells, and removes older records than `before`.
 * @param objects without duplicates
 */
export const recordTold = async (
  scope: StoreScope,
  { webhookId, objects, at, before }: { webhookId: string; objects: readonly string[]; at: string; before: string },
): Promise<void> => {
  await scope.db
    .deleteFrom('notification_told')
    .where('webhook_id', '=', webhookId)
    .where('told_at', '<=', before)
    .execute()
  const rows = ['', ...objects].map((resource_id) => ({ webhook_id: webhookId, resource_id, told_at: at }))
  await insertToldRows(scope, rows)
}

const selectMessages = (db: Kysely<Tables>, webhookId: string) =>
  db
    .selectFrom('notification_told')
    .select('told_at')
    .where('webhook_id', '=', webhookId)
    .where('resource_id', '=', '')
    .orderBy('told_at', 'desc')

/** Returns the times of the last messages, newest first. */
export const findMessageTimes = async (
  { db }: DbScope,
  webhookId: string,
  { since, most }: { since: string; most: number },
): Promise<string[]> =>
  (await selectMessages(db, webhookId).where('told_at', '>', since).limit(most).execute()).map(({ told_at }) => told_at)

/** Returns the time of the last message; '' without one. */
export const findLastMessage = async ({ db }: DbScope, webhookId: string): Promise<string> =>
  (await selectMessages(db, webhookId).limit(1).executeTakeFirst())?.told_at ?? ''

export type HeldObject = { readonly oldest: string; readonly toldAt: string }

/** Returns the held objects with waiting events: when the oldest of these was recorded, and the first of the messages that hold it. */
export const findHeldObjects = async ({ db }: DbScope, webhookId: string, since: string): Promise<HeldObject[]> => {
  const rows = await db
    .selectFrom('notification_entries as entries')
    .where('entries.webhook_id', '=', webhookId)
    .where('entries.resource_id', 'in', selectHeld(db, webhookId, since))
    .groupBy('entries.resource_id')
    .select(({ fn, selectFrom }) => [
      fn.min('entries.created_at').as('oldest'),
      selectFrom('notification_told as told')
        .where('told.webhook_id', '=', webhookId)
        .where('told.told_at', '>', since)
        .whereRef('told.resource_id', '=', sql.ref('entries.resource_id'))
        .select('told.told_at')
        .orderBy('told.told_at', 'desc')
        .offset(MAX_TOLD_PER_HOUR - 1)
        .limit(1)
        .as('told_at'),
    ])
    .execute()
  return rows.map(({ oldest, told_at }) => ({ oldest, toldAt: told_at ?? oldest }))
}
