/** The tables of webhooks. */
import type { Generated } from 'kysely'
import type { LeaseColumns } from '../../kernel/jobs/leases.ts'
import type { Digest, Format } from '../notifications/fields.ts'

export type WebhookRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
  /** The collation key of the name: see `net/name-order.ts`. */
  name_order: string
  url: string
  /** Sealed; null without one. */
  secret: string | null
  /** JSON: names of events. */
  events: string
  enabled: number
  disabled_reason: string
  description: string
  /** JSON: name -> mask; name -> value in clear text where `sealed_headers` is null. */
  headers: string
  /** Sealed JSON: name -> value. Null without headers, and before the first start with a key. */
  sealed_headers: string | null
  timeout_seconds: number
  retry_count: number
  created_at: string
  updated_at: string
  format: Generated<Format>
  /** JSON. */
  filter: Generated<string>
  group_seconds: Generated<number>
  max_per_hour: Generated<number>
  quiet_from: Generated<string>
  quiet_to: Generated<string>
  timezone: Generated<string>
  digest: Generated<Digest>
  digest_at: Generated<string>
  /** JSON: names of reports. */
  reports: Generated<string>
  /** The whole URL, sealed, where `url` has only its host; null for a URL that is shown. */
  sealed_url: Generated<string | null>
}

export type DeliveryRow = LeaseColumns & {
  /** A UUIDv7, by the clock of the instance. */
  id: string
  webhook_id: string
  event: string
  /** The object of the event. '' for a ping, and in rows of earlier versions: the order of these is not kept. */
  resource_id: Generated<string>
  /** The number of the last event when the row was written: it orders the deliveries of one object. */
  event_seq: Generated<number>
  /** The exact bytes that every attempt sends; bodies of earlier versions are changed by `separateChange`. */
  body: string
  /** The change in the history; '' for an event without one. */
  change_id: string
  status: 'pending' | 'retrying' | 'success' | 'failed'
  attempt_number: number
  attempts_left: number
  response_code: number | null
  response_body: string
  error: string
  duration_ms: number | null
  /** JSON: the attempts so far. */
  attempts: string
  next_retry: string | null
  /** The time of the next attempt, in ms since the epoch; 0 for at once; null for a completed delivery. */
  due_ms: number | null
  created_at: string
}

export type WebhookTables = {
  webhooks: WebhookRow
  webhook_deliveries: DeliveryRow
  /** A row for each column that once held clear text, while files may still contain that text. */
  webhook_purges: { name: string }
}

declare module '../../database/tables.ts' {
  interface OwnTables extends WebhookTables {}
}
