/** The live feed of the server: one stream for the tab. Knows nothing of what its events mean. */
import { EVENT_NAMES } from '../../../src/features/events/catalogue.ts'

/** A tab that nobody has looked at for so long need not know. */
const HIDDEN_MS = 5 * 60_000
/** Between attempts where the server has turned the stream away; where it has gone, the browser tries by itself. */
const RETRY_MS = [5000, 20_000, 60_000]
/**
 * The user has too many streams, and a newer one took the place of this one: to come back takes the place of the next. So nobody
 * comes back sooner by itself; the tab that somebody looks at does.
 */
const LIMIT_RETRY_MS = 60_000

export type Heard = { readonly event: string; readonly data: Readonly<Record<string, unknown>> }

export type FeedListener = {
  readonly hear: (heard: Heard) => void
  /** Something has happened that is not told any more: everything is to be read again. */
  readonly reset: () => void
  /** The server has refused the stream: perhaps there is no session any more. */
  readonly refused: () => void
}

let source: EventSource | undefined

/** Whether what has been read is kept true by what is heard. */
export const isFollowed = (): boolean => source !== undefined && source.readyState !== EventSource.CLOSED

/**
 * Follows what happens from a moment on, as the server's clock has it.
 * @returns how to stop
 */
export const followFeed = (since: string, { hear, reset, refused }: FeedListener): (() => void) => {
  const tabs = new BroadcastChannel('plat-live')
  let lastId = ''
  let failures = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined

  const close = (): void => {
    clearTimeout(retryTimer)
    source?.close()
    source = undefined
  }

  const open = (): void => {
    if (source) return
    clearTimeout(retryTimer)
    tabs.postMessage('open')
    const from = lastId === '' ? { since } : { last_event_id: lastId }
    const stream = new EventSource(`/api/events?${new URLSearchParams(from)}`)
    source = stream
    stream.addEventListener('open', () => {
      failures = 0
    })
    stream.addEventListener('error', () => {
      if (stream.readyState !== EventSource.CLOSED) return
      close()
      retryTimer = setTimeout(open, RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)])
      refused()
    })
    stream.addEventListener('reset', reset)
    stream.addEventListener('limit', () => {
      close()
      retryTimer = setTimeout(openIfSeen, LIMIT_RETRY_MS)
    })
    for (const name of EVENT_NAMES)
      stream.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        lastId = lastEventId
        // The server's half of the contract.
        hear(JSON.parse(data) as Heard)
      })
  }

  const openIfSeen = (): void => {
    if (document.visibilityState === 'visible') open()
  }

  const onVisibility = (): void => {
    clearTimeout(hiddenTimer)
    if (document.visibilityState === 'hidden') hiddenTimer = setTimeout(close, HIDDEN_MS)
    else open()
  }
  document.addEventListener('visibilitychange', onVisibility)
  // A browser has six connections to a server for all of its tabs (HTTP/1.1): those that nobody looks at make room.
  tabs.addEventListener('message', () => {
    if (document.visibilityState === 'hidden') close()
  })
  onVisibility()

  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    clearTimeout(hiddenTimer)
    tabs.close()
    close()
  }
}
