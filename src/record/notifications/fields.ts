/** The fields of a webhook that is a channel: its format, its filter, and when its messages are sent. Browser-safe. */
import { z } from 'zod'
import { idOf, named, numberOr, ruledText } from '../../contract/fields/fields.ts'
import type { TextRule } from '../../contract/fields/text-rules.ts'
import { isRecord } from '../../contract/unknown.ts'

export const FORMATS = ['generic', 'slack', 'teams', 'discord', 'ntfy', 'telegram', 'apprise', 'email'] as const
export const Format = z.enum(FORMATS)
export type Format = z.infer<typeof Format>

const SECRET_URLS: ReadonlySet<Format> = new Set(['slack', 'teams', 'discord', 'telegram'])

/** True for a format with a URL that allows everyone who knows it to send. */
export const hasSecretUrl = (format: Format): boolean => SECRET_URLS.has(format)

export const DIGESTS = ['hourly', 'daily', 'weekly'] as const
const Digest = z.union([z.literal(''), z.enum(DIGESTS)])
export type Digest = z.infer<typeof Digest>

const MAX_FILTER_VALUES = 100

const buildList = <Item extends z.ZodType>(item: Item) => z.array(item).max(MAX_FILTER_VALUES).optional()

const Filter = z.strictObject({
  tags: buildList(named(128)),
  datacenter_ids: buildList(idOf('datacenters')),
  network_ids: buildList(idOf('networks')),
})
export type Filter = z.output<typeof Filter>

/** Returns the lists that are not empty, without duplicates. */
const compactFilter = (filter: Filter | null): Filter =>
  Object.fromEntries(
    Object.entries(filter ?? {}).flatMap(([key, list]) => (list?.length ? [[key, [...new Set(list)]]] : [])),
  )

/** Zod names the filter for a field that it does not know, and not the field. */
const rejectUnknown = (filter: unknown, check: z.RefinementCtx): unknown => {
  if (!isRecord(filter)) return filter
  const unknown = Object.keys(filter).find((key) => !Object.hasOwn(Filter.shape, key))
  if (unknown === undefined) return filter
  check.addIssue({ code: 'custom', message: 'is not a field of a filter', path: [unknown] })
  return {}
}

const TIME_PATTERN = '(?:[01][0-9]|2[0-3]):[0-5][0-9]'
const TIME: TextRule = {
  holds: (text) => new RegExp(`^${TIME_PATTERN}$`).test(text),
  pattern: TIME_PATTERN,
  error: 'must be a time from 00:00 to 23:59',
}

const ZONE_PATTERN = '[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*'
const isTimeZone = (text: string): boolean => {
  if (!new RegExp(`^${ZONE_PATTERN}$`).test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}
const ZONE: TextRule = {
  holds: isTimeZone,
  pattern: ZONE_PATTERN,
  error: 'must be the name of a time zone, such as Europe/Berlin',
}

/** The values of the fields that generic webhooks do not use. */
export const RHYTHM_DEFAULTS = {
  group_seconds: 10,
  max_per_hour: 20,
  quiet_from: '',
  quiet_to: '',
  timezone: 'UTC',
  digest: '',
  digest_at: '08:00',
  reports: [],
} as const
export type RhythmField = keyof typeof RHYTHM_DEFAULTS

/** `Object.keys` returns `string[]`. */
export const RHYTHM_FIELDS = Object.keys(RHYTHM_DEFAULTS) as readonly RhythmField[]

export const channelFields = {
  format: z
    .union([z.literal(''), Format])
    .nullable()
    .transform((format): Format => format || 'generic')
    .describe('generic: each event as JSON. The others send messages for people'),
  filter: z
    .preprocess(rejectUnknown, Filter.nullable().transform(compactFilter))
    .describe(
      'Only events of objects with one of the values of each list; a datacenter also stands for the datacenters below it',
    ),
  group_seconds: numberOr(RHYTHM_DEFAULTS.group_seconds, { min: 0, max: 3600 }).describe(
    'What follows within this time goes into the same message: 0-3600, 10 where absent',
  ),
  max_per_hour: numberOr(RHYTHM_DEFAULTS.max_per_hour, { min: 1, max: 1000 }).describe(
    'Most messages in an hour; further ones wait: 1-1000, 20 where absent',
  ),
  quiet_from: ruledText(5, TIME).describe('No message is sent from this time, HH:MM, to quiet_to'),
  quiet_to: ruledText(5, TIME),
  timezone: ruledText(64, ZONE)
    .transform((zone) => zone || RHYTHM_DEFAULTS.timezone)
    .describe('The time zone of quiet hours and digests, such as Europe/Berlin; UTC where absent'),
  digest: Digest.nullable()
    .transform((digest) => digest ?? '')
    .describe('Everything in one message each hour, each day or each Monday'),
  digest_at: ruledText(5, TIME)
    .transform((time) => time || RHYTHM_DEFAULTS.digest_at)
    .describe('When a digest is sent, HH:MM; an hourly one takes the minutes; 08:00 where absent'),
  reports: z
    .array(z.string().min(1).max(64))
    .max(50)
    .nullable()
    .transform((names) => [...new Set(names ?? [])])
    .describe('The reports with counts and first findings in the digest'),
}

/** The same fields in an answer. */
export const shownFields = {
  format: Format,
  filter: z.object({
    tags: z.array(z.string()).optional(),
    datacenter_ids: z.array(z.string()).optional(),
    network_ids: z.array(z.string()).optional(),
  }),
  group_seconds: z.int(),
  max_per_hour: z.int(),
  quiet_from: z.string(),
  quiet_to: z.string(),
  timezone: z.string(),
  digest: Digest,
  digest_at: z.string(),
  reports: z.array(z.string()),
}
const Shown = z.object(shownFields)
export type ChannelFields = z.infer<typeof Shown>
