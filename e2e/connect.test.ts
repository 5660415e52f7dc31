/** Connecting an AI client: the commands name this server, and disabled ways are marked as disabled. */
import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { takeOneIn, testAll } from '../testing/cases.ts'
import { world } from './harness.ts'
import { OAUTH } from './oauth-client.ts'
import { expectReadable } from './readable.ts'

const CLIENTS = ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Any other']

const copied = (page: Page): Promise<string> => page.evaluate('navigator.clipboard.readText()')

describe('with OAuth', () => {
  const it = world({ devices: 0, env: { ...OAUTH, SSRF_ALLOW_PRIVATE_TARGETS: 'true' } })

  test('the commands name the address that clients reach', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/connect')
        await page.getByRole('button', { name: 'Copy the command' }).click()
        expect(await copied(page)).toBe('claude mcp add --transport http plat http://localhost:8080/mcp')
      },
      { as: 'viewer' },
    ))

  test.each(takeOneIn(5, CLIENTS))('%s has its steps for both ways', (name) =>
    it.visit(
      async ({ page, open }) => {
        await open('/connect')
        await page.getByRole('link', { name, exact: true }).click()
        await page.getByText('A browser opens').first().waitFor()
        await page.getByRole('button', { name: 'With an API key' }).click()
        await page.getByRole('link', { name: 'Make an API key' }).waitFor()
        await page.locator('pre', { hasText: 'http://localhost:8080/mcp' }).first().waitFor()
      },
      { as: 'viewer' },
    ),
  )

  testAll('every configuration is JSON', () =>
    it.visit(
      async ({ page, open }) => {
        for (const view of ['oauth', 'key'])
          for (const tab of ['claude-desktop', 'cursor', 'vs-code', 'other']) {
            await open(`/connect?view=${view}&tab=${tab}`)
            await page.locator('ol').waitFor()
            for (const text of await page.locator('pre').allTextContents())
              if (text.startsWith('{')) expect(JSON.parse(text)).toBeObject()
          }
      },
      { as: 'viewer' },
    ),
  )

  test('the webhook form says that private addresses are allowed', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/webhooks?new=1')
        await page.getByText('Addresses of this machine are refused.').waitFor()
      },
      { as: 'admin' },
    ))

  testAll('is readable in both themes and on a phone', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/connect?view=key&tab=other')
        await page.locator('pre').first().waitFor()
        await expectReadable(page)
      },
      { as: 'viewer' },
    ),
  )
})

describe('without OAuth', () => {
  const it = world({ devices: 0 })

  test('the page begins with the key, and says how OAuth is turned on', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/connect')
        await page.locator('pre', { hasText: `${it.plat.url}/mcp` }).waitFor()
        await page.getByRole('button', { name: 'Sign in with a browser' }).click()
        await page.getByRole('heading', { name: 'OAuth is off on this server' }).waitFor()
        await page.getByRole('button', { name: 'Copy the settings' }).click()
        expect(await copied(page)).toBe(`MCP_OAUTH_ENABLED=true\nMCP_OAUTH_ISSUER_URL=${it.plat.url}`)
      },
      { as: 'viewer' },
    ))

  test('the account page says that OAuth is off', () =>
    it.visit(
      async ({ page, open }) => {
        await open('/account')
        await page.getByText('OAuth is off on this server').waitFor()
      },
      { as: 'viewer' },
    ))

  test('the consent page does not exist', async () => {
    const answer = await fetch(`${it.plat.url}/mcp-oauth/authorize`, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(404)
  })
})
