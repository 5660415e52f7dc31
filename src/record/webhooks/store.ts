/** The queries of webhooks; the only writer of their table. Sealed secrets pass through it as they are. */

import type { Insertable, Kysely, Selectable } from 'kysely'
import { prepared } from '../../database/query/prepared.ts'
import type { Tables } from '../../database/tables.ts'
import type { Ctx, DbScope, StoreScope } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { createPlainStore } from '../../resource/recorder.ts'
import type { ChannelFields } from '../notifications/fields.ts'
import { type Headers, type KeptHeaders, maskHeaders } from './headers.ts'
import type { Webhook } from './schema.ts'
import type { WebhookRow } from './table.ts'

/** A webhook in its public form, and its fields that are never sent. */
export type Stored = {
  readonly webhook: Webhook
  /** The sealed secret. */
  readonly sealed: string | null
  readonly headers: KeptHeaders
  /** The sealed URL, where the public form has only its host. */
  readonly sealedUrl: string | null
}

export type Subscription = Pick<Webhook, 'id' | 'events' | 'retry_count' | 'format' | 'filter' | 'group_seconds'>

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
  'format',
  'filter',
  'group_seconds',
  'max_per_hour',
  'quiet_from',
  'quiet_to',
  'timezone',
  'digest',
  'digest_at',
  'reports',
  'sealed_url',
] as const

type Row = Omit<Selectable<WebhookRow>, 'name_key' | 'name_order'>

// Validated before they were stored.
const parseHeaders = ({ headers }: Pick<Row, 'headers'>): Headers => JSON.parse(headers) as Headers

type ChannelColumns = Pick<Row, keyof ChannelFields>

const toChannel = ({ format, filter, reports, ...row }: ChannelColumns): ChannelFields => {
  const { group_seconds, max_per_hour, quiet_from, quiet_to, timezone, digest, digest_at } = row
  return {
    format,
    // Validated before they were stored.
    filter: JSON.parse(filter) as ChannelFields['filter'],
    ...{ group_seconds, max_per_hour, quiet_from, quiet_to, timezone, digest, digest_at },
    reports: JSON.parse(reports) as ChannelFields['reports'],
  }
}

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
    ...toChannel(row),
  }
}

export const query = ({ db }: DbScope) => db.selectFrom('webhooks').select(columns).orderBy('name_order').orderBy('id')

const getKeptHeaders = (row: Row): KeptHeaders =>
  row.sealed_headers !== null || row.headers === '{}'
    ? { sealed: row.sealed_headers, clear: null }
    : { sealed: null, clear: parseHeaders(row) }

const toStored = (row: Row): Stored => ({
  webhook: toWebhook(row),
  sealed: row.secret,
  headers: getKeptHeaders(row),
  sealedUrl: row.sealed_url,
})

const toRow = ({ webhook, sealed, headers, sealedUrl }: Stored): Insertable<WebhookRow> => {
  const { has_secret: _, events, enabled, filter, reports, ...fields } = webhook
  return {
    ...fields,
    ...buildNameKeys(fields.name),
    secret: sealed,
    events: JSON.stringify(events),
    enabled: enabled ? 1 : 0,
    headers: JSON.stringify(headers.clear ?? webhook.headers),
    sealed_headers: headers.sealed,
    filter: JSON.stringify(filter),
    reports: JSON.stringify(reports),
    sealed_url: sealedUrl,
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

const store = createPlainStore({
  ...{ kind: 'webhook', table: 'webhooks' },
  ...{ query, fromRow: toStored, toRow, findDocuments: findRecorded },
})
export const { find, lock, insert, update: updateRow, remove: deleteRow } = store

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
  (await sql.lockRows(selectInClear({ db })).execute()).map(toStored)

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
  db
    .selectFrom('webhooks')
    .select(['id', 'events', 'retry_count', 'format', 'filter', 'group_seconds'])
    .where('enabled', '=', 1)
    .orderBy('id'),
)

/** Returns the enabled webhooks. */
export const findSubscriptions = async (scope: StoreScope): Promise<Subscription[]> => {
  const rows = await enabled(scope, {})
  return rows.map((row) => ({ ...row, events: JSON.parse(row.events), filter: JSON.parse(row.filter) }))
}

/** Returns the enabled webhooks that send messages. */
export const findChannels = async (scope: DbScope): Promise<Webhook[]> =>
  (await query(scope).where('enabled', '=', 1).where('format', '<>', 'generic').execute()).map(toWebhook)
