/** AI clients name address spaces as users do, and see them in plans. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callTool } from '../../../testing/mcp.ts'

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
})
afterAll(() => app.close())

const call = async (name: string, args: Record<string, unknown>) =>
  JSON.stringify((await callTool({ fetch: app.fetch, key: admin.key }, name, args)).value)

test('a space is named by its name, and the default one by its word', async () => {
  const { id } = await admin.api.spaces.create({ name: 'Lab' })
  await admin.api.networks.create({ name: 'of the lab', subnet: '10.0.0.0/24', space_id: id })
  await admin.api.networks.create({ name: 'of all', subnet: '10.0.0.0/24' })
  for (const space_id of ['lab', id]) {
    const found = await call('network_list', { space_id })
    expect([found.includes('of the lab'), found.includes('of all')]).toEqual([true, false])
  }
  for (const space_id of ['default', 'Default']) {
    const found = await call('network_list', { space_id })
    expect([found.includes('of the lab'), found.includes('of all')]).toEqual([false, true])
  }
  expect(await call('network_list', { space_id: 'unknown' })).toContain('no space has the id or name')
})
