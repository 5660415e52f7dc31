/** Helpers of the tests of the MCP endpoint: real clients of the SDK on an app, and tool calls with their answers. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'

type Fetch = (request: Request) => Promise<Response>

/** The server and the key to use. */
export type Peer = { readonly fetch: Fetch; readonly key: string; readonly url?: string }
export type Answer = { readonly isError: boolean; readonly value: Record<string, unknown> }

const Result = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()),
})

/** `auto` uses the newest revision, `legacy` the one before. */
export const connect = async (
  { fetch, key, url = 'http://plat.test/mcp' }: Peer,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: (to, init) => fetch(new Request(String(to), init)),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

/** Returns the answer of a tool, and checks that its text and its structure agree. */
export const answerOf = (result: unknown): Answer => {
  const { isError = false, content, structuredContent } = Result.parse(result)
  if (!Bun.deepEquals(JSON.parse(content[0].text), structuredContent))
    throw new Error(`the text of the answer differs from its structure: ${content[0].text}`)
  return { isError, value: structuredContent }
}

export const callOn = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
  answerOf(await client.callTool({ name, arguments: args }))

export const callTool = async (peer: Peer, name: string, args: Record<string, unknown> = {}): Promise<Answer> =>
  callOn(await connect(peer), name, args)

/** The content of a plan. */
export const Plan = z.object({
  plan_id: z.string(),
  expires_at: z.string(),
  summary: z.string(),
  changes: z.record(z.string(), z.record(z.string(), z.number())),
  objects: z.array(
    z.object({
      change: z.string(),
      kind: z.string(),
      id: z.string(),
      name: z.string(),
      fields: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })).optional(),
    }),
  ),
  failures: z.array(z.unknown()).optional(),
})
export type Plan = z.infer<typeof Plan>
