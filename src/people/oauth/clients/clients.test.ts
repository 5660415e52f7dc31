/**
 * Real clients over a real socket: both major versions of the MCP SDK, and a library that follows the RFCs strictly.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as web from 'oauth4webapi'
import type { TestApp } from '../../../../testing/app/app.ts'
import { type OauthSteps, oauthApp, oauthOf, REDIRECT, type Signed } from '../../../../testing/sign-in/oauth.ts'
import { AUTH_METHODS, type AuthMethod } from '../schema.ts'

let server: ReturnType<typeof Bun.serve>
let app: TestApp
let oauth: OauthSteps
let ada: Signed
let issuer: string

beforeAll(async () => {
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
  issuer = `http://127.0.0.1:${server.port}`
  app = await oauthApp({ env: { MCP_OAUTH_ISSUER_URL: issuer } })
  oauth = oauthOf(app)
  ada = await oauth.person()
})
afterAll(async () => {
  await server.stop(true)
  await app.close()
})

/** Stands for the browser and its user: follows the redirects and posts the decision. */
const browse = async (to: URL, more: object = { approved: true }): Promise<URLSearchParams> => {
  expect(`${to.origin}${to.pathname}`).toBe(`${issuer}/mcp-oauth/authorize`)
  return oauth.wentTo(await oauth.consent(Object.fromEntries(to.searchParams), ada, more))
}

type Saved = { readonly client_id: string; readonly client_secret?: string }
type SavedTokens = { readonly access_token: string; readonly token_type: string; readonly scope?: string }

/** Implements the storage that the SDK expects of an application, for both versions. */
const keeperFor = (method: AuthMethod) => {
  const kept: { client?: Saved; tokens?: SavedTokens; verifier?: string; discovered?: unknown; sentTo: URL[] } = {
    sentTo: [],
  }
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: `SDK with ${method}`,
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: method,
    },
    state: () => 'st4te',
    clientInformation: () => kept.client,
    saveClientInformation: (client: Saved) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: SavedTokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      kept.sentTo.push(url)
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (discovered: unknown) => {
      kept.discovered = discovered
    },
    discoveryState: () => kept.discovered,
  }
  return { kept, provider }
}
type Keeper = ReturnType<typeof keeperFor>

/** The common interface of both SDK versions for the tests. */
type Driven = {
  readonly connect: () => Promise<void>
  readonly finish: (told: URLSearchParams) => Promise<void>
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<unknown>
  readonly close: () => Promise<void>
}
type Driver = (keeper: Keeper) => Driven

const about = { name: 'test', version: '1' }

const driveV1: Driver = ({ provider }) => {
  const url = new URL('/mcp', issuer)
  // The SDK's own types declare more members than the stored tokens have.
  const transport = () => new TransportV1(url, { authProvider: provider as never })
  let [client, current] = [new ClientV1(about), transport()]
  return {
    connect: async () => {
      client = new ClientV1(about)
      current = transport()
      // The SDK was not compiled with exactOptionalPropertyTypes.
      await client.connect(current as never)
    },
    finish: (told) => current.finishAuth(told.get('code') ?? ''),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

const driveV2: Driver = ({ provider }) => {
  const url = new URL('/mcp', issuer)
  // See above.
  const transport = () => new TransportV2(url, { authProvider: provider as never })
  let [client, current] = [new ClientV2(about), transport()]
  return {
    connect: async () => {
      client = new ClientV2(about)
      current = transport()
      await client.connect(current)
    },
    finish: (told) => current.finishAuth(told),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

describe.each([
  ['v1', driveV1],
  ['v2', driveV2],
] as const)('the MCP SDK %s', (_, drive) => {
  test.each([...AUTH_METHODS])('registers with %s, gets the consent of its user, and calls tools', async (method) => {
    const keeper = keeperFor(method)
    const driven = drive(keeper)
    expect(await driven.connect().catch((error: Error) => error.name || error.message)).toBeDefined()
    const [asked] = keeper.kept.sentTo
    if (!asked) throw new Error('the SDK did not send its user anywhere')
    expect(asked.searchParams.get('resource')).toBe(`${issuer}/mcp`)
    await driven.finish(await browse(asked))
    expect(keeper.kept.client?.client_secret === undefined).toBe(method === 'none')
    await driven.connect()
    expect(await driven.call('device_list')).toMatchObject({ structuredContent: { total: 0 } })
    // The everyday scopes need no second consent.
    const made = await driven.call('device_create', { name: `by ${method}` })
    expect(made).toMatchObject({ structuredContent: { name: `by ${method}` } })
    await app.db.write((tx) => tx.db.deleteFrom('devices').execute())
    await driven.close()
  })

  test('gets new tokens when the old one is over', async () => {
    const keeper = keeperFor('client_secret_basic')
    const driven = drive(keeper)
    await driven.connect().catch(() => {})
    const [asked] = keeper.kept.sentTo
    await driven.finish(await browse(asked ?? new URL(issuer)))
    const first = keeper.kept.tokens
    await app.db.write((tx) => tx.db.deleteFrom('oauth_access_tokens').execute())
    await driven.connect()
    expect(await driven.call('device_list')).toMatchObject({ structuredContent: { total: 0 } })
    expect(keeper.kept.tokens?.access_token).not.toBe(first?.access_token)
    expect(keeper.kept.sentTo.length).toBe(1)
    await driven.close()
  })
})

test('the MCP SDK v2 asks its user again for what a token does not carry', async () => {
  const keeper = keeperFor('none')
  const driven = driveV2(keeper)
  await driven.connect().catch(() => {})
  const [asked] = keeper.kept.sentTo
  await driven.finish(await browse(asked ?? new URL(issuer), { approved: true, scope: 'devices:list devices:read' }))
  await driven.connect()
  const create = () => driven.call('device_create', { name: 'stepped up' })
  expect(await create().catch((error: Error) => error.name)).toBe('UnauthorizedError')
  const again = keeper.kept.sentTo.at(-1)
  expect(again?.searchParams.get('scope')?.split(' ')).toContain('devices:create')
  await driven.finish(await browse(again ?? new URL(issuer)))
  expect(await create()).toMatchObject({ structuredContent: { name: 'stepped up' } })
  await driven.close()
})

describe.each([...AUTH_METHODS])('oauth4webapi with %s', (method) => {
  const http = { [web.allowInsecureRequests]: true } as const

  test('completes the whole flow, and validates every answer by the RFCs', async () => {
    const resource = new URL(`${issuer}/mcp`)
    const described = await web.processResourceDiscoveryResponse(
      resource,
      await web.resourceDiscoveryRequest(resource, http),
    )
    const issuerUrl = new URL(described.authorization_servers?.[0] ?? '')
    const discovery = await web.discoveryRequest(issuerUrl, { algorithm: 'oauth2', ...http })
    const as = await web.processDiscoveryResponse(issuerUrl, discovery)
    const metadata = { redirect_uris: [REDIRECT], token_endpoint_auth_method: method, client_name: 'strict' }
    const client = await web.processDynamicClientRegistrationResponse(
      await web.dynamicClientRegistrationRequest(as, metadata, http),
    )
    const proof = {
      none: () => web.None(),
      client_secret_basic: () => web.ClientSecretBasic(String(client.client_secret)),
      client_secret_post: () => web.ClientSecretPost(String(client.client_secret)),
    }[method]()

    const verifier = web.generateRandomCodeVerifier()
    const to = new URL(as.authorization_endpoint ?? '')
    const values = {
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      scope: 'devices:list',
      state: 'st4te',
      code_challenge: await web.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: described.resource,
    }
    for (const [name, value] of Object.entries(values)) to.searchParams.set(name, value)
    const told = web.validateAuthResponse(as, client, await browse(to), 'st4te')
    const exchanged = await web.authorizationCodeGrantRequest(as, client, proof, told, REDIRECT, verifier, http)
    const first = await web.processAuthorizationCodeResponse(as, client, exchanged)
    expect([first.token_type, first.scope, first.expires_in]).toEqual(['bearer', 'devices:list', 3600])
    const refreshed = await web.refreshTokenGrantRequest(as, client, proof, first.refresh_token ?? '', http)
    const second = await web.processRefreshTokenResponse(as, client, refreshed)
    await web.processRevocationResponse(await web.revocationRequest(as, client, proof, second.access_token, http))
    expect(await oauth.opens(second.access_token)).toBe(401)
    const dead = web
      .refreshTokenGrantRequest(as, client, proof, second.refresh_token ?? '', http)
      .then((response) => web.processRefreshTokenResponse(as, client, response))
    expect(await dead.catch((error: web.ResponseBodyError) => [error.status, error.error])).toEqual([
      400,
      'invalid_grant',
    ])
  })
})
