/** Feeds as they are sent. Browser-safe. */
import { z } from 'zod'
import { Timestamp } from '../../contract/fields/fields.ts'
import { DeviceStatus } from '../../inventory/devices/schema.ts'
import { SpaceOf } from '../../inventory/spaces/fields.ts'

export const FORMATS = [
  'prometheus',
  'ansible',
  'hosts',
  'ssh-config',
  'dnsmasq',
  'isc-dhcp',
  'kea',
  'zone',
  'template',
] as const
export const FeedFormat = z.enum(FORMATS)
export type FeedFormat = z.infer<typeof FeedFormat>

/** The media types of a template. Media types that a browser would run as part of Plat are not among them. */
export const MEDIA_TYPES = [
  ...([
    'text/plain',
    'text/csv',
    'application/json',
    'application/yaml',
    'application/toml',
    'application/xml',
  ] as const),
] as const
export const MediaType = z.enum(MEDIA_TYPES)
export type MediaType = z.infer<typeof MediaType>

export const Family = z.enum(['', 'ipv4', 'ipv6'])

export const Feed = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    format: FeedFormat,
    tags: z.array(z.string()).describe('Devices with every one of these tags'),
    datacenter_id: z.string().nullable(),
    network_id: z.string().nullable().describe('Only addresses that belong to this network'),
    statuses: z.array(DeviceStatus),
    address_label: z.string().describe('Only addresses with this label, in any case'),
    family: Family,
    port: z.int().nullable(),
    zone_id: z.string().nullable(),
    template: z.string(),
    media_type: MediaType,
    url: z.string().describe('The path of the content'),
    created_at: Timestamp,
    updated_at: Timestamp,
    space_id: SpaceOf,
  })
  .meta({ id: 'Feed', columns: ['id', 'name', 'format', 'url', 'updated_at'] })
export type Feed = z.infer<typeof Feed>

export const FeedFormatInfo = z
  .object({
    name: FeedFormat,
    title: z.string(),
    media_type: MediaType,
    description: z.string(),
    fields: z.array(z.string()).describe('Fields of a feed that this format uses'),
    usage: z
      .array(z.object({ title: z.string(), text: z.string() }))
      .describe('Configuration of the consumer, with {url}, {server}, {id} and {token} in the places of these'),
  })
  .meta({ id: 'FeedFormatInfo', columns: ['name', 'title', 'media_type', 'description'] })
export type FeedFormatInfo = z.infer<typeof FeedFormatInfo>

export const FeedPreview = z
  .object({
    content: z.string().describe('The first 65,536 characters'),
    is_cut: z.boolean(),
    media_type: MediaType,
    device_count: z.int().describe('Devices of the filter'),
    skipped: z
      .array(z.object({ device_id: z.string(), device_name: z.string(), reason: z.string() }))
      .describe('The first 20 devices and addresses that the format leaves out'),
    skipped_count: z.int(),
    duration_ms: z.number(),
  })
  .meta({ id: 'FeedPreview', columns: ['content'] })
export type FeedPreview = z.infer<typeof FeedPreview>
