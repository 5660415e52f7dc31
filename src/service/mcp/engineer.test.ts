// A real client over a real socket finds a device, allocates an address for it, and plans and applies a bulk change.
// What its user may not do is refused.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Answer, callOn, Plan } from '../../../testing/mcp.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'

const START_TIMEOUT_MS = 60_000

/** Of a write that the user may propose. */
const OFFER = { field: 'proposal', message: 'it can be proposed with proposal=open' }

describe.each(onSqlite())('an engineer with an AI client, on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let engineer: TestCaller
  let server: ReturnType<typeof Bun.serve>
  let client: Client

  beforeAll(async () => {
    app = await testApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
    admin = await app.as('admin')
    engineer = await app.as('operator')
    const network = await admin.api.networks.create({ name: 'Dublin web', subnet: '10.80.0.0/24' })
    await admin.api.pools.create({
      network_id: network.id,
      name: 'web servers',
      start_ip: '10.80.0.10',
      end_ip: '10.80.0.20',
    })
    for (const n of [1, 2, 3, 4])
      await admin.api.devices.create({ name: `web-0${n}`, hostname: `web-0${n}.example.net`, tags: ['legacy'] })
    client = new Client({ name: 'assistant', version: '1' })
    const headers = { Authorization: `Bearer ${engineer.key}` }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit: { headers } }))
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await client.close()
    await server.stop(true)
    await app.close()
  }, START_TIMEOUT_MS)

  const call = (tool: string, args: Record<string, unknown> = {}): Promise<Answer> => callOn(client, tool, args)
  const run = (operation: string, input: object) => call('call_operation', { operation, input })

  test('finds a device', async () => {
    const { value } = await call('search', { q: 'web-04', fields: ['type', 'name'] })
    expect(value.items).toEqual([['device', 'web-04']])
  })

  test('gets it an address, which is recorded on it', async () => {
    const found = await call('pool_list', { name: 'web servers', fields: ['name'] })
    expect(found.value.items).toEqual([['web servers']])
    expect((await call('pool_next_ip', { id: 'web servers' })).value).toMatchObject({ ip: '10.80.0.10' })
    await call('pool_allocate', { id: 'web servers', device_id: 'web-04', label: 'eth0' })
    const device = await call('device_get', { id: 'web-04', fields: ['addresses'] })
    expect(device.value).toMatchObject({ addresses: [{ ip: '10.80.0.10', label: 'eth0' }] })
  })

  test('plans a bulk retag, sees what it would do, and applies it', async () => {
    const { value } = await call('device_list', { tags: ['legacy'], fields: ['id', 'name'] })
    const ids = (value.items as [string, string][]).map(([id]) => id)
    const found = await call('search_operations', { query: 'bulk devices' })
    expect(JSON.stringify(found.value)).toContain('devices.bulk')
    const operations = ids.map((id) => ({
      op: 'update',
      id,
      device: { add_tags: ['retired-2027'], remove_tags: ['legacy'] },
    }))
    const plan = Plan.parse((await run('devices.bulk', { operations })).value)
    expect(plan.summary).toBe('changes 4 devices')
    expect(plan.objects[0]?.fields).toEqual({ tags: { from: ['legacy'], to: ['retired-2027'] } })
    expect(await call('device_list', { tags: ['legacy'] })).toMatchObject({ value: { total: 4 } })
    expect((await call('apply_plan', { plan_id: plan.plan_id })).value).toMatchObject({ applied: true })
    expect(await call('device_list', { tags: ['retired-2027'] })).toMatchObject({ value: { total: 4 } })
  })

  test.each([
    ['devices.delete', { id: 'web-01' }, 'devices:delete', [OFFER]],
    ['users.list', {}, 'users:list', []],
    ['devices.bulk', { operations: [{ op: 'delete', id: 'web-01' }] }, 'devices:delete', [OFFER]],
  ])('is refused %s, which the user may not do', async (operation, input, permission, details) => {
    expect(await run(operation, input)).toEqual({
      isError: true,
      value: { code: 'FORBIDDEN', error: `This needs the permission ${permission}`, details },
    })
  })

  test('is on record with the tools that it used', async () => {
    const entries = await admin.api.audit.list({ user_id: engineer.userId })
    expect(entries.map(({ tool, action, resource, status }) => [tool, action, resource, status])).toEqual(
      expect.arrayContaining([
        ['pool_allocate', 'create', 'reservation', 'success'],
        ['apply_plan', 'update', 'device', 'success'],
        ['call_operation', 'delete', 'device', 'failure'],
        // The bulk delete.
        ['call_operation', 'update', 'device', 'failure'],
      ]),
    )
  })

  test('loses access the moment the key is gone', async () => {
    const [key] = await engineer.api.keys.list({})
    await engineer.api.keys.delete({ id: key?.id ?? '' })
    expect(call('device_list')).rejects.toThrow()
  })
})
