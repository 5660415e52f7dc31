/** Badges for the state of a delivery. */

import { useSecondsUntil } from '../shell/use-seconds-until.ts'
import { Badge, type Tone } from '../ui/primitives.tsx'
import type { Delivery, DeliveryStatus } from './queries.ts'

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'info',
  retrying: 'warn',
  success: 'ok',
  failed: 'bad',
}

export const DeliveryBadge = ({ status }: { readonly status: DeliveryStatus }) => (
  <Badge tone={TONES[status]}>{status}</Badge>
)

const formatDelay = (seconds: number): string => {
  if (seconds < 1) return 'now'
  if (seconds < 90) return `in ${seconds} s`
  if (seconds < 5400) return `in ${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `in ${Math.round(seconds / 3600)} h` : `in ${Math.round(seconds / 86_400)} days`
}

export const Countdown = ({ at }: { readonly at: string }) => (
  <time dateTime={at}>{formatDelay(useSecondsUntil(Date.parse(at)))}</time>
)

/** The time of the next attempt, or nothing if none follows. */
export const NextTry = ({ delivery: { next_retry } }: { readonly delivery: Delivery }) =>
  next_retry === null ? null : <Countdown at={next_retry} />

/** The status code of the response, or the error. */
export const Answer = ({ delivery: { response_code, error } }: { readonly delivery: Delivery }) =>
  response_code === null ? (
    <span className="muted" title={error}>
      {error}
    </span>
  ) : (
    <span className="mono">{response_code}</span>
  )
