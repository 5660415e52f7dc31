/** Creates a delivery of each event for each subscribed webhook, in the transaction of the event. */
import type { Tables } from '../../database/tables.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { hasEvents } from '../events/catalogue.ts'
import type { Recorded } from '../events/record.ts'
import { buildEntries, createFilterCheck, isSubscribed, type Passing } from '../notifications/enqueue.ts'
import { insertEntries } from '../notifications/entry-store.ts'
import * as deliveries from './delivery-store.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as store from './store.ts'

/** Added to the timeout of the target, in seconds: then a ping that was not sent is due. */
const SLACK_S = 30

/** The enabled subscriptions. All events of a transaction go to the same ones. */
const subscriptions = settings<Tables, readonly store.Subscription[]>(
  'webhook subscriptions',
  ['webhooks'],
  store.findSubscriptions,
)

/** Returns the bytes that are sent; `data` is JSON. */
export const formatBody = (
  id: string,
  { event, data, created_at }: Pick<Recorded, 'event' | 'data' | 'created_at'>,
): string => `{"event":"${event}","delivery_id":"${id}","timestamp":"${created_at}","data":${data}}`

const buildDelivery = (
  { id: webhook_id, retry_count }: store.Subscription,
  recorded: Recorded,
): deliveries.NewDelivery => {
  const { event, resource_id, created_at, change_id } = recorded
  const id = Bun.randomUUIDv7()
  // Due for each instance, whatever its clock says.
  const times = { due_ms: 0, created_at }
  const body = formatBody(id, recorded)
  return { id, webhook_id, event, resource_id, body, change_id, attempts_left: 1 + retry_count, ...times }
}

type Queue = {
  /** Queues each event for every subscription to it: a delivery, or an entry of the next message. */
  readonly enqueue: (ctx: Ctx, all: readonly Recorded[]) => Promise<void>
  readonly onFirstChange: NonNullable<Feature['onFirstChange']>
}

export const createQueue = (): Queue => {
  const enqueue: Queue['enqueue'] = async (ctx, all) => {
    const wanted = await subscriptions.within(ctx)
    if (wanted.length === 0) return
    const passes = await createFilterCheck(ctx, wanted, all)
    const generic: deliveries.NewDelivery[] = []
    const messages: Passing<Recorded>[] = []
    let isNudged = false
    for (const told of all)
      for (const one of wanted) {
        if (!isSubscribed(one, told.event) || !passes(one, told)) continue
        if (one.format === 'generic') generic.push(buildDelivery(one, told))
        else messages.push({ webhookId: one.id, told })
        isNudged ||= one.format !== 'generic' && one.group_seconds === 0
      }
    if (messages.length > 0) await insertEntries(ctx, await buildEntries(ctx, messages))
    if (isNudged) await ctx.emit('notification.waiting')
    if (generic.length === 0) return
    await deliveries.insertAll(ctx, generic)
    await ctx.emit('webhook-delivery.queued')
  }
  return {
    enqueue,
    onFirstChange: (ctx, kind) => {
      if (hasEvents(kind)) subscriptions.ahead(ctx)
    },
  }
}

/**
 * Records a test delivery that the caller sends itself. It is due later, if this process dies before.
 * @param message the body of a channel
 */
export const enqueuePing = async (
  ctx: Ctx,
  { id: webhook_id, timeout_seconds }: Webhook,
  { event, message }: { event: string; message?: string | undefined },
): Promise<Pick<Delivery, 'id'> & { readonly body: string }> => {
  const id = Bun.randomUUIDv7()
  const data = JSON.stringify({ message: 'A test delivery from Plat', webhook_id })
  const body = message ?? formatBody(id, { event, data, created_at: ctx.now })
  const due_ms = Date.parse(ctx.now) + (timeout_seconds + SLACK_S) * 1000
  const object = { resource_id: '', change_id: '' }
  const row = { id, webhook_id, event, ...object, body, attempts_left: 1, due_ms, created_at: ctx.now }
  await deliveries.insertAll(ctx, [row])
  return { id, body }
}
