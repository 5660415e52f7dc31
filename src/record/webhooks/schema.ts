/** The public forms of webhooks and deliveries. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { EVENT_NAMES } from '../events/catalogue.ts'
import { shownFields } from '../notifications/fields.ts'

export const EventName = z.enum(EVENT_NAMES)

export const Webhook = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z
      .string()
      .describe('Of slack, teams, discord and telegram only the host, as https://host/...: who knows the URL may send'),
    has_secret: z.boolean().describe('Whether deliveries are signed; the secret is never sent'),
    events: z.array(EventName),
    enabled: z.boolean(),
    disabled_reason: z.string().describe('Why Plat has disabled it; empty otherwise'),
    description: z.string(),
    headers: z.record(z.string(), z.string()).describe('The name of each header, with "***" for its value'),
    timeout_seconds: z.int(),
    retry_count: z.int(),
    created_at: Timestamp,
    updated_at: Timestamp,
    ...shownFields,
  })
  .meta({ id: 'Webhook', columns: ['id', 'name', 'url', 'events', 'enabled', 'has_secret'] })
export type Webhook = z.infer<typeof Webhook>

export const DeliveryStatus = z.enum(['pending', 'retrying', 'success', 'failed'])
export type DeliveryStatus = z.infer<typeof DeliveryStatus>

export const Attempt = z.object({
  at: Timestamp,
  response_code: z.int().nullable(),
  error: z.string(),
  duration_ms: z.int(),
})
export type Attempt = z.infer<typeof Attempt>

export const Delivery = z
  .object({
    id: z.string().describe('The same for every attempt: receivers ignore ids that they have received'),
    webhook_id: z.string(),
    event: z.string(),
    payload: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The body, as it is sent; null for a caller without the permission of the event'),
    status: DeliveryStatus,
    attempt_number: z.int().describe('Attempts so far'),
    response_code: z.int().nullable(),
    response_body: z
      .string()
      .describe('The first 4 KiB of the last answer; empty for a caller without the permission of the event'),
    error: z.string(),
    duration_ms: z.int().nullable(),
    next_retry: Timestamp.nullable(),
    created_at: Timestamp,
    attempts: z.array(Attempt),
    change_id: z
      .string()
      .describe('The change in the history, sent as X-Service-Change; empty for an event without one'),
  })
  .meta({
    id: 'Delivery',
    columns: ['id', 'event', 'status', 'attempt_number', 'response_code', 'duration_ms', 'next_retry', 'created_at'],
  })
export type Delivery = z.infer<typeof Delivery>

export const Waiting = z
  .object({
    count: z.int(),
    next_message_at: Timestamp.nullable().describe('Null if nothing waits'),
    entries: z
      .array(
        z.object({
          event: z.string(),
          resource_id: z.string().describe('Empty for a caller without the permission of the event, as text'),
          text: z.string(),
          created_at: Timestamp,
        }),
      )
      .describe('The first 100'),
  })
  .meta({ id: 'WebhookWaiting' })
export type Waiting = z.infer<typeof Waiting>

export const CatalogueEntry = z
  .object({
    name: EventName,
    description: z.string(),
    permission: z.string().describe('Needed to subscribe to the event, and to see its deliveries'),
  })
  .meta({ id: 'EventType' })
