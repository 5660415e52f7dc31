/** Holds one request during its processing: its parsed parts, its caller and its headers. */
import type { ReadPoint } from '../../database/database.ts'
import { type Caller, GUEST } from '../../kernel/caller.ts'
import type { ForeignApi } from '../../kernel/context.ts'
import type { RawRequest, RawTarget } from '../../kernel/request.ts'
import type { Rights } from '../../kernel/rights/rights.ts'
import type { Source } from './answer/response-stream.ts'
import type { LimitResult } from './limits/limits.ts'
import { withWholeUrl } from './request-url.ts'
import type { Params } from './route-table.ts'

/** The parts of an answer. They become one `Response`, with all headers, at the end. */
export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | Source | null
}

type Arrival = {
  readonly raw: Request
  readonly path: string
  readonly search: string
  readonly params: Params
  readonly getClient: () => string
  readonly getOrigin: () => string
  readonly foreignApi: ForeignApi | undefined
  readonly isAtApiHost: boolean
}

/** Splits a URL, or a bare path, unchanged. @example split('http://a/api?q=a') // ['/api', '?q=a'] */
export const split = (url: string): readonly [path: string, search: string] => {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const query = url.indexOf('?', start)
  const hash = url.indexOf('#', start)
  const end = query === -1 || (hash !== -1 && hash < query) ? hash : query
  return end === -1 ? [url.slice(start), ''] : [url.slice(start, end), url.slice(end)]
}

/** The context of one request. Signal, client and origin are computed on first use, because only some requests need them. */
export class RequestContext implements RawRequest, RawTarget {
  readonly raw: Request
  readonly requestId: string = Bun.randomUUIDv7()
  readonly path: string
  /** The query with its question mark; '' without a query. */
  readonly search: string
  /** The parameters of the path, and later the fields of query, headers and body. */
  input: object
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
  readonly params: Params
  /** The API in whose form the answers to this path are. */
  readonly foreignApi: ForeignApi | undefined
  readonly isAtApiHost: boolean
  caller: Caller = GUEST
  /** A session cookie to send again, because its expiry changed. */
  setCookie: string | undefined
  readPoint: ReadPoint | undefined
  rights: Rights | undefined
  progress: ((done: number, total: number) => void) | undefined
  /** Headers of the answer that the kernel sets. */
  answerHeaders: Record<string, string> | undefined
  /** That of the user's limit, once it is known. */
  userLimit: LimitResult | undefined
  #left: AbortSignal | undefined
  #signal: AbortSignal | undefined
  readonly #clientOf: () => string
  #client: string | undefined
  readonly #originOf: () => string

  constructor({ raw, path, search, params, getClient, getOrigin, foreignApi, isAtApiHost }: Arrival) {
    this.raw = raw
    this.path = path
    this.search = search
    this.params = params
    this.input = params
    this.#clientOf = getClient
    this.#originOf = getOrigin
    this.foreignApi = foreignApi
    this.isAtApiHost = isAtApiHost
  }

  setHeader(name: string, value: string): void {
    this.answerHeaders = { ...this.answerHeaders, [name]: value }
  }

  /** The address of the client; '' when unknown. */
  get client(): string {
    this.#client ??= this.#clientOf()
    return this.#client
  }

  get origin(): string {
    return this.#originOf()
  }

  get target(): RawTarget {
    return this
  }

  /** The URL with scheme and host. */
  get url(): string {
    return withWholeUrl(this.raw).url
  }

  /** Makes `signal` that of a client that leaves a stream as well. */
  endsWith(left: AbortSignal): void {
    this.#left = left
    this.#signal = AbortSignal.any([this.raw.signal, left])
  }

  get hasLeft(): boolean {
    return this.#left?.aborted === true
  }

  /** True for the error of work that has ended because its client has left. */
  isAbort(error: unknown): boolean {
    const { aborted, reason } = this.raw.signal
    return this.hasLeft || (aborted && error === reason)
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.raw.signal
  }
}
