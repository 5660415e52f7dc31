/**
 * A server that refuses requests for a while: a banner appears, no input is lost, and requests continue by themselves.
 */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { world } from './harness.ts'

const it = world({
  devices: 30,
  env: {
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_REQUESTS: '12',
    RATE_LIMIT_WINDOW: '6s',
    LOGIN_RATE_LIMIT_REQUESTS: '1',
    LOGIN_RATE_LIMIT_WINDOW: '6s',
  },
})
const COUNTDOWN = /Too many requests\. The page continues in \d+ s\./

/** Sends requests until the rate limit is exceeded. */
const useUp = async (page: Page): Promise<void> => {
  while ((await page.request.get('/api/auth/me')).status() !== 429);
}

test('a page waits until the rate limit permits its request', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/account')
      // Pages and their files do not count toward the limit.
      for (let i = 0; i < 15; i++)
        expect((await page.request.get('/', { headers: { accept: 'text/html' } })).status()).toBe(200)
      await useUp(page)
      await page.getByRole('link', { name: 'Sites and racks' }).click()
      await page.getByText(COUNTDOWN).waitFor()
      await page.getByRole('grid', { name: 'Datacenters' }).waitFor()
      await page.getByText('Too many requests').waitFor({ state: 'detached' })
    },
    { as: 'admin', expected: ['429 /api/'] },
  ))

testAll('a bulk change waits for the rate limit and then continues', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices')
      await page.getByLabel('Select all that match').click()
      await page.getByText('30 selected').waitFor()
      await page.getByRole('button', { name: /^Edit \d/ }).click()
      await page.getByLabel('Add tags').fill('patient')
      await useUp(page)
      await page.getByRole('button', { name: /^Change \d/ }).click()
      await page.getByText(COUNTDOWN).waitFor()
      await page.getByText('0 of 30').waitFor()
      await page.getByText('Changed 30 devices').waitFor()
    },
    { as: 'admin', expected: ['429 /api/'] },
  ),
)

testAll('the sign-in page shows the seconds until the next attempt', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/login')
      const enter = async (password: string) => {
        await page.getByLabel('User name').fill('viewer')
        await page.getByLabel('Password').fill(password)
        await page.keyboard.press('Enter')
      }
      await enter('wrong')
      await page.getByText('The user name or the password is wrong.').waitFor()
      await enter('wrong again')
      await page.getByText(/Too many attempts from this address\. Try again in \d+ s\./).waitFor()
      const button = page.getByRole('button', { name: 'Sign in' })
      expect(await button.isDisabled()).toBe(true)
      await page.locator('button[type=submit]:enabled').waitFor()
    },
    { expected: ['401 /api/auth/', '429 /api/auth/'] },
  ),
)
