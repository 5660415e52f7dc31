/** Streams the live feed as an HTTP response. */
import { parseRawQuery } from '../../contract/raw-query.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { FeedQuery } from './api.ts'
import type { Bytes } from './audience.ts'
import type { Feed, Listener } from './feed.ts'

/** The buffer limit, in bytes, of a listener that does not read; beyond it the listener is disconnected. */
const MOST_WAITING = 256 * 1024

/** Reads the standard header (HTML, section 9.2.4), or the query parameter for clients that can't set it. */
const resolveLastSeq = async (
  request: Request,
  { last_event_id, since }: FeedQuery,
  before: (moment: string) => Promise<number | undefined>,
): Promise<number | undefined> => {
  const header = request.headers.get('last-event-id') ?? ''
  const text = /^\d{1,15}$/.test(header) ? header : last_event_id
  if (text !== undefined) return Number(text)
  return since === undefined ? undefined : before(since)
}

/** Sent at once: proxies and browsers open the stream with the first bytes. */
const OPENING = new TextEncoder().encode('retry: 2000\n\n')

/** A pull stream: unread bytes wait in this buffer, where they are counted. */
const createListener = ({ caller, wanted }: Pick<Listener, 'caller' | 'wanted'>, leave: Feed['leave']) => {
  let waiting: Bytes[] = [OPENING]
  let waitingBytes = 0
  let sentBytes = 0
  let isEnded = false
  let wakeReader = (): void => {}
  let wakeWriters: (() => void)[] = []
  const drain = (): void => {
    for (const wake of wakeWriters) wake()
    wakeWriters = []
  }
  const end = (): void => {
    isEnded = true
    wakeReader()
    drain()
  }
  const listener: Listener = {
    caller,
    wanted,
    sentBytes: () => sentBytes,
    send: (bytes) => {
      // Checks the bytes already waiting, so that a single part above the limit is still sent.
      if (isEnded || waitingBytes > MOST_WAITING) return false
      waitingBytes += bytes.length
      waiting.push(bytes)
      wakeReader()
      return true
    },
    drained: () =>
      new Promise((resolve) => {
        if (isEnded || waiting.length === 0) resolve()
        else wakeWriters.push(resolve)
      }),
    end,
    cut: (last) => {
      waiting = last ? [last] : []
      end()
    },
  }
  const body = new ReadableStream<Bytes>({
    pull: async (controller) => {
      while (waiting.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          wakeReader = resolve
        })
      const ready = waiting
      waiting = []
      waitingBytes = 0
      drain()
      for (const bytes of ready) {
        sentBytes += bytes.length
        controller.enqueue(bytes)
      }
      if (ready.length === 0) controller.close()
    },
    cancel: () => {
      end()
      leave(listener)
    },
  })
  return { listener, body }
}

type StreamOptions = Pick<Feed, 'follow' | 'leave'> & {
  /** The number before the first event since a time; undefined without such an event. */
  readonly before: (moment: string) => Promise<number | undefined>
}

export const streamTo =
  ({ follow, leave, before }: StreamOptions) =>
  async (ctx: Ctx, request: Request): Promise<Response> => {
    const query = parseRawQuery(FeedQuery, request)
    const wanted = { types: query.types, resource: query.resource }
    const { listener, body } = createListener({ caller: ctx.caller, wanted }, leave)
    // Precedes the response: a client that has its first bytes receives all later events.
    await follow(listener, await resolveLastSeq(request, query, before))
    return new Response(body, {
      headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' },
    })
  }
