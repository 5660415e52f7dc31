/** The route of the MCP endpoint. Browser-safe. */
import { z } from 'zod'
import { rawRoute } from '../../kernel/operation.ts'

const Id = z.union([z.string(), z.number()])

/** JSON-RPC 2.0, section 4. A notification has no id. */
const Message = z
  .object({
    jsonrpc: z.literal('2.0'),
    // The SDK takes no fraction.
    id: z.union([z.string(), z.int()]).optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ exact: { additionalProperties: false } })

/** JSON-RPC 2.0, section 5.1. */
const Failure = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: Id.nullable().optional(),
    error: z.object({ code: z.int(), message: z.string() }),
  })
  .meta({ id: 'JsonRpcError' })

export const mcpRoutes = {
  call: rawRoute({
    name: 'mcp.call',
    summary:
      'The Model Context Protocol: Streamable HTTP without sessions, JSON-RPC by POST, with an API key or an OAuth access token',
    http: 'POST /mcp',
    access: 'authenticated',
    bearerOnly: true,
    alsoAnswers: { 202: 'empty' },
    input: Message,
    refusal: Failure,
    produces: 'application/json',
  }),
}
