/** Operations as typed calls over `fetch`, for the web UI, the command line and the tests. Browser-safe. */
import { encodeNote, NOTE_HEADER } from '../../../contract/change-note.ts'
import { AppError, ERRORS, type ErrorCode, type FieldIssue, invalidField } from '../../../contract/errors.ts'
import { getErrorMessage } from '../../../contract/unknown.ts'
import { parseHttp, takesQuery } from '../../../kernel/http-route.ts'
import type { AnyOperation, InputOf, OperationSet, OutputOf } from '../../../kernel/operation.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export type Transport = {
  readonly fetch: Fetch
  /** `https://plat.example.com`; empty for the page's own origin. */
  readonly baseUrl?: string
  /** Sent with every request. A function is for changing values, such as a token. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>)
  /** Completes the input of each call, such as with the moment that all reads are of. */
  readonly complete?: (op: AnyOperation, input: Fields) => Fields
  /** Sends the request of an operation, perhaps more than once. */
  readonly repeat?: (op: AnyOperation, input: Fields, send: () => Promise<Response>) => Promise<Response>
}

type Fields = Readonly<Record<string, unknown>>

export type CallOptions = {
  readonly signal?: AbortSignal
  /** Headers of one call, such as `If-Match`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An input without required fields may be omitted. */
type Arguments<In> =
  Record<never, never> extends In ? [input?: In, options?: CallOptions] : [input: In, options?: CallOptions]

export type Client<S extends Readonly<Record<string, OperationSet>>> = {
  readonly [F in keyof S]: {
    readonly [V in keyof S[F]]: (...args: Arguments<InputOf<S[F][V]>>) => Promise<OutputOf<S[F][V]>>
  }
}

/** Segments that a URL parser takes for folders, even percent-encoded: no request can carry them. */
const UNSENDABLE = new Set(['', '.', '..'])

const encodePathSegment = (field: string, value: unknown): string => {
  if (value === undefined || value === null) throw invalidField(field, 'is required')
  const text = String(value)
  if (UNSENDABLE.has(text)) throw new AppError('NOT_FOUND', `Nothing has the ${field} "${text}"`)
  return encodeURIComponent(text)
}

const isSent = (value: unknown): boolean => value !== undefined && value !== null

/** Turns the entries of a record into parameters: `{ custom: { owner: 'neteng' } }` becomes `custom.owner=neteng`. */
const toParameters = ([name, value]: readonly [string, unknown]): (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.map((one) => [name, one])
  if (typeof value !== 'object' || value === null) return [[name, value]]
  return Object.entries(value).map(([key, one]) => [`${name}.${key}`, one])
}

const buildQuery = (fields: Readonly<Record<string, unknown>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields).flatMap(toParameters))
    if (isSent(value)) query.append(name, String(value))
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

type WireRequest = { readonly path: string; readonly init: RequestInit & { readonly headers: Record<string, string> } }

/** Path parameters, then named headers, then query or body. @throws AppError VALIDATION_ERROR */
export const buildRequest = (op: AnyOperation, input: Readonly<Record<string, unknown>>): WireRequest => {
  const { method, path, params } = parseHttp(op.http)
  const rest = { ...input }
  const headers: Record<string, string> = { accept: 'application/json' }
  const url = params.reduce((made, name) => {
    const segment = encodePathSegment(name, rest[name])
    delete rest[name]
    return made.replace(`{${name}}`, () => segment)
  }, path)
  for (const [header, field] of Object.entries(op.headers ?? {})) {
    const value = rest[field]
    delete rest[field]
    if (value === undefined || value === null) continue
    const text = header === NOTE_HEADER ? encodeNote(String(value)) : String(value)
    if (!isHeaderText(text)) throw invalidField(field, 'must be plain ASCII text')
    headers[header] = text
  }
  if (takesQuery(method)) return { path: url + buildQuery(rest), init: { method, headers } }
  headers['content-type'] = 'application/json'
  const queried = (op.inQuery ?? []).map((field): [string, unknown] => {
    const value = rest[field]
    delete rest[field]
    return [field, value]
  })
  return { path: url + buildQuery(Object.fromEntries(queried)), init: { method, headers, body: JSON.stringify(rest) } }
}

/** Returns the error code for an answer without one, such as a proxy's. */
export const toErrorCode = (status: number): ErrorCode => {
  if (status === 401) return 'UNAUTHORIZED'
  if (status === 403) return 'FORBIDDEN'
  if (status === 404) return 'NOT_FOUND'
  if (status === 405) return 'METHOD_NOT_ALLOWED'
  if (status === 412) return 'PRECONDITION_FAILED'
  if (status === 429) return 'RATE_LIMIT_EXCEEDED'
  if (status === 502) return 'PROVIDER_UNREACHABLE'
  if (status === 503 || status === 504 || status < 400) return 'UNAVAILABLE'
  return status < 500 ? 'INVALID_INPUT' : 'INTERNAL_ERROR'
}

const isIssue = (value: unknown): value is FieldIssue =>
  typeof value === 'object' && value !== null && 'field' in value && 'message' in value

/** Returns the seconds of a Retry-After, which is a number of seconds or a date (RFC 9110 10.2.3). */
export const getRetryAfterS = ({ headers }: Response): number | undefined => {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined
}

/** Returns the error of a body `{code, error, details}`, or without one, of the status. @param retryAfterS of its header */
export const buildError = (status: number, body: unknown, from: string, retryAfterS?: number): AppError => {
  // Read field by field below, because a proxy or a newer server may send any value.
  const { code, error, details } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  if (typeof error !== 'string')
    return new AppError(toErrorCode(status), `${from} answered with HTTP status ${status}`, { status, retryAfterS })
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : toErrorCode(status)
  return new AppError(known, error, {
    ...{ status, retryAfterS },
    details: Array.isArray(details) ? details.filter(isIssue) : [],
  })
}

const getServerName = (transport: Transport): string => transport.baseUrl || 'the server'

const reach = async (transport: Transport, path: string, init: RequestInit): Promise<Response> => {
  try {
    return await transport.fetch(`${transport.baseUrl ?? ''}${path}`, init)
  } catch (cause) {
    // The reason of an abort, and an error of the transport itself, are passed on.
    if (init.signal?.aborted || cause instanceof AppError) throw cause
    const reason = getErrorMessage(cause)
    throw new AppError('UNAVAILABLE', `Can't reach ${getServerName(transport)}: ${reason}`, { cause })
  }
}

/** Sends a request and checks its status. @throws AppError of the server, or UNAVAILABLE if out of reach */
export const sendRequest = async (transport: Transport, path: string, init: RequestInit): Promise<Response> => {
  const { headers } = transport
  const own = typeof headers === 'function' ? headers() : headers
  // The callers of this module write headers as plain records.
  const merged = { ...own, ...(init.headers as Record<string, string> | undefined) }
  const response = await reach(transport, path, { ...init, headers: merged })
  if (response.ok) return response
  // A body that isn't JSON adds nothing to the status.
  const body: unknown = await response.json().catch(() => undefined)
  throw buildError(response.status, body, getServerName(transport), getRetryAfterS(response))
}

/** Calls an operation and returns the response with its body unread, for answers that are streamed on. */
export const send = (
  transport: Transport,
  op: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  { signal, headers }: CallOptions = {},
): Promise<Response> => {
  const whole = transport.complete?.(op, input) ?? input
  const { path, init } = buildRequest(op, whole)
  const sent = { ...init, headers: { ...init.headers, ...headers }, ...(signal ? { signal } : {}) }
  const sendIt = () => sendRequest(transport, path, sent)
  return transport.repeat ? transport.repeat(op, whole, sendIt) : sendIt()
}

/** Reads JSON; undefined without a body. @throws AppError UNAVAILABLE if it is incomplete or isn't JSON */
export const readJson = async (transport: Transport, response: Response): Promise<unknown> => {
  if (response.status === 204) return undefined
  try {
    return await response.json()
  } catch (cause) {
    throw new AppError('UNAVAILABLE', `${getServerName(transport)} answered with something that isn't JSON`, { cause })
  }
}

/** @example await call({ fetch, baseUrl }, devices.get, { id: 'web-01' }) @throws AppError as the server's */
export const call = async <O extends AnyOperation>(
  transport: Transport,
  op: O,
  input: InputOf<O>,
  options?: CallOptions,
): Promise<OutputOf<O>> => {
  const response = await send(transport, op, input as Readonly<Record<string, unknown>>, options)
  // The server's tests check that its answers have the type of the contract.
  return (await readJson(transport, response)) as OutputOf<O>
}

type AnyCall = (input?: InputOf<AnyOperation>, options?: CallOptions) => Promise<unknown>

/** One function per operation. @example await createClient({ fetch, baseUrl }, contracts).datacenters.create(draft) */
export const createClient = <S extends Readonly<Record<string, OperationSet>>>(
  transport: Transport,
  contracts: S,
): Client<S> => {
  const createCaller =
    (op: AnyOperation): AnyCall =>
    (input = {}, options) =>
      call(transport, op, input, options)
  const features = Object.entries(contracts).map(([feature, ops]) => [
    feature,
    Object.fromEntries(Object.entries(ops).map(([verb, op]) => [verb, createCaller(op)])),
  ])
  // Object.fromEntries loses the names of the verbs; `contracts` has them.
  return Object.fromEntries(features) as Client<S>
}
