/** The queries of deliveries; the only writer of their table. */
import { type Kysely, type Selectable, sql } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import { preparedRows } from '../../database/query/prepared-lists.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { createLeases, type LeaseScope } from '../../kernel/jobs/leases.ts'
import { separateChange } from './earlier-body.ts'
import type { Delivery, DeliveryStatus } from './schema.ts'
import type { DeliveryRow } from './table.ts'

/** After a pause, an instance must not go on with some rows of an object, while another instance has claimed earlier ones. */
export const leases = createLeases('webhook_deliveries', 'id', { renewsExpired: false })

const shown = [
  'id',
  'webhook_id',
  'event',
  'body',
  'change_id',
  'status',
  'attempt_number',
  'response_code',
  'response_body',
  'error',
  'duration_ms',
  'next_retry',
  'created_at',
  'attempts',
] as const
type Shown = Pick<DeliveryRow, (typeof shown)[number]>

/** Returns the fields in the order of the contract. @param seen the body as the caller may see it; undefined if the caller may not see the event */
export const toDelivery = (stored: Shown, seen: string | undefined): Delivery => {
  const { body, change_id, attempts, ...row } = separateChange({ ...stored, body: seen ?? stored.body })
  const { id, webhook_id, event, status, attempt_number, response_code, error } = row
  const response_body = seen === undefined ? '' : row.response_body
  return {
    ...{ id, webhook_id, event },
    // Written by this feature.
    payload: seen === undefined ? null : (JSON.parse(body) as Delivery['payload']),
    ...{ status, attempt_number, response_code, response_body, error },
    duration_ms: row.duration_ms,
    next_retry: row.next_retry,
    created_at: row.created_at,
    attempts: JSON.parse(attempts) as Delivery['attempts'],
    change_id,
  }
}

export type NewDelivery = Pick<
  Selectable<DeliveryRow>,
  'id' | 'webhook_id' | 'event' | 'resource_id' | 'body' | 'change_id' | 'attempts_left' | 'due_ms' | 'created_at'
>

const insertRows = preparedRows(
  ['id', 'webhook_id', 'event', 'resource_id', 'body', 'change_id', 'attempts_left', 'due_ms', 'created_at'],
  (db: Kysely<Tables>, rows: NewDelivery[]) =>
    db.insertInto('webhook_deliveries').values(
      rows.map((row) => ({
        ...row,
        // The event is written before, in this transaction. A later event of the object is written after its commit.
        event_seq: sql<number>`(SELECT coalesce(max(seq), 0) FROM events)`,
        until_ms: 0,
        holder: '',
        status: 'pending' as const,
        attempt_number: 0,
        response_code: null,
        response_body: '',
        error: '',
        duration_ms: null,
        attempts: '[]',
        next_retry: null,
      })),
    ),
)

export const insertAll: (scope: StoreScope, rows: readonly NewDelivery[]) => Promise<void> = insertRows

type Filter = { readonly id: string; readonly status?: DeliveryStatus | undefined; readonly event?: string | undefined }

/** Newest first. */
export const selectDeliveries = ({ db }: DbScope, { id, status, event }: Filter) => {
  let found = db.selectFrom('webhook_deliveries').select(shown).where('webhook_id', '=', id).orderBy('id', 'desc')
  if (status) found = found.where('status', '=', status)
  if (event) found = found.where('event', '=', event)
  return found
}

export const findDelivery = async ({ db }: DbScope, webhookId: string, id: string): Promise<Shown | undefined> =>
  db
    .selectFrom('webhook_deliveries')
    .select(shown)
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()

/** Returns the names of the events with pending deliveries. */
export const openEvents = async ({ db }: DbScope, webhookId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('event')
    .distinct()
    .where('webhook_id', '=', webhookId)
    .where('due_ms', 'is not', null)
    .execute()
  return rows.map(({ event }) => event)
}

/** Deletes the stored answers of a webhook's target. */
export const clearAnswers = async ({ db }: DbScope, webhookId: string): Promise<void> => {
  await db
    .updateTable('webhook_deliveries')
    .set({ response_body: '' })
    .where('webhook_id', '=', webhookId)
    .where('response_body', '<>', '')
    .execute()
}

/** The number of due deliveries of a webhook, oldest first, among which some are looked for that can be sent. */
const WINDOW = 5000

/** Returns the due deliveries of a webhook, in the order of their events. */
const selectDue = (db: Kysely<Tables>, webhookId: string | ReturnType<typeof sql.ref>, nowMs: number) =>
  db
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId as string)
    // Forces the index `webhook_deliveries_in_order` and its order. An index by due time would sort a long queue at each
    // poll.
    .where(sql`(CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END)`, '=', sql.lit(1))
    .where(sql`(due_ms + 0)`, '<=', nowMs)
    .where('due_ms', 'is not', null)
    .orderBy('event_seq')
    .orderBy('id')

/** Returns the objects with deliveries that an instance is sending. @param own the holders that do not count */
const selectHeldObjects = (
  scope: LeaseScope & DbScope,
  webhookId: string | ReturnType<typeof sql.ref>,
  own: readonly string[] = [],
) =>
  scope.db
    .selectFrom('webhook_deliveries')
    .select('resource_id')
    .where('webhook_id', '=', webhookId as string)
    .where('holder', '<>', '')
    .where('resource_id', '<>', '')
    .where(leases.isHeld(scope))
    .$if(own.length > 0, (query) => query.where('holder', 'not in', own))

/** Returns the webhooks with due deliveries of objects of which no other instance sends any. */
export const findDueWebhooks = async (ctx: Ctx, nowMs: number): Promise<string[]> => {
  const webhookId = sql.ref('webhooks.id')
  const isBesideOthers = ctx.store.sql.besideOthers(() => true) === true
  const rows = await ctx.db
    .selectFrom('webhooks')
    .select('id')
    .where(({ selectFrom, exists, case: when, lit }) => {
      // By the index of due times, because a dead target has many deliveries that wait for their next attempt.
      const isDue = exists(
        selectFrom('webhook_deliveries')
          .select('webhook_deliveries.id')
          .whereRef('webhook_deliveries.webhook_id', '=', 'webhooks.id')
          .where('due_ms', '<=', nowMs)
          .where('due_ms', 'is not', null)
          .where(leases.isFree(ctx)),
      )
      if (!isBesideOthers) return isDue
      const due = selectDue(ctx.db, webhookId, nowMs).select(['id', 'resource_id', 'until_ms']).limit(WINDOW).as('due')
      const isClaimable = exists(
        ctx.db
          .selectFrom(due)
          .select('due.id')
          .where(leases.isFree(ctx))
          .where('due.resource_id', 'not in', selectHeldObjects(ctx, webhookId)),
      )
      // Only of webhooks with due deliveries.
      return when().when(isDue).then(isClaimable).else(lit(false)).end()
    })
    .execute()
  return rows.map(({ id }) => id)
}

export type Due = Pick<
  Selectable<DeliveryRow>,
  'id' | 'event' | 'resource_id' | 'body' | 'change_id' | 'attempt_number' | 'attempts_left' | 'attempts'
>

/** Returns a text that deliveries share if their order is kept. */
export const getOrderKey = ({ id, resource_id }: Pick<Due, 'id' | 'resource_id'>): string => resource_id || id

type Claim = { readonly webhookId: string; readonly nowMs: number; readonly most: number }

const columns = [
  'id',
  'event',
  'resource_id',
  'body',
  'change_id',
  'attempt_number',
  'attempts_left',
  'attempts',
] as const

/** What this process is sending to a webhook. */
export type Own = {
  readonly ids: readonly string[]
  readonly holders: readonly string[]
  /** The keys by `getOrderKey` of which it needs no further deliveries yet. */
  readonly keys: readonly string[]
}

const orderKey = sql<string>`(CASE resource_id WHEN '' THEN id ELSE resource_id END)`

/** Returns due deliveries of a webhook, in the order of their events. */
export const findDue = ({ db }: DbScope, { webhookId, nowMs, most }: Claim, { ids, keys }: Own): Promise<Due[]> =>
  selectDue(db, webhookId, nowMs)
    .select(columns)
    .$if(ids.length > 0, (query) => query.where('id', 'not in', ids))
    .$if(keys.length > 0, (query) => query.where(orderKey, 'not in', keys))
    .limit(most)
    .execute()

/**
 * Returns due deliveries of objects of which no other instance is sending any, in the order of their events. Locks the rows, and the
 * claims of the webhook, until commit: two instances must not take deliveries of one object at the same time.
 */
export const lockClaimable = async (
  ctx: Ctx,
  { webhookId, nowMs, most }: Claim,
  { holders, keys }: Own,
): Promise<readonly Due[]> => {
  void ctx.lock('deliveries', [webhookId])
  const due = selectDue(ctx.db, webhookId, nowMs)
    .select([...columns, 'event_seq', 'until_ms'])
    .limit(WINDOW)
    .as('due')
  const rows = await ctx.db
    .selectFrom(due)
    .select(columns)
    .where(leases.isFree(ctx))
    .where('resource_id', 'not in', selectHeldObjects(ctx, webhookId, holders))
    .$if(keys.length > 0, (query) => query.where(orderKey, 'not in', keys))
    .orderBy('event_seq')
    .orderBy('id')
    .limit(most)
    .execute()
  if (rows.length === 0) return []
  const free = ctx.db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where(
      'id',
      'in',
      rows.map(({ id }) => id),
    )
    .where('due_ms', 'is not', null)
    .where(leases.isFree(ctx))
  const locked = new Set((await ctx.store.sql.lockFreeRows(free).execute()).map(({ id }) => id))
  // A frozen instance may have locked some of them. Later ones of the same object wait too.
  const left = new Set<string>()
  return rows.filter((row) => {
    if (!locked.has(row.id)) left.add(getOrderKey(row))
    return !left.has(getOrderKey(row))
  })
}

export type Outcome = Pick<
  DeliveryRow,
  | 'id'
  | 'status'
  | 'attempt_number'
  | 'attempts_left'
  | 'response_code'
  | 'response_body'
  | 'error'
  | 'duration_ms'
  | 'attempts'
  | 'next_retry'
  | 'due_ms'
>

type Settled = Outcome & Pick<DeliveryRow, 'holder'>

const updateOutcome = (db: Kysely<Tables>, row: Record<keyof Settled, string | number | null>) => {
  // Placeholders: each has the type of its column.
  const outcome = row as Settled
  return db
    .updateTable('webhook_deliveries')
    .set({
      status: outcome.status,
      attempt_number: outcome.attempt_number,
      attempts_left: outcome.attempts_left,
      response_code: outcome.response_code,
      response_body: outcome.response_body,
      error: outcome.error,
      duration_ms: outcome.duration_ms,
      attempts: outcome.attempts,
      next_retry: outcome.next_retry,
      due_ms: outcome.due_ms,
      until_ms: 0,
      holder: '',
    })
    .where('id', '=', outcome.id)
}
const settleOwn = prepared(updateOutcome)
const settleClaimed = prepared((db: Kysely<Tables>, row: Record<keyof Settled, string | number | null>) =>
  updateOutcome(db, row).where('holder', '=', row.holder as string),
)

/** Writes nothing if another server has claimed the delivery since then: the outcome of that server counts. */
export const storeOutcome = async (scope: StoreScope, outcome: Outcome, holder: string): Promise<void> => {
  const settle = scope.store.sql.besideOthers(() => settleClaimed) ?? settleOwn
  await settle(scope, { ...outcome, holder })
}

/** Schedules one more attempt, at once. */
export const reopen = async ({ db }: DbScope, id: string): Promise<void> => {
  await db
    .updateTable('webhook_deliveries')
    .set({ status: 'pending', attempts_left: sql`CASE WHEN attempts_left < 1 THEN 1 ELSE attempts_left END` })
    .set({ due_ms: 0, next_retry: null })
    .where('id', '=', id)
    .execute()
}

/** Deletes completed deliveries older than `before`. @returns the number of deleted rows */
export const removeOld = async ({ db }: DbScope, before: string, most: number): Promise<number> => {
  const old = db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('created_at', '<', before)
    .where('due_ms', 'is', null)
    .orderBy('id')
    .limit(most)
  const { numDeletedRows } = await db.deleteFrom('webhook_deliveries').where('id', 'in', old).executeTakeFirst()
  return Number(numDeletedRows)
}
