/** An address of a provider counts only if the same source says that it is verified. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'

describe.each(onSqlite())('addresses on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let at: SsoProvider
  beforeAll(async () => {
    app = await ssoApp({ dialect })
    idp = await scriptedProvider()
    at = await app.addProvider(idp)
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  const user = (username: string) => app.admin.api.users.list({ username }).then(([found]) => found)

  test('a new user has the address that a provider marks as verified by text, as Amazon Cognito does', async () => {
    const claims = { sub: 'cognito', preferred_username: 'cognito', email: 'c@example.org', email_verified: 'true' }
    expect((await app.browser().signIn(at, idp, { claims })).status).toBe(200)
    expect((await user('cognito'))?.email).toBe('c@example.org')
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ['of userinfo, verified by the ID token', { email_verified: true }, { email: 'taken@example.org' }, ''],
    ['of the ID token, verified by userinfo', { email: 'taken@example.org' }, { email_verified: true }, ''],
    [
      'of the ID token that userinfo gives as another',
      { email: 'taken@example.org' },
      { email: 'userinfo@example.org', email_verified: true },
      'userinfo@example.org',
    ],
    [
      'that the ID token says is not verified',
      { email: 'taken@example.org', email_verified: false },
      { email: 'taken@example.org', email_verified: true },
      '',
    ],
  ])('a new user has no address %s', async (_, ofIdToken, userinfo, email) => {
    const sub = `mixed-${Bun.hash(JSON.stringify([ofIdToken, userinfo]))}`
    const browser = app.browser()
    await browser.signIn(at, idp, { claims: { sub, preferred_username: sub, ...ofIdToken }, userinfo })
    expect((await user(sub))?.email).toBe(email)
  })
})
