/** Sends requests that leave Plat: to validated addresses only, redirects included, within one deadline. */
import type { IncomingMessage } from 'node:http'
import { getErrorMessage } from '../../contract/unknown.ts'
import { parseIp } from '../../net/ip.ts'
import { type ConnectionSettings, createAgent } from './outbound-connection.ts'
import {
  checkTarget,
  getHost,
  OutboundError,
  parseTarget,
  resolveAddress,
  type TargetRules,
} from './outbound-target.ts'

export type OutboundRequest = {
  readonly url: string
  readonly method: 'GET' | 'POST'
  /** Sent with every redirect. */
  readonly headers: Readonly<Record<string, string>>
  /** Sent only to the first origin, because they may contain its secrets. */
  readonly ownHeaders?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Time limit of the whole request: names, connections, redirects and the body. */
  readonly timeoutMs: number
  /** The largest body of the answer that is read; 64 KiB by default. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

export type OutboundAnswer = {
  readonly status: number
  /** At most `maxBytes` of it. */
  readonly body: Uint8Array
  readonly isCut: boolean
  /** The header Retry-After (RFC 9110 10.2.3). */
  readonly retryAfter?: string
}

export type OutboundExchange = OutboundAnswer & { readonly headers: Headers }

export type Outbound = {
  /** Returns the error of a target to be saved; undefined for a valid one, and for a name that does not resolve yet. */
  readonly problem: (url: string) => Promise<string | undefined>
  /** @throws OutboundError if it may not be sent, or no answer came in time */
  readonly send: (request: OutboundRequest) => Promise<OutboundAnswer>
  /** Like `send`, but returns the headers of the answer; a redirect is returned and not followed. */
  readonly exchange: (request: OutboundRequest) => Promise<OutboundExchange>
}

export type OutboundOptions = {
  readonly rules: TargetRules
  /** Certificate authorities in addition to the system's, as PEM. */
  readonly ca?: readonly string[]
  /** Settings of its connections, in place of the ones of the system. */
  readonly connection?: ConnectionSettings
}

const MAX_BODY = 65_536
const MAX_REDIRECTS = 5
/** Redirects after which a POST is repeated unchanged, as RFC 9110 section 15.4 permits. */
const REDIRECTS = new Set([301, 302, 307, 308])

type Hop = { readonly url: URL; readonly address: string; readonly headers: Readonly<Record<string, string>> }

const toHeaders = ({ headers }: IncomingMessage): Headers => {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) all.append(name, one)
  return all
}

export const createOutbound = ({ rules, ca, connection }: OutboundOptions): Outbound => {
  /** Returns the address to connect to; '' for a local socket, which the rules do not know. */
  const judge = async (url: URL, signal: AbortSignal): Promise<string> =>
    connection?.unixPath === undefined ? await resolveAddress(rules, url, signal) : ''

  const connect = async ({ url, address, headers }: Hop, { method, body }: OutboundRequest, signal: AbortSignal) => {
    const isSecure = url.protocol === 'https:'
    const host = getHost(url)
    const agent = connection && (await createAgent(connection, { address, host, url }, signal))
    // Loaded by the first request, because loading them takes long. The socket of an agent has its own TLS.
    const { request } = await (isSecure && !agent ? import('node:https') : import('node:http'))
    const options = {
      host: address,
      port: url.port || (isSecure ? 443 : 80),
      path: url.pathname + url.search,
      method,
      headers: { ...headers, host: url.host, ...(body ? { 'content-length': String(body.length) } : {}) },
      setHost: false,
      // A new socket: a reused one was validated for another request.
      agent: agent ?? (false as const),
      signal,
    }
    const secured = { ...(parseIp(host) ? {} : { servername: host }), ...(ca ? { ca: [...ca] } : {}) }
    return new Promise<IncomingMessage>((resolve, reject) => {
      const client = request(isSecure && !agent ? { ...options, ...secured } : options)
      client.once('response', resolve).once('error', reject).end(body)
    })
  }

  const read = async (answer: IncomingMessage, maxBytes: number): Promise<OutboundAnswer> => {
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, maxBytes - size))
      size += chunk.length
      if (size > maxBytes) break
    }
    answer.destroy()
    const length = answer.headers['content-length']
    // The client of Bun takes an answer that ends too early as complete.
    if (connection && size <= maxBytes && length !== undefined && Number(length) > size)
      throw new OutboundError(`ended after ${size} of ${length} bytes`, { failure: 'unreachable' })
    const retryAfter = answer.headers['retry-after']
    return {
      status: answer.statusCode ?? 0,
      body: Buffer.concat(chunks),
      isCut: size > maxBytes,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }
  }

  const follow = async (request: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> => {
    let url = parseTarget(request.url)
    const { origin } = url
    for (let redirects = 0; ; redirects++) {
      const headers = url.origin === origin ? { ...request.ownHeaders, ...request.headers } : request.headers
      const answer = await connect({ url, address: await judge(url, signal), headers }, request, signal)
      const location = REDIRECTS.has(answer.statusCode ?? 0) ? answer.headers.location : undefined
      if (location === undefined) return await read(answer, request.maxBytes ?? MAX_BODY)
      answer.destroy()
      if (redirects === MAX_REDIRECTS) throw new OutboundError(`more than ${MAX_REDIRECTS} redirects`)
      const next = URL.parse(location, url.href)?.href
      if (next === undefined) throw new OutboundError('redirects to an invalid URL')
      const wasSecure = url.protocol === 'https:'
      url = parseTarget(next)
      if (wasSecure && url.protocol === 'http:') throw new OutboundError('redirects from https to http')
    }
  }

  const once = async (request: OutboundRequest, signal: AbortSignal): Promise<OutboundExchange> => {
    const url = parseTarget(request.url)
    const headers = { ...request.ownHeaders, ...request.headers }
    const answer = await connect({ url, address: await judge(url, signal), headers }, request, signal)
    return { ...(await read(answer, request.maxBytes ?? MAX_BODY)), headers: toHeaders(answer) }
  }

  /** Runs the request within its deadline. @throws OutboundError */
  const withinDeadline = async <T>(
    request: OutboundRequest,
    run: (request: OutboundRequest, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const deadline = AbortSignal.timeout(request.timeoutMs)
    const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline
    try {
      return await run(request, signal)
    } catch (error) {
      if (error instanceof OutboundError) throw error
      if (deadline.aborted) {
        const message = `no answer within ${request.timeoutMs / 1000} s`
        throw new OutboundError(message, { cause: error, failure: 'timeout' })
      }
      const text = getErrorMessage(error)
      // With TLS 1.3 a server refuses the certificate of a client after the handshake.
      const failure = /SSL routines|TLSV1_ALERT/.test(text) ? 'tls' : 'unreachable'
      throw new OutboundError(`could not be reached: ${text}`, { cause: error, failure })
    }
  }

  return {
    problem: (url) => checkTarget(rules, url),
    send: (request) => withinDeadline(request, follow),
    exchange: (request) => withinDeadline(request, once),
  }
}
