/** Sends one attempt and evaluates its result. Does not use the database. */
import { createHmac } from 'node:crypto'
import type { Outbound, OutboundAnswer } from '../../base/security/outbound.ts'
import { getErrorMessage } from '../../contract/unknown.ts'
import type { MailAnswer } from '../notifications/mail.ts'
import type { Due, Outcome } from './delivery-store.ts'
import { separateChange } from './earlier-body.ts'
import { listTextsToMask, redactEchoes } from './echoes.ts'
import { retryWaitMs } from './retries.ts'
import type { Attempt, Webhook } from './schema.ts'

/** The number of bytes of an answer that are stored. */
const MAX_ANSWER = 4096
const MAX_ERROR = 500
const GONE = 410
const TOO_MANY = 429
const UNAVAILABLE = 503
/** The longest wait that a target may ask for. */
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000

/** Parses seconds or a date (RFC 9110 10.2.3), at most an hour. Returns 0 without either. */
export const parseRetryAfter = (text: string | undefined, nowMs: number): number => {
  const value = text?.trim() ?? ''
  const waitMs = /^\d{1,10}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - nowMs
  return waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : 0
}

export type Target = Pick<Webhook, 'url' | 'headers' | 'timeout_seconds' | 'format'> & {
  /** Parts of the URL that are masked in answers. */
  readonly urlSecrets: readonly string[]
  /** Null without one. */
  readonly secret: string | null
}

export type Sent = {
  readonly at: Date
  readonly durationMs: number
  readonly answer: Pick<OutboundAnswer, 'status' | 'body'> | undefined
  readonly error: string
  /** The wait that the target asks for. */
  readonly retryAfterMs?: number
  /** The status is a code of SMTP. */
  readonly isMail?: true
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
  const ended = (rest: Pick<Sent, 'answer' | 'error' | 'retryAfterMs'>): Sent => ({
    at,
    durationMs: Math.round(performance.now() - began),
    ...rest,
  })
  try {
    const {
      body: answered,
      retryAfter,
      ...answer
    } = await outbound.send({
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
    const texts = listTextsToMask([...Object.values(target.headers), target.secret ?? '', ...target.urlSecrets])
    const isBusy = answer.status === TOO_MANY || answer.status === UNAVAILABLE
    // The schedule of generic webhooks is specified.
    const retryAfterMs = target.format !== 'generic' && isBusy ? parseRetryAfter(retryAfter, at.getTime()) : 0
    return ended({
      answer: { ...answer, body: redactEchoes(answered, texts) },
      error: isGood ? '' : `answered ${answer.status}`,
      ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
    })
  } catch (error) {
    return ended({
      answer: undefined,
      error: getErrorMessage(error).slice(0, MAX_ERROR),
    })
  }
}

/** Converts the answer of a mail server. */
export const toSent = ({ code, text, error }: MailAnswer, times: Pick<Sent, 'at' | 'durationMs'>): Sent => ({
  ...times,
  answer: code === undefined ? undefined : { status: code, body: Buffer.from(text) },
  error,
  isMail: true,
})

/** A mail server refuses for good (RFC 5321 4.2.1). */
const isRefusal = ({ answer, isMail }: Sent): boolean => isMail === true && (answer?.status ?? 0) >= 500

const isText = (text: string): string => text.replaceAll('\u0000', '\ufffd')

/** Returns the record of a delivery after an attempt. `isGone` asks to disable the webhook. */
export const buildOutcome = (
  delivery: Pick<Due, 'id' | 'attempt_number' | 'attempts_left' | 'attempts'>,
  sent: Sent,
): { readonly outcome: Outcome; readonly isGone: boolean } => {
  const { at, durationMs, answer, error, retryAfterMs = 0 } = sent
  const attempt: Attempt = {
    at: at.toISOString(),
    response_code: answer?.status ?? null,
    error,
    duration_ms: durationMs,
  }
  // Only this module writes the column.
  const attempts = [...(JSON.parse(delivery.attempts) as Attempt[]), attempt]
  const isGone = answer?.status === GONE && !sent.isMail
  const attempt_number = delivery.attempt_number + 1
  const left = error === '' || isGone || isRefusal(sent) ? 0 : delivery.attempts_left - 1
  const waitMs = left > 0 ? Math.max(retryWaitMs(attempt_number, Math.random()), retryAfterMs) : undefined
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
