/** Wraps every request: client address, origin, rate limits, deadline and metrics. */
import type { Logger } from '../../base/runtime/log.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import { getClientAddress, type ProxyTrust } from './client-address.ts'
import { createInFlight } from './limits/in-flight.ts'
import { createLimits, type LimitConfig, type LimitResult, type LimitStore } from './limits/limits.ts'
import { createOriginReader } from './request-origin.ts'

export type RequestKind = {
  /** The pattern of the path. It bounds the number of values by which metrics count. */
  readonly route: string
  /** Checks or sets a password. */
  readonly isSensitive?: boolean
  /** Has no deadline. */
  readonly isLong?: boolean
  /** A health check of this instance. Only this instance counts it, because a monitor probes every instance. */
  readonly isProbe?: boolean
}

export type Guard = {
  /** Returns the client's address from the peer and its headers; '' when unknown. */
  readonly getClient: (peer: string, headers: Headers) => string
  /** Returns scheme and host by which the client reaches this server. */
  readonly getOrigin: (peer: string, headers: Headers) => string
  /** Counts the request. `headers` belong to its answer in any case; `error` is set if the limit is exceeded. */
  readonly admit: (from: { readonly client: string }, kind: RequestKind) => LimitResult | Promise<LimitResult>
  /** Counts a request of a user; undefined without a limit for users. */
  readonly admitUser: ((userId: string) => LimitResult | Promise<LimitResult>) | undefined
  /** Returns the result of `work`, or an error after the time limit. */
  readonly run: <T>(work: Promise<T>, kind: RequestKind) => Promise<T>
  readonly answered: (kind: RequestKind, status: number, startedMs: number) => void
  /** Requests that are being answered now. */
  readonly inFlight: () => number
  readonly stop: () => void
}

type Options = {
  readonly config: LimitConfig &
    ProxyTrust & { readonly requestTimeoutMs: number; readonly publicUrl?: string | undefined }
  readonly metrics: Metrics
  readonly now: () => Date
  readonly limitStore: LimitStore
  readonly log: Logger
}

/** Merges limits. The headers of the lower limit replace the headers of the general one. */
const mergeResults = (general: LimitResult, sensitive: LimitResult): LimitResult => ({
  ...sensitive,
  headers: { ...general.headers, ...sensitive.headers },
})

export const createGuard = ({ config, metrics, now, limitStore, log }: Options): Guard => {
  const limits = createLimits(config, limitStore)
  const { users, own } = limits
  const inFlight = createInFlight(config.requestTimeoutMs)
  const requests = metrics.counter('http_requests_total', 'Requests answered')
  const byCode = metrics.counter('http_requests_by_code', 'Requests answered, by status code', 'code')
  const durations = metrics.summary('http_request_duration_milliseconds', 'Time to answer a request', 'route')

  let hasWarned = false
  const trust = {
    trustProxy: config.trustProxy,
    trustedProxies: config.trustedProxies,
    trustedProxyHeader: config.trustedProxyHeader,
    onContradiction: () => {
      if (hasWarned) return
      hasWarned = true
      log.warn(
        'X-Forwarded-For and X-Real-IP name different clients: one of them was sent by the client. X-Forwarded-For is used. ' +
          'Set TRUSTED_PROXY_HEADER to the header that the proxy writes, or let the proxy remove the other one',
      )
    },
  }

  /** The last peer that is no proxy, and its address: a client sends many requests on a connection. */
  let last = { peer: '', address: '' }
  const getPeerAddress = (peer: string, headers: Headers): string => {
    if (peer !== last.peer) last = { peer, address: getClientAddress(peer, headers, trust) }
    return last.address
  }

  const getOwnLimit = (route: string) => own.find(([path]) => route.startsWith(path))?.[1]

  return {
    getClient: (peer, headers) =>
      trust.trustProxy ? getClientAddress(peer, headers, trust) : getPeerAddress(peer, headers),
    getOrigin: createOriginReader(config),
    admit: (from, { route, isSensitive = false, isProbe = false }) => {
      const count = getOwnLimit(route) ?? (isProbe ? limits.probes : limits.general)
      const general = count(from, now)
      if (!isSensitive) return general
      const narrower = async (result: LimitResult) =>
        result.error ? result : mergeResults(result, await limits.sensitive(from, now))
      return general instanceof Promise ? general.then(narrower) : narrower(general)
    },
    admitUser: users && ((userId) => users({ client: userId }, now)),
    run: inFlight.run,
    answered: ({ route }, status, startedMs) => {
      requests.add()
      byCode.add(String(status))
      durations.observe(route, performance.now() - startedMs)
    },
    inFlight: inFlight.size,
    stop: inFlight.stop,
  }
}
