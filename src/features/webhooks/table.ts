/** The tables that webhooks own. */

export type WebhookRow = {
  id: string
  name: string
  /** Lower case, for the order of lists and for filters. */
  name_key: string
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
}

export type DeliveryRow = {
  /** Begins with the moment: the order of ids is that of the events. */
  id: string
  webhook_id: string
  event: string
  /** The very bytes that are sent, at each attempt. */
  body: string
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
  /** When it is to be sent, in ms since the epoch; null when there is nothing left to do. */
  due_ms: number | null
  /** Until when somebody is at it, in ms since the epoch by the clock that the servers share. */
  lease_ms: number
  /** Who that is: each claim has a name of its own; '' for nobody. */
  claim: string
  created_at: string
}

export type WebhookTables = {
  webhooks: WebhookRow
  webhook_deliveries: DeliveryRow
  /** A row for each column whose values were stored in clear text, while files may still hold that text. */
  webhook_purges: { name: string }
}
