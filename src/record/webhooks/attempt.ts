/** Sends one attempt and evaluates its result. Does not use the database. */
import { createHmac } from 'node:crypto'
import type { Outbound, OutboundAnswer } from '../../base/security/outbound.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import type { Due, Outcome } from './delivery-store.ts'
import { separateChange } from './earlier-body.ts'
import { listTextsToMask, redactEchoes } from './echoes.ts'
import { retryWaitMs } from './retries.ts'
import type { Attempt, Webhook } from './schema.ts'

/** The number of bytes of an answer that are stored. */
const MAX_ANSWER = 4096
const MAX_ERROR = 500
const GONE = 410

export type Target = Pick<Webhook, 'url' | 'headers' | 'timeout_seconds'> & {
  /** Null without one. */
  readonly secret: string | null
}

export type Sent = {
  readonly at: Date
  readonly durationMs: number
  readonly answer: OutboundAnswer | undefined
  readonly error: string
}

/** Returns `sha256=` and the HMAC-SHA256 (RFC 2104) of the exact bytes of the body, in hexadecimal. */
export const computeSignature = (secret: string, body: Uint8Array): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

export const send = async (
  outbound: Outbound,
  target: Target,
  stored: Pick<Due, 'id' | 'event' | 'body' | 'change_id'>,
  { at, userAgent, signal }: { readonly at: Date; readonly userAgent: string; readonly signal?: AbortSignal },
): Promise<Sent> => {
  const delivery = separateChange(stored)
  const body = Buffer.from(delivery.body)
  const began = performance.now()
  const ended = (rest: Pick<Sent, 'answer' | 'error'>): Sent => ({
    at,
    durationMs: Math.round(performance.now() - began),
    ...rest,
  })
  try {
    const { body: answered, ...answer } = await outbound.send({
      url: target.url,
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': userAgent,
        'X-Service-Event': delivery.event,
        'X-Service-Delivery': delivery.id,
        'X-Service-Timestamp': String(Math.floor(at.getTime() / 1000)),
        ...(delivery.change_id === '' ? {} : { 'X-Service-Change': delivery.change_id }),
        ...(target.secret === null ? {} : { 'X-Service-Signature': computeSignature(target.secret, body) }),
      },
      ownHeaders: target.headers,
      body,
      timeoutMs: target.timeout_seconds * 1000,
      ...(signal ? { signal } : {}),
    })
    const isGood = answer.status >= 200 && answer.status < 300
    const texts = listTextsToMask([...Object.values(target.headers), target.secret ?? ''])
    return ended({
      answer: { ...answer, body: redactEchoes(answered, texts) },
      error: isGood ? '' : `answered ${answer.status}`,
    })
  } catch (error) {
    return ended({
      answer: undefined,
      error: getErrorMessage(error).slice(0, MAX_ERROR),
    })
  }
}

const isText = (text: string): string => text.replaceAll('\u0000', '\ufffd')

/** Returns the record of a delivery after an attempt. `isGone` asks to disable the webhook. */
export const buildOutcome = (
  delivery: Pick<Due, 'id' | 'attempt_number' | 'attempts_left' | 'attempts'>,
  { at, durationMs, answer, error }: Sent,
): { readonly outcome: Outcome; readonly isGone: boolean } => {
  const attempt: Attempt = {
    at: at.toISOString(),
    response_code: answer?.status ?? null,
    error,
    duration_ms: durationMs,
  }
  // Only this module writes the column.
  const attempts = [...(JSON.parse(delivery.attempts) as Attempt[]), attempt]
  const isGone = answer?.status === GONE
  const attempt_number = delivery.attempt_number + 1
  const left = error === '' || isGone ? 0 : delivery.attempts_left - 1
  const waitMs = left > 0 ? retryWaitMs(attempt_number, Math.random()) : undefined
  const dueMs = waitMs === undefined ? null : at.getTime() + durationMs + waitMs
  return {
    isGone,
    outcome: {
      id: delivery.id,
      status: error === '' ? 'success' : dueMs === null ? 'failed' : 'retrying',
      attempt_number,
      attempts_left: left,
      response_code: attempt.response_code,
      response_body: isText(Buffer.from((answer?.body ?? new Uint8Array()).subarray(0, MAX_ANSWER)).toString()),
      error,
      duration_ms: durationMs,
      attempts: JSON.stringify(attempts),
      next_retry: dueMs === null ? null : new Date(dueMs).toISOString(),
      due_ms: dueMs,
    },
  }
}
