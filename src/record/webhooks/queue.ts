/** Creates a delivery of each event for each subscribed webhook, in the transaction of the event. */
import { memoized } from '../../database/cache/revision-cache.ts'
import { createReadOnce } from '../../kernel/changes/read-once.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { hasEvents } from '../events/catalogue.ts'
import type { Recorded } from '../events/record.ts'
import * as deliveries from './delivery-store.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as store from './store.ts'

/** Added to the timeout of the target, in seconds: then a ping that was not sent is due. */
const SLACK_S = 30

type Subscription = Pick<Webhook, 'id' | 'events' | 'retry_count'>

/** Reads the enabled subscriptions, and caches them until webhooks change. */
const createSubscriptions = (): ((ctx: Ctx) => Promise<readonly Subscription[]>) => {
  /** All events of a transaction go to the same subscriptions. Read in the transaction itself: waiting for a second connection can deadlock. */
  const readInTransaction = createReadOnce((ctx: Ctx): Promise<readonly Subscription[]> => store.findSubscriptions(ctx))

  return async (ctx) => {
    const { cache, read, revision, sql } = ctx.store
    if (!sql.hasOneWriter) return readInTransaction(ctx)
    const subscriptions = memoized<readonly Subscription[]>(
      cache.at('webhook subscriptions', await revision(['webhooks'])),
    )
    return subscriptions('', () => store.findSubscriptions({ db: read, store: ctx.store }))
  }
}

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
  const subscriptionsOf = createSubscriptions()
  const enqueue: Queue['enqueue'] = async (ctx, all) => {
    const subscriptions = await subscriptionsOf(ctx)
    if (subscriptions.length === 0) return
    const rows = all.flatMap((recorded) => {
      const { event, created_at, change_id } = recorded
      return subscriptions.flatMap(({ id: webhook_id, events, retry_count }): deliveries.NewDelivery[] => {
        if (!events.some((name) => name === event)) return []
        const id = Bun.randomUUIDv7()
        const times = { due_ms: Date.parse(created_at), created_at }
        const body = formatBody(id, recorded)
        return [{ id, webhook_id, event, body, change_id, attempts_left: 1 + retry_count, ...times }]
      })
    })
    if (rows.length === 0) return
    await deliveries.insertAll(ctx, rows)
    await ctx.emit('webhook-delivery.queued')
  }
  return {
    enqueue,
    onFirstChange: (ctx, kind) => {
      // Its error is that of the read at the end.
      if (hasEvents(kind) && !ctx.store.sql.hasOneWriter) subscriptionsOf(ctx).catch(() => {})
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
  const row = { id, webhook_id, event, body, change_id: '', attempts_left: 1, due_ms, created_at: ctx.now }
  await deliveries.insertAll(ctx, [row])
  return { id, body }
}
