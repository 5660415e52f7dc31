/** Single sign-on in a browser: an admin adds a provider, a member signs in by it, and a device is signed in. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ScriptedProvider, scriptedProvider } from '../testing/servers/scripted-provider.ts'
import { axeFindings, choose, world } from './harness.ts'
import { CALLBACK, OAUTH, oauthProgram } from './oauth-client.ts'

/** The address of the server is a setting of it. */
const freePort = (): number => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  void server.stop(true)
  return port
}
const port = freePort()
const env = {
  ...OAUTH,
  LISTEN_ADDR: `127.0.0.1:${port}`,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SSO_ALLOW_LOOPBACK: 'true',
  ENCRYPTION_KEY: 'ab'.repeat(32),
}
const it = world({ devices: 5, env })

let idp: ScriptedProvider
beforeAll(async () => {
  idp = await scriptedProvider()
  idp.signInAs({ claims: { sub: 'm', preferred_username: 'mary', groups: ['net'] } })
})
afterAll(() => idp.close())

test('an admin adds a provider with a mapping, and tests it', async () => {
  const group = await it.plat.api.groups.create({ name: 'netops' })
  await it.plat.api.grants.create({ role_id: 'viewer', group_id: group.id })
  await it.visit(
    async ({ page, open }) => {
      await open('/sso-providers')
      await page.getByRole('heading', { level: 1, name: 'Single sign-on' }).waitFor()
      await page.getByText('By an identity provider (OpenID Connect)').waitFor()
      await page.getByRole('button', { name: 'Copy Redirect URI' }).waitFor()
      await page.getByText(`${env.PUBLIC_URL}/login`).waitFor()
      await page.getByRole('button', { name: 'Keycloak' }).click()
      const issuer = page.getByLabel('Issuer · required')
      expect(await issuer.inputValue()).toBe('https://{host}/realms/{realm}')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await page.getByRole('button', { name: 'Other', exact: true }).click()
      await page.getByLabel('Name · required').fill('Example ID')
      await issuer.fill(idp.issuer)
      await page.getByLabel('Client ID · required').fill('plat')
      await page.getByText('must be an https URL, or allow_http true').waitFor()
      expect(await page.getByLabel('Allow http').count()).toBe(0)
      await page.getByRole('button', { name: 'Advanced' }).click()
      await page.getByLabel('Allow http').check()
      await issuer.focus()
      await page.getByLabel('Client ID · required').focus()
      await page.getByText(`Names itself ${idp.issuer}, with 1 key.`).waitFor()
      await page.getByLabel('Client secret').fill('s3cret')
      await page.getByRole('button', { name: 'Add a mapping' }).click()
      await page.getByLabel('Value 1').fill('net')
      await choose(page.getByLabel('Group 1'), 'netops')
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Create identity provider' }).click()
      await page.getByRole('grid', { name: 'Single sign-on' }).getByRole('link', { name: 'Example ID' }).click()
      await page.getByRole('region', { name: 'At the provider' }).getByText('/api/auth/sso/callback').waitFor()
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByText(`Names itself ${idp.issuer}, with 1 key.`).waitFor()
      expect(await axeFindings(page)).toEqual([])
    },
    { as: 'admin', expected: ['400 /api/sso/providers'] },
  )
})

test('a member signs in by it, sees the identity, and signs out there too', () =>
  it.visit(
    async ({ page, open }) => {
      await open('/devices?q=status:active')
      const link = page.getByRole('link', { name: 'Sign in with Example ID' })
      await link.waitFor()
      expect(await axeFindings(page)).toEqual([])
      await link.click()
      await page.getByRole('grid', { name: 'Devices' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/devices')
      await Promise.all([page.waitForResponse('**/api/discovery/inbox/summary'), open('/account')])
      await page.getByText('by single sign-on').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Unlink Example ID' }).click()
      await page.getByText('is the only way in').first().waitFor()
      await page.getByRole('button', { name: 'mary' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      expect(idp.requests.some(({ path }) => path === '/logout')).toBe(true)
    },
    { expected: ['401 /api/auth/me', '400 /api/auth/identities', idp.issuer] },
  ))

test('the request of an OAuth client survives a failed sign-in by the provider', async () => {
  const program = await oauthProgram(it.plat.url)
  const member = { sub: 'm', preferred_username: 'mary', groups: ['net'] }
  await it.visit(
    async ({ page, open }) => {
      await open(program.authorizePath())
      await page.getByText('A program asks for access to Plat in your name.').waitFor()
      expect(await axeFindings(page)).toEqual([])
      idp.signInAs({ claims: { ...member, aud: 'another client' } })
      await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
      await page.getByText('The identity provider gave a wrong answer.').waitFor()
      idp.signInAs({ claims: member })
      await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
      await page.getByText('You are mary.').waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL((url) => url.pathname === CALLBACK)
      expect(program.answerIn(page.url())).toMatchObject({ error: null })
    },
    { expected: ['401 /mcp-oauth/authorize', `404 ${CALLBACK}`, idp.issuer] },
  )
})

test('the cause of a failed sign-in is shown in words', () =>
  it.visit(async ({ page, open }) => {
    await open('/login?sso_error=username_taken')
    await page.getByText('Your user name or e-mail address belongs to another account here.').waitFor()
  }))

test('a device is allowed on its page, where Deny comes first', () =>
  it.visit(
    async ({ page, open }) => {
      const begun = await fetch(`${it.plat.url}/api/auth/device`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client: 'plat login on laptop' }),
      })
      const { user_code } = (await begun.json()) as { user_code: string }
      await open('/activate')
      await page.getByLabel('Code').fill('BBBB-BBBB')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('No device waits with this code.').waitFor()
      // The address that the terminal shows.
      await open(`/device?code=${user_code}`)
      expect(new URL(page.url()).pathname).toBe('/activate')
      await page.getByRole('heading', { level: 1, name: 'Confirm a sign-in' }).waitFor()
      await page.getByText('plat login on laptop').waitFor()
      expect(await page.evaluate('document.activeElement?.textContent')).toBe('Deny')
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.getByText('The device is signed in.').waitFor()
    },
    { as: 'viewer', expected: ['404 /api/auth/device/'] },
  ))
