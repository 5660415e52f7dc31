/** The rules of webhooks. Their secrets are decrypted only to send a delivery. */

import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Outbound } from '../../base/security/outbound.ts'
import { invalidField, orNotFound } from '../../contract/errors.ts'
import { containsText } from '../../database/query/contains.ts'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../kernel/context.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { listRows, listValues } from '../../kernel/list.ts'
import { EVENTS, PING } from '../events/catalogue.ts'
import { webhooks } from './api.ts'
import { buildOutcome, send, type Target } from './attempt.ts'
import { buildSecretPlace, create, remove, update } from './changes.ts'
import * as deliveries from './delivery-store.ts'
import { createDispatcher } from './dispatch.ts'
import { buildVisibilityTag, getVisibleBody, requireEvents } from './event-rights.ts'
import { openHeaders } from './headers.ts'
import { createQueue, enqueuePing } from './queue.ts'
import type { Delivery } from './schema.ts'
import * as store from './store.ts'

export type WebhookOptions = {
  readonly config: Pick<Config, 'webhookRetentionDays'>
  readonly secrets: Secrets
  readonly outbound: Outbound
  readonly version: string
  readonly now: () => Date
  readonly kernel: () => Kernel<Tables>
}

const LOOK_MS = 1000
/** The age of settings that are still used, so that deliveries of one object need not wait for them one by one. */
const CURRENT_MS = 10
const DAY_MS = 24 * 60 * 60 * 1000
const PURGE_BATCH = 500
const GONE = 'The target answered 410: it is gone'

/** @throws AppError NOT_FOUND */
const getOrThrow = async (scope: DbScope, id: string): Promise<store.Stored> =>
  orNotFound(await store.find(scope, id), 'webhook', id)

/** Returns the delivery as the caller may see it. @throws AppError NOT_FOUND */
const getDeliveryOrThrow = async (ctx: Ctx, id: string, deliveryId: string): Promise<Delivery> => {
  const delivery = orNotFound(await deliveries.findDelivery(ctx, id, deliveryId), 'delivery', deliveryId)
  return deliveries.toDelivery(delivery, getVisibleBody(ctx, delivery.event, delivery.body))
}

const redeliver = async (ctx: Ctx, id: string, deliveryId: string): Promise<Delivery> => {
  const { webhook } = await getOrThrow(ctx, id)
  const { event } = await getDeliveryOrThrow(ctx, id, deliveryId)
  // Its creator had the permission of a subscribed event; one of an earlier subscription requires it again.
  if (!webhook.events.some((one) => one === event)) requireEvents(ctx, [event])
  await deliveries.reopen(ctx, deliveryId)
  await ctx.emit('webhook-delivery.queued')
  return getDeliveryOrThrow(ctx, id, deliveryId)
}

const disableGone = (ctx: Ctx, id: string): Promise<void> =>
  ctx.write(async (inner) => {
    const stored = await store.lock(inner, id)
    if (!stored?.webhook.enabled) return
    const webhook = { ...stored.webhook, enabled: false, disabled_reason: GONE, updated_at: inner.now }
    await store.updateRow(inner, { ...stored, webhook })
  })

export const webhooksFeature = (options: WebhookOptions): Feature => {
  const { enqueue, onFirstChange } = createQueue()
  const { config, secrets, outbound, now } = options
  const userAgent = `Plat/${options.version}`
  const buildTarget = ({ webhook, sealed, headers }: store.Stored): Target & { readonly enabled: boolean } => ({
    url: webhook.url,
    headers: openHeaders(secrets, webhook.id, headers),
    timeout_seconds: webhook.timeout_seconds,
    enabled: webhook.enabled,
    secret: sealed === null ? null : secrets.open(buildSecretPlace(webhook.id), sealed),
  })

  type Known = {
    readonly revision: string
    readonly target: ReturnType<typeof buildTarget>
    readonly askedMs: number
  }
  const targets = new Map<string, Known>()

  /** Returns the current settings. Reading the revision of webhooks is cheaper than reading a webhook. */
  const loadCurrentTarget = async (ctx: Ctx, id: string): Promise<Known['target'] | undefined> => {
    const askedMs = performance.now()
    const known = targets.get(id)
    if (known && askedMs < known.askedMs + CURRENT_MS) return known.target
    const revision = await ctx.store.revision(['webhooks'])
    if (known?.revision === revision) {
      targets.set(id, { ...known, askedMs })
      return known.target
    }
    const stored = await store.find({ db: ctx.store.read }, id)
    const target = stored && buildTarget(stored)
    // Deleted webhooks are not cached.
    if (target) targets.set(id, { revision, target, askedMs })
    else targets.delete(id)
    return target
  }

  const dispatcher = createDispatcher({
    target: loadCurrentTarget,
    send: (target, delivery, signal) => send(outbound, target, delivery, { at: now(), userAgent, signal }),
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

  const sendPing = async (ctx: Ctx, id: string): Promise<{ message: string; delivery: Delivery }> => {
    const stored = await getOrThrow(ctx, id)
    const delivery = await ctx.write((inner) => enqueuePing(inner, stored.webhook, PING))
    const target = buildTarget(stored)
    const sent = await send(outbound, target, { ...delivery, event: PING, change_id: '' }, { at: now(), userAgent })
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
  const checkUrl = async (url: string | undefined): Promise<void> => {
    const problem = url === undefined ? undefined : await outbound.problem(url)
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
          requireEvents(ctx, draft.events)
          await checkUrl(draft.url)
          return (ctx) => create(ctx, secrets, draft)
        },
      },
      get: async (ctx, { id }) => (await getOrThrow(ctx, id)).webhook,
      update: {
        prepare: async (ctx, patch) => {
          const before = await store.find(ctx, patch.id)
          requireEvents(ctx, [...(before?.webhook.events ?? []), ...(patch.events ?? [])])
          await checkUrl(patch.url)
          return (ctx) => update(ctx, secrets, patch)
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
          revision: `${revision}.${buildVisibilityTag(ctx)}`,
          query,
          page,
          row: (one) => deliveries.toDelivery(one, getVisibleBody(ctx, one.event, one.body)),
        })
      },
      delivery: async (ctx, { id, delivery_id }) => getDeliveryOrThrow(ctx, id, delivery_id),
      redeliver: async (ctx, { id, delivery_id }) => redeliver(ctx, id, delivery_id),
    }),
    reactions: { 'event.recorded': enqueue },
    onFirstChange,
    onCommit: (names) => {
      if (!hasEvent(names, 'webhook-delivery.queued')) return
      // Errors are logged where they occur, and the next poll tries again.
      options
        .kernel()
        .runJob(deliver)
        .catch(() => {})
    },
    jobs: [
      deliver,
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
