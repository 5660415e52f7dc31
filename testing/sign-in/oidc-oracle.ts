/** Another authorization server, configured to be similar to ours, to compare the answers to the same requests. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Context, errors } from 'oidc-provider'

export type Oracle = {
  readonly issuer: string
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Visits its pages as a user who agrees to everything, and returns the last response. */
  readonly authorize: (query: string) => Promise<Response>
  readonly opens: (accessToken: string) => Promise<boolean>
  readonly close: () => Promise<void>
}

const HOPS = 8

const configurationFor = (resource: string, scopes: readonly string[], provider: () => Provider) => ({
  scopes,
  claims: {},
  clientDefaults: {
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  responseTypes: ['code'],
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  pkce: { required: (_: unknown, client: { clientAuthMethod: string }) => client.clientAuthMethod === 'none' },
  renderError: (ctx: { type: string; body: unknown }, out: object) => {
    ctx.type = 'json'
    ctx.body = out
  },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  routes: {
    authorization: '/mcp-oauth/authorize',
    token: '/mcp-oauth/token',
    registration: '/mcp-oauth/register',
    revocation: '/mcp-oauth/revoke',
  },
  cookies: { keys: ['only for tests'] },
  interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: async (_: unknown, id: string) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  loadExistingGrant: async ({ oidc }: Context) => {
    const grant = new (provider().Grant)({ accountId: oidc.session.accountId, clientId: oidc.client.clientId })
    grant.addOIDCScope(scopes.join(' '))
    grant.addResourceScope(resource, scopes.join(' '))
    await grant.save()
    return grant
  },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_: unknown, asked: string) => {
        if (asked !== resource) throw new errors.InvalidTarget()
        return { scope: scopes.join(' '), accessTokenFormat: 'opaque' }
      },
    },
  },
})

export const oidcOracle = async (resource: string, scopes: readonly string[]): Promise<Oracle> => {
  let provider: Provider | undefined
  const started = (): Provider => {
    if (!provider) throw new Error('the oracle is not open yet')
    return provider
  }
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/'))
      void started().interactionFinished(request, response, { login: { accountId: 'ada' }, consent: {} })
    else started().callback()(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  provider = new Provider(issuer, configurationFor(resource, scopes, started))

  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, issuer), { redirect: 'manual', ...init })
  return {
    issuer,
    fetch: get,
    authorize: async (query) => {
      const jar = new Map<string, string>()
      let response = await get(`/mcp-oauth/authorize?${query}`)
      for (let hop = 0; hop < HOPS; hop++) {
        for (const cookie of response.headers.getSetCookie()) {
          const [pair = ''] = cookie.split(';')
          jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
        }
        const to = response.headers.get('location')
        if (to === null || !new URL(to, issuer).href.startsWith(issuer)) return response
        await response.body?.cancel()
        response = await get(to, { headers: { Cookie: [...jar].map((pair) => pair.join('=')).join('; ') } })
      }
      throw new Error('the oracle sends its users round in circles')
    },
    opens: async (token) => (await started().AccessToken.find(token)) !== undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
