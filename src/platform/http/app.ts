/**
 * The REST projection: every operation and raw route of the registry on Hono. The order of checks is the contract's:
 * unknown route -> credentials -> CSRF -> permission -> body -> object.
 */
import { type Context, Hono } from 'hono'
import { type Coercion, coerce, coercionOf } from '../coerce.ts'
import { AppError, toAppError } from '../errors.ts'
import type { Bound, BoundRaw, Caller, Feature, Kernel } from '../kernel.ts'
import { checkAccess, GUEST } from '../kernel.ts'
import type { Logger } from '../log.ts'
import {
  type Access,
  type AnyOperation,
  type HttpParts,
  httpParts,
  type Method,
  type RawRoute,
  takesQuery,
} from '../operation.ts'
import { inputJsonSchema } from '../validate.ts'
import { DEFAULT_MAX_BODY_BYTES, parseJson, readBytes, requireJsonType } from './body.ts'
import type { Guard, RequestKind } from './guard.ts'
import { DATA_CACHE_CONTROL, SECURITY_HEADERS } from './headers.ts'
import { respond } from './respond.ts'

/** Who a request's credentials stand for. */
export type Identity = {
  readonly caller: Caller
  /** Set when the request was let in by a cookie, which a browser sends without being asked. */
  readonly isAmbient: boolean
  /** A session cookie to send again, because its expiry moved. */
  readonly setCookie?: string
}

export type HttpOptions<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly features: readonly Feature<Tables>[]
  /** Undefined when the request carries no credentials. @throws AppError for credentials that don't hold. */
  readonly guard: Guard
  readonly identify: (headers: Headers) => Promise<Identity | undefined>
  readonly log: Logger
}

type Env = {
  /** What the socket knows of the request. */
  Bindings: { peer?: string }
  Variables: { requestId: string; client: string; caller: Caller; setCookie: string | undefined }
}
type Admission = { readonly access: Access; readonly bearerOnly?: boolean }
type Route = HttpParts & { readonly pattern: RegExp }

const EVERY_ANSWER = Object.entries(SECURITY_HEADERS)
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
const JSON_PREFIXES = ['/api/', '/mcp-oauth/', '/.well-known/']

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)

/** How an operation's input is put together from path, query, headers and body. */
type InputPlan = {
  readonly op: AnyOperation
  readonly parts: HttpParts
  readonly coercion: Coercion
  readonly headers: readonly (readonly [string, string])[]
  readonly isBodyOptional: boolean
}

const planFor = (op: AnyOperation): InputPlan => {
  const parts = httpParts(op.http)
  // `required` is part of every JSON Schema of an object.
  const { required = [] } = inputJsonSchema(op.input) as { required?: readonly string[] }
  return {
    op,
    parts,
    coercion: coercionOf(op.input),
    headers: Object.entries(op.headers ?? {}),
    isBodyOptional: parts.method === 'POST' && required.every((field) => parts.params.includes(field)),
  }
}

const queryInput = (plan: InputPlan, url: string): Record<string, unknown> => {
  const at = url.indexOf('?')
  if (at === -1) return {}
  const query = new URLSearchParams(url.slice(at + 1))
  const input: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const value = coerce(plan.coercion, name, query.getAll(name))
    if (value !== undefined) input[name] = value
  }
  return input
}

const bodyInput = async (plan: InputPlan, request: Request): Promise<object> => {
  requireJsonType(request)
  const bytes = await readBytes(request, plan.op.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES)
  if (bytes.length === 0 && plan.isBodyOptional) return {}
  const body = parseJson(bytes)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return body
}

const readInput = async (plan: InputPlan, c: Context): Promise<Record<string, unknown>> => {
  const input: Record<string, unknown> = takesQuery(plan.parts.method)
    ? queryInput(plan, c.req.url)
    : { ...(await bodyInput(plan, c.req.raw)) }
  for (const [header, field] of plan.headers) {
    const value = c.req.header(header)
    if (value !== undefined) input[field] = value
  }
  for (const name of plan.parts.params) input[name] = c.req.param(name) ?? ''
  return input
}

const described = (c: Context<Env>) => ({ request_id: c.get('requestId'), method: c.req.method, path: c.req.path })

const checkCsrf = (identity: Identity, request: Request): void => {
  if (!identity.isAmbient || SAFE_METHODS.has(request.method)) return
  const isOurs = request.headers.get('x-requested-with')?.toLowerCase() === 'xmlhttprequest'
  if (isOurs && request.headers.get('sec-fetch-site') !== 'cross-site') return
  throw new AppError('CSRF_FAILED', 'A change in a browser session needs the header X-Requested-With: XMLHttpRequest')
}

export const createApp = <Tables>({ kernel, features, identify, guard, log }: HttpOptions<Tables>): Hono<Env> => {
  const app = new Hono<Env>({ strict: true })
  const routes: Route[] = []

  /** Finds out who calls, and whether they may. */
  const admit = async (c: Context<Env>, { access, bearerOnly = false }: Admission): Promise<void> => {
    if (access === 'public') return
    const { headers } = c.req.raw
    const identity = bearerOnly && !headers.has('authorization') ? undefined : await identify(headers)
    if (!identity) {
      checkAccess(access, GUEST)
      return
    }
    if (identity.setCookie) c.set('setCookie', identity.setCookie)
    c.set('caller', identity.caller)
    checkCsrf(identity, c.req.raw)
    // Before the body is read: a caller without the permission learns nothing about it.
    checkAccess(access, identity.caller)
  }

  /** What every answer has. A handler that wraps another, and not Hono middleware, which costs a third of a short request. */
  const answered =
    (handler: (c: Context<Env>) => Promise<Response>, kind: RequestKind) =>
    async (c: Context<Env>): Promise<Response> => {
      const startedMs = performance.now()
      c.set('requestId', Bun.randomUUIDv7())
      // Without a socket, in tests, there is no environment either.
      const client = guard.clientOf(c.env?.peer ?? '', c.req.raw.headers)
      c.set('client', client)
      c.set('caller', GUEST)
      const { headers, error } = guard.admit(client, kind)
      let response: Response
      try {
        if (error) throw error
        response = await guard.run(handler(c), kind)
      } catch (thrown) {
        // Hono's own onError is for instances of Error alone.
        response = errorResponse(c, thrown)
      }
      for (const name in headers) response.headers.set(name, headers[name] ?? '')
      guard.answered(kind, response.status, startedMs)
      return finish(c, response)
    }

  const mount = (
    http: HttpParts,
    kind: Omit<RequestKind, 'route'>,
    handler: (c: Context<Env>) => Promise<Response>,
  ) => {
    routes.push({ ...http, pattern: patternOf(http.path) })
    const whole = answered(handler, { ...kind, route: http.path })
    app.on(http.method, http.path.replace(/\{(\w+)\}/g, ':$1'), whole)
  }

  const callOf = (c: Context<Env>) => ({
    caller: c.get('caller'),
    requestId: c.get('requestId'),
    client: c.get('client'),
    signal: c.req.raw.signal,
  })

  /** What `work` makes of the request, or a refusal that is put on record. */
  const prepared = async <T>(c: Context<Env>, called: AnyOperation | RawRoute, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      await kernel.refused(called, { ...callOf(c), input: c.req.param() }, error)
      throw error
    }
  }

  const mountOperation = (bound: Bound<Tables>) => {
    const plan = planFor(bound.op)
    const { op, parts } = plan
    const isRead = op.effect === 'read'
    mount(parts, op, async (c) => {
      const input = await prepared(c, op, async () => {
        await admit(c, op)
        return readInput(plan, c)
      })
      const answer = await kernel.run(bound, {
        ...callOf(c),
        input,
        ifMatch: parts.method === 'PUT' || parts.method === 'DELETE' ? c.req.header('if-match') : undefined,
      })
      const broken = (error: unknown) => log.error('answer broken off', { ...described(c), error })
      return respond({ request: c.req.raw, status: op.status ?? 200, isRead, broken }, answer)
    })
  }

  const mountRaw = (bound: BoundRaw<Tables>) => {
    mount(httpParts(bound.route.http), bound.route, async (c) => {
      await prepared(c, bound.route, () => admit(c, bound.route))
      return kernel.runRaw(bound, callOf(c), c.req.raw)
    })
  }

  const finish = (c: Context<Env>, response: Response): Response => {
    const { headers } = response
    for (const [name, value] of EVERY_ANSWER) headers.set(name, value)
    headers.set('X-Request-Id', c.get('requestId'))
    const cookie = c.get('setCookie')
    if (cookie && !headers.has('set-cookie')) headers.append('set-cookie', cookie)
    return response
  }

  const errorResponse = (c: Context<Env>, thrown: unknown): Response => {
    const error = toAppError(thrown)
    if (error.code === 'INTERNAL_ERROR') log.error('request failed', { ...described(c), error: error.cause ?? error })
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': DATA_CACHE_CONTROL }
    if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer'
    if (error.retryAt) headers['Retry-After'] = error.retryAt.toUTCString()
    return new Response(JSON.stringify(error.toBody()), { status: error.status, headers })
  }

  const allowedMethods = (path: string): Method[] =>
    routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)

  for (const feature of features) {
    // First, because none of them has a parameter in its path that would hide the others.
    for (const bound of feature.routes ?? []) mountRaw(bound)
    for (const bound of feature.operations) mountOperation(bound)
  }
  const unknown = async (c: Context<Env>): Promise<Response> => {
    const allowed = allowedMethods(c.req.path)
    if (allowed.length > 0) {
      const response = errorResponse(c, new AppError('METHOD_NOT_ALLOWED', `${c.req.method} is not possible here`))
      response.headers.set('Allow', [...new Set(allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed)].join(', '))
      return response
    }
    if (JSON_PREFIXES.some((prefix) => c.req.path.startsWith(prefix)))
      return errorResponse(c, new AppError('NOT_FOUND', `There is no ${c.req.path}`))
    return new Response('Not found\n', { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
  }
  app.notFound(answered(unknown, { route: 'unknown' }))
  return app
}
