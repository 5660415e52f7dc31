// The number of tokens that the tools and an answer cost a model. For JSON and English, bytes / 4 estimates it.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callTool, connect } from '../../../testing/mcp.ts'

const MOST_FOR_THE_TOOLS = 12_000
const MOST_FOR_A_SEARCH = 600

const tokens = (value: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4)

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
})
afterAll(() => app.close())

test('all tool definitions together are at most the permitted number of tokens', async () => {
  const client = await connect({ fetch: app.fetch, key: admin.key })
  expect(tokens(await client.listTools())).toBeLessThanOrEqual(MOST_FOR_THE_TOOLS)
})

test('an answer of 50 devices is small in its compact form', async () => {
  const operations = Array.from({ length: 60 }, (_, i) => ({
    op: 'create' as const,
    device: { name: `dub-r${String(i).padStart(2, '0')}-sw-01`, addresses: [{ ip: `10.60.0.${i + 1}` }] },
  }))
  await admin.api.devices.bulk({ operations })
  const peer = { fetch: app.fetch, key: admin.key }
  const { value } = await callTool(peer, 'search', { q: 'dub', fields: ['type', 'name', 'match'] })
  expect(value.items).toHaveLength(50)
  expect(value.items).toContainEqual(['device', 'dub-r07-sw-01', 'dub-r07-sw-01'])
  expect(tokens(value)).toBeLessThanOrEqual(MOST_FOR_A_SEARCH)
})
