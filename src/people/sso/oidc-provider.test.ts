/** The whole flow against a certified provider: sign-in with groups, and both kinds of logout. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Context } from 'oidc-provider'
import { causeOf, PUBLIC_URL, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import { type Visitor, visitorAt } from '../../../testing/sign-in/visitor.ts'
import type { SsoProvider } from './schema.ts'

let app: SsoApp
let server: Server
let issuer: string
let at: SsoProvider
let groups = ['net-ops']
let provider: Provider | undefined
let visitor: Visitor

const configuration = (clientUri: string) => ({
  clients: [
    {
      client_id: 'plat',
      client_secret: 's3cret',
      redirect_uris: [`${PUBLIC_URL}/api/auth/sso/callback`],
      post_logout_redirect_uris: [`${PUBLIC_URL}/login`],
      backchannel_logout_uri: `${clientUri}/backchannel`,
      backchannel_logout_session_required: true,
    },
  ],
  claims: {
    openid: ['sub'],
    profile: ['preferred_username', 'name'],
    email: ['email', 'email_verified'],
    groups: ['groups'],
  },
  scopes: ['openid', 'profile', 'email', 'groups'],
  pkce: { required: () => true },
  cookies: { keys: ['only for tests'] },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: async (_: unknown, id: string) => ({
    accountId: id,
    claims: async () => ({
      ...{ sub: id, preferred_username: 'grace', name: 'Grace', groups },
      ...{ email: 'grace@example.org', email_verified: true },
    }),
  }),
  loadExistingGrant: async ({ oidc }: Context) => {
    if (!provider) throw new Error('the provider is not open yet')
    const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
    grant.addOIDCScope('openid profile email groups')
    await grant.save()
    return grant
  },
  features: {
    devInteractions: { enabled: false },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: async (ctx: { body: unknown }, form: string) => {
        ctx.body = form
      },
    },
  },
  // Its requests to this machine, where Plat is not listening.
  fetch: async (url: URL | string, init: RequestInit) => {
    const { pathname } = new URL(url)
    if (pathname !== '/backchannel') return fetch(url, init)
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const path = `/api/auth/sso/${at.id}/backchannel-logout`
    return app.guest('POST', path, String(init.body), headers)
  },
})

beforeAll(async () => {
  app = await ssoApp()
  server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/'))
      void provider?.interactionFinished(request, response, { login: { accountId: 'g1' }, consent: {} })
    else provider?.callback()(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo
  issuer = `http://127.0.0.1:${port}`
  provider = new Provider(issuer, configuration(issuer))
  visitor = visitorAt(issuer)
  const { id } = await app.admin.api.groups.create({ name: 'netops' })
  await app.admin.api.grants.create({ role_id: 'viewer', group_id: id })
  const group_mappings = [{ value: 'net-ops', group_id: id }]
  at = await app.addProvider({ issuer }, { scopes: ['openid', 'profile', 'email', 'groups'], group_mappings })
})
afterAll(async () => {
  await app.close()
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
})

const signIn = async () => {
  const browser = app.browser()
  const { at: back } = await visitor.follow(await browser.begin(at))
  const response = await browser.send(`GET ${back.pathname}${back.search}`)
  expect(causeOf(response)).toBeUndefined()
  return browser
}

test('its discovery document and its keys are read', async () => {
  const facts = await app.admin.api.ssoProviders.test({ id: at.id })
  expect(await app.admin.api.ssoProviders.check({ issuer, allow_http: true })).toEqual(facts)
  expect(facts).toMatchObject({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    end_session_endpoint: `${issuer}/session/end`,
    backchannel_logout_supported: true,
    keys: 1,
  })
})

test('a user signs in with groups, and loses them with the next sign-in', async () => {
  const browser = await signIn()
  expect(await browser.username()).toBe('grace')
  expect((await browser.send('GET /api/devices')).status).toBe(200)
  groups = []
  await signIn()
  expect((await browser.send('GET /api/devices')).status).toBe(403)
  groups = ['net-ops']
})

test('a sign-out here ends the session there, and that of every browser by the back channel', async () => {
  const [one, two] = [await signIn(), await signIn()]
  const { url } = (await (await one.send('POST /api/auth/sso/logout')).json()) as { url: string }
  const form = await (await visitor.send(url)).text()
  const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? ''
  const body = new URLSearchParams({ xsrf: field('xsrf'), logout: 'yes' })
  const ended = await visitor.send(`${issuer}/session/end/confirm`, { method: 'POST', body })
  expect(ended.headers.get('location')).toStartWith(`${PUBLIC_URL}/login`)
  expect([await one.isSignedIn(), await two.isSignedIn()]).toEqual([false, false])
})
