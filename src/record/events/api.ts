/** The events contract: the live feed of committed changes. Browser-safe. */
import { z } from 'zod'
import { Key, Moment } from '../../contract/fields/fields.ts'
import { rawRoute } from '../../kernel/operation.ts'
import { EVENT_NAMES } from './catalogue.ts'

const FAMILIES = [...new Set(EVENT_NAMES.map((name) => name.slice(0, name.indexOf('.'))))]

const isKnown = (type: string): boolean =>
  EVENT_NAMES.some((name) => name === type) || FAMILIES.some((family) => type === `${family}.*`)

/** A selection from the catalog: `device.created,conflict.*`. */
const Types = z
  .string()
  .max(1024)
  .transform((text) => text.split(',').flatMap((type) => type.trim() || []))
  .refine((types) => types.every(isKnown), {
    error: `must be names of events, with commas between them: ${EVENT_NAMES.join(', ')}, or ${FAMILIES.map((family) => `${family}.*`).join(', ')}`,
  })

export const FeedQuery = z.object({
  types: Types.optional().describe(
    'Only events of these names or families, separated by commas: device.created,conflict.*',
  ),
  resource: Key.optional().describe('Only events of the object with this id'),
  last_event_id: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event')
    .optional()
    .describe('As the header Last-Event-ID: events after it are sent first'),
  since: Moment.optional().describe('Without such an id: events since this time are sent first'),
})
export type FeedQuery = z.output<typeof FeedQuery>

export const eventRoutes = {
  stream: rawRoute({
    name: 'events.stream',
    summary: 'Follow events as they are committed, as server-sent events',
    description:
      'Each event has the fields id, event and data, which is JSON: {event, timestamp, data}, of a device or a network also change_id. Send the id of the last received event as Last-Event-ID to get all events after it first. An event `reset` says that some of them are no longer stored: read again what you show. Only events that the caller may read are sent.',
    http: 'GET /api/events',
    access: 'events:read',
    scope: 'custom',
    isLong: true,
    query: FeedQuery,
    produces: 'text/event-stream',
  }),
}
