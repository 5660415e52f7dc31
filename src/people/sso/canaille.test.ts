/** The whole flow against Canaille, which signs in the people of an LDAP directory: `docs/sign-in.md` has its configuration. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Canaille, CLIENT, startCanaille } from '../../../testing/servers/canaille.ts'
import { causeOf, PUBLIC_URL, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { Visitor } from '../../../testing/sign-in/visitor.ts'
import { createLogger } from '../../base/runtime/log.ts'
import type { SsoProvider } from './schema.ts'

const TIMEOUT_MS = 60_000
const FIELDS = {
  ...{ client_id: CLIENT.id, client_secret: CLIENT.secret },
  ...{ scopes: ['openid', 'profile', 'email', 'groups'], username_claim: 'sub' },
}
const warnings: string[] = []
const log = createLogger({ level: 'warn', format: 'text', write: (entry) => warnings.push(entry) })

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('by Canaille', () => {
  let app: SsoApp
  let idp: Canaille
  let at: SsoProvider

  beforeAll(async () => {
    idp = await startCanaille({ callback: `${PUBLIC_URL}/api/auth/sso/callback`, login: `${PUBLIC_URL}/login` })
    app = await ssoApp({ log })
    const { id: group_id } = await app.admin.api.groups.create({ name: 'netops' })
    await app.admin.api.grants.create({ role_id: 'viewer', group_id })
    at = await app.addProvider(idp, { ...FIELDS, group_mappings: [{ value: 'net-ops', group_id }] })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await idp.stop()
  })

  const come = async (login: string, provider = at, visitor: Visitor = idp.visitor()) => {
    const browser = app.browser()
    const back = await idp.signIn(visitor, await browser.begin(provider), login)
    expect(back.origin + back.pathname).toBe(`${PUBLIC_URL}/api/auth/sso/callback`)
    return { browser, visitor, response: await browser.send(`GET ${back.pathname}${back.search}`) }
  }

  test('its discovery document and its keys are read', async () => {
    expect(await app.admin.api.ssoProviders.test({ id: at.id })).toMatchObject({
      issuer: idp.issuer,
      end_session_endpoint: `${idp.issuer}/oauth/end_session`,
      backchannel_logout_supported: false,
      keys: 1,
    })
  })

  test('a user of the directory signs in with the groups of the directory, also when they change there', async () => {
    const { browser, visitor, response } = await come('grace')
    expect([response.status, causeOf(response)]).toEqual([200, undefined])
    expect(await (await browser.me()).json()).toMatchObject({
      ...{ username: 'grace', full_name: 'Full name of grace', has_password: false },
      // It does not say that addresses are verified.
      email: '',
    })
    expect((await browser.send('GET /api/devices')).status).toBe(200)
    idp.modify(
      'dn: cn=net-ops,ou=groups,dc=example,dc=org\nchangetype: modify\ndelete: member\nmember: uid=grace,ou=people,dc=example,dc=org\n',
    )
    // The session there is still open, so the provider asks nothing.
    await come('grace', at, visitor)
    expect((await browser.send('GET /api/devices')).status).toBe(403)
  })

  test('a sign-out here ends the session there', async () => {
    const { browser, visitor } = await come('grace')
    const { url } = (await (await browser.send('POST /api/auth/sso/logout')).json()) as { url: string }
    expect((await visitor.follow(url)).at.href).toStartWith(`${PUBLIC_URL}/login`)
    expect(await browser.isSignedIn()).toBe(false)
    expect((await visitor.follow(await browser.begin(at))).at.pathname).toBe('/login')
  })

  test('who is not wanted is refused, each time without a user or a session', async () => {
    const refused = async (fields: object): Promise<string | undefined> => {
      const { browser, response } = await come('hedy', await app.addProvider(idp, { ...FIELDS, ...fields }))
      expect(await browser.isSignedIn()).toBe(false)
      return causeOf(response)
    }
    expect(await refused({ create_users: false })).toBe('no_account')
    expect(await refused({ allowed_domains: ['example.org'] })).toBe('domain')
    expect(await refused({ required_acr: 'mfa' })).toBe('acr')
    expect(await refused({ client_secret: 'wrong' })).toBe('provider')
    expect(warnings.at(-1)).toContain('invalid_client')
    const browser = app.browser()
    const unasked = await browser.begin(at)
    unasked.searchParams.set('prompt', 'none')
    const { at: back } = await idp.visitor().follow(unasked)
    expect(causeOf(await browser.send(`GET ${back.pathname}${back.search}`))).toBe('provider')
    expect(await app.admin.api.users.list({ username: 'hedy' })).toEqual([])
  })

  test('a client that must show its secret in the body signs in as well', async () => {
    idp.modify(
      `dn: ${CLIENT.dn}\nchangetype: modify\nreplace: oauthTokenEndpointAuthMethod\noauthTokenEndpointAuthMethod: client_secret_post\n`,
    )
    const { response } = await come('hedy', await app.addProvider(idp, FIELDS))
    expect([response.status, causeOf(response)]).toEqual([200, undefined])
  })
})
