/** What is known of the way to the server: reachable, over the limit of requests, signed in. The shell shows it. */
import { createStore } from './store.ts'

export type Connection = {
  readonly isOffline: boolean
  /** Until then the server turns requests away; ms since the epoch. */
  readonly limitedUntilMs: number
}

export const connection = createStore<Connection>({ isOffline: false, limitedUntilMs: 0 })

/** Set while a page is open that needs a session: told when there is none any more. */
let onSignedOut: () => void = () => {}
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener
}

/** A Retry-After is a number of seconds or a date (RFC 9110 10.2.3). */
export const retryAtMs = (header: string | null, nowMs: number): number => {
  if (header === null) return nowMs + 10_000
  const seconds = Number(header)
  const atMs = Number.isNaN(seconds) ? Date.parse(header) : nowMs + seconds * 1000
  return Number.isNaN(atMs) ? nowMs + 10_000 : atMs
}

const isLogin = (url: string): boolean => url.startsWith('/api/auth/')

/** Notes what an answer says of the connection. */
export const noteAnswer = (url: string, response: Response): void => {
  const { limitedUntilMs } = connection.get()
  const isLimited = response.status === 429 && !isLogin(url)
  const untilMs = isLimited ? retryAtMs(response.headers.get('retry-after'), Date.now()) : limitedUntilMs
  if (connection.get().isOffline || untilMs !== limitedUntilMs)
    connection.set({ isOffline: false, limitedUntilMs: untilMs })
  if (response.status === 401 && !isLogin(url)) onSignedOut()
}

export const noteFailure = (): void => connection.set({ ...connection.get(), isOffline: true })
