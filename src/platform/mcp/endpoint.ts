/**
 * The MCP endpoint: Streamable HTTP without sessions, one JSON answer per POST. Both eras of the protocol are served:
 * 2026-07-28, where every request stands alone, and those before, which open with `initialize`.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { toAppError } from '../errors.ts'
import { DEFAULT_MAX_BODY_BYTES, parseJson, readBytes, requireJsonType } from '../http/body.ts'
import { DATA_CACHE_CONTROL } from '../http/headers.ts'
import type { Bound } from '../kernel.ts'
import { type CallContext, callTool, createToolBox, type Runner, type ToolBox, UnknownToolError } from './call.ts'
import { type ToolDefinition, toolDefinitions } from './tools.ts'

const INSTRUCTIONS =
  'Plat is the register of a network: datacenters, networks, IP pools, devices and what connects them. ' +
  'The listed tools are the most used operations; search_operations finds all others and call_operation runs them. ' +
  'Ids come from the list and search tools. pool_next_ip only looks; pool_allocate takes an address so that nobody else gets it. ' +
  'Failures are {code, error, details}; details names every bad field.'

export type McpOptions<Tables> = {
  readonly version: string
  readonly operations: readonly Bound<Tables>[]
  readonly kernel: Runner<Tables>
}

export type Endpoint = (request: Request, context: CallContext) => Promise<Response>

type Served<Tables> = {
  readonly version: string
  readonly tools: readonly ToolDefinition[]
  readonly box: ToolBox<Tables>
}

/** One server per request: the SDK's instances belong to one connection, and there are no connections. */
const serverFor = <Tables>({ version, tools, box }: Served<Tables>, context: CallContext): Server => {
  const server = new Server({ name: 'plat', version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  // The SDK types schemas as mutable JSON; nobody writes to these.
  server.setRequestHandler('tools/list', () => ({ tools: tools as never }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }) => {
    try {
      return await callTool(box, name, args, context)
    } catch (thrown) {
      if (thrown instanceof UnknownToolError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message)
      throw thrown
    }
  })
  return server
}

const rpcError = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

const readMessage = async (request: Request): Promise<unknown> => {
  requireJsonType(request)
  return parseJson(await readBytes(request, DEFAULT_MAX_BODY_BYTES))
}

/** The request as the SDK demands it, whatever a lenient client sent: the body is parsed already, the answer is JSON. */
const normalised = (request: Request): Request => {
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'application/json, text/event-stream')
  headers.delete('content-length')
  return new Request(request.url, { method: 'POST', headers, signal: request.signal })
}

const aborted = (signal: AbortSignal): Promise<Response> =>
  new Promise((resolve) => {
    const answer = () => resolve(new Response(null, { status: 499 }))
    if (signal.aborted) answer()
    else signal.addEventListener('abort', answer, { once: true })
  })

const serveLegacy = async (server: Server, request: Request, parsedBody: unknown): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await Promise.race([transport.handleRequest(request, { parsedBody }), aborted(request.signal)])
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
    // Nothing here changes without being asked for, so there is nothing to listen to.
    maxSubscriptions: 0,
    onerror: (error) => log.debug('mcp request refused', { request_id: requestId, error: error.message }),
  })
  return handler.fetch(request, { parsedBody })
}

export const createEndpoint = <Tables>({ version, operations, kernel }: McpOptions<Tables>): Endpoint => {
  const tools = toolDefinitions(operations.map(({ op }) => op))
  const served = { version, tools, box: createToolBox(operations, kernel) }
  return async (raw, context) => {
    let message: unknown
    try {
      message = await readMessage(raw)
    } catch (thrown) {
      const { status, message: text } = toAppError(thrown)
      return rpcError(status, ProtocolErrorCode.ParseError, text)
    }
    const request = normalised(raw)
    const server = serverFor(served, context)
    const response = (await isLegacyRequest(request, message))
      ? await serveLegacy(server, request, message)
      : await serveModern(server, request, message, context)
    response.headers.set('Cache-Control', DATA_CACHE_CONTROL)
    return response
  }
}
