/** The MCP server for NetBox reads the objects of Plat. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { netboxClientsFolder } from '../../scripts/python-tools.mjs'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'

let plat: PlatTarget
let client: Client
beforeAll(async () => {
  plat = await startPlat()
  client = new Client({ name: 'test', version: '1' })
  const command = join(netboxClientsFolder, 'netbox-mcp-server-extended')
  const env = { PATH: process.env.PATH ?? '', HOME: plat.dir, NETBOX_URL: plat.url, NETBOX_TOKEN: plat.token }
  await client.connect(new StdioClientTransport({ command, env, stderr: 'ignore' }))
}, 120_000)
afterAll(async () => {
  await client.close()
  await plat.stop()
})

const call = async (name: string, args: Record<string, unknown>) => {
  const { isError, structuredContent, content } = await client.callTool({ name, arguments: args })
  if (isError) throw new Error(JSON.stringify(content))
  return structuredContent
}

test('netbox-mcp-server-extended finds objects by filters, with chosen fields and a page', async () => {
  const filters = { site: 'fra1', role: 'server' }
  const found = await call('netbox_get_objects', {
    ...{ object_type: 'dcim.device', filters, fields: ['name', 'status'], limit: 2, ordering: 'name' },
  })
  const status = { value: 'active', label: 'Active' }
  expect(found).toMatchObject({
    count: 3,
    next: expect.stringContaining('offset=2'),
    previous: null,
    results: [
      { name: 'srv-fra-1', status },
      { name: 'srv-fra-2', status },
    ],
  })
}, 60_000)

test('netbox-mcp-server-extended reads an object by the number that it had in NetBox', async () => {
  const found = await call('netbox_get_object_by_id', { object_type: 'dcim.device', object_id: 4, fields: ['name'] })
  expect(found).toEqual({ name: 'srv-fra-1' })
}, 60_000)

test('netbox-mcp-server-extended searches several lists, and passes over one that Plat does not have', async () => {
  const found = await call('netbox_search_objects', { query: 'srv-fra-1', fields: ['display'] })
  expect(found).toMatchObject({
    'dcim.device': [{ display: 'srv-fra-1 (A-2001)' }],
    'dcim.site': [],
    'circuits.circuit': [],
    'virtualization.virtualmachine': [],
  })
}, 60_000)
