/** OAuth clients: consent is asked, granted or denied, grants are listed, and users end them. */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { axeFindings, eventually, world } from './harness.ts'
import { agreed, CALLBACK, OAUTH, oauthProgram } from './oauth-client.ts'
import { expectReadable } from './readable.ts'

const it = world({ devices: 0, env: OAUTH })

/** No server listens at the callback. Only its URL counts. */
const expected = [`404 ${CALLBACK}`]

const cameBack = async (page: Page): Promise<string> => {
  await page.waitForURL((url) => url.pathname === CALLBACK)
  return page.url()
}

const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement?.textContent ?? ""')

test('the consent page shows the client, its redirect and its permissions; consent redirects with a code', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByRole('heading', { name: 'Inventory helper asks to act for you' }).waitFor()
      await page.getByText(new URL(it.plat.url).host, { exact: true }).waitFor()
      await page.getByRole('group', { name: 'Read permissions' }).getByText('List and read devices').waitFor()
      await page.getByRole('group', { name: 'Write permissions' }).getByText('Create and delete devices').waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      const { code } = program.answerIn(await cameBack(page))
      const { access_token } = await program.exchange(code ?? '')
      expect(await program.call(access_token)).toBe(200)
    },
    { as: 'admin', expected },
  )
})

test('Deny has the focus, and redirects with access_denied', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByRole('button', { name: 'Deny' }).waitFor()
      expect(await focused(page)).toBe('Deny')
      await page.keyboard.press('Enter')
      expect(program.answerIn(await cameBack(page))).toEqual({ code: null, error: 'access_denied' })
      const grants = await it.plat.api.oauthGrants.list({ client_id: program.clientId })
      expect(grants).toEqual([])
    },
    { as: 'viewer', expected },
  )
})

test('a permission that is not ticked is not granted', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByLabel('Create and delete devices').uncheck()
      await page.getByLabel('List and read networks').uncheck()
      await page.getByRole('button', { name: 'Allow' }).click()
      const { code } = program.answerIn(await cameBack(page))
      expect((await program.exchange(code ?? '')).scope.split(' ').toSorted()).toEqual(['devices:list', 'devices:read'])
    },
    { as: 'admin', expected },
  )
})

test('without a ticked permission, Allow is disabled', async () => {
  const program = await oauthProgram(it.plat.url, { scope: 'devices:list' })
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByLabel('List devices').uncheck()
      await page.locator('button[aria-disabled=true]', { hasText: 'Allow' }).waitFor()
    },
    { as: 'admin' },
  )
})

test('permissions that the user lacks are named, and not granted', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByRole('heading', { name: 'Requested and not granted' }).waitFor()
      expect(await page.getByLabel('Create and delete devices').count()).toBe(0)
      await page.getByRole('button', { name: 'Allow' }).click()
      const { code } = program.answerIn(await cameBack(page))
      const { scope } = await program.exchange(code ?? '')
      expect(scope).not.toContain('devices:create')
    },
    { as: 'viewer', expected },
  )
})

test('a user without a session signs in first, after a wrong password too, and is asked then', async () => {
  await it.plat.api.users.create({ username: 'ada', password: 'correct horse battery', roles: ['operator'] })
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('Password').fill('wrong horse battery')
      await page.keyboard.press('Enter')
      await page.getByText('The user name or the password is wrong.').waitFor()
      await page.reload()
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('Password').fill('correct horse battery')
      await page.keyboard.press('Enter')
      await page.getByText('You are ada.').waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      expect(program.answerIn(await cameBack(page)).error).toBeNull()
    },
    { expected: [...expected, '401 /mcp-oauth/authorize', '401 /api/auth/login'] },
  )
})

testAll('another account can be used', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByText('You are viewer.').waitFor()
      await page.getByRole('button', { name: 'Use another account' }).click()
      await page.getByRole('heading', { name: 'Sign in to continue' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'viewer', expected: ['401 /mcp-oauth/authorize'] },
  )
})

test.each([
  ['a client that nobody knows', { client_id: 'nobody' }],
  ['an address that is not registered', { redirect_uri: 'https://evil.example/callback' }],
])('%s is refused without a redirect', async (_, change) => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath(change))
      await page.getByRole('heading', { name: 'This request was refused' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect([new URL(page.url()).pathname, await page.getByRole('button').count()]).toEqual([
        '/mcp-oauth/authorize',
        0,
      ])
    },
    { as: 'admin', expected: ['400 /mcp-oauth/authorize'] },
  )
})

test('a repeated parameter is refused', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(`${program.authorizePath()}&scope=devices:list`)
      await page.getByRole('heading', { name: 'This request was refused' }).waitFor()
    },
    { as: 'admin', expected: ['400 /mcp-oauth/authorize'] },
  )
})

test('a signed-in user can return an error of the client to it', async () => {
  const program = await oauthProgram(it.plat.url)
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath({ code_challenge_method: 'plain' }))
      const { host } = new URL(it.plat.url)
      await page.getByText(host, { exact: true }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect(new URL(page.url()).pathname).toBe('/mcp-oauth/authorize')
      await page.getByRole('button', { name: `Return to ${host} with this error` }).click()
      expect(program.answerIn(await cameBack(page)).error).toBe('invalid_request')
    },
    { as: 'admin', expected: [...expected, '400 /mcp-oauth/authorize'] },
  )
})

test('a wrong request without a session is not redirected', async () => {
  const program = await oauthProgram(it.plat.url, { redirect_uri: 'https://evil.example/phish' })
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath({ code_challenge_method: 'plain' }))
      await page.getByRole('heading', { name: 'This request was refused' }).waitFor()
      await page.getByText('evil.example', { exact: true }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      expect(await page.getByRole('button').count()).toBe(0)
      expect(await page.locator('[href*="evil.example"]').count()).toBe(0)
      expect(new URL(page.url()).pathname).toBe('/mcp-oauth/authorize')
    },
    { expected: ['400 /mcp-oauth/authorize'] },
  )
})

testAll('the question is readable in both themes and on a phone', async () => {
  const all = 'devices:list devices:read devices:create networks:list networks:read users:list users:create audit:list'
  const client_name = `An inventory helper with a very long name ${'x'.repeat(80)}`
  const program = await oauthProgram(it.plat.url, { client_name, scope: all })
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByRole('button', { name: 'Deny' }).waitFor()
      await expectReadable(page)
      // Both buttons are visible without scrolling.
      expect(await page.getByRole('button', { name: 'Deny' }).isVisible()).toBe(true)
    },
    { as: 'admin' },
  )
})

test('the account page lists the clients with consent, and revokes one', async () => {
  const program = await oauthProgram(it.plat.url, { client_name: 'Night watch' })
  const token = await agreed(it.plat, program, 'viewer')
  await it.visit(
    async ({ page, open }) => {
      await open('/account')
      const card = page.locator('section', { has: page.getByRole('heading', { name: 'Programs that act for you' }) })
      const row = card.locator('li', { has: page.getByText('Night watch', { exact: true }) }).first()
      await row.locator('summary').click()
      await row.getByText('List and read devices').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await card.getByRole('button', { name: 'End access of Night watch' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'End access' }).click()
      await page.getByText('“Night watch” has no access any more for viewer').waitFor()
      await eventually(() => card.getByText('Night watch').count(), 0)
      expect(await program.call(token)).toBe(401)
    },
    { as: 'viewer' },
  )
})

testAll('an administrator sees the users of a client, and revokes one consent or all', async () => {
  const program = await oauthProgram(it.plat.url, { client_name: 'Rack robot' })
  const [mine, theirs] = [await agreed(it.plat, program, 'admin'), await agreed(it.plat, program, 'viewer')]
  await it.visit(
    async ({ page, open }) => {
      await open('/oauth?q=Rack')
      await page.getByText('2 consents').waitFor()
      await page.getByRole('link', { name: 'Rack robot' }).click()
      const drawer = page.getByRole('dialog', { name: 'Rack robot' })
      await drawer.getByText('Create and delete devices').first().waitFor({ state: 'attached' })
      expect(await axeFindings(page, 'layers')).toEqual([])
      await drawer.getByRole('button', { name: 'End access of viewer' }).click()
      await page.getByRole('button', { name: 'End access', exact: true }).last().click()
      await page.getByText('“Rack robot” has no access any more for viewer').waitFor()
      expect([await program.call(theirs), await program.call(mine)]).toEqual([401, 200])
      await drawer.getByRole('button', { name: 'Delete client' }).click()
      await page.getByRole('dialog', { name: 'Delete the client “Rack robot”?' }).waitFor()
      await page.getByRole('button', { name: 'Delete client' }).last().click()
      await page.getByText('“Rack robot” has no access any more', { exact: true }).waitFor()
      expect(await program.call(mine)).toBe(401)
      await page.getByText('Nothing matches').or(page.getByText('0 of')).first().waitFor()
    },
    { as: 'admin' },
  )
})

testAll('the list of clients is readable in both themes and on a phone', async () => {
  await oauthProgram(it.plat.url, { client_name: 'Visible' })
  await it.visit(
    async ({ page, open }) => {
      await open('/oauth')
      await page.getByRole('link', { name: 'Visible' }).waitFor()
      await expectReadable(page)
    },
    { as: 'admin' },
  )
})

test('a viewer sees the permission that the list of clients needs', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/oauth')
      await page.getByText('oauth-clients:list').waitFor()
    },
    { as: 'viewer' },
  ))
