/** The REST projection. Order of checks: route -> credentials -> CSRF -> permission -> body -> object. */

import type { Logger } from '../../base/runtime/log.ts'
import { canPropose } from '../../contract/can-propose.ts'
import { AppError, toAppError } from '../../contract/errors.ts'
import type { Bound, BoundRaw, Feature } from '../../kernel/context.ts'
import { WithStatus } from '../../kernel/handler-result.ts'
import { parseHttp } from '../../kernel/http-route.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Access, AnyOperation, NeededSession, RawRoute, ScopeRule } from '../../kernel/operation.ts'
import type { Identify, Identity } from '../../kernel/request.ts'
import {
  checkAccess,
  getAdmission,
  offerProposal,
  PROPOSAL_ADMISSION,
  refuseFeedKey,
  requireSession,
  requireSetup,
} from '../../kernel/rights/access.ts'
import { buildErrorAnswer } from './answer/error-answer.ts'
import { discard, finish } from './answer/finish.ts'
import { streamProgress, toErrorLine } from './answer/progress-lines.ts'
import { type LongBody, respond } from './answer/respond.ts'
import type { Recipient } from './answer/response-stream.ts'
import type { Streams } from './answer/streams.ts'
import type { Connection } from './answer/unacknowledged.ts'
import { asksForProposal, buildInputPlan, type InputPlan, readInput } from './body/input.ts'
import { createApiFinder } from './foreign-api.ts'
import type { Guard, RequestKind } from './guard.ts'
import { DATA_CACHE_CONTROL, type SecurityHeaders } from './headers.ts'
import { selectLower } from './limits/limits.ts'
import { refuseUnknownRawQuery } from './query-names.ts'
import { type Answered, RequestContext, split } from './request-context.ts'
import type { HostCheck } from './request-host.ts'
import { withWholeUrl } from './request-url.ts'
import { createRouteTable } from './route-table.ts'

export type HttpOptions<Tables> = {
  readonly kernel: Kernel<Tables>
  readonly features: readonly Feature<Tables>[]
  readonly guard: Guard
  readonly identify: Identify
  readonly log: Logger
  readonly streams: Streams
  readonly checkHost: HostCheck
  /** The headers of every answer. */
  readonly headers: SecurityHeaders
}

/** The properties of a request's socket. */
export type Socket = {
  /** The address of the peer; '' without a socket. */
  readonly peer: () => string
  readonly connection?: () => Connection | undefined
  /** Closes the connection, even if data waits to be sent. */
  readonly disconnect?: () => void
  /** Keeps the connection open, however long the answer takes. */
  readonly keepOpen?: () => void
  /** The path of the URL differs from the one that was sent. */
  readonly isPathAltered?: boolean
}

export type App = { readonly fetch: (request: Request, socket?: Socket) => Promise<Response> }

type Admission = {
  readonly access: Access
  readonly scope?: ScopeRule | undefined
  readonly bearerOnly?: boolean
  readonly admitsFeedKeys?: boolean
  readonly session?: NeededSession | undefined
  readonly beforeSetup?: true | undefined
  /** The route's own way to identify callers. */
  readonly own?: Identify | undefined
}
type Handler = (context: RequestContext) => Promise<Answered | Response>
type Mounted = {
  readonly kind: RequestKind
  readonly handle: Handler
  /** Sends nothing before it is done, which may take minutes. */
  readonly isSilent?: boolean
  /** A call that is proposed runs all operations of the proposal. */
  readonly isProposable?: boolean
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
const METHODS = new Set([...SAFE_METHODS, 'POST', 'PUT', 'PATCH', 'DELETE'])
const JSON_PREFIXES = ['/api/', '/mcp-oauth/', '/.well-known/']
const NO_SOCKET: Socket = { peer: () => '' }

const checkCsrf = ({ isAmbient }: Identity, { method, headers }: Request): void => {
  if (!isAmbient || SAFE_METHODS.has(method)) return
  const isOurs = headers.get('x-requested-with')?.toLowerCase() === 'xmlhttprequest'
  if (isOurs && headers.get('sec-fetch-site') !== 'cross-site') return
  throw new AppError('CSRF_FAILED', 'A change in a browser session needs the header X-Requested-With: XMLHttpRequest')
}

const buildRecipient = (context: RequestContext, route: string, { connection, disconnect }: Socket): Recipient => ({
  owner: context.caller.userId ?? context.client,
  username: context.caller.username,
  route,
  requestId: context.requestId,
  connection: connection?.(),
  disconnect: disconnect ?? (() => {}),
})

const describeRequest = ({ requestId, raw, path }: RequestContext) => ({
  request_id: requestId,
  method: raw.method,
  path,
})

const NDJSON = 'application/x-ndjson'
/** A client gets lines only if it names their type. */
const acceptsLines = ({ headers }: Request): boolean => headers.get('accept')?.includes(NDJSON) === true

export const createApp = <Tables>(options: HttpOptions<Tables>): App => {
  const { kernel, features, identify, guard, log, streams, checkHost } = options
  const security = new Headers(options.headers)
  const table = createRouteTable<Mounted>()
  const findApi = createApiFinder(features.flatMap(({ foreignApi }) => foreignApi ?? []))

  /** @throws AppError RATE_LIMIT_EXCEEDED if the user has used up its limit */
  const admitUser = async (context: RequestContext): Promise<void> => {
    const { userId } = context.caller
    if (!guard.admitUser || userId === undefined) return
    context.userLimit = await guard.admitUser(userId)
    if (context.userLimit.error) throw context.userLimit.error
  }

  /** Identifies the caller and checks the access. */
  const admit = async (
    context: RequestContext,
    { access, scope, bearerOnly = false, admitsFeedKeys = false, session, beforeSetup, own }: Admission,
  ): Promise<void> => {
    if (access === 'public' && !own) return
    const { raw } = context
    const isNobody = bearerOnly && !own && !raw.headers.has('authorization')
    const getIdentity = () => (own ?? identify)(raw.headers, context)
    const identity = isNobody ? undefined : await getIdentity()
    if (identity) {
      context.setCookie = identity.setCookie
      context.caller = identity.caller
      context.readPoint = identity.readPoint
      context.rights = identity.rights
      await admitUser(context)
      checkCsrf(identity, raw)
    }
    // Before the body is read: a caller without the permission learns nothing about it.
    if (!admitsFeedKeys) refuseFeedKey(context.caller)
    if (!beforeSetup) requireSetup(context.caller)
    checkAccess(access, context.caller, scope)
    // How old its sign-in is, the kernel checks.
    if (session) requireSession(context.caller)
  }

  /** Records in the audit trail that a request was rejected before it ran. */
  const refused = async (context: RequestContext, called: AnyOperation | RawRoute, error: unknown): Promise<never> => {
    // A call over a limit has no entry.
    if (!context.userLimit?.error) await kernel.refused(called, context, error)
    throw 'effect' in called ? offerProposal(called, context.caller, error) : error
  }

  const operationHandler = (bound: Bound<Tables>): Handler => {
    const { op } = bound
    // Computed at the first request: doing it for all operations would take a third of the start.
    let known: InputPlan | undefined
    const plan = (): InputPlan => {
      known ??= buildInputPlan(op, { isPaced: bound.enter !== undefined })
      return known
    }
    const isRead = op.effect === 'read'
    const { access, scope, session, beforeSetup } = op
    const bare = { access, scope, session, beforeSetup }
    const isProposable = canPropose(op)
    const getAdmissionOf = ({ search, params }: RequestContext): Pick<Admission, 'access' | 'scope'> => {
      if (isProposable && asksForProposal(search)) return PROPOSAL_ADMISSION
      return op.createsByRef ? { access: getAdmission(op, params.id), scope } : bare
    }
    const isConditional = /^(PUT|DELETE) /.test(op.http)
    const read = (context: RequestContext): void | Promise<void> => {
      const input = readInput(plan(), context)
      if (!(input instanceof Promise)) {
        context.input = input
        return
      }
      return input.then((body) => {
        context.input = body
      })
    }
    const run = async (context: RequestContext): Promise<Answered> => {
      if (isConditional) context.ifMatch = context.raw.headers.get('if-match') ?? undefined
      if (op.createsByRef) context.ifNoneMatch = context.raw.headers.get('if-none-match') ?? undefined
      const answer = await kernel.run(bound, context)
      return respond({ context, status: op.status ?? 200, isRead }, answer)
    }
    return async (context) => {
      try {
        await admit(context, { ...bare, ...getAdmissionOf(context) })
        // Most reads have their input at once.
        const reading = bound.enter ? undefined : read(context)
        if (reading) await reading
      } catch (error) {
        return refused(context, op, error)
      }
      if (!bound.enter) {
        if (op.reportsProgress && acceptsLines(context.raw)) return progressAnswer(bound, context)
        return run(context)
      }
      // A call that must come again has no entry in the audit trail.
      const leave = await bound.enter(context.caller)
      try {
        await read(context)
        if (op.reportsProgress && acceptsLines(context.raw)) return progressAnswer(bound, context, leave)
      } catch (error) {
        leave()
        return refused(context, op, error)
      }
      return run(context).finally(leave)
    }
  }

  /** Returns lines of progress. The status is sent before the outcome, which is the last line. */
  const progressAnswer = (bound: Bound<Tables>, context: RequestContext, leave?: () => void): Response => {
    const outcome = async (): Promise<object> => {
      try {
        const answer = await kernel.run(bound, context)
        const changeId = context.answerHeaders?.['X-Change-Id']
        const proposal = context.answerHeaders?.['X-Proposal']
        const result = answer instanceof WithStatus ? answer.value : answer
        return {
          result,
          ...(changeId !== undefined && { change_id: changeId }),
          ...(proposal !== undefined && { proposal: Number(proposal) }),
        }
      } catch (thrown) {
        return toErrorLine(reportFailure(context, thrown))
      } finally {
        // Before the last line, because its reader may call again at once.
        leave?.()
      }
    }
    const left = new AbortController()
    context.endsWith(left.signal)
    const run = (progress: (done: number, total: number) => void) => {
      context.progress = progress
      return outcome()
    }
    const lines = streamProgress({ total: 0, run, cancelled: () => left.abort() })
    return new Response(lines, { headers: { 'Content-Type': NDJSON, 'Cache-Control': DATA_CACHE_CONTROL } })
  }

  const rawHandler = (bound: BoundRaw<Tables>): Handler => {
    const { route, identify: own } = bound
    const { access, scope, bearerOnly = false, admitsFeedKeys = false, session, beforeSetup } = route
    return async (context) => {
      await admit(context, { access, scope, bearerOnly, admitsFeedKeys, session, beforeSetup, own })
        .then(() => refuseUnknownRawQuery(context, route.query))
        .catch((error: unknown) => refused(context, route, error))
      return kernel.runRaw(bound, context, withWholeUrl(context.raw))
    }
  }

  /** Returns the error for the client, and logs one that is the server's. */
  const reportFailure = (context: RequestContext, thrown: unknown): AppError => {
    const error = toAppError(thrown)
    if (error.code === 'INTERNAL_ERROR' && !context.isAbort(thrown))
      log.error('request failed', { ...describeRequest(context), error: error.cause ?? error })
    return error
  }

  const errorAnswer = (context: RequestContext, thrown: unknown): Answered =>
    buildErrorAnswer(reportFailure(context, thrown), context.foreignApi)

  const unknown: Handler = async (context) => {
    const { path, raw, foreignApi } = context
    const methods = table.methods(path)
    // A method such as TRACE (RFC 9110 9.3.8) is possible on no path, with or without a route.
    if (methods.length > 0 || !METHODS.has(raw.method)) {
      const answer = errorAnswer(
        context,
        new AppError('METHOD_NOT_ALLOWED', `${raw.method} is not supported at this path`),
      )
      const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).join(', ')
      return { ...answer, headers: { ...answer.headers, Allow: allow } }
    }
    if (foreignApi || JSON_PREFIXES.some((prefix) => path.startsWith(prefix)))
      return errorAnswer(context, new AppError('NOT_FOUND', `There is no ${path}`))
    return { status: 404, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'Not found\n' }
  }
  const nowhere: Mounted = { kind: { route: 'unknown' }, handle: unknown }

  for (const { routes = [], operations } of features) {
    for (const bound of routes) mount(bound.route, rawHandler(bound))
    for (const bound of operations) mount(bound.op, operationHandler(bound))
  }

  function mount(called: AnyOperation | RawRoute, handle: Handler): void {
    const { method, path } = parseHttp(called.http)
    const { isSensitive = false } = called
    const isLong = 'isLong' in called && called.isLong === true
    const isProbe = 'isProbe' in called && called.isProbe === true
    // Raw routes that take long report their progress.
    const isSilent = isLong && 'effect' in called
    const isProposable = 'effect' in called && canPropose(called)
    table.add(method, path, { kind: { route: path, isSensitive, isLong, isProbe }, handle, isSilent, isProposable })
  }

  return {
    fetch: async (request, socket = NO_SOCKET) => {
      const startedMs = performance.now()
      const [sent, search] = split(request.url)
      const entry = findApi(sent, request.headers)
      const path = entry?.path ?? sent
      const found = table.find(request.method, path)
      // A write reads the peer's address at once, because the client may disconnect before the audit entry is made.
      const peer = SAFE_METHODS.has(request.method) ? undefined : socket.peer()
      const getClient = () => guard.getClient(peer ?? socket.peer(), request.headers)
      const getOrigin = () => guard.getOrigin(peer ?? socket.peer(), request.headers)
      const { api: foreignApi, isAtHost: isAtApiHost = false } = entry ?? {}
      const params = found?.params ?? {}
      const arrival = { raw: request, path, search, params, getClient, getOrigin, foreignApi, isAtApiHost }
      const context = new RequestContext(arrival)
      const { kind: usual, handle, isSilent, isProposable } = found?.route ?? nowhere
      const isProposed = isProposable === true && asksForProposal(search)
      const kind = isProposed ? { ...usual, isLong: true } : usual
      if (isSilent || isProposed) socket.keepOpen?.()
      const admitted = guard.admit(context, kind)
      // Counting takes no turn of the event loop if it returns no promise.
      const client = admitted instanceof Promise ? await admitted : admitted
      let answered: Answered | Response
      let handling: Promise<Answered | Response> | undefined
      try {
        if (client.error) throw client.error
        if (socket.isPathAltered)
          throw new AppError('INVALID_INPUT', 'The path has dot segments, empty segments or a fragment')
        const misdirected = checkHost(request.headers, kind.isProbe)
        if (misdirected) throw misdirected
        handling = handle(context)
        answered = await guard.run(handling, kind)
      } catch (thrown) {
        answered = errorAnswer(context, thrown)
        // A request that has exceeded its deadline may still finish later.
        handling?.then(discard, () => {})
      }
      guard.answered(kind, answered.status, startedMs)
      const failed = (cause: unknown) => log.error('answer broken off', { ...describeRequest(context), error: cause })
      const send = ({ source }: LongBody) => streams.send(source, buildRecipient(context, kind.route, socket), failed)
      const { headers } = context.userLimit ? selectLower(client, context.userLimit) : client
      return finish(answered, { context, security, limits: headers, send })
    },
  }
}
