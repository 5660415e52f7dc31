/** The presence contract: when discovered devices were there. Browser-safe. */
import { z } from 'zod'
import { idOf, Moment, Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

/** The most intervals of an answer. */
export const MAX_INTERVALS = 1000

export const RangeFields = {
  from: Moment.optional().describe('The beginning of the range; 30 days before its end without it'),
  to: Moment.optional().describe('The end of the range; now without it, and never later than now'),
}

const EndOfInterval = Timestamp.nullable().describe('When it was last seen; null while it is there')

const PresenceInterval = z
  .object({ ip: z.string(), mac_address: z.string(), from: Timestamp, to: EndOfInterval })
  .meta({ id: 'PresenceInterval', columns: ['ip', 'mac_address', 'from', 'to'] })
export type PresenceInterval = z.infer<typeof PresenceInterval>

/** Says whether the answer has all intervals of the range. */
export const CompleteSince = Timestamp.nullable().describe(
  `null if it has all intervals of the range. Else there are more than ${MAX_INTERVALS}: the answer is of the time since this moment. Ask again with it as \`to\` for the time before`,
)

export const Presence = z
  .object({
    intervals: z
      .array(PresenceInterval)
      .describe('All that touch the range, newest first, with their whole length. Several addresses have several'),
    seconds_up: z.int().describe('How long it was there in the range, at any address'),
    share_up: z.number().describe('0-1: `seconds_up` in proportion to the range'),
    complete_since: CompleteSince,
  })
  .meta({ id: 'Presence' })
export type Presence = z.infer<typeof Presence>

export const PresenceSource = z
  .enum(['scan', 'listen', 'lease'])
  .describe('scan and listen: what saw it first; lease: a DHCP server gave it the address')

export const AddressHolder = z
  .object({
    network_id: z.string().nullable(),
    discovered_id: z.string().nullable().describe('null if the discovered device is deleted'),
    device_id: z.string().nullable().describe('The documented device; null without one, or if you may not list it'),
    name: z.string().describe('Of the documented device, else the host name; empty without one'),
    mac_address: z.string(),
    from: Timestamp.describe('Of a lease: since when Plat knows the device at the address'),
    to: EndOfInterval.describe(
      'When it was last seen, null while it is there; of a lease its end, null for a lease without end',
    ),
    source: PresenceSource,
  })
  .meta({ id: 'AddressHolder', columns: ['name', 'mac_address', 'from', 'to', 'source', 'network_id'] })
export type AddressHolder = z.infer<typeof AddressHolder>

/** The most hosts of the list of who joined. */
export const MAX_JOINED = 100

export const JoinedHost = z
  .object({
    discovered_id: z.string(),
    device_id: z.string().nullable().describe('The documented device; null without one, or if you may not list it'),
    name: z.string().describe('Of the documented device, else the host name; empty without one'),
    network_id: z.string(),
    ip: z.string(),
    mac_address: z.string(),
    joined_at: Timestamp,
    is_new: z.boolean().describe('It was never seen before'),
  })
  .meta({ id: 'JoinedHost', columns: ['joined_at', 'name', 'ip', 'mac_address', 'is_new', 'network_id'] })
export type JoinedHost = z.infer<typeof JoinedHost>

/** A row for each interval. */
const listIntervals = (answer: unknown): unknown => (answer as { readonly intervals: unknown }).intervals

export const presence = {
  ofDiscovered: operation({
    name: 'presence.of-discovered',
    summary: 'Show when a discovered device was there',
    description:
      'An interval begins when a scan or listening sees the device, and ends when a completed scan misses it, with the moment at which it was last seen.',
    http: 'GET /api/discovery/devices/{id}/presence',
    access: 'discovery:list',
    scope: 'filter',
    cli: { command: 'discovery presence', shown: listIntervals },
    input: () => z.object({ id: idOf('discovery'), ...RangeFields }),
    output: Presence,
  }),
  ofDevice: operation({
    name: 'presence.of-device',
    summary: 'Show when a device was there, by all discovered devices that belong to it',
    description: 'It also needs `devices:read`.',
    http: 'GET /api/devices/{id}/presence',
    access: 'discovery:list',
    scope: 'filter',
    cli: { command: 'device presence', shown: listIntervals },
    input: () => z.object({ id: idOf('devices'), ...RangeFields }),
    output: Presence,
  }),
  joined: operation({
    name: 'presence.joined',
    summary: 'List the discovered devices that joined their network since a moment, the last one first',
    description: 'Each once, by the interval of its presence that began last.',
    http: 'GET /api/discovery/joined',
    access: 'discovery:list',
    scope: 'filter',
    shows: ['devices'],
    cli: { command: 'discovery joined' },
    input: () =>
      z.object({
        since: Moment.optional().describe('24 hours ago without it'),
        limit: z.int().min(1).max(MAX_JOINED).default(20),
      }),
    output: () => z.array(JoinedHost),
  }),
}
