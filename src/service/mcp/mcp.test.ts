import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { callOn, callTool, connect as connectTo } from '../../../testing/mcp.ts'
import { cookieOf, refusal, signInApp } from '../../../testing/sign-in/sign-in.ts'

let app: TestApp
let admin: TestCaller
let viewer: TestCaller

beforeAll(async () => {
  app = await testApp({ env: { RATE_LIMIT_ENABLED: 'false' } })
  admin = await app.as('admin')
  viewer = await app.as('viewer')
})
afterAll(() => app.close())

const on = ({ key }: TestCaller) => ({ fetch: app.fetch, key })
const connect = (caller: TestCaller, mode?: 'auto' | 'legacy') => connectTo(on(caller), mode)
const call = (caller: TestCaller, name: string, args?: Record<string, unknown>) => callTool(on(caller), name, args)

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })

describe('the endpoint', () => {
  test('asks for a Bearer token', async () => {
    const response = await app.guest('POST', '/mcp', rpc('tools/list'))
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test('takes no session cookie', async () => {
    const signIn = await signInApp('sqlite')
    await createUser(signIn.db, { username: 'ada', roles: ['admin'], password: 'quick to check' })
    const cookie = cookieOf(await signIn.login('ada', 'quick to check'))
    const headers = { 'X-Requested-With': 'XMLHttpRequest' }
    const response = await signIn.send('POST /mcp', { cookie, headers, body: rpc('tools/list') })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED'])
    await signIn.close()
  })

  test.each(['GET', 'DELETE'])('answers 405 to %s, for there are no sessions', async (method) => {
    const response = await admin.request(method, '/mcp')
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each(['{', '[', '"', 'null', '[]', '{}', '[[]]', '{"jsonrpc":"2.0"}', '['.repeat(100_000)])(
    'answers 400 to %s',
    async (body) => {
      const response = await admin.request('POST', '/mcp', body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
    },
  )

  test('answers 413 to more than 1 MiB', async () => {
    const response = await admin.request('POST', '/mcp', rpc('tools/list', { x: 'x'.repeat(1024 * 1024) }))
    expect(response.status).toBe(413)
  })

  test('answers JSON to a client that asks for nothing in particular', async () => {
    const response = await admin.request('POST', '/mcp', rpc('tools/list'))
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toMatchObject({ id: 1, result: { tools: expect.any(Array) } })
  })

  test('takes a notification', async () => {
    const response = await admin.request('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  test('keeps no stream open', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    const body = rpc('subscriptions/listen', { _meta: meta, notifications: { toolsListChanged: true } })
    const response = await admin.request('POST', '/mcp', body, headers)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('limit') } })
  })
})

describe.each(['auto', 'legacy'] as const)('a client that negotiates: %s', (mode) => {
  test('lists the tools and calls one', async () => {
    const client = await connect(admin, mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['device_list', 'pool_next_ip', 'search', 'search_operations', 'call_operation']),
    )
    expect(await callOn(client, 'device_list', { limit: 1 })).toEqual({
      isError: false,
      value: expect.objectContaining({ items: expect.any(Array) }),
    })
  })

  test('receives the instructions', async () => {
    expect((await connect(admin, mode)).getInstructions()).toContain('search_operations')
  })

  test('gets an error for an unknown tool', async () => {
    const client = await connect(admin, mode)
    expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toThrow('There is no tool nope')
  })
})

describe('tools', () => {
  test('have closed schemas at every depth', async () => {
    const { tools } = await (await connect(admin)).listTools()
    const open: string[] = []
    const visit = (path: string, schema: unknown): void => {
      if (typeof schema !== 'object' || schema === null) return
      if ('properties' in schema && !('additionalProperties' in schema && schema.additionalProperties === false))
        open.push(path)
      for (const [key, inner] of Object.entries(schema)) visit(`${path}.${key}`, inner)
    }
    for (const { name, inputSchema } of tools) visit(name, inputSchema)
    expect(open).toEqual([])
  })

  test.each([
    ['device_list', { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }],
    ['device_create', { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }],
    ['device_update', { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }],
    ['relationship_delete', { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false }],
    ['discovery_scan', { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true }],
    ['call_operation', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
    ['apply_plan', { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
  ])('%s has true hints', async (name, hints) => {
    const { tools } = await (await connect(admin)).listTools()
    expect(tools.find((tool) => tool.name === name)?.annotations).toEqual(hints)
  })

  test('refuse unknown fields, with all else that is wrong', async () => {
    const { isError, value } = await call(admin, 'device_create', { nme: 'x', addresses: [{ ipp: '10.0.0.1' }] })
    expect(isError).toBe(true)
    expect(value).toEqual({
      code: 'VALIDATION_ERROR',
      error: expect.any(String),
      details: [
        { field: 'nme', message: 'unknown field' },
        { field: 'addresses[0].ipp', message: 'unknown field' },
        { field: 'name', message: 'is required' },
        { field: 'addresses[0].ip', message: 'is required' },
      ],
    })
  })

  test('change only what an update names', async () => {
    const before = await admin.api.devices.create({
      name: 'sw-1',
      os: 'EOS',
      tags: ['core'],
      addresses: [{ ip: '10.9.0.1' }],
    })
    const { value } = await call(admin, 'device_update', { id: before.id, hostname: 'sw-1.example.net' })
    expect(value).toEqual({ ...before, hostname: 'sw-1.example.net', updated_at: expect.any(String) })
  })

  test('answer only the fields that are asked for', async () => {
    const { id } = await admin.api.devices.create({ name: 'fields-1' })
    expect((await call(admin, 'device_get', { id, fields: ['name', 'status'] })).value).toEqual({
      name: 'fields-1',
      status: 'active',
    })
  })

  test('refuse an unknown field of the answer before anything happens', async () => {
    const { value } = await call(admin, 'device_create', { name: 'never-made', fields: ['nme'] })
    expect(value).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'fields' }] })
    expect((await admin.api.devices.list({})).map(({ name }) => name)).not.toContain('never-made')
  })

  test('give a list in pages with the next offset', async () => {
    for (let i = 0; i < 120; i++) await admin.api.datacenters.create({ name: `dc-${String(i).padStart(3, '0')}` })
    const first = await call(admin, 'datacenter_list', { fields: ['name'] })
    expect(first.value).toMatchObject({ total: 120, truncated: true, next_offset: 100 })
    expect(first.value.items).toHaveLength(100)
    const second = await call(admin, 'datacenter_list', { fields: ['name'], offset: 100 })
    expect(second.value).toMatchObject({ total: 120, truncated: false })
    expect(second.value.items).toHaveLength(20)
  })

  test('give a list with fields as a table', async () => {
    await admin.api.networks.create({ name: 'table', subnet: '10.78.0.0/24', vlan_id: 78 })
    const { value } = await call(admin, 'network_list', { name: 'table', fields: ['name', 'subnet', 'vlan_id'] })
    expect(value).toEqual({
      fields: ['name', 'subnet', 'vlan_id'],
      items: [['table', '10.78.0.0/24', 78]],
      total: 1,
      truncated: false,
    })
  })

  test('accept names in place of ids', async () => {
    const { id } = await admin.api.networks.create({ name: 'Named LAN', subnet: '10.79.0.0/24' })
    expect((await call(admin, 'network_get', { id: 'named lan' })).value).toMatchObject({ id })
    await call(admin, 'device_create', { name: 'named', addresses: [{ ip: '10.79.0.1', network_id: 'Named LAN' }] })
    expect((await call(admin, 'device_get', { id: 'named' })).value).toMatchObject({ addresses: [{ network_id: id }] })
  })

  test('accept names of objects of a kind, which are looked up in the kind', async () => {
    for (const name of ['Teams', 'Vendors']) await admin.api.kinds.create({ name, nested: true })
    await admin.api.customFields.create({ resource: 'vendors', name: 'team', type: 'reference', reference_to: 'teams' })
    const make = async (kind_id: string) => (await admin.api.objects.create({ kind_id, name: 'Umbra' })).id
    const [team, vendor] = [await make('teams'), await make('vendors')]
    const operate = async (operation: string, input: object) =>
      (await call(admin, 'call_operation', { operation, input })).value
    const made = { kind_id: 'Vendors', name: 'Umbra East', parent_id: 'umbra', custom: { team: 'umbra' } }
    expect(await operate('object_create', made)).toMatchObject({ parent_id: vendor, custom: { team } })
    const moved = { id: 'Umbra East', parent_id: 'Umbra', custom: { team: 'Umbra' } }
    expect(await operate('object_update', moved)).toMatchObject({ parent_id: vendor, custom: { team } })
  })

  test('ask which one is meant where several have the name', async () => {
    const ids = [await admin.api.devices.create({ name: 'twin' }), await admin.api.devices.create({ name: 'twin' })]
    const { isError, value } = await call(admin, 'device_get', { id: 'twin' })
    expect([isError, value.code]).toEqual([true, 'INVALID_INPUT'])
    for (const { id } of ids) expect(value.error).toContain(id)
  })

  test('look up no name for a caller without the permission', async () => {
    expect(await call(viewer, 'device_update', { id: 'twin' })).toMatchObject({ value: { code: 'FORBIDDEN' } })
  })

  test('are the same for everyone, and check rights at the call', async () => {
    const names = async (caller: TestCaller) =>
      (await (await connect(caller)).listTools()).tools.map(({ name }) => name)
    expect(await names(viewer)).toEqual(await names(admin))
    expect(await call(viewer, 'device_create', { nonsense: 1 })).toEqual({
      isError: true,
      value: { code: 'FORBIDDEN', error: 'This needs the permission devices:create', details: [] },
    })
  })

  test('name the object that does not exist', async () => {
    expect(await call(admin, 'device_get', { id: 'nope' })).toMatchObject({
      isError: true,
      value: { code: 'NOT_FOUND' },
    })
  })
})

describe('operations that are not listed', () => {
  test('are found by what they do, with their input', async () => {
    const { value } = await call(admin, 'search_operations', { query: 'create networks' })
    expect(value.operations).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          operation: 'networks.create',
          access: 'networks:create',
          input: expect.stringContaining('subnet: string'),
        }),
      ]),
    )
    expect(value.operations).toHaveProperty('0.operation', 'networks.create')
  })

  test('are listed by noun when nothing matches', async () => {
    const { value } = await call(admin, 'search_operations', { query: 'zzz' })
    expect(value).toEqual({ operations: [], total: 0, nouns: expect.arrayContaining(['networks', 'pools']) })
  })

  test('run by their name or by the name they would have as a tool', async () => {
    const made = await call(admin, 'call_operation', {
      operation: 'networks.create',
      input: { name: 'lan', subnet: '10.77.0.0/24' },
      fields: ['id', 'subnet'],
    })
    expect(made.value).toEqual({ id: expect.any(String), subnet: '10.77.0.0/24' })
    const read = await call(admin, 'call_operation', { operation: 'network_get', input: { id: made.value.id } })
    expect(read.value).toMatchObject({ name: 'lan' })
  })

  test('refuse unknown fields too', async () => {
    const { value } = await call(admin, 'call_operation', { operation: 'networks.create', input: { sbnet: 'x' } })
    expect(value).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'sbnet' }, { field: 'name' }, { field: 'subnet' }],
    })
  })

  test('cannot be called if they are excluded from MCP', async () => {
    const { value } = await call(admin, 'call_operation', { operation: 'keys.create', input: { name: 'x' } })
    expect(value).toMatchObject({ code: 'NOT_FOUND' })
    const found = await call(admin, 'search_operations', { query: 'key create' })
    expect(JSON.stringify(found.value)).not.toContain('keys.create')
  })
})
