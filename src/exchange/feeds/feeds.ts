/** The rules of feeds. */
import { AppError, invalid, invalidField, notFound } from '../../contract/errors.ts'
import { containsText } from '../../database/query/contains.ts'
import { withSpace } from '../../inventory/spaces/fields.ts'
import { matchSpace } from '../../inventory/spaces/keys.ts'
import { checkNetwork, checkSpace, lockSpace, mergeInSpace } from '../../inventory/spaces/members.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows, listValues } from '../../kernel/list.ts'
import type { Identify } from '../../kernel/request.ts'
import { createTemplates, type Templates } from '../../template/process.ts'
import { type FeedDraft, type FeedPatch, feedRoutes, feeds } from './api.ts'
import { CATALOGUE } from './catalogue.ts'
import { createContentHandler, getContentPermission } from './content.ts'
import { createFeedIdentify } from './identify.ts'
import { createRenderer, getOwner, type Rendered, type Renderer } from './rendered.ts'
import { type Feed, FeedFormat, type FeedPreview } from './schema.ts'
import * as store from './store.ts'

const SHOWN_CHARACTERS = 65_536
const SHOWN_SKIPS = 20

/** `null` is the default space. */
type Fields = Omit<Rendered, 'id' | 'name' | 'media_type' | 'space_id'> & {
  readonly media_type: Feed['media_type'] | null
  readonly space_id?: string | null | undefined
}

/** The fields that only some formats use, with the value that says nothing. */
const SPECIAL = {
  tags: (value: Fields['tags']) => value.length === 0,
  datacenter_id: (value: string | null) => value === null,
  network_id: (value: string | null) => value === null,
  space_id: (value: string | null | undefined) => !value,
  address_label: (value: string) => value === '',
  family: (value: string) => value === '',
  port: (value: number | null) => value === null,
  zone_id: (value: string | null) => value === null,
  template: (value: string) => value === '',
} as const

/** @throws AppError VALIDATION_ERROR for unused fields of the format, and for missing ones */
const checkFields = (fields: Fields): void => {
  const { format, media_type } = fields
  const used = CATALOGUE[format].fields
  const issues = Object.entries(SPECIAL).flatMap(([field, isEmpty]) => {
    // Each check is of the type of its field.
    const value = fields[field as keyof typeof SPECIAL] as never
    return used.includes(field) || isEmpty(value) ? [] : [{ field, message: `is not used by the format ${format}` }]
  })
  const usual = CATALOGUE[format].media_type
  if (media_type !== null && media_type !== usual && !used.includes('media_type'))
    issues.push({ field: 'media_type', message: `is ${usual} for the format ${format}` })
  if (format === 'template' && fields.template === '') issues.push({ field: 'template', message: 'is required' })
  if (format === 'zone' && fields.zone_id === null) issues.push({ field: 'zone_id', message: 'is required' })
  if (issues.length > 0) throw invalid(issues)
}

/** @throws AppError VALIDATION_ERROR for a reference to nothing */
const checkReferences = async (ctx: Ctx, refs: Partial<Pick<Feed, 'datacenter_id' | 'zone_id'>>): Promise<void> => {
  for (const [field, table, noun] of [
    ['datacenter_id', 'datacenters', 'datacenter'],
    ['zone_id', 'dns_zones', 'DNS zone'],
  ] as const) {
    const id = refs[field]
    if (id === null || id === undefined) continue
    const row = await ctx.db.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst()
    if (!row) throw invalidField(field, `there is no ${noun} with id "${id}"`)
  }
}

const checkTemplate = async (ctx: Ctx, templates: Templates, template: string | undefined): Promise<void> => {
  if (!template) return
  const fault = await templates.check(template, { owner: getOwner(ctx, ''), signal: ctx.signal })
  if (!fault) return
  throw invalidField('template', fault.line === undefined ? fault.message : `line ${fault.line}: ${fault.message}`)
}

const withMediaType = <F extends Fields>(fields: F) => ({
  ...fields,
  media_type: fields.media_type ?? CATALOGUE[fields.format].media_type,
})

const getOrThrow = async (ctx: Ctx, id: string): Promise<Feed> => {
  const feed = await store.find(ctx, id)
  if (!feed) throw notFound('feed', id)
  return feed
}

/** Locks a feed until commit, so that a key of it is not added while it is deleted. */
const lockOrThrow = async (ctx: Ctx, id: string): Promise<Feed> => {
  const feed = await store.lock(ctx, id)
  if (!feed) throw notFound('feed', id)
  ctx.precondition(feed)
  return feed
}

const create = async (ctx: Ctx, { id = Bun.randomUUIDv7(), ...draft }: FeedDraft): Promise<Feed> => {
  if (await store.find(ctx, id)) throw new AppError('ALREADY_EXISTS', `A feed with id "${id}" exists already`)
  await checkReferences(ctx, draft)
  await lockSpace(ctx, draft)
  await checkNetwork(ctx, draft)
  const { name, description, format, space_id, ...rest } = withMediaType(draft)
  const times = { created_at: ctx.now, updated_at: ctx.now }
  const fields = { id, name, description, format, ...rest, url: store.buildUrl(id), ...times }
  const feed: Feed = withSpace(fields, space_id)
  await store.insert(ctx, feed)
  return feed
}

const update = async (ctx: Ctx, { id, ...patch }: FeedPatch): Promise<Feed> => {
  const before = await lockOrThrow(ctx, id)
  const isOther = patch.format !== undefined && patch.format !== before.format
  const media_type = patch.media_type === null || (isOther && !patch.media_type) ? null : patch.media_type
  const { value } = mergeInSpace(
    { ...before, media_type: before.media_type as Feed['media_type'] | null },
    { ...patch, media_type },
  )
  checkFields(value)
  // A reference that is kept may lead to nothing: then the feed is empty.
  await checkReferences(ctx, {
    ...(value.datacenter_id !== before.datacenter_id && { datacenter_id: value.datacenter_id }),
    ...(value.zone_id !== before.zone_id && { zone_id: value.zone_id }),
  })
  const isMoved = value.space_id !== before.space_id
  if (isMoved) await lockSpace(ctx, value)
  if (isMoved || value.network_id !== before.network_id) await checkNetwork(ctx, value)
  const { changes, value: feed } = mergeInSpace(before, { ...withMediaType(value), space_id: value.space_id ?? null })
  if (changes.length === 0) return before
  const changed = { ...feed, updated_at: ctx.now }
  await store.update(ctx, changed)
  return changed
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const feed = await lockOrThrow(ctx, id)
  await store.remove(ctx, id)
  await ctx.emit('feed.deleted', feed)
}

/** Removes the feeds of a zone with it. */
const removeOfZone = async (ctx: Ctx, { id }: { readonly id: string }): Promise<void> => {
  for (const feed of await store.lockFeedsOfZone(ctx, id)) {
    await store.remove(ctx, feed.id)
    await ctx.emit('feed.deleted', feed)
  }
}

const renderPreview = async (ctx: Ctx, render: Renderer, feed: Rendered): Promise<FeedPreview> => {
  const startedMs = performance.now()
  const skipped: FeedPreview['skipped'] = []
  let [devices, skips, content] = [0, 0, '']
  let isCut = false
  const onSkip = ({ id, name }: { readonly id: string; readonly name: string }, reason: string) => {
    skips++
    if (skipped.length < SHOWN_SKIPS) skipped.push({ device_id: id, device_name: name, reason })
  }
  const decoder = new TextDecoder()
  for await (const bytes of render(ctx, feed, { onDevices: (count) => (devices += count), onSkip })) {
    if (content.length > SHOWN_CHARACTERS) continue
    content += decoder.decode(bytes, { stream: true })
    isCut = content.length > SHOWN_CHARACTERS
  }
  return {
    ...{ content: content.slice(0, SHOWN_CHARACTERS), is_cut: isCut, media_type: feed.media_type },
    ...{ device_count: devices, skipped, skipped_count: skips },
    duration_ms: Math.round(performance.now() - startedMs),
  }
}

export type FeedOptions = { readonly identify: Identify; readonly templates?: Templates }

export const feedsFeature = ({ identify, templates = createTemplates() }: FeedOptions): Feature => {
  const render = createRenderer(templates)
  return {
    operations: implement(feeds, {
      list: async (ctx, { name, format, space_id, ...page }) => {
        const revision = await ctx.store.revision(['feeds'])
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name_key', name))
        if (format) query = query.where('format', '=', format)
        if (space_id !== undefined) query = query.where(matchSpace(space_id))
        return listRows(ctx, { revision, query, page, row: store.toFeed })
      },
      formats: async (_ctx, page) =>
        listValues(
          FeedFormat.options.map((name) => {
            const { extension: _, ...entry } = CATALOGUE[name]
            return { name, ...entry }
          }),
          page,
        ),
      preview: async (ctx, draft) => {
        ctx.require('feeds:read')
        ctx.require(getContentPermission(draft))
        checkFields(draft)
        await checkReferences(ctx, draft)
        await checkSpace(ctx, draft)
        await checkNetwork(ctx, draft)
        const { space_id, ...fields } = withMediaType(draft)
        return renderPreview(ctx, render, withSpace({ id: 'preview', name: 'preview', ...fields }, space_id))
      },
      create: {
        prepare: async (before, draft) => {
          checkFields(draft)
          await checkTemplate(before, templates, draft.template)
          return (ctx) => create(ctx, draft)
        },
      },
      get: async (ctx, { id }) => getOrThrow(ctx, id),
      update: {
        prepare: async (before, patch) => {
          await checkTemplate(before, templates, patch.template)
          return (ctx) => update(ctx, patch)
        },
      },
      delete: async (ctx, { id }) => remove(ctx, id),
    }),
    reactions: { 'dns-zone.deleting': removeOfZone },
    routes: [
      { route: feedRoutes.content, handler: createContentHandler(render), identify: createFeedIdentify(identify) },
    ],
  }
}
