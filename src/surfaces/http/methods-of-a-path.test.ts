/** A 405 names the methods of the path itself. A method that no path has is a 405 everywhere. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../testing/app/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

test.each([
  ['/api/devices/search', 'GET, HEAD'],
  ['/api/devices/bulk', 'POST'],
  ['/api/devices/some-id', 'GET, PUT, DELETE, HEAD'],
])('%s allows %s', async (path, allow) => {
  const { status, headers } = await app.guest('OPTIONS', path)
  expect([status, headers.get('allow')]).toEqual([405, allow])
})

test.each(['/api/devices', '/mcp-oauth/token', '/api/nowhere'])('TRACE of %s is 405', async (path) => {
  expect((await app.guest('TRACE', path)).status).toBe(405)
})
