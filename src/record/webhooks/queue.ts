/** Creates a delivery of each event for each subscribed webhook, in the transaction of the event. */
import type { Tables } from '../../database/tables.ts'
import { settings } from '../../kernel/changes/settings.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { hasEvents } from '../events/catalogue.ts'
import type { Recorded } from '../events/record.ts'
import * as deliveries from './delivery-store.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as store from './store.ts'

/** Added to the timeout of the target, in seconds: then a ping that was not sent is due. */
const SLACK_S = 30

type Subscription = Pick<Webhook, 'id' | 'events' | 'retry_count'>

/** The enabled subscriptions. All events of a transaction go to the same ones. */
const subscriptions = settings<Tables, readonly Subscription[]>(
  'webhook subscriptions',
  ['webhooks'],
  store.findSubscriptions,
)

/** Returns the bytes that are sent; `data` is JSON. */
export const formatBody = (
  id: string,
  { event, data, created_at }: Pick<Recorded, 'event' | 'data' | 'created_at'>,
): string => `{"event":"${event}","delivery_id":"${id}","timestamp":"${created_at}","data":${data}}`

type Queue = {
  /** Queues a delivery of each event for every subscription to it. */
  readonly enqueue: (ctx: Ctx, all: readonly Recorded[]) => Promise<void>
  readonly onFirstChange: NonNullable<Feature['onFirstChange']>
}

export const createQueue = (): Queue => {
  const enqueue: Queue['enqueue'] = async (ctx, all) => {
    const wanted = await subscriptions.within(ctx)
    if (wanted.length === 0) return
    const rows = all.flatMap((recorded) => {
      const { event, resource_id, created_at, change_id } = recorded
      return wanted.flatMap(({ id: webhook_id, events, retry_count }): deliveries.NewDelivery[] => {
        if (!events.some((name) => name === event)) return []
        const id = Bun.randomUUIDv7()
        // Due for each instance, whatever its clock says.
        const times = { due_ms: 0, created_at }
        const body = formatBody(id, recorded)
        return [{ id, webhook_id, event, resource_id, body, change_id, attempts_left: 1 + retry_count, ...times }]
      })
    })
    if (rows.length === 0) return
    await deliveries.insertAll(ctx, rows)
    await ctx.emit('webhook-delivery.queued')
  }
  return {
    enqueue,
    onFirstChange: (ctx, kind) => {
      if (hasEvents(kind)) subscriptions.ahead(ctx)
    },
  }
}

/** Records a test delivery that the caller sends itself. It is due later, if this process dies before. */
export const enqueuePing = async (
  ctx: Ctx,
  { id: webhook_id, timeout_seconds }: Webhook,
  event: string,
): Promise<Pick<Delivery, 'id'> & { readonly body: string }> => {
  const id = Bun.randomUUIDv7()
  const data = JSON.stringify({ message: 'A test delivery from Plat', webhook_id })
  const body = formatBody(id, { event, data, created_at: ctx.now })
  const due_ms = Date.parse(ctx.now) + (timeout_seconds + SLACK_S) * 1000
  const object = { resource_id: '', change_id: '' }
  const row = { id, webhook_id, event, ...object, body, attempts_left: 1, due_ms, created_at: ctx.now }
  await deliveries.insertAll(ctx, [row])
  return { id, body }
}
