/** The live feed of the server: one event stream for each tab. It does not interpret events. */
import { endFeed, feed } from './feed.ts'

/** A tab that has been hidden for this long closes its stream. */
const HIDDEN_MS = 5 * 60_000
/** The delays before reconnecting after the server refused the stream. The browser itself retries a lost connection. */
const RETRY_MS = [5000, 20_000, 60_000]
/** After a newer stream of this user. Reconnecting sooner would close that; only a visible tab does at once. */
const LIMIT_RETRY_MS = 60_000

export type Heard = { readonly event: string; readonly data: Readonly<Record<string, unknown>> }

export type FeedListener = {
  readonly hear: (heard: Heard) => void
  /** Events were lost: everything must be read again. */
  readonly reset: () => void
  /** The server refused the stream. The session may have ended. */
  readonly refused: () => void
}

/** Subscribes to events after a time of the server's clock. @returns a function that ends the subscription */
export const followFeed = (since: string, { hear, reset, refused }: FeedListener): (() => void) => {
  const tabs = new BroadcastChannel('plat-live')
  let lastId = ''
  let failures = 0
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined

  const close = (): void => {
    clearTimeout(retryTimer)
    endFeed()
  }

  const open = (): void => {
    if (feed.source) return
    clearTimeout(retryTimer)
    tabs.postMessage('open')
    const from = lastId === '' ? { since } : { last_event_id: lastId }
    const stream = new EventSource(`/api/events?${new URLSearchParams(from)}`)
    feed.source = stream
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
    for (const name of __EVENT_NAMES__)
      stream.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) => {
        lastId = lastEventId
        // The server sends data of the contract's type.
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
  // A browser opens six connections to a server over HTTP/1.1, for all tabs. Hidden tabs release theirs.
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
