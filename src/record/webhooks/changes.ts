/** Creates, updates and deletes webhooks. Their secrets are sealed before they reach the database. */

import type { Place, Secrets } from '../../base/security/crypto.ts'
import { type FieldIssue, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { isSameOrigin } from '../../net/origin.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { findEventNames, removeAllEntries } from '../notifications/entry-store.ts'
import { requireReports } from '../notifications/reports.ts'
import { type Abilities, checkChannel, checkFilter, settleRhythm } from '../notifications/rules.ts'
import { resolveNewUrl, resolveUrl } from '../notifications/secret-url.ts'
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

export type ChangeOptions = { readonly secrets: Secrets; readonly abilities: Abilities }

/** @throws AppError FORBIDDEN without the permissions of all events and reports */
export const requireContents = (
  ctx: Pick<Ctx, 'require'>,
  { reports }: Abilities,
  named: { readonly events: readonly string[]; readonly reports: readonly string[] },
): void => {
  requireEvents(ctx, named.events)
  requireReports(ctx, reports, named.reports)
}

/** @throws AppError FORBIDDEN, VALIDATION_ERROR */
export const create = async (
  ctx: Ctx,
  { secrets, abilities }: ChangeOptions,
  draft: WebhookDraft,
): Promise<Webhook> => {
  requireContents(ctx, abilities, draft)
  const id = Bun.randomUUIDv7()
  const { name, url, secret, events, enabled, description, headers, timeout_seconds, retry_count, ...channel } = draft
  const resolved = resolveNewUrl(secrets, id, { format: channel.format, url })
  rejectIssues([
    ...('issue' in resolved ? [resolved.issue] : []),
    ...checkSecret(secrets, secret),
    ...checkHeaders(secrets, {}, headers),
    ...checkChannel({ webhook: { ...channel, events }, given: channel, before: undefined }, abilities),
    ...(await checkFilter(ctx, channel.filter, {})),
  ])
  if ('issue' in resolved) throw new Error('an issue was not rejected')
  const kept = sealSecret(secrets, id, secret)
  const webhook: Webhook = {
    ...{
      id,
      name,
      url: resolved.kept.url,
      has_secret: kept !== null,
      events,
      enabled,
      disabled_reason: '',
      description,
    },
    ...{ headers: maskHeaders(headers), timeout_seconds, retry_count, created_at: ctx.now, updated_at: ctx.now },
    ...channel,
  }
  const { sealedUrl } = resolved.kept
  await store.insert(ctx, { webhook, sealed: kept, headers: sealHeaders(secrets, id, headers), sealedUrl })
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
  if (url === undefined || url === webhook.url || isSameOrigin(url, webhook.url)) return []
  const isSecretLeft = sealed !== null && (secret === undefined || secret === MASK)
  const areHeadersLeft = Object.keys(webhook.headers).length > 0 && (headers === undefined || hasMask(headers))
  return [...(isSecretLeft ? [isNeeded('secret')] : []), ...(areHeadersLeft ? [isNeeded('headers')] : [])]
}

/** @throws AppError FORBIDDEN without the permissions of all events, old, new or pending, that may be sent */
const requireRights = async (
  ctx: Ctx,
  { webhook }: store.Stored,
  { abilities, patch }: { abilities: Abilities; patch: Pick<WebhookPatch, 'events' | 'reports'> },
) => {
  requireContents(ctx, abilities, {
    events: [...webhook.events, ...(patch.events ?? [])],
    reports: [...webhook.reports, ...(patch.reports ?? [])],
  })
  requireEvents(ctx, await deliveries.openEvents(ctx, webhook.id))
  requireEvents(ctx, await findEventNames(ctx, webhook.id))
}

/** A disabled channel keeps nothing, and one that is enabled again begins with the next event. */
const dropEntries = async (ctx: Ctx, before: Webhook, after: Webhook): Promise<void> => {
  const isStopped = before.enabled !== after.enabled || (after.format === 'generic' && before.format !== 'generic')
  if (isStopped) await removeAllEntries(ctx, after.id)
}

/** Keeps one issue for each field. */
const filterDistinct = (issues: readonly FieldIssue[]): FieldIssue[] =>
  issues.filter(({ field }, at) => issues.findIndex((one) => one.field === field) === at)

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED, FORBIDDEN, VALIDATION_ERROR */
export const update = async (
  ctx: Ctx,
  { secrets, abilities }: ChangeOptions,
  { id, ...patch }: WebhookPatch,
): Promise<Webhook> => {
  const before = await lockForChange(ctx, id)
  await requireRights(ctx, before, { abilities, patch })
  const { secret, headers: given, url, ...fields } = patch
  const { headers: shown } = before.webhook
  const { value: merged, changes } = merge(before.webhook, fields)
  const settled = settleRhythm(merged)
  const earlier = { id, format: before.webhook.format, url: before.webhook.url, sealedUrl: before.sealedUrl }
  const resolved = resolveUrl(secrets, earlier, { format: settled.format, url })
  rejectIssues(
    filterDistinct([
      ...checkTarget(before, patch),
      ...('issue' in resolved ? [resolved.issue] : []),
      ...checkSecret(secrets, secret),
      ...checkHeaders(secrets, shown, given),
      ...checkChannel({ webhook: settled, given: fields, before: before.webhook }, abilities),
      ...(fields.filter ? await checkFilter(ctx, fields.filter, before.webhook.filter) : []),
    ]),
  )
  if ('issue' in resolved) throw new Error('an issue was not rejected')
  const { kept: keptUrl } = resolved
  const headers = resolveHeaders(secrets, { id, shown, kept: before.headers }, { given, log: ctx.log })
  const isUrlKept = keptUrl.url === before.webhook.url && keptUrl.sealedUrl === before.sealedUrl
  if (changes.length === 0 && isUrlKept && secret === undefined && !headers) return before.webhook
  const kept = secret === undefined ? before.sealed : sealSecret(secrets, id, secret)
  const webhook: Webhook = {
    ...settled,
    url: keptUrl.url,
    // A user who enables the webhook again has seen the reason.
    disabled_reason: settled.enabled ? '' : before.webhook.disabled_reason,
    has_secret: kept !== null,
    headers: headers?.shown ?? shown,
    updated_at: ctx.now,
  }
  const { sealedUrl } = keptUrl
  await store.updateRow(ctx, { webhook, sealed: kept, headers: headers?.kept ?? before.headers, sealedUrl })
  await dropEntries(ctx, before.webhook, webhook)
  return webhook
}

/** @throws AppError NOT_FOUND, PRECONDITION_FAILED */
export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  await store.deleteRow(ctx, id)
}
