/** Creates a delivery of each event for each subscribed webhook, in the transaction of the event. */
import { memoized } from '../../platform/db/cache/revision-cache.ts'
import type { Ctx } from '../ctx.ts'
import type { Recorded } from '../events/record.ts'
import * as deliveries from './delivery-store.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as store from './store.ts'

/** Emitted when a delivery is queued. */
export const QUEUED = 'webhook-delivery.queued'

/** Added to the timeout of the target, in seconds: then a ping that was not sent is due. */
const SLACK_S = 30

type Subscription = Pick<Webhook, 'id' | 'events' | 'retry_count'>

/** Reads the enabled subscriptions, and caches them until webhooks change. */
const createSubscriptions = (): ((ctx: Ctx) => Promise<readonly Subscription[]>) => {
  /** Per transaction: all of its events go to the same subscriptions. */
  const byTransaction = new WeakMap<Ctx['db'], Promise<readonly Subscription[]>>()

  /** Reads in the transaction itself: waiting for a second connection can deadlock. */
  const readInTransaction = (ctx: Ctx): Promise<readonly Subscription[]> => {
    const cached = byTransaction.get(ctx.db)
    if (cached) return cached
    const reading = store.findSubscriptions(ctx)
    byTransaction.set(ctx.db, reading)
    // A failure ends in its savepoint; another call of the transaction may succeed.
    reading.catch(() => byTransaction.delete(ctx.db))
    return reading
  }

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
  { event, data, at }: Pick<Recorded, 'data' | 'at'> & { readonly event: string },
): string => `{"event":"${event}","delivery_id":"${id}","timestamp":"${at}","data":${data}}`

/** Creates the reaction that queues a delivery of an event for every subscription to it. */
export const createQueue = (): ((ctx: Ctx, recorded: Recorded) => Promise<void>) => {
  const subscriptionsOf = createSubscriptions()
  return async (ctx, recorded) => {
    const { event, at, changeId: change_id } = recorded
    for (const { id: webhook_id, events, retry_count } of await subscriptionsOf(ctx)) {
      if (!events.includes(event)) continue
      const id = Bun.randomUUIDv7()
      const times = { due_ms: Date.parse(at), created_at: at }
      const body = formatBody(id, recorded)
      const row = { id, webhook_id, event, body, change_id, attempts_left: 1 + retry_count, ...times }
      await deliveries.insertDelivery(ctx, row)
      await ctx.emit(QUEUED, id)
    }
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
  const body = formatBody(id, { event, data, at: ctx.now })
  const due_ms = Date.parse(ctx.now) + (timeout_seconds + SLACK_S) * 1000
  const row = { id, webhook_id, event, body, change_id: '', attempts_left: 1, due_ms, created_at: ctx.now }
  await deliveries.insertDelivery(ctx, row)
  return { id, body }
}
