/** The webhooks contract: subscriptions to events, and their deliveries. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, flagOr, idOf, Key, Name, numberOr, Page, patch, text } from '../../contract/fields/fields.ts'
import { URL_HOST, URL_PORT } from '../../contract/fields/text-rules.ts'
import { operation } from '../../kernel/operation.ts'
import { channelFields } from '../notifications/fields.ts'
import { checkHeader, findRepeatedName, HEADERS_SCHEMA, MAX_HEADERS } from './header-rules.ts'
import { CatalogueEntry, Delivery, DeliveryStatus, EventName, Waiting, Webhook } from './schema.ts'

export const MAX_URL = 2048

/** A bare host, no user before it, and no port 0. RFC 6761 section 6.3: localhost is this machine. */
const HTTP_PATTERN =
  `[Hh][Tt][Tt][Pp][Ss]?://(?!(?:[^/?#:]*\\.)?[Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]\\.?(?:[/?#:]|$))` +
  `${URL_HOST}(?::${URL_PORT})?(?:[/?#][^\\u0000-\\u0020\\u007f]*)?`
/** Recipients of mails. */
const MAIL_PATTERN = '[Mm][Aa][Ii][Ll][Tt][Oo]:[^\\u0000-\\u0020\\u007f]+'
const URL_PATTERN = `^(?:${HTTP_PATTERN}|${MAIL_PATTERN})$`

/** Zod's record drops `__proto__`: an object with only that name would clear the headers. */
const rejectProto = (headers: unknown, check: z.RefinementCtx): unknown => {
  if (typeof headers === 'object' && headers !== null && Object.hasOwn(headers, '__proto__'))
    check.addIssue({ code: 'custom', message: 'is not a valid header name', path: ['__proto__'] })
  return headers
}

const HeaderRecord = z
  .record(z.string().max(128), z.string())
  .meta({ exact: HEADERS_SCHEMA })
  .superRefine((headers, check) => {
    const entries = Object.entries(headers)
    if (entries.length > MAX_HEADERS)
      check.addIssue({ code: 'custom', message: `must be at most ${MAX_HEADERS} headers` })
    const repeated = findRepeatedName(Object.keys(headers))
    if (repeated !== undefined)
      check.addIssue({ code: 'custom', message: 'is there twice: names are compared without case', path: [repeated] })
    for (const [name, value] of entries) {
      const problem = checkHeader(name, value)
      if (problem !== undefined) check.addIssue({ code: 'custom', message: problem, path: [name] })
    }
  })
  .nullable()
  .transform((headers) => headers ?? {})

const Headers = z
  .preprocess(rejectProto, HeaderRecord)
  .describe(
    'Sent along with each delivery, as {"Authorization": "Bearer ..."}. Values are encrypted and shown as "***"; "***" sent back keeps the value that is stored for the name.',
  )

const Events = z
  .array(EventName)
  .describe('At least one; none for a digest with reports')
  .transform((names) => [...new Set(names)])

/** A target, except that no pattern says which addresses are reached: a setting allows the private ones. */
const Url = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_URL)
  .meta({ exact: { pattern: URL_PATTERN } })

const fields = {
  secret: text(1024).describe('Key of the signature X-Service-Signature; never returned'),
  enabled: flagOr(true),
  description: text(4096),
  headers: Headers,
  timeout_seconds: numberOr(10, { min: 1, max: 60 }).describe('Limit of a whole attempt: 1-60, 10 where absent'),
  retry_count: numberOr(3, { min: 0, max: 10 }).describe(
    'Attempts after the first: after 1 and 5 and 15 minutes, 1 hour, then 6 hours',
  ),
  ...channelFields,
}

export const WebhookDraft = z.object({ name: Name, url: Url, events: Events, ...draft(fields) })
export type WebhookDraft = z.output<typeof WebhookDraft>

export const WebhookPatch = z.object({
  id: idOf('webhooks'),
  ...patch({ name: Name, url: Url, events: Events, ...fields }),
})
export type WebhookPatch = z.output<typeof WebhookPatch>

const One = z.object({ id: idOf('webhooks') })
const OneDelivery = z.object({ id: idOf('webhooks'), delivery_id: Key })

export const webhooks = {
  list: operation({
    name: 'webhooks.list',
    summary: 'List webhooks, without their secrets',
    http: 'GET /api/webhooks',
    access: 'webhook:list',
    input: () => z.object({ name: Filter.optional().describe('Part of the name, in any case'), ...Page }),
    output: () => z.array(Webhook),
  }),
  events: operation({
    name: 'webhooks.events',
    summary: 'List the events that a webhook can subscribe to',
    http: 'GET /api/webhooks/events',
    access: 'webhook:list',
    input: () => z.object(Page),
    output: () => z.array(CatalogueEntry),
  }),
  create: operation({
    name: 'webhooks.create',
    summary: 'Create a webhook that sends events to a URL',
    description:
      'It needs the permission to read the objects of each of its events, which `webhooks.events` names. Each event is sent as a POST of JSON, {event, delivery_id, timestamp, data}, at least once. The header X-Service-Change is the change in the history, if the event has one. With a secret the header X-Service-Signature is "sha256=" and the HMAC-SHA256 of the body in hexadecimal.',
    http: 'POST /api/webhooks',
    status: 201,
    effect: 'create',
    access: 'webhook:create',
    cli: { args: ['name', 'url'] },
    // A secret that a model has read is no longer secret.
    mcp: 'hidden',
    input: WebhookDraft,
    output: Webhook,
  }),
  get: operation({
    name: 'webhooks.get',
    summary: 'Show a webhook, without its secret',
    http: 'GET /api/webhooks/{id}',
    access: 'webhook:read',
    input: One,
    output: Webhook,
  }),
  update: operation({
    name: 'webhooks.update',
    summary: 'Change some fields of a webhook; pending deliveries use the new values',
    description:
      'It needs the permission to read the objects of all its events. A `url` with another scheme, host or port needs `secret` and `headers` again, where they are stored; "" and {} clear them.',
    http: 'PUT /api/webhooks/{id}',
    access: 'webhook:update',
    // For the same reason as for create.
    mcp: 'hidden',
    input: WebhookPatch,
    output: Webhook,
  }),
  delete: operation({
    name: 'webhooks.delete',
    summary: 'Delete a webhook and its deliveries',
    http: 'DELETE /api/webhooks/{id}',
    access: 'webhook:delete',
    input: One,
    output: () => z.void(),
  }),
  ping: operation({
    name: 'webhooks.ping',
    summary: 'Send a test delivery now, and return its result',
    http: 'POST /api/webhooks/{id}/ping',
    effect: 'action',
    reachesOut: true,
    hasOwnTransactions: true,
    access: 'webhook:update',
    input: One,
    output: () => z.object({ message: z.string(), delivery: Delivery }),
  }),
  deliveries: operation({
    name: 'webhooks.deliveries',
    summary: 'List the deliveries of a webhook, newest first',
    http: 'GET /api/webhooks/{id}/deliveries',
    access: 'webhook:read',
    input: () =>
      z.object({ id: idOf('webhooks'), status: DeliveryStatus.optional(), event: Filter.optional(), ...Page }),
    output: () => z.array(Delivery),
  }),
  delivery: operation({
    name: 'webhooks.delivery',
    summary: 'Show a delivery with all of its attempts',
    http: 'GET /api/webhooks/{id}/deliveries/{delivery_id}',
    access: 'webhook:read',
    input: OneDelivery,
    output: Delivery,
  }),
  redeliver: operation({
    name: 'webhooks.redeliver',
    summary: 'Send a delivery again, with the same id and body',
    http: 'POST /api/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    status: 202,
    effect: 'action',
    reachesOut: true,
    access: 'webhook:update',
    input: OneDelivery,
    output: Delivery,
  }),
  waiting: operation({
    name: 'webhooks.waiting',
    summary: 'Show which events wait for the next message of a webhook, and when it goes',
    http: 'GET /api/webhooks/{id}/waiting',
    access: 'webhook:read',
    input: One,
    output: Waiting,
  }),
  flush: operation({
    name: 'webhooks.flush',
    summary: 'Send the events that wait as one message now',
    description: 'Neither quiet hours nor any other limit holds it back. The delivery is null if nothing waits.',
    http: 'POST /api/webhooks/{id}/flush',
    effect: 'action',
    reachesOut: true,
    access: 'webhook:update',
    input: One,
    output: () => z.object({ delivery: Delivery.nullable() }),
  }),
}
