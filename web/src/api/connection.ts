/** What is known of the way to the server: reachable, over the limit of requests, signed in. The shell shows it. */
import { createStore } from './store.ts'

export type Connection = {
  readonly isOffline: boolean
  /** Until then the server turns requests away; ms since the epoch. */
  readonly limitedUntilMs: number
  /** The same for signing in, which has a limit of its own. */
  readonly loginLimitedUntilMs: number
}

export const connection = createStore<Connection>({ isOffline: false, limitedUntilMs: 0, loginLimitedUntilMs: 0 })

/** Set while a page is open that needs a session: told when there is none any more. */
let onSignedOut: () => void = () => {}
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener
}

/** It has turned out that there is no session any more. */
export const signedOut = (): void => onSignedOut()

/** A Retry-After is a number of seconds or a date (RFC 9110 10.2.3). */
export const retryAtMs = (header: string | null, nowMs: number): number => {
  if (header === null) return nowMs + 10_000
  const seconds = Number(header)
  const atMs = Number.isNaN(seconds) ? Date.parse(header) : nowMs + seconds * 1000
  return Number.isNaN(atMs) ? nowMs + 10_000 : atMs
}

let answeredAt: string | undefined

/** How long a transaction may have been under way that is committed after the answer of a list. */
const MARGIN_MS = 5000

/** A moment before anything that this tab shows was read, by the clock of the server. */
export const answeredSince = (): string =>
  new Date((answeredAt === undefined ? Date.now() : Date.parse(answeredAt)) - MARGIN_MS).toISOString()

let wroteAtMs = 0

/** To be told of every request: those that change something are remembered for a moment. */
export const noteRequest = (method: string | undefined): void => {
  if (method !== undefined && method !== 'GET') wroteAtMs = Date.now()
}

/** As long as it may take to hear of one's own change. */
const ECHO_MS = 2500

/** Whether what is heard now is most likely what was just done here. */
export const isOwnDoing = (): boolean => Date.now() - wroteAtMs < ECHO_MS

const isLogin = (url: string): boolean => url === '/api/auth/login'
/** The router itself asks who is there, and sends those who are nobody to sign in. */
const isOfSession = (url: string): boolean => url.startsWith('/api/auth/')

/** Notes what an answer says of the connection. */
export const noteAnswer = (url: string, response: Response): void => {
  answeredAt ??= response.headers.get('date') ?? undefined
  const old = connection.get()
  const next = { ...old, isOffline: false }
  if (response.status === 429) {
    const untilMs = retryAtMs(response.headers.get('retry-after'), Date.now())
    if (isLogin(url)) next.loginLimitedUntilMs = untilMs
    else next.limitedUntilMs = untilMs
  }
  if (old.isOffline || response.status === 429) connection.set(next)
  if (response.status === 401 && !isOfSession(url)) onSignedOut()
}

export const noteFailure = (): void => connection.set({ ...connection.get(), isOffline: true })
