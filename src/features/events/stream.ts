/** A listener of the live feed as an answer of HTTP. */
import type { Standing } from '../../platform/db/database.ts'
import { rawQuery } from '../../platform/raw-query.ts'
import type { Ctx } from '../ctx.ts'
import { FeedQuery } from './api.ts'
import type { Feed, Listener, Rights } from './feed.ts'

/** What waits for a listener who does not read; more, and it is let go. */
const MOST_WAITING = 256 * 1024

/** The standard's own header (HTML, section 9.2.4), or its stand-in for those who cannot set one. */
const lastSeqOf = async (
  request: Request,
  { last_event_id, since }: FeedQuery,
  before: (moment: string) => Promise<number | undefined>,
): Promise<number | undefined> => {
  const header = request.headers.get('last-event-id') ?? ''
  const text = /^\d{1,15}$/.test(header) ? header : last_event_id
  if (text !== undefined) return Number(text)
  return since === undefined ? undefined : before(since)
}

/** A stream that is pulled from: what is not read waits here, where it is counted. */
const listenerFor = ({ wanted, rights }: Pick<Listener, 'wanted' | 'rights'>, leave: Feed['leave']) => {
  const encoder = new TextEncoder()
  // Something at once: proxies and browsers open the stream with the first bytes.
  let waiting = ['retry: 2000\n\n']
  let bytes = 0
  let isEnded = false
  let wakeReader = (): void => {}
  const listener: Listener = {
    wanted,
    rights,
    send: (text) => {
      bytes += text.length
      if (isEnded || bytes > MOST_WAITING) return false
      waiting.push(text)
      wakeReader()
      return true
    },
    end: () => {
      isEnded = true
      wakeReader()
    },
  }
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      while (waiting.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
      const text = waiting.join('')
      waiting = []
      bytes = 0
      if (text !== '') controller.enqueue(encoder.encode(text))
      else controller.close()
    },
    cancel: () => {
      isEnded = true
      leave(listener)
    },
  })
  return { listener, body }
}

type StreamOptions = Pick<Feed, 'follow' | 'leave'> & {
  /** The number before the first event from a moment on; undefined where nothing has happened since. */
  readonly before: (moment: string) => Promise<number | undefined>
  readonly rightsBy: (standing: Standing) => Rights
}

export const streamTo =
  ({ follow, leave, before, rightsBy }: StreamOptions) =>
  async (ctx: Ctx, request: Request): Promise<Response> => {
    const query = rawQuery(FeedQuery, request)
    const { permissions } = ctx.caller
    const wanted = { permissions, types: query.types, resource: query.resource }
    const rights = rightsBy(ctx.standing ?? (await ctx.store.standing()))
    const { listener, body } = listenerFor({ wanted, rights }, leave)
    // Before the answer: whoever has its beginning is told of all that comes after.
    await follow(listener, await lastSeqOf(request, query, before))
    return new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    })
  }
