/** The queries of webhooks; the only writer of their table. Sealed secrets pass through it as they are. */
import type { Kysely } from 'kysely'
import { prepared } from '../../platform/db/prepared.ts'
import type { Ctx } from '../ctx.ts'
import type { Tables } from '../tables.ts'
import type { Webhook } from './schema.ts'
import type { WebhookRow } from './table.ts'

/** A transaction, a context, or the last committed state. */
export type Scope = Pick<Ctx, 'db'>
type PreparedScope = Pick<Ctx, 'db' | 'store'>

/** A webhook as it is sent, and what is never sent. */
export type Stored = { readonly webhook: Webhook; readonly sealed: string | null }

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
  'timeout_seconds',
  'retry_count',
  'created_at',
  'updated_at',
] as const

type Row = Omit<WebhookRow, 'name_key'>

/** The fields in the order of the contract. */
export const webhookOf = ({ secret, events, enabled, headers, ...row }: Row): Webhook => {
  const { id, name, url, disabled_reason, description, timeout_seconds, retry_count, created_at, updated_at } = row
  return {
    ...{ id, name, url, has_secret: secret !== null },
    // They were checked when they were stored.
    events: JSON.parse(events) as Webhook['events'],
    ...{ enabled: enabled === 1, disabled_reason, description },
    headers: JSON.parse(headers) as Webhook['headers'],
    ...{ timeout_seconds, retry_count, created_at, updated_at },
  }
}

export const query = ({ db }: Scope) => db.selectFrom('webhooks').select(columns).orderBy('name_key').orderBy('id')

const byId = ({ db }: Scope, id: string) => db.selectFrom('webhooks').select(columns).where('id', '=', id)

const storedOf = (row: Row | undefined): Stored | undefined => row && { webhook: webhookOf(row), sealed: row.secret }

export const find = async (scope: Scope, id: string): Promise<Stored | undefined> =>
  storedOf(await byId(scope, id).executeTakeFirst())

/** As `find`, and keeps other writers off the row until commit. */
export const lock = async (ctx: Ctx, id: string): Promise<Stored | undefined> =>
  storedOf(await ctx.store.sql.lockRows(byId(ctx, id)).executeTakeFirst())

const rowOf = ({ webhook: { has_secret: _, events, enabled, headers, ...fields }, sealed }: Stored): WebhookRow => ({
  ...fields,
  name_key: fields.name.toLowerCase(),
  secret: sealed,
  events: JSON.stringify(events),
  enabled: enabled ? 1 : 0,
  headers: JSON.stringify(headers),
})

export const insert = async ({ db }: Scope, stored: Stored): Promise<void> => {
  await db.insertInto('webhooks').values(rowOf(stored)).execute()
}

export const update = async ({ db }: Scope, stored: Stored): Promise<void> => {
  await db.updateTable('webhooks').set(rowOf(stored)).where('id', '=', stored.webhook.id).execute()
}

export const remove = async ({ db }: Scope, id: string): Promise<void> => {
  await db.deleteFrom('webhooks').where('id', '=', id).execute()
}

const enabled = prepared((db: Kysely<Tables>, _: Record<string, never>) =>
  db.selectFrom('webhooks').select(['id', 'events', 'retry_count']).where('enabled', '=', 1).orderBy('id'),
)

/** The enabled ones, as JSON: `[{id, events, retry_count}]`. */
export const subscriptions = async (scope: PreparedScope): Promise<string> => {
  const rows = await enabled(scope, {})
  return JSON.stringify(rows.map((row) => ({ ...row, events: JSON.parse(row.events) })))
}
