/** Creates, updates and deletes webhooks. Their secrets are sealed before they reach the database. */

import type { Place, Secrets } from '../../base/security/crypto.ts'
import { type FieldIssue, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { isSameOrigin } from '../../net/origin.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import type { WebhookDraft, WebhookPatch } from './api.ts'
import * as deliveries from './delivery-store.ts'
import { requireEvents } from './event-rights.ts'
import { MASK } from './header-rules.ts'
import { checkHeaders, hasMask, maskHeaders, resolveHeaders, sealHeaders } from './headers.ts'
import type { Webhook } from './schema.ts'
import * as store from './store.ts'

export const buildSecretPlace = (id: string): Place => ({ table: 'webhooks', column: 'secret', id })

const lockForChange = async (ctx: Ctx, id: string): Promise<store.Stored> => {
  const stored = orNotFound(await store.lock(ctx, id), 'webhook', id)
  ctx.precondition(stored.webhook)
  return stored
}

const sealSecret = (secrets: Secrets, id: string, secret: string): string | null =>
  secret === '' ? null : secrets.seal(buildSecretPlace(id), secret)

const checkSecret = (secrets: Secrets, secret: string | undefined): FieldIssue[] =>
  secret && !secrets.isEnabled ? [buildMissingKeyIssue('secret')] : []

/** @throws AppError FORBIDDEN, VALIDATION_ERROR */
export const create = async (ctx: Ctx, secrets: Secrets, draft: WebhookDraft): Promise<Webhook> => {
  requireEvents(ctx, draft.events)
  const id = Bun.randomUUIDv7()
  const { name, url, secret, events, enabled, description, headers, timeout_seconds, retry_count } = draft
  rejectIssues([...checkSecret(secrets, secret), ...checkHeaders(secrets, {}, headers)])
  const kept = sealSecret(secrets, id, secret)
  const webhook: Webhook = {
    ...{ id, name, url, has_secret: kept !== null, events, enabled, disabled_reason: '', description },
    ...{ headers: maskHeaders(headers), timeout_seconds, retry_count, created_at: ctx.now, updated_at: ctx.now },
  }
  await store.insert(ctx, { webhook, sealed: kept, headers: sealHeaders(secrets, id, headers) })
  return webhook
}

const isNeeded = (field: string): FieldIssue => ({
  field,
  message: 'is needed again, because the URL has another scheme, host or port',
})

/** Another target gets only the secret and headers of the same request, never the stored ones. */
const checkTarget = (
  { webhook, sealed }: store.Stored,
  { url, secret, headers }: Pick<WebhookPatch, 'url' | 'secret' | 'headers'>,
): FieldIssue[] => {
  if (url === undefined || isSameOrigin(url, webhook.url)) return []
  const isSecretLeft = sealed !== null && (secret === undefined || secret === MASK)
  const areHeadersLeft = Object.keys(webhook.headers).length > 0 && (headers === undefined || hasMask(headers))
  return [...(isSecretLeft ? [isNeeded('secret')] : []), ...(areHeadersLeft ? [isNeeded('headers')] : [])]
}

/** @throws AppError FORBIDDEN without the permissions of all events, old, new or pending, that may be sent */
const requireRights = async (ctx: Ctx, { webhook }: store.Stored, patch: Pick<WebhookPatch, 'events'>) => {
  requireEvents(ctx, [...webhook.events, ...(patch.events ?? [])])
  requireEvents(ctx, await deliveries.openEvents(ctx, webhook.id))
}

/** Keeps one issue for each field. */
const filterDistinct = (issues: readonly FieldIssue[]): FieldIssue[] =>
  issues.filter(({ field }, at) => issues.findIndex((one) => one.field === field) === at)

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN, VALIDATION_ERROR */
export const update = async (ctx: Ctx, secrets: Secrets, { id, ...patch }: WebhookPatch): Promise<Webhook> => {
  const before = await lockForChange(ctx, id)
  await requireRights(ctx, before, patch)
  const { secret, headers: given, ...fields } = patch
  const { headers: shown } = before.webhook
  rejectIssues(
    filterDistinct([
      ...checkTarget(before, patch),
      ...checkSecret(secrets, secret),
      ...checkHeaders(secrets, shown, given),
    ]),
  )
  const { value, changes } = merge(before.webhook, fields)
  const headers = resolveHeaders(secrets, { id, shown, kept: before.headers }, { given, log: ctx.log })
  if (changes.length === 0 && secret === undefined && !headers) return before.webhook
  const kept = secret === undefined ? before.sealed : sealSecret(secrets, id, secret)
  const webhook: Webhook = {
    ...value,
    // A user who enables the webhook again has seen the reason.
    disabled_reason: value.enabled ? '' : before.webhook.disabled_reason,
    has_secret: kept !== null,
    headers: headers?.shown ?? shown,
    updated_at: ctx.now,
  }
  await store.updateRow(ctx, { webhook, sealed: kept, headers: headers?.kept ?? before.headers })
  return webhook
}

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED */
export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  await store.deleteRow(ctx, id)
}
