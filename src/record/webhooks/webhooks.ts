/** The rules of webhooks. Their secrets are decrypted only to send a delivery. */

import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { invalidField, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { containsText } from '../../database/query/contains.ts'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../kernel/context.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listRows, listValues } from '../../kernel/list.ts'
import { DIGEST, EVENTS, getEventPermission, PING } from '../events/catalogue.ts'
import { createChannels } from '../notifications/channels.ts'
import { removeAllEntries } from '../notifications/entry-store.ts'
import type { Format } from '../notifications/fields.ts'
import { createMailer } from '../notifications/mail.ts'
import { listReportPermissions, type Reports } from '../notifications/reports.ts'
import { type Abilities, checkContents } from '../notifications/rules.ts'
import { createTargets } from '../notifications/targets.ts'
import { webhooks } from './api.ts'
import { buildOutcome } from './attempt.ts'
import { create, remove, requireContents, update } from './changes.ts'
import * as deliveries from './delivery-store.ts'
import { createDispatcher } from './dispatch.ts'
import { buildVisibilityTag, getVisibleBody, requireEvents } from './event-rights.ts'
import { createQueue, enqueuePing } from './queue.ts'
import type { Delivery } from './schema.ts'
import * as store from './store.ts'

export type WebhookOptions = {
  readonly config: Pick<Config, 'webhookRetentionDays' | 'publicUrl' | 'smtpUrl' | 'smtpFrom'>
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly version: string
  readonly now: () => Date
  readonly kernel: () => Kernel<Tables>
  /** What digests show. */
  readonly reports: Reports
}

const LOOK_MS = 1000
const DAY_MS = 24 * 60 * 60 * 1000
const PURGE_BATCH = 500
const GONE = 'The target answered 410: it is gone'

/** @throws AppError NOT_FOUND */
const getOrThrow = async (scope: DbScope, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(scope, id), 'webhook', id)

const disableGone = (ctx: Ctx, id: string): Promise<void> =>
  ctx.write(async (inner) => {
    const stored = await store.lock(inner, id)
    if (!stored?.webhook.enabled) return
    const webhook = { ...stored.webhook, enabled: false, disabled_reason: GONE, updated_at: inner.now }
    await store.updateRow(inner, { ...stored, webhook })
    await removeAllEntries(inner, id)
  })

export const webhooksFeature = (options: WebhookOptions): Feature => {
  const { enqueue, onFirstChange } = createQueue()
  const { config, secrets, outbound, now, reports } = options
  const mailer = createMailer(config)
  const targets = createTargets({ secrets, outbound, mailer, userAgent: `Plat/${options.version}`, now })
  const channels = createChannels(options)
  const ofReports = listReportPermissions(reports)
  const missingForMail = [
    ...(config.smtpUrl === undefined ? ['SMTP_URL'] : []),
    ...(config.smtpFrom === undefined ? ['SMTP_FROM'] : []),
  ]
  const abilities: Abilities = { reports, missingForMail }

  /** Returns the delivery as the caller may see it. @throws AppError NOT_FOUND */
  const getDeliveryOrThrow = async (ctx: Ctx, id: string, deliveryId: string): Promise<Delivery> => {
    const delivery = orNotFound(await deliveries.findDelivery(ctx, id, deliveryId), 'delivery', deliveryId)
    return deliveries.toDelivery(delivery, getVisibleBody(ctx, delivery, ofReports))
  }

  const redeliver = async (ctx: Ctx, id: string, deliveryId: string): Promise<Delivery> => {
    const { webhook } = await getOrThrow(ctx, id)
    const { event } = await getDeliveryOrThrow(ctx, id, deliveryId)
    // Its creator had the permission of a subscribed event; one of an earlier subscription requires it again.
    if (!webhook.events.some((one) => one === event)) requireEvents(ctx, [event])
    if (event === DIGEST) for (const permission of ofReports) ctx.require(permission)
    await deliveries.reopen(ctx, deliveryId)
    await ctx.emit('webhook-delivery.queued')
    return getDeliveryOrThrow(ctx, id, deliveryId)
  }

  const dispatcher = createDispatcher({
    target: targets.loadCurrent,
    send: targets.send,
    gone: disableGone,
    nowMs: () => now().getTime(),
  })

  const deliver: Job<Tables> = {
    name: 'webhooks.deliver',
    summary: 'Sends due deliveries of webhooks',
    everyMs: LOOK_MS,
    runsAtStart: true,
    onEveryInstance: true,
    run: async (ctx) => {
      await dispatcher.poll(ctx)
    },
  }

  const composeMessages: Job<Tables> = {
    name: 'webhooks.compose',
    summary: 'Composes the events that wait into messages of webhooks',
    everyMs: LOOK_MS,
    runsAtStart: true,
    onEveryInstance: true,
    run: channels.composeDue,
  }

  const sendPing = async (ctx: Ctx, id: string): Promise<{ message: string; delivery: Delivery }> => {
    const stored = await getOrThrow(ctx, id)
    const test = { event: PING, message: channels.renderTest(stored) }
    const delivery = await ctx.write((inner) => enqueuePing(inner, stored.webhook, test))
    const sent = await targets.send(targets.build(stored), { ...delivery, event: PING, change_id: '' })
    const fresh = { id: delivery.id, attempt_number: 0, attempts_left: 1, attempts: '[]' }
    const { outcome } = buildOutcome(fresh, sent)
    const recorded = await ctx.write(async (inner) => {
      await deliveries.storeOutcome(inner, outcome, '')
      return getDeliveryOrThrow(inner, id, delivery.id)
    })
    const message =
      sent.error === '' ? `The target answered ${sent.answer?.status}` : `The test delivery failed: ${sent.error}`
    return { message, delivery: recorded }
  }

  /** Resolves names before the transaction, which holds the writer. */
  const checkUrl = async (format: Format, url: string | undefined): Promise<void> => {
    // The mail server is the target of mails, and the operator has chosen it.
    const problem = url === undefined || format === 'email' ? undefined : await outbound.problem(url)
    if (problem !== undefined) throw invalidField('url', problem)
  }

  return {
    operations: implement(webhooks, {
      list: async (ctx, { name, ...page }) => {
        const revision = await ctx.store.revision(['webhooks'])
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name_key', name))
        return listRows(ctx, { revision, query, page, row: store.toWebhook })
      },
      events: async (_ctx, page) =>
        listValues(
          EVENTS.map(({ name, description, permission }) => ({ name, description, permission })),
          page,
        ),
      create: {
        prepare: async (ctx, draft) => {
          // Checked before DNS is queried.
          requireContents(ctx, abilities, draft)
          rejectIssues(checkContents(draft))
          await checkUrl(draft.format, draft.url)
          return (ctx) => create(ctx, { secrets, abilities }, draft)
        },
      },
      get: async (ctx, { id }) => (await getOrThrow(ctx, id)).webhook,
      update: {
        prepare: async (ctx, patch) => {
          const before = await store.find(ctx, patch.id)
          requireContents(ctx, abilities, {
            events: [...(before?.webhook.events ?? []), ...(patch.events ?? [])],
            reports: [...(before?.webhook.reports ?? []), ...(patch.reports ?? [])],
          })
          if (patch.events?.length === 0)
            rejectIssues(checkContents({ events: [], reports: patch.reports ?? before?.webhook.reports ?? [] }))
          await checkUrl(patch.format ?? before?.webhook.format ?? 'generic', patch.url)
          return (ctx) => update(ctx, { secrets, abilities }, patch)
        },
      },
      delete: async (ctx, { id }) => remove(ctx, id),
      ping: async (ctx, { id }) => sendPing(ctx, id),
      deliveries: async (ctx, { id, status, event, ...page }) => {
        const revision = await ctx.store.revision(['webhook_deliveries', 'webhooks'])
        await getOrThrow(ctx, id)
        const query = deliveries.selectDeliveries(ctx, { id, status, event })
        return listRows(ctx, {
          // Callers who see different fields must not share an ETag.
          revision: `${revision}.${buildVisibilityTag(ctx, ofReports)}`,
          query,
          page,
          row: (one) => deliveries.toDelivery(one, getVisibleBody(ctx, one, ofReports)),
        })
      },
      delivery: async (ctx, { id, delivery_id }) => getDeliveryOrThrow(ctx, id, delivery_id),
      redeliver: async (ctx, { id, delivery_id }) => redeliver(ctx, id, delivery_id),
      waiting: async (ctx, { id }) => {
        const { webhook } = await getOrThrow(ctx, id)
        return channels.findWaiting(ctx, webhook, (event) => {
          const permission = getEventPermission(event)
          return permission !== undefined && ctx.caller.permissions.has(permission)
        })
      },
      flush: {
        prepare: async (ctx, { id }) => {
          const { webhook } = await getOrThrow(ctx, id)
          // Read before the transaction, which holds the writer.
          const read = await channels.readReports(ctx.unscoped, webhook)
          return async (ctx) => {
            await getOrThrow(ctx, id)
            const deliveryId = await channels.flush(ctx, id, read)
            return { delivery: deliveryId === undefined ? null : await getDeliveryOrThrow(ctx, id, deliveryId) }
          }
        },
      },
    }),
    reactions: { 'event.recorded': enqueue },
    onFirstChange,
    onCommit: (names) => {
      // Errors are logged where they occur, and the next poll tries again.
      const run = (job: Job<Tables>) =>
        void options
          .kernel()
          .runJob(job)
          .catch(() => {})
      if (hasEvent(names, 'webhook-delivery.queued')) run(deliver)
      if (hasEvent(names, 'notification.waiting')) run(composeMessages)
    },
    jobs: [
      deliver,
      composeMessages,
      {
        name: 'webhooks.remove-old',
        summary: 'Deletes deliveries that are older than WEBHOOK_RETENTION_DAYS',
        everyMs: DAY_MS,
        runsAtStart: true,
        run: async (ctx) => {
          const before = new Date(Date.parse(ctx.now) - config.webhookRetentionDays * DAY_MS).toISOString()
          while ((await ctx.write((inner) => deliveries.removeOld(inner, before, PURGE_BATCH))) === PURGE_BATCH);
        },
      },
    ],
    close: dispatcher.close,
  }
}
