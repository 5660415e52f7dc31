/** Calls of MCP tools as HTTP requests. */
import type { RequestParts } from './connection.ts'

const REVISION = '2026-07-28'

/** A call as the newest revision demands it. */
export const toolCall = (name: string, args: object): RequestParts => ({
  method: 'POST',
  path: '/mcp',
  headers: {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: args,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': REVISION,
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
})
