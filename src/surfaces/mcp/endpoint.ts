/** The MCP endpoint: Streamable HTTP without sessions, stateless or opened with `initialize`. */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { toAppError } from '../../contract/errors.ts'
import type { DescribeCustom } from '../../contract/json-schema.ts'
import type { Bound } from '../../kernel/context.ts'
import { createWholeResponse } from '../http/answer/respond.ts'
import { DEFAULT_MAX_BODY_BYTES, parseJson, readBytes, requireJsonType } from '../http/body/body.ts'
import { DATA_CACHE_CONTROL } from '../http/headers.ts'
import {
  type CallContext,
  callTool,
  createToolBox,
  type Plans,
  type Runner,
  type ToolBox,
  UnknownToolError,
} from './call.ts'
import { isAllowedOrigin, type OriginRule } from './origin.ts'
import { getPrompt, listPrompts, type Prompt } from './prompts.ts'
import { createReadResource, type ReadResource, type ResourceKind, toTemplates } from './resources.ts'
import { listToolDefinitions, NO_CUSTOM_FIELDS, type ToolDefinition } from './tools.ts'

/** The newest revision, and the two before it. */
export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const

const INSTRUCTIONS =
  'Plat documents a network: datacenters, networks, IP pools, devices and their connections. ' +
  'The listed tools are the most used operations; search_operations finds all others and call_operation runs them. ' +
  'A name is accepted wherever an id is. With fields, lists are tables of only those columns: use it. ' +
  'pool_next_ip only reads; pool_allocate reserves an address for you alone. ' +
  'Calls that delete or change many objects return a plan and change nothing: show the user its summary, then apply_plan. ' +
  'A write with proposal changes nothing: it is proposed, and people merge it; as_of=proposal:7 reads the estate as it would be. ' +
  'Failures are {code, error, details}; details names every invalid field.'

export type McpOptions<Tables> = {
  readonly version: string
  readonly operations: readonly Bound<Tables>[]
  readonly kernel: Runner<Tables>
  readonly plans: Plans<Tables>
  readonly resources: readonly ResourceKind[]
  readonly prompts: readonly Prompt[]
  readonly origins: OriginRule
}

export type Endpoint = (request: Request, context: CallContext) => Promise<Response>

type Served<Tables> = Pick<McpOptions<Tables>, 'version' | 'resources' | 'prompts'> & {
  readonly toolsWith: (describeCustom: DescribeCustom) => readonly ToolDefinition[]
  readonly box: ToolBox<Tables>
  readonly read: ReadResource
}

/** One server per request: an instance of the SDK belongs to one connection, and there are no connections. */
const createServer = <Tables>(served: Served<Tables>, context: CallContext): Server => {
  const { version, toolsWith, box, resources, prompts, read } = served
  const server = new Server(
    { name: 'plat', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS,
      supportedProtocolVersions: [...REVISIONS],
    },
  )
  server.setRequestHandler('tools/list', async () => {
    const tools = toolsWith((await context.describeCustom?.()) ?? NO_CUSTOM_FIELDS)
    // The SDK types schemas as mutable JSON; they are never modified.
    return { tools: tools as never }
  })
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    try {
      return await callTool(box, name, args, context)
    } catch (thrown) {
      if (thrown instanceof UnknownToolError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message)
      throw thrown
    }
  })
  // There are too many to list; tools find them.
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: toTemplates(resources) }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => read(uri, context))
  server.setRequestHandler('prompts/list', () => ({ prompts: listPrompts(prompts) }))
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args } }) => getPrompt(prompts, name, args))
  return server
}

const createRpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

const readMessage = async (request: Request): Promise<unknown> => {
  requireJsonType(request)
  return parseJson(await readBytes(request, DEFAULT_MAX_BODY_BYTES))
}

/** Normalizes a request of a lenient client to the form that the SDK requires. Its body is parsed already. */
const normalizeRequest = (request: Request): Request => {
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json, text/event-stream')
  headers.delete('content-length')
  return new Request(request.url, { method: 'POST', headers, signal: request.signal })
}

const waitForAbort = (signal: AbortSignal): Promise<Response> =>
  new Promise((resolve) => {
    const answer = () => resolve(new Response(null, { status: 499 }))
    if (signal.aborted) answer()
    else signal.addEventListener('abort', answer, { once: true })
  })

const serveLegacy = async (server: Server, request: Request, parsedBody: unknown): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody }), waitForAbort(request.signal)])
  } finally {
    await server.close()
  }
}

const serveModern = (
  server: Server,
  request: Request,
  parsedBody: unknown,
  { log, requestId }: CallContext,
): Promise<Response> => {
  const handler = createMcpHandler(() => server, {
    legacy: 'reject',
    // Nothing changes without a request, so there is nothing to subscribe to.
    maxSubscriptions: 0,
    onerror: (error) => log.debug('mcp request refused', { request_id: requestId, error: error.message }),
  })
  return handler.fetch(request, { parsedBody })
}

/** Describes the tools once for each set of custom fields. */
const createToolCache = <Tables>(operations: readonly Bound<Tables>[]): Served<Tables>['toolsWith'] => {
  const known = new WeakMap<DescribeCustom, readonly ToolDefinition[]>()
  return (describeCustom) => {
    const tools =
      known.get(describeCustom) ??
      listToolDefinitions(
        operations.map(({ op }) => op),
        describeCustom,
      )
    known.set(describeCustom, tools)
    return tools
  }
}

export const createEndpoint = <Tables>(options: McpOptions<Tables>): Endpoint => {
  const { version, operations, kernel, plans, resources, prompts, origins } = options
  const served: Served<Tables> = {
    version,
    resources,
    prompts,
    toolsWith: createToolCache(operations),
    box: createToolBox(operations, kernel, plans),
    read: createReadResource(resources, operations, kernel),
  }
  const answer: Endpoint = async (raw, context) => {
    if (!isAllowedOrigin(raw, origins))
      return createRpcError(403, ProtocolErrorCode.InvalidRequest, 'This origin is not one of this server')
    let message: unknown
    try {
      message = await readMessage(raw)
    } catch (thrown) {
      const { status, message: text } = toAppError(thrown)
      return createRpcError(status, ProtocolErrorCode.ParseError, text)
    }
    // Revisions since 2025-06-18 have no batches.
    if (Array.isArray(message))
      return createRpcError(
        400,
        ProtocolErrorCode.InvalidRequest,
        'Send one message in a request: there are no batches',
      )
    const request = normalizeRequest(raw)
    const server = createServer(served, context)
    return (await isLegacyRequest(request, message))
      ? serveLegacy(server, request, message)
      : serveModern(server, request, message, context)
  }
  return async (raw, context) => {
    const response = await answer(raw, context)
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    const sent = isJson ? await createWholeResponse(response) : response
    sent.headers.set('Cache-Control', DATA_CACHE_CONTROL)
    return sent
  }
}
