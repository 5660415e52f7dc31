/** A server that turns requests away for a while: it is said, nothing is lost, and everything goes on by itself. */
import { expect, test } from 'bun:test'
import { world } from './harness.ts'

const it = world({
  devices: 0,
  env: { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_REQUESTS: '12', RATE_LIMIT_WINDOW: '6s' },
})

test('too many requests are waited out', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/account')
      // Pages and their files are not counted, however often they are asked for.
      for (let i = 0; i < 15; i++)
        expect((await page.request.get('/', { headers: { accept: 'text/html' } })).status()).toBe(200)
      for (let i = 0; i < 12; i++) await page.request.get('/api/auth/me')
      await page.getByRole('link', { name: 'Datacenters' }).click()
      await page.getByText(/Too many requests\. This goes on by itself in \d+ s\./).waitFor()
      await page.getByText('No datacenters yet').waitFor()
      await page.getByText('Too many requests').waitFor({ state: 'detached' })
    },
    { as: 'admin', expected: ['429 /api/'] },
  ))
