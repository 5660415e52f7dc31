/** The queries of webhooks; the only writer of their table. Sealed secrets pass through it as they are. */

import type { Kysely } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createRecorder, type RecordScope } from '../../resource/recorder.ts'
import { type Headers, type KeptHeaders, maskHeaders } from './headers.ts'
import type { Webhook } from './schema.ts'
import type { WebhookRow } from './table.ts'

/** A webhook in its public form, and its fields that are never sent. */
export type Stored = {
  readonly webhook: Webhook
  /** The sealed secret. */
  readonly sealed: string | null
  readonly headers: KeptHeaders
}

const columns = [
  'id',
  'name',
  'url',
  'secret',
  'events',
  'enabled',
  'disabled_reason',
  'description',
  'headers',
  'sealed_headers',
  'timeout_seconds',
  'retry_count',
  'created_at',
  'updated_at',
] as const

type Row = Omit<WebhookRow, 'name_key' | 'name_order'>

// Validated before they were stored.
const parseHeaders = ({ headers }: Pick<Row, 'headers'>): Headers => JSON.parse(headers) as Headers

/** Returns the fields in the order of the contract. */
export const toWebhook = ({ secret, events, enabled, ...row }: Row): Webhook => {
  const { id, name, url, disabled_reason, description, timeout_seconds, retry_count, created_at, updated_at } = row
  return {
    ...{ id, name, url, has_secret: secret !== null },
    // Validated before they were stored.
    events: JSON.parse(events) as Webhook['events'],
    ...{ enabled: enabled === 1, disabled_reason, description },
    headers: maskHeaders(parseHeaders(row)),
    ...{ timeout_seconds, retry_count, created_at, updated_at },
  }
}

export const query = ({ db }: DbScope) => db.selectFrom('webhooks').select(columns).orderBy('name_order').orderBy('id')

const selectById = ({ db }: DbScope, id: string) => db.selectFrom('webhooks').select(columns).where('id', '=', id)

const getKeptHeaders = (row: Row): KeptHeaders =>
  row.sealed_headers !== null || row.headers === '{}'
    ? { sealed: row.sealed_headers, clear: null }
    : { sealed: null, clear: parseHeaders(row) }

const toStored = (row: Row | undefined): Stored | undefined =>
  row && { webhook: toWebhook(row), sealed: row.secret, headers: getKeptHeaders(row) }

export const find = async (scope: DbScope, id: string): Promise<Stored | undefined> =>
  toStored(await selectById(scope, id).executeTakeFirst())

/** Finds like `find`, and locks the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Stored | undefined> =>
  toStored(await ctx.store.sql.lockRows(selectById(ctx, id)).executeTakeFirst())

const toRow = ({ webhook, sealed, headers }: Stored): WebhookRow => {
  const { has_secret: _, events, enabled, ...fields } = webhook
  return {
    ...fields,
    ...buildNameKeys(fields.name),
    secret: sealed,
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    headers: JSON.stringify(headers.clear ?? webhook.headers),
    sealed_headers: headers.sealed,
  }
}

/** Returns webhooks with the number of their deliveries, which are deleted with them. */
const findRecorded = async ({ db }: DbScope, ids: readonly string[]) => {
  const rows = await query({ db }).where('id', 'in', ids).execute()
  const counts = await db
    .selectFrom('webhook_deliveries')
    .select((eb) => ['webhook_id', eb.fn.countAll<number | string>().as('n')])
    .where('webhook_id', 'in', ids)
    .groupBy('webhook_id')
    .execute()
  const byWebhook = new Map(counts.map(({ webhook_id, n }) => [webhook_id, Number(n)]))
  return rows.map((row) => ({ ...toWebhook(row), deliveries: byWebhook.get(row.id) ?? 0 }))
}

const recorder = createRecorder({ kind: 'webhook', table: 'webhooks', find: findRecorded })

export const insert = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.webhook.id], async () => {
    await scope.db.insertInto('webhooks').values(toRow(stored)).execute()
  })

export const updateRow = (scope: RecordScope, stored: Stored): Promise<void> =>
  recorder.write(scope, [stored.webhook.id], async () => {
    await scope.db.updateTable('webhooks').set(toRow(stored)).where('id', '=', stored.webhook.id).execute()
  })

export const deleteRow = (scope: RecordScope, id: string): Promise<void> =>
  recorder.write(scope, [id], async () => {
    await scope.db.deleteFrom('webhooks').where('id', '=', id).execute()
  })

/** Returns the webhooks with headers in clear text, written by an earlier version. */
const selectInClear = ({ db }: DbScope) =>
  db
    .selectFrom('webhooks')
    .select(columns)
    .where('sealed_headers', 'is', null)
    .where('headers', '<>', '{}')
    .orderBy('id')

export const countClear = async ({ db }: DbScope): Promise<number> => {
  const { n } = await selectInClear({ db })
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Locks the rows until commit. */
export const lockClear = async ({ db }: DbScope, sql: Ctx['store']['sql']): Promise<Stored[]> =>
  (await sql.lockRows(selectInClear({ db })).execute()).flatMap((row) => toStored(row) ?? [])

/** The migration inserts this name. */
const HEADERS = 'headers'

/** Checks for files that may still contain headers in clear text. */
export const isPurgePending = async ({ db }: DbScope): Promise<boolean> =>
  (await db.selectFrom('webhook_purges').select('name').where('name', '=', HEADERS).executeTakeFirst()) !== undefined

export const beginPurge = async ({ db }: DbScope): Promise<void> => {
  await db
    .insertInto('webhook_purges')
    .values({ name: HEADERS })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

export const endPurge = async ({ db }: DbScope): Promise<void> => {
  await db.deleteFrom('webhook_purges').where('name', '=', HEADERS).execute()
}

const enabled = prepared((db: Kysely<Tables>, _: Record<string, never>) =>
  db.selectFrom('webhooks').select(['id', 'events', 'retry_count']).where('enabled', '=', 1).orderBy('id'),
)

/** Returns the enabled webhooks. */
export const findSubscriptions = async (
  scope: StoreScope,
): Promise<Pick<Webhook, 'id' | 'events' | 'retry_count'>[]> => {
  const rows = await enabled(scope, {})
  return rows.map((row) => ({ ...row, events: JSON.parse(row.events) }))
}
