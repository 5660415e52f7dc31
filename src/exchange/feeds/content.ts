/** The route that answers with the content of a feed. */

import { notFound } from '../../contract/errors.ts'
import { computeEtag, matchesEtag, quoteEtag } from '../../contract/etag.ts'
import { Key } from '../../contract/fields/fields.ts'
import { FILE_TABLES } from '../../dns/zones/file.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Permission } from '../../kernel/operation.ts'
import { compress, compressSource, selectCoding } from '../../surfaces/http/answer/compression.ts'
import { createLongResponse, toLongBody } from '../../surfaces/http/answer/respond.ts'
import { decodeSegment } from '../../surfaces/http/route-table.ts'
import { buildFileName, toContentType } from './catalogue.ts'
import { CONTENT_TABLES } from './filtered.ts'
import { buildKindsTag, findNamedKinds, KIND_TABLES } from './kinds.ts'
import type { Renderer } from './rendered.ts'
import type { Feed } from './schema.ts'
import * as store from './store.ts'

/** Content up to this size has an ETag of its own, and is sent at once. */
const WHOLE_BYTES = 1024 * 1024
/** Content up to this size is not compressed. */
const SMALL_BYTES = 1024

type Beginning = { readonly pieces: readonly Uint8Array[]; readonly isWhole: boolean }

/** @param most bytes; all of the content without it */
const readBeginning = async (content: AsyncGenerator<Uint8Array>, most: number): Promise<Beginning> => {
  const pieces: Uint8Array[] = []
  for (let size = 0; size <= most; ) {
    const { done, value } = await content.next()
    if (done) return { pieces, isWhole: true }
    pieces.push(value)
    size += value.length
  }
  return { pieces, isWhole: false }
}

/** Yields the pieces, then the rest. */
async function* joinContent(
  pieces: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** @example parseFeedId('http://host/api/feeds/web%20hosts/content') // 'web hosts' */
export const parseFeedId = (url: string): string => Key.parse(decodeSegment(new URL(url).pathname.split('/')[3] ?? ''))

/** Returns the permission that the content of a feed needs besides feeds:read. */
export const getContentPermission = ({ format }: Pick<Feed, 'format'>): Permission =>
  format === 'zone' ? 'dns:read' : 'devices:list'

const buildVisibilityTag = ({ caller }: Ctx): string =>
  ['networks:list', 'datacenters:list'].map((one) => (caller.permissions.has(one) ? '1' : '0')).join('')

/** @throws AppError NOT_FOUND, and the errors of `Renderer` */
export const createContentHandler =
  (render: Renderer) =>
  async (ctx: Ctx, request: Request): Promise<Response> => {
    // Before any row.
    const revisions = [await ctx.store.revision(CONTENT_TABLES), await ctx.store.revision(['feeds', ...FILE_TABLES])]
    const id = parseFeedId(request.url)
    const feed = await store.find(ctx, id)
    if (!feed) throw notFound('feed', id)
    ctx.require(getContentPermission(feed))
    const hasKinds = feed.format === 'template' && findNamedKinds(feed.template).length > 0
    const content = revisions[feed.format === 'zone' ? 1 : 0] ?? ''
    // The feed was read behind the revision of its own table.
    const revision = hasKinds ? `${content} ${await ctx.store.revision(KIND_TABLES)}` : content
    const asked = request.headers.get('if-none-match') ?? ''
    const buildHeaders = (etag: string, coding?: string) => ({
      'Content-Type': toContentType(feed.media_type),
      'Content-Disposition': `inline; filename="${buildFileName(feed)}"`,
      'Cache-Control': 'private, no-cache',
      Vary: 'Accept-Encoding',
      ETag: quoteEtag(etag, coding),
      ...(coding !== undefined && { 'Content-Encoding': coding }),
    })
    const respondUnchanged = (etag: string) => new Response(null, { status: 304, headers: buildHeaders(etag) })
    const etags = ctx.store.cache.at<string>(feed.format === 'zone' ? 'zone feed etags' : 'feed etags', revision)
    // Callers who may list fewer networks or datacenters get other content.
    const visible = buildVisibilityTag(ctx)
    const kept = `${visible === '11' ? id : `${id} ${visible}`}${hasKinds ? buildKindsTag(ctx) : ''}`
    const known = etags.get(kept)
    if (known !== undefined && matchesEtag(asked, known)) return respondUnchanged(known)
    const rendered = render(ctx, feed)
    const most = feed.format === 'template' ? Number.POSITIVE_INFINITY : WHOLE_BYTES
    const { pieces, isWhole } = await readBeginning(rendered, most)
    const whole = isWhole ? Buffer.concat(pieces) : undefined
    const etag = computeEtag(whole ? whole.toString('latin1') : `${revision} ${id}`)
    etags.set(kept, etag, etag.length)
    if (matchesEtag(asked, etag)) {
      await rendered.return(undefined)
      return respondUnchanged(etag)
    }
    const accepted = selectCoding(request.headers.get('accept-encoding'))
    if (!whole) {
      const bytes = joinContent(pieces, rendered)
      const source = accepted ? compressSource(accepted, bytes) : bytes
      return createLongResponse({ source }, { headers: buildHeaders(etag, accepted) })
    }
    const coding = whole.length > SMALL_BYTES ? accepted : undefined
    const body = coding ? await compress(coding, whole) : whole
    const init = { headers: buildHeaders(etag, coding) }
    // A template gives up to 16 MiB, which a client that does not read them must not keep in memory.
    const long = toLongBody(body)
    return long ? createLongResponse(long, init) : new Response(body, init)
  }
