/** The state of the connection: reachable, rate limited, signed in. The shell shows it. */
import { answeredAsOf } from './as-of.ts'
import { createStore } from './store.ts'

export type Connection = {
  readonly isOffline: boolean
  /** When the rate limit ends, in ms since the epoch. */
  readonly limitedUntilMs: number
  /** When the rate limit of sign-in ends, in ms since the epoch. */
  readonly loginLimitedUntilMs: number
}

export const connection = createStore<Connection>({ isOffline: false, limitedUntilMs: 0, loginLimitedUntilMs: 0 })

/** Called when the session has ended. Set while a page is open that needs one. */
let onSignedOut: () => void = () => {}
export const setSignedOutListener = (listener: () => void): void => {
  onSignedOut = listener
}

/** True while the user signs out. Requests that are under way then may be refused. */
let isSigningOut = false
export const setSigningOut = (is: boolean): void => {
  isSigningOut = is
}

/** Reports that the session has ended. */
export const notifySignedOut = (): void => onSignedOut()

/** Parses a Retry-After: a number of seconds or a date (RFC 9110 10.2.3). */
export const retryAtMs = (header: string | null, nowMs: number): number => {
  if (header === null) return nowMs + 10_000
  const seconds = Number(header)
  const atMs = Number.isNaN(seconds) ? Date.parse(header) : nowMs + seconds * 1000
  return Number.isNaN(atMs) ? nowMs + 10_000 : atMs
}

let answeredAt: string | undefined

/** How long a transaction may run that commits after a list was read. */
const MARGIN_MS = 5000

/** Returns a time before the first read of this tab, by the clock of the server. */
export const getAnsweredSince = (): string =>
  new Date((answeredAt === undefined ? Date.now() : Date.parse(answeredAt)) - MARGIN_MS).toISOString()

let wroteAtMs = 0

/** Records the time of every request that writes. */
export const noteRequest = (method: string | undefined): void => {
  if (method !== undefined && method !== 'GET') wroteAtMs = Date.now()
}

/** The longest delay until the live feed reports a change of this tab. */
const ECHO_MS = 2500

/** Returns true while an incoming event was probably caused by this tab. */
export const isOwnDoing = (): boolean => Date.now() - wroteAtMs < ECHO_MS

const isLogin = (url: string): boolean => url === '/api/auth/login'
/** The router handles sign-in requests, and redirects anonymous users to the sign-in page. */
const isOfSession = (url: string): boolean => url.startsWith('/api/auth/')

/** True for a server without a primary of its database, which names the time after which to ask again. */
const isWithoutDatabase = ({ status, headers }: Response): boolean => status === 503 && headers.has('retry-after')

/** Updates the state of the connection from a response. */
export const noteAnswer = (url: string, response: Response): void => {
  answeredAt ??= response.headers.get('date') ?? undefined
  answeredAsOf.set(response.headers.get('x-as-of') ?? answeredAsOf.get())
  const old = connection.get()
  const next = { ...old, isOffline: isWithoutDatabase(response) }
  if (response.status === 429) {
    const untilMs = retryAtMs(response.headers.get('retry-after'), Date.now())
    if (isLogin(url)) next.loginLimitedUntilMs = untilMs
    else next.limitedUntilMs = untilMs
  }
  if (old.isOffline !== next.isOffline || response.status === 429) connection.set(next)
  if (response.status === 401 && !isOfSession(url) && !isSigningOut) onSignedOut()
}

export const noteFailure = (): void => connection.set({ ...connection.get(), isOffline: true })
