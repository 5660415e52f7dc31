// The protocol over a real socket: three revisions, clients of both major versions of the SDK, and malformed requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport as TransportOfV1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { answerOf } from '../../../testing/mcp.ts'

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18'] as const
type Revision = (typeof REVISIONS)[number]
const NEWEST = REVISIONS[0]
const OLDER = REVISIONS.slice(1)

let app: TestApp
let admin: TestCaller
let server: ReturnType<typeof Bun.serve>
let url: URL

beforeAll(async () => {
  app = await testApp({ env: { LISTEN_ADDR: ':8080' } })
  admin = await app.as('admin')
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
  url = new URL('/mcp', server.url)
})
afterAll(async () => {
  await server.stop(true)
  await app.close()
})

const requestInit = () => ({ headers: { Authorization: `Bearer ${admin.key}` } })

const send = (body: unknown, headers: Record<string, string> = {}, method = 'POST') =>
  fetch(url, {
    method,
    headers: {
      ...requestInit().headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const META = {
  'io.modelcontextprotocol/protocolVersion': NEWEST,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Builds a request exactly as the given revision requires. */
const ask = (revision: Revision, method: string, params: Record<string, unknown> = {}) => {
  const isNewest = revision === NEWEST
  const body = { jsonrpc: '2.0', id: 7, method, params: isNewest ? { ...params, _meta: META } : params }
  const name = params.name ?? params.uri
  return send(body, {
    'MCP-Protocol-Version': revision,
    ...(isNewest && { 'Mcp-Method': method }),
    ...(isNewest && typeof name === 'string' && { 'Mcp-Name': name }),
  })
}

const codeOf = async (response: Response): Promise<unknown> => {
  const { error } = (await response.json()) as { error?: { code?: unknown } }
  return error?.code
}

describe('a client of the SDK', () => {
  test('version 2 speaks the newest revision', async () => {
    const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit() }))
    expect(client.getNegotiatedProtocolVersion()).toBe(NEWEST)
    expect(answerOf(await client.callTool({ name: 'device_list', arguments: { limit: 1 } })).value).toHaveProperty(
      'items',
    )
    await client.close()
  })

  test('version 2 speaks the one before as well', async () => {
    const client = new Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: requestInit() }))
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    expect(answerOf(await client.callTool({ name: 'device_list', arguments: { limit: 1 } })).value).toHaveProperty(
      'items',
    )
    await client.close()
  })

  describe('version 1', () => {
    const connect = async () => {
      const client = new ClientV1({ name: 'v1', version: '1' })
      // The SDK's transport declares optional fields differently from its interface.
      await client.connect(new TransportV1(url, { requestInit: requestInit() }) as TransportOfV1)
      return client
    }

    test('lists tools, and finds every answer as its schema says', async () => {
      const client = await connect()
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('apply_plan')
      const { id } = await admin.api.devices.create({ name: 'v1-device', addresses: [{ ip: '10.1.0.1' }] })
      const network = await admin.api.networks.create({ name: 'v1-net', subnet: '10.1.0.0/24' })
      // The client validates the results against the output schema, and throws.
      const calls: [string, Record<string, unknown>][] = [
        ['device_list', {}],
        ['device_list', { fields: ['id', 'name'] }],
        ['device_get', { id }],
        ['device_get', { id, fields: ['name'] }],
        ['device_get', { id: 'nobody' }],
        ['device_update', { id, os: 'EOS' }],
        ['network_list', { include: ['utilization'] }],
        ['network_get', { id: network.id }],
        ['pool_list', {}],
        ['search', { q: 'v1' }],
        ['search', { q: 'v1', fields: ['type', 'name'] }],
        ['lookup', { query: '10.1.0.1' }],
        ['conflict_list', {}],
        ['audit_list', {}],
        ['relationship_list', {}],
        ['discovery_list', { network_id: '*' }],
        ['discovery_scan', { id: network.id, dry_run: true }],
        ['search_operations', { query: 'delete device' }],
        ['call_operation', { operation: 'devices.delete', input: { id } }],
        ['relationship_delete', { device_id: id, child_id: id, type: 'contains' }],
        ['apply_plan', { plan_id: 'none' }],
      ]
      const failed: string[] = []
      for (const [name, args] of calls)
        await client.callTool({ name, arguments: args }).catch((error: unknown) => failed.push(`${name}: ${error}`))
      expect(failed).toEqual([])
      await client.close()
    })

    test('reads resources and prompts', async () => {
      const client = await connect()
      const { id } = await admin.api.devices.create({ name: 'attached' })
      const { contents } = await client.readResource({ uri: `plat://device/${id}` })
      expect(contents).toMatchObject([{ mimeType: 'application/json', text: expect.stringContaining('"attached"') }])
      const { messages } = await client.getPrompt({ name: 'who_is', arguments: { query: '10.0.0.1' } })
      expect(messages).toHaveLength(1)
      await client.close()
    })
  })
})

describe.each(REVISIONS)('revision %s', (revision) => {
  test('answers a request on its own, without any before it', async () => {
    const response = await ask(revision, 'tools/call', { name: 'device_list', arguments: { limit: 1 } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({
      id: 7,
      result: { structuredContent: { truncated: expect.anything() } },
    })
  })

  test('begins no session', async () => {
    const response = await ask(revision, 'tools/list')
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  test('knows no other methods', async () => {
    const response = await ask(revision, 'tools/destroy')
    expect([response.status, await codeOf(response)]).toEqual([revision === NEWEST ? 404 : 200, -32601])
  })

  test('names an unknown tool', async () => {
    const response = await ask(revision, 'tools/call', { name: 'nope', arguments: {} })
    expect([response.status, await codeOf(response)]).toEqual([200, -32602])
  })

  test('names an unknown resource', async () => {
    for (const uri of [
      'plat://device/nobody',
      'plat://nothing/x',
      'file:///etc/passwd',
      'plat://device/%',
      'plat://device/a/b',
    ])
      expect(await codeOf(await ask(revision, 'resources/read', { uri }))).toBe(-32602)
  })

  test('takes no batch', async () => {
    const one = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const response = await send([one, one], { 'MCP-Protocol-Version': revision })
    expect([response.status, await codeOf(response)]).toEqual([400, -32600])
  })

  test.each(['GET', 'DELETE', 'PUT'])('answers 405 to %s', async (method) => {
    const response = await send(undefined, { 'MCP-Protocol-Version': revision }, method)
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('takes a notification without an answer', async () => {
    const isNewest = revision === NEWEST
    const params = { requestId: 1, ...(isNewest && { _meta: META }) }
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    const headers = isNewest ? { 'Mcp-Method': body.method } : {}
    const response = await send(body, { 'MCP-Protocol-Version': revision, ...headers })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })
})

describe.each(OLDER)('a handshake of %s', (revision) => {
  const hello = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  })

  test('agrees on it', async () => {
    expect(await (await send(hello(revision))).json()).toMatchObject({
      result: {
        protocolVersion: revision,
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'plat' },
      },
    })
  })

  test('offers the newest version with a handshake to a client with an unknown one', async () => {
    for (const other of ['2024-11-05', '2025-03-26', '2099-01-01'])
      expect(await (await send(hello(other))).json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  })

  test('is followed by requests without a version, which are of the oldest', async () => {
    const response = await send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    expect([response.status, await response.json()]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }])
  })
})

describe('the newest revision', () => {
  test('lists the supported versions', async () => {
    expect(await (await ask(NEWEST, 'server/discover')).json()).toMatchObject({
      result: { supportedVersions: [NEWEST], capabilities: { tools: {}, resources: {}, prompts: {} } },
    })
  })

  test('demands that the header and the message name the same version', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
    const response = await send(body, { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Method': 'tools/list' })
    expect([response.status, await codeOf(response)]).toEqual([400, -32020])
  })

  test('demands that the header names the method', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: META } }
    const response = await send(body, { 'MCP-Protocol-Version': NEWEST, 'Mcp-Method': 'prompts/list' })
    expect([response.status, await codeOf(response)]).toEqual([400, -32020])
  })

  test('demands the metadata of the request', async () => {
    const response = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'MCP-Protocol-Version': NEWEST })
    expect([response.status, await codeOf(response)]).toEqual([400, -32602])
  })

  test('names the supported versions to a client with an unknown one', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }
    const response = await send(body, { 'MCP-Protocol-Version': '2099-01-01', 'Mcp-Method': 'tools/list' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32022, data: { supported: [NEWEST] } } })
  })

  test('has no ping and no handshake', async () => {
    for (const method of ['ping', 'initialize']) expect((await ask(NEWEST, method)).status).toBe(404)
  })
})

test('an unknown version is refused before the message is read', async () => {
  const response = await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'MCP-Protocol-Version': '2025-03-26' })
  expect(response.status).toBe(400)
})

describe('a web page', () => {
  const from = (Origin: string) => send({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { Origin })

  // The server listens on all addresses. A DNS name rebound to it makes the page's origin equal to the host.
  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'nonsense', 'the host itself'])(
    'of %s may not speak to it',
    async (origin) => {
      const response = await from(origin === 'the host itself' ? url.origin : origin)
      expect([response.status, await codeOf(response)]).toEqual([403, -32600])
    },
  )
})
