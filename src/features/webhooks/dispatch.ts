/**
 * Sends what is due. Each webhook has a lane of its own, so that a slow one holds up nobody else; a lane sends one delivery
 * after another, in the order of the events, and several at a time only when it lies far behind.
 */
import type { Ctx } from '../ctx.ts'
import type { Sent, Target } from './attempt.ts'
import { outcomeOf } from './attempt.ts'
import * as deliveries from './delivery-store.ts'

export type Dispatcher = {
  /** Starts a lane for every webhook that has something due. `ctx` is that of a job. */
  readonly look: (ctx: Ctx) => Promise<void>
  readonly close: () => Promise<void>
}

type Options = {
  /** As it is at this moment; undefined for one that was deleted. */
  readonly target: (ctx: Ctx, webhookId: string) => Promise<(Target & { readonly enabled: boolean }) | undefined>
  readonly send: (target: Target, delivery: deliveries.Due, signal: AbortSignal) => Promise<Sent>
  /** The target does not exist any more, and says so. */
  readonly gone: (ctx: Ctx, webhookId: string) => Promise<void>
  readonly nowMs: () => number
}

const BATCH = 50
/** Sent at a time by a lane that has a whole batch before it. */
const WIDTH = 4
const LEASE_MS = 20_000
/** How long an outcome waits at most for others to be written with it. */
const LINGER_MS = 50
const RENEW_MS = 6000
/** What is being sent when the process is asked to end gets this long. */
const CLOSE_MS = 2000
/** After an error of our own (a full disk, say) nothing is sent for so long: what cannot be recorded is sent again. */
const REST_MS = 30_000

/**
 * Collects outcomes while the ones before them are written; of a lane that lies far behind some more of them, because to
 * write each costs more than to send it. Those that a crash takes are sent again.
 */
class Outcomes {
  #waiting: deliveries.Outcome[] = []
  #writing: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly ctx: Ctx,
    private readonly claim: string,
    private readonly isFarBehind: boolean,
  ) {}

  add(outcome: deliveries.Outcome): void {
    this.#waiting.push(outcome)
    if (this.isFarBehind && this.#waiting.length < BATCH) this.#timer ??= setTimeout(() => this.#flush(), LINGER_MS)
    else this.#flush()
  }

  async written(): Promise<void> {
    // What was added as the last writing ended has none of its own yet.
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
    // Whoever ends the batch waits for it, and hears of it.
    this.#writing.catch(() => {})
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.ctx.write(async (inner) => {
        for (const outcome of batch) await deliveries.settle(inner, outcome, this.claim)
      })
    }
  }
}

const DISABLED = 'the webhook is disabled'

const abandoned = ({ id, attempt_number, attempts }: deliveries.Due): deliveries.Outcome => ({
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

/** Deliveries that this process has claimed, under one name, and those of them that were not sent yet. */
type Claimed = {
  readonly name: string
  readonly rows: readonly deliveries.Due[]
  readonly open: Set<string>
  /** By the clock of `performance`: from then on they may be another's. */
  endsMs: number
}

export const createDispatcher = ({ target, send, gone, nowMs }: Options): Dispatcher => {
  const lanes = new Map<string, Promise<void>>()
  const closing = new AbortController()
  let isClosing = false
  let isLooking = false
  let isAgain = false

  const lease = (name: string) => ({ claim: name, nowMs: nowMs(), lastsMs: LEASE_MS })

  /** One process needs no leases: what is in its lanes is in no other. */
  const claim = async (ctx: Ctx, webhookId: string): Promise<Claimed> => {
    const wanted = { webhookId, nowMs: nowMs(), most: BATCH }
    if (ctx.store.sql.hasOneWriter) {
      const rows = await deliveries.due({ db: ctx.store.read, store: ctx.store }, wanted)
      return { name: '', rows, open: new Set(rows.map(({ id }) => id)), endsMs: Number.POSITIVE_INFINITY }
    }
    const name = Bun.randomUUIDv7()
    // Before it is asked for: it does not end sooner than this process believes.
    const endsMs = performance.now() + LEASE_MS
    const rows = await ctx.write(async (inner) => {
      const found = await deliveries.claimable(inner, wanted)
      const ids = found.map(({ id }) => id)
      await deliveries.lease(inner, ids, lease(name))
      return found
    })
    return { name, rows, open: new Set(rows.map(({ id }) => id)), endsMs }
  }

  const renew = async (ctx: Ctx, claimed: Claimed): Promise<void> => {
    const endsMs = performance.now() + LEASE_MS
    const asked = [...claimed.open]
    const kept = new Set(await ctx.write((inner) => deliveries.renew(inner, asked, lease(claimed.name))))
    claimed.endsMs = endsMs
    for (const id of asked) if (!kept.has(id)) claimed.open.delete(id)
  }

  /** Keeps what is claimed until it is done with. */
  const keeping = (ctx: Ctx, claimed: Claimed) => {
    if (ctx.store.sql.hasOneWriter) return undefined
    return setInterval(() => {
      renew(ctx, claimed).catch((error: unknown) =>
        ctx.log.warn('the lease of deliveries could not be renewed', { error }),
      )
    }, RENEW_MS)
  }

  const deliver = async (ctx: Ctx, webhookId: string, claimed: Claimed): Promise<void> => {
    const { name, rows, open } = claimed
    const isFarBehind = rows.length === BATCH
    const outcomes = new Outcomes(ctx, name, isFarBehind)
    const timer = keeping(ctx, claimed)
    const rest = rows.values()
    const sendOne = async (delivery: deliveries.Due): Promise<void> => {
      const now = await target(ctx, webhookId)
      if (!now) return
      if (!now.enabled) return outcomes.add(abandoned(delivery))
      const sent = await send(now, delivery, closing.signal)
      // Broken off by us: it was no attempt, and is made when we are back.
      if (closing.signal.aborted && !sent.answer) return
      const { outcome, isGone } = outcomeOf(delivery, sent)
      open.delete(delivery.id)
      outcomes.add(outcome)
      if (isGone) await gone(ctx, webhookId)
    }
    const worker = async (): Promise<void> => {
      for (const delivery of rest) {
        // What was stopped for a while, the machine say, may be another's by now.
        if (isClosing || performance.now() >= claimed.endsMs) return
        if (open.has(delivery.id)) await sendOne(delivery)
      }
    }
    try {
      await Promise.all(Array.from({ length: isFarBehind ? WIDTH : 1 }, worker))
      await outcomes.written()
      if (open.size > 0 && name !== '') await ctx.write((inner) => deliveries.release(inner, [...open], name))
    } finally {
      clearInterval(timer)
    }
  }

  const lane = async (ctx: Ctx, webhookId: string): Promise<void> => {
    while (!isClosing) {
      const claimed = await claim(ctx, webhookId)
      if (claimed.rows.length === 0) return
      await deliver(ctx, webhookId, claimed)
    }
  }

  const open = (ctx: Ctx, webhookId: string): void => {
    const running = lane(ctx, webhookId).then(
      async () => {
        lanes.delete(webhookId)
        // Between its last look and now something may have come. What goes wrong now goes wrong with the next tick too, which says so.
        await look(ctx).catch(() => {})
      },
      (error: unknown) => {
        ctx.log.error('deliveries of a webhook could not be sent', { webhook_id: webhookId, error })
        setTimeout(() => lanes.delete(webhookId), REST_MS).unref()
      },
    )
    lanes.set(webhookId, running)
  }

  const look = async (ctx: Ctx): Promise<void> => {
    if (isLooking) {
      isAgain = true
      return
    }
    isLooking = true
    try {
      do {
        isAgain = false
        const ids = isClosing ? [] : await deliveries.dueWebhooks(ctx, nowMs())
        for (const id of ids) if (!lanes.has(id)) open(ctx, id)
      } while (isAgain)
    } finally {
      isLooking = false
    }
  }

  return {
    look,
    close: async () => {
      isClosing = true
      const timer = setTimeout(() => closing.abort(), CLOSE_MS)
      await Promise.all(lanes.values())
      clearTimeout(timer)
    },
  }
}
