/** Makes a delivery of every event for every webhook that is subscribed to it, in the transaction of the event. */
import type { Ctx } from '../ctx.ts'
import type { Recorded } from '../events/record.ts'
import * as deliveries from './delivery-store.ts'
import type { Delivery, Webhook } from './schema.ts'
import * as store from './store.ts'

/** Told when there is something to be sent. */
export const QUEUED = 'webhook-delivery.queued'

/** What a ping may take besides the time that its target has. */
const SLACK_S = 30

type Subscription = Pick<Webhook, 'id' | 'events' | 'retry_count'>

let known: { readonly text: string; readonly subscriptions: readonly Subscription[] } = {
  text: '[]',
  subscriptions: [],
}

/** What a transaction has read of them: it tells of everything in it to the same ones. */
const read = new WeakMap<Ctx['db'], Promise<string>>()

/** In the transaction itself: one that waits for a second connection may wait for ever. */
const seenBy = (ctx: Ctx): Promise<string> => {
  const known = read.get(ctx.db)
  if (known) return known
  const text = store.subscriptions(ctx)
  read.set(ctx.db, text)
  // Others who share the transaction may fare better.
  text.catch(() => read.delete(ctx.db))
  return text
}

const subscriptionsOf = async (ctx: Ctx): Promise<readonly Subscription[]> => {
  const text = ctx.store.sql.hasOneWriter
    ? await ctx.store.remember('webhooks', 'subscriptions', () =>
        store.subscriptions({ db: ctx.store.read, store: ctx.store }),
      )
    : await seenBy(ctx)
  if (text !== undefined && text !== known.text) known = { text, subscriptions: JSON.parse(text) }
  return known.subscriptions
}

/** The bytes that are sent; `data` is JSON. */
export const bodyOf = (
  id: string,
  { event, data, at }: Pick<Recorded, 'data' | 'at'> & { readonly event: string },
): string => `{"event":"${event}","delivery_id":"${id}","timestamp":"${at}","data":${data}}`

export const queue = async (ctx: Ctx, recorded: Recorded): Promise<void> => {
  const { event, at } = recorded
  for (const { id: webhook_id, events, retry_count } of await subscriptionsOf(ctx)) {
    if (!events.includes(event)) continue
    const id = Bun.randomUUIDv7()
    const times = { due_ms: Date.parse(at), created_at: at }
    const body = bodyOf(id, recorded)
    await deliveries.insert(ctx, { id, webhook_id, event, body, attempts_left: 1 + retry_count, ...times })
    await ctx.emit(QUEUED, id)
  }
}

/** @returns the id of a delivery that its maker sends, and the claim by which it is the maker's */
export const queuePing = async (
  ctx: Ctx,
  { id: webhook_id, timeout_seconds }: Webhook,
  event: string,
): Promise<Pick<Delivery, 'id'> & { readonly body: string; readonly claim: string }> => {
  const id = Bun.randomUUIDv7()
  const data = JSON.stringify({ message: 'A test delivery of Plat', webhook_id })
  const body = bodyOf(id, { event, data, at: ctx.now })
  const nowMs = Date.parse(ctx.now)
  const times = { due_ms: nowMs, created_at: ctx.now }
  await deliveries.insert(ctx, { id, webhook_id, event, body, attempts_left: 1, ...times })
  const claim = Bun.randomUUIDv7()
  // Should this process die over it, another one sends it.
  await deliveries.lease(ctx, [id], { claim, nowMs, lastsMs: (timeout_seconds + SLACK_S) * 1000 })
  return { id, body, claim }
}
