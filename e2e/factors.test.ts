/** Second factors in a browser, with Chromium's virtual authenticator: an app, passkeys, and a factor that a role requires. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { testAll } from '../testing/cases.ts'
import { PASSWORD } from '../testing/estates/identities.ts'
import { codeAt } from '../testing/factors.ts'
import { scriptedProvider } from '../testing/servers/scripted-provider.ts'
import { axeFindings, world } from './harness.ts'

/** A passkey belongs to a name, so the address is known before the server starts. */
const freePort = async (): Promise<number> => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port = 0 } = server
  await server.stop(true)
  return port
}
const port = await freePort()
const it = world({
  devices: 0,
  env: {
    LISTEN_ADDR: `localhost:${port}`,
    PUBLIC_URL: `http://localhost:${port}`,
    COOKIE_SECURE: 'false',
    ENCRYPTION_KEY: 'e1'.repeat(32),
    SECOND_FACTOR_ROLES: 'viewer',
    SSO_ALLOW_LOOPBACK: 'true',
    LOGIN_RATE_LIMIT_REQUESTS: '1000',
  },
})
const STEP_MS = 30_000
const SLOW_MS = 120_000

/** Signs in with the password, of which the hash takes a second. */
const enterPassword = async (page: Page, username: string) => {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const signOut = async (page: Page, username: string) => {
  await page.getByRole('button', { name: username }).first().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/** Adds an authenticator app on the open page. @returns its secret and the recovery codes */
const addApp = async (page: Page) => {
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'New authenticator app' })
  await dialog.getByRole('img', { name: 'QR code of the secret' }).waitFor()
  expect(await axeFindings(page, 'layers')).toEqual([])
  const secret = (await dialog.locator('.mono').first().textContent()) ?? ''
  await dialog.getByLabel('Code', { exact: true }).fill(codeAt(secret, Date.now()))
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  return { secret, codes: await keepCodes(page) }
}

/** Saves the recovery codes that are shown. */
const keepCodes = async (page: Page): Promise<string[]> => {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' })
  await dialog.waitFor()
  const codes = await dialog.getByRole('listitem').allTextContents()
  await page.keyboard.press('Escape')
  expect(await dialog.isVisible()).toBe(true)
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).toBe(`${codes.join('\n')}\n`)
  await dialog.getByRole('button', { name: 'Copy' }).click()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${codes.join('\n')}\n`)
  await dialog.getByLabel('I have saved them').click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  return codes
}

/** Adds an authenticator that verifies its user, who is present. */
const addAuthenticator = async (context: BrowserContext, page: Page) => {
  const debug = await context.newCDPSession(page)
  await debug.send('WebAuthn.enable', { enableUI: false })
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

test(
  'an authenticator app is added, asked for, and replaced by a recovery code',
  () =>
    it.visit(
      async ({ page, open }) => {
        await open('/account')
        const { secret, codes } = await addApp(page)
        expect(codes).toHaveLength(10)
        await page.getByText('10 recovery codes left').waitFor()
        await signOut(page, 'operator')
        await open('/devices')
        await enterPassword(page, 'operator')
        await page.getByLabel('Code of your authenticator app').fill(codeAt(secret, Date.now() - 4 * STEP_MS))
        await page.keyboard.press('Enter')
        await page.getByText('This is not a right code or passkey of yours.').waitFor()
        expect(await axeFindings(page)).toEqual([])
        await page.getByRole('button', { name: 'Use a recovery code' }).click()
        await page.getByLabel('Recovery code').fill(codes[0] ?? '')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
        await open('/account')
        await page.getByText('9 recovery codes left').waitFor()
        await page.getByRole('button', { name: 'Remove Authenticator app' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
        await page.getByText('None yet. With one, your password alone').waitFor()
      },
      {
        as: 'operator',
        expected: ['401 /api/auth/me', '401 /api/auth/login', '401 /api/events'],
        changesContext: true,
      },
    ),
  SLOW_MS,
)

test(
  'a passkey is added, suffices for a sign-in, and is a second factor',
  () =>
    it.visit(
      async ({ page, context, open }) => {
        await addAuthenticator(context, page)
        await open('/account')
        await page.getByRole('button', { name: 'Add a passkey' }).click()
        await page.getByLabel('Name · required').fill('Laptop')
        await page.getByRole('button', { name: 'Create passkey' }).click()
        expect(await keepCodes(page)).toHaveLength(10)
        await page.getByText('Laptop').waitFor()
        expect(await axeFindings(page)).toEqual([])
        // A browser that offers no passkeys in lists only has the button.
        const withoutList = 'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)'
        await page.evaluate(withoutList)
        await signOut(page, 'admin')
        await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
        expect(await axeFindings(page)).toEqual([])
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
        await open('/account')
        await page.getByText('with a passkey').first().waitFor()
        await page.evaluate(withoutList)
        await signOut(page, 'admin')
        await enterPassword(page, 'admin')
        await page.getByRole('button', { name: 'Use a passkey' }).click()
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
        await page.evaluate(withoutList)
        await signOut(page, 'admin')
        // The authenticator answers the offer in the list at once.
        await page.goto('/login')
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
      },
      { as: 'admin', expected: ['401 /api/auth/me', '401 /api/auth/login', '401 /api/events'], changesContext: true },
    ),
  SLOW_MS,
)

testAll(
  'a passkey of a user without a password is refused while the provider is off, and the page says why',
  async () => {
    const idp = await scriptedProvider()
    idp.signInAs({ claims: { sub: 'p', preferred_username: 'pat' } })
    const draft = { name: 'Example ID', issuer: idp.issuer, client_id: 'plat', allow_http: true }
    const { id } = await it.plat.api.ssoProviders.create(draft)
    try {
      await it.visit(
        async ({ page, context, open }) => {
          await addAuthenticator(context, page)
          await open('/account')
          await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
          await page.getByRole('button', { name: 'Add a passkey' }).click()
          await page.getByLabel('Name · required').fill('Laptop')
          await page.getByRole('button', { name: 'Create passkey' }).click()
          await keepCodes(page)
          await it.plat.api.ssoProviders.update({ id, enabled: false })
          await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
          await signOut(page, 'pat')
          await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
          await page.getByText('Sign in by your identity provider.').waitFor()
          expect(await axeFindings(page)).toEqual([])
          expect(new URL(page.url()).pathname).toBe('/login')
        },
        {
          expected: ['401 /api/auth/me', '401 /api/auth/passkey', '401 /api/events', idp.issuer],
          changesContext: true,
        },
      )
    } finally {
      await it.plat.api.ssoProviders.delete({ id })
      idp.close()
    }
  },
  SLOW_MS,
)

test(
  'a passkey does not answer at another address of the same server',
  () =>
    it.visit(async ({ context }) => {
      const elsewhere = await context.browser()?.newContext()
      if (!elsewhere) throw new Error('there is a browser')
      try {
        const page = await elsewhere.newPage()
        await addAuthenticator(elsewhere, page)
        await page.goto(`http://127.0.0.1:${port}/login`)
        await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
        await page.getByRole('alert').filter({ hasText: 'invalid domain' }).waitFor()
        expect(new URL(page.url()).pathname).toBe('/login')
      } finally {
        await elsewhere.close()
      }
    }),
  SLOW_MS,
)

test(
  'a role that requires a factor opens nothing until one is set up',
  () =>
    it.visit(
      async ({ page, open }) => {
        await open('/login')
        await enterPassword(page, 'viewer')
        await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
        expect(await axeFindings(page)).toEqual([])
        await page.goto('/devices')
        await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
        await addApp(page)
        await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor()
      },
      { changesContext: true },
    ),
  SLOW_MS,
)
