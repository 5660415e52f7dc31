/** The events contract: what happens, as it happens. Browser-safe. */
import { z } from 'zod'
import { Key, Moment, Timestamp } from '../../platform/contract/fields.ts'
import { rawRoute } from '../../platform/operation/operation.ts'
import { EVENT_NAMES } from './catalogue.ts'

const FAMILIES = [...new Set(EVENT_NAMES.map((name) => name.slice(0, name.indexOf('.'))))]

const isKnown = (type: string): boolean =>
  EVENT_NAMES.some((name) => name === type) || FAMILIES.some((family) => type === `${family}.*`)

/** `device.created,conflict.*`: what of the catalogue is wanted. */
const Types = z
  .string()
  .max(1024)
  .transform((text) => text.split(',').flatMap((type) => type.trim() || []))
  .refine((types) => types.every(isKnown), {
    error: `must be names of events, with commas between them: ${EVENT_NAMES.join(', ')}, or ${FAMILIES.map((family) => `${family}.*`).join(', ')}`,
  })

export const FeedQuery = z.object({
  types: Types.optional().describe('Only these, with commas between them: device.created,conflict.*'),
  resource: Key.optional().describe('Only about the object with this id'),
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event')
    .optional()
    .describe('As the header Last-Event-ID: what came after it is sent first'),
  since: Moment.optional().describe('Without such an id: what came from this moment on is sent first'),
})
export type FeedQuery = z.output<typeof FeedQuery>

export const FeedEvent = z
  .object({ event: z.string(), timestamp: Timestamp, data: z.record(z.string(), z.unknown()) })
  .meta({ id: 'Event' })

export const eventRoutes = {
  stream: rawRoute({
    name: 'events.stream',
    summary: 'Follow what happens, as server-sent events',
    description:
      'Each event has the fields id, event and data, which is JSON: {event, timestamp, data}. Send the id of the last one that arrived as Last-Event-ID, and whatever came after it is sent first. An event `reset` says that some of that is no longer kept: read again what you show. Only what the caller may read is sent.',
    http: 'GET /api/events',
    access: 'events:read',
    isLong: true,
    query: FeedQuery,
    produces: 'text/event-stream',
  }),
}
