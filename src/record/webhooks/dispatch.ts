/** Sends due deliveries. Each webhook has a lane, so a slow target delays no other. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { Sent, Target } from './attempt.ts'
import { buildOutcome } from './attempt.ts'
import * as deliveries from './delivery-store.ts'
import { Lane, type LaneOptions } from './lane.ts'

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

/** The time that running attempts get on shutdown. */
const CLOSE_MS = 2000
/** The pause after an internal error, such as a full disk: a delivery is sent again if its outcome can't be recorded. */
const REST_MS = 30_000

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

export const createDispatcher = ({ target, send, gone, nowMs }: Options): Dispatcher => {
  const lanes = new Map<string, { readonly lane: Lane; readonly running: Promise<void> }>()
  const resting = new Set<string>()
  const closing = new AbortController()
  let isClosing = false
  let isPolling = false
  let isAgain = false

  const buildOptions = (ctx: Ctx, webhookId: string): LaneOptions => ({
    isClosing: () => isClosing,
    claim: (own, most) => {
      const wanted = { webhookId, nowMs: nowMs(), most }
      return deliveries.leases.claim(ctx, {
        find: () => deliveries.findDue({ db: ctx.store.read }, wanted, own),
        lockFree: (inner: Ctx) => deliveries.lockClaimable(inner, wanted, own),
        key: ({ id }) => id,
        write: ctx.write,
      })
    },
    attempt: async (delivery, mayBegin) => {
      const now = await target(ctx, webhookId)
      if (!now || !mayBegin()) return undefined
      if (!now.enabled) return buildAbandoned(delivery)
      const sent = await send(now, delivery, closing.signal)
      // An attempt that shutdown has aborted does not count; it is repeated after the start.
      if (closing.signal.aborted && !sent.answer) return undefined
      const { outcome, isGone } = buildOutcome(delivery, sent)
      if (isGone) await gone(ctx, webhookId)
      return outcome
    },
  })

  const open = (ctx: Ctx, webhookId: string): void => {
    const lane = new Lane(ctx, buildOptions(ctx, webhookId))
    const running = lane
      .run()
      .catch((error: unknown) => {
        ctx.log.error('deliveries of a webhook could not be sent', { webhook_id: webhookId, error })
        resting.add(webhookId)
        setTimeout(() => resting.delete(webhookId), REST_MS).unref()
      })
      .finally(() => {
        if (lanes.get(webhookId)?.lane === lane) lanes.delete(webhookId)
      })
    lanes.set(webhookId, { lane, running })
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
        for (const id of ids) if (!resting.has(id) && !lanes.get(id)?.lane.want()) open(ctx, id)
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
      await Promise.all([...lanes.values()].map(({ running }) => running))
      clearTimeout(timer)
    },
  }
}
