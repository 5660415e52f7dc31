/** Sends due deliveries. Each webhook has a lane, so a slow target delays no other. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { Claimed } from '../../kernel/jobs/leases.ts'
import type { Sent, Target } from './attempt.ts'
import { buildOutcome } from './attempt.ts'
import * as deliveries from './delivery-store.ts'

export type Dispatcher = {
  /** Starts a lane for each webhook with due deliveries. `ctx` is that of a job. */
  readonly poll: (ctx: Ctx) => Promise<void>
  readonly close: () => Promise<void>
}

type Options = {
  /** Returns the current settings; undefined for a deleted webhook. */
  readonly target: (ctx: Ctx, webhookId: string) => Promise<(Target & { readonly enabled: boolean }) | undefined>
  readonly send: (target: Target, delivery: deliveries.Due, signal: AbortSignal) => Promise<Sent>
  /** Called when the target has answered 410 Gone. */
  readonly gone: (ctx: Ctx, webhookId: string) => Promise<void>
  readonly nowMs: () => number
}

const BATCH = 50
/** The concurrency of a lane that has a whole batch waiting. */
const WIDTH = 4
/** The longest wait of an outcome for others in its transaction. */
const LINGER_MS = 50
/** The time that running attempts get on shutdown. */
const CLOSE_MS = 2000
/** The pause after an internal error, such as a full disk: a delivery is sent again if its outcome can't be recorded. */
const REST_MS = 30_000

/** Collects outcomes while earlier ones are written. Deliveries with lost outcomes are sent again after a crash. */
class Outcomes {
  #waiting: deliveries.Outcome[] = []
  #writing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly ctx: Ctx,
    private readonly holder: string,
    private readonly isFarBehind: boolean,
  ) {}

  add(outcome: deliveries.Outcome): void {
    this.#waiting.push(outcome)
    if (this.isFarBehind && this.#waiting.length < BATCH) this.#timer ??= setTimeout(() => this.#flush(), LINGER_MS)
    else this.#flush()
  }

  async written(): Promise<void> {
    // Outcomes that were added as the last write ended need another write.
    while (this.#waiting.length > 0 || this.#writing) {
      this.#flush()
      await this.#writing
    }
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    // `drain` awaits the write and gets its error; this handler prevents an unhandled rejection.
    this.#writing.catch(() => {})
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.ctx.write(async (inner) => {
        for (const outcome of batch) await deliveries.storeOutcome(inner, outcome, this.holder)
      })
    }
  }
}

const DISABLED = 'the webhook is disabled'

const buildAbandoned = ({ id, attempt_number, attempts }: deliveries.Due): deliveries.Outcome => ({
  id,
  status: 'failed',
  attempt_number,
  attempts_left: 0,
  response_code: null,
  response_body: '',
  error: DISABLED,
  duration_ms: null,
  attempts,
  next_retry: null,
  due_ms: null,
})

/** Deliveries that this process sends; `held` is left with the deliveries not yet sent. */
type ClaimedDeliveries = Claimed<deliveries.Due>

export const createDispatcher = ({ target, send, gone, nowMs }: Options): Dispatcher => {
  const lanes = new Map<string, Promise<void>>()
  const closing = new AbortController()
  let isClosing = false
  let isPolling = false
  let isAgain = false

  const claim = (ctx: Ctx, webhookId: string): Promise<ClaimedDeliveries> => {
    const wanted = { webhookId, nowMs: nowMs(), most: BATCH }
    return deliveries.leases.claim(ctx, {
      find: () => deliveries.findDue({ db: ctx.store.read, store: ctx.store }, wanted),
      lockFree: (inner: Ctx) => deliveries.lockClaimable(inner, wanted),
      key: ({ id }) => id,
      write: ctx.write,
    })
  }

  const deliver = async (ctx: Ctx, webhookId: string, { rows, held }: ClaimedDeliveries): Promise<void> => {
    const isFarBehind = rows.length === BATCH
    const outcomes = new Outcomes(ctx, held.holder, isFarBehind)
    const stop = deliveries.leases.keep(held, ctx.write)
    const rest = rows.values()
    const sendOne = async (delivery: deliveries.Due): Promise<void> => {
      const now = await target(ctx, webhookId)
      if (!now) return
      if (!now.enabled) return outcomes.add(buildAbandoned(delivery))
      const sent = await send(now, delivery, closing.signal)
      // An attempt that shutdown has aborted does not count; it is repeated after the start.
      if (closing.signal.aborted && !sent.answer) return
      const { outcome, isGone } = buildOutcome(delivery, sent)
      held.keys.delete(delivery.id)
      outcomes.add(outcome)
      if (isGone) await gone(ctx, webhookId)
    }
    const runWorker = async (): Promise<void> => {
      for (const delivery of rest) {
        // After a pause of the process, such as a suspended machine, another process may hold the lease.
        if (isClosing || performance.now() >= held.endsMs) return
        if (held.keys.has(delivery.id)) await sendOne(delivery)
      }
    }
    try {
      await Promise.all(Array.from({ length: isFarBehind ? WIDTH : 1 }, runWorker))
      await outcomes.written()
      await deliveries.leases.end(held, ctx.write)
    } finally {
      stop()
    }
  }

  const runLane = async (ctx: Ctx, webhookId: string): Promise<void> => {
    while (!isClosing) {
      const claimed = await claim(ctx, webhookId)
      if (claimed.rows.length === 0) return
      await deliver(ctx, webhookId, claimed)
    }
  }

  const open = (ctx: Ctx, webhookId: string): void => {
    const running = runLane(ctx, webhookId).then(
      async () => {
        lanes.delete(webhookId)
        // New deliveries may have come since the last query. A failure is logged by the next poll.
        await poll(ctx).catch(() => {})
      },
      (error: unknown) => {
        ctx.log.error('deliveries of a webhook could not be sent', { webhook_id: webhookId, error })
        setTimeout(() => lanes.delete(webhookId), REST_MS).unref()
      },
    )
    lanes.set(webhookId, running)
  }

  const poll = async (ctx: Ctx): Promise<void> => {
    if (isPolling) {
      isAgain = true
      return
    }
    isPolling = true
    try {
      do {
        isAgain = false
        const ids = isClosing ? [] : await deliveries.findDueWebhooks(ctx, nowMs())
        for (const id of ids) if (!lanes.has(id)) open(ctx, id)
      } while (isAgain)
    } finally {
      isPolling = false
    }
  }

  return {
    poll,
    close: async () => {
      isClosing = true
      const timer = setTimeout(() => closing.abort(), CLOSE_MS)
      await Promise.all(lanes.values())
      clearTimeout(timer)
    },
  }
}
