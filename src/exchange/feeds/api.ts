/** The feeds contract: filtered devices in the format of another program, at a URL. Browser-safe. */
import { z } from 'zod'
import {
  draft,
  Filter,
  idOf,
  Name,
  NewId,
  optionalNumber,
  Page,
  patch,
  reference,
  text,
} from '../../contract/fields/fields.ts'
import { filterFields } from '../../inventory/devices/filter-fields.ts'
import { SpaceFilter, SpaceId } from '../../inventory/spaces/fields.ts'
import { operation, rawRoute } from '../../kernel/operation.ts'
import { Family, Feed, FeedFormat, FeedFormatInfo, FeedPreview, MEDIA_TYPES, MediaType } from './schema.ts'

/** The largest length of a template, in characters. */
export const MAX_TEMPLATE = 65_536

const fields = {
  description: text(4096),
  ...filterFields,
  space_id: SpaceId.describe('Only addresses of this address space; absent or `default` for the default one'),
  address_label: text(128).describe('Only addresses with this label, in any case'),
  family: Family.nullable()
    .transform((family) => family ?? '')
    .describe('Only addresses of this family'),
  port: optionalNumber(1, 65_535).describe('Of prometheus: the port of addresses that name none'),
  zone_id: reference('dns-zones').describe('Of zone: the DNS zone'),
  template: text(MAX_TEMPLATE).describe('Of template: the Liquid template'),
  media_type: z
    .union([z.literal(''), MediaType])
    .nullable()
    .transform((type) => type || null)
    .describe('Of template: the media type of the content; text/plain without it'),
}

const draftFields = { format: FeedFormat, ...draft(fields) }

export const FeedDraft = z.object({ id: NewId.optional(), name: Name, ...draftFields })
export type FeedDraft = z.output<typeof FeedDraft>

export const FeedPatch = z.object({ id: idOf('feeds'), ...patch({ name: Name, format: FeedFormat, ...fields }) })
export type FeedPatch = z.output<typeof FeedPatch>

const PreviewDraft = z.object(draftFields)

const One = z.object({ id: idOf('feeds') })

export const feeds = {
  list: operation({
    name: 'feeds.list',
    summary: 'List feeds',
    http: 'GET /api/feeds',
    access: 'feeds:list',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        format: FeedFormat.optional(),
        space_id: SpaceFilter,
        ...Page,
      }),
    output: () => z.array(Feed),
  }),
  formats: operation({
    name: 'feeds.formats',
    summary: 'List the formats of feeds, with the configuration of their consumers',
    http: 'GET /api/feeds/formats',
    access: 'feeds:list',
    input: () => z.object(Page),
    output: () => z.array(FeedFormatInfo),
  }),
  preview: operation({
    name: 'feeds.preview',
    summary: 'Show the content of a feed before it is made, and the parts that its format leaves out',
    description: 'It also needs the permissions of the content: feeds:read, and devices:list or of a zone dns:read.',
    http: 'POST /api/feeds/preview',
    effect: 'read',
    access: { anyOf: ['feeds:create', 'feeds:update'] },
    cli: { args: ['format'] },
    errors: [503],
    input: PreviewDraft,
    output: FeedPreview,
  }),
  create: operation({
    name: 'feeds.create',
    summary: 'Create a feed',
    description: 'A field that its format does not use is refused; `feeds.formats` lists those that it uses.',
    http: 'POST /api/feeds',
    status: 201,
    effect: 'create',
    access: 'feeds:create',
    cli: { args: ['name', 'format'] },
    input: FeedDraft,
    output: Feed,
  }),
  get: operation({
    name: 'feeds.get',
    summary: 'Show a feed',
    http: 'GET /api/feeds/{id}',
    access: 'feeds:read',
    input: One,
    output: Feed,
  }),
  update: operation({
    name: 'feeds.update',
    summary: 'Change some fields of a feed',
    http: 'PUT /api/feeds/{id}',
    access: 'feeds:update',
    input: FeedPatch,
    output: Feed,
  }),
  delete: operation({
    name: 'feeds.delete',
    summary: 'Delete a feed, and the API keys that open it alone',
    http: 'DELETE /api/feeds/{id}',
    access: 'feeds:delete',
    input: One,
    output: () => z.void(),
  }),
}

export const feedRoutes = {
  content: rawRoute({
    name: 'feeds.content',
    readsOnce: true,
    summary: 'Return the content of a feed, in its format',
    description:
      'It needs feeds:read and devices:list, a zone feeds:read and dns:read. An API key with `feed_id` opens this and nothing else: as a Bearer token, as the password of ' +
      'Basic authentication with any user name, or as `?token=`. The content does not depend on the clock. The ETag of content up to 1 MiB ' +
      'changes with the content alone.',
    http: 'GET /api/feeds/{id}/content',
    access: 'feeds:read',
    admitsFeedKeys: true,
    isLong: true,
    errors: [404, 503],
    query: z.object({
      token: z.string().optional().describe('An API key with `feed_id`, for consumers that send no header'),
    }),
    produces: MEDIA_TYPES,
  }),
}
