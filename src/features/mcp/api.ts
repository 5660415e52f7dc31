/** The route of the MCP endpoint. Browser-safe. */
import { rawRoute } from '../../platform/operation/operation.ts'

export const mcpRoutes = {
  call: rawRoute({
    name: 'mcp.call',
    summary:
      'The Model Context Protocol: Streamable HTTP without sessions, JSON-RPC by POST, with an API key or a token of OAuth',
    http: 'POST /mcp',
    access: 'authenticated',
    bearerOnly: true,
    produces: 'application/json',
  }),
}
