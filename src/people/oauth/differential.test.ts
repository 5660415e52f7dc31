/**
 * Sends the same requests to Plat and to oidc-provider, a certified server. Each difference is recorded here with both
 * answers, and its reason in docs/decisions/oauth.md.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { TestApp } from '../../../testing/app/app.ts'
import { challengeOf, formOf, newVerifier, oauthApp, oauthOf, REDIRECT } from '../../../testing/sign-in/oauth.ts'
import { type Oracle, oidcOracle } from '../../../testing/sign-in/oidc-oracle.ts'

/** Differs from the oracle's issuer: a resource is not part of the authorization server. */
const ISSUER = 'http://plat.test'
const RESOURCE = `${ISSUER}/mcp`
const SCOPE = 'devices:list devices:read'

type Values = Readonly<Record<string, string | undefined>>
type Headers = Readonly<Record<string, string>>

/** One of the two servers. */
type Side = {
  readonly issuer: string
  readonly post: (path: string, body: string, headers: Headers) => Promise<Response>
  /** Requests authorization as a user who consents. */
  readonly authorize: (parameters: Values) => Promise<Response>
  readonly opens: (token: string) => Promise<boolean>
}

const Client = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() })
type Client = { readonly client_id: string; readonly client_secret?: string | undefined }
const Tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string(), scope: z.string() })

/** Returns the answer without the parts that always differ: human-readable texts and random values. */
const said = async (response: Response): Promise<string> => {
  const to = response.headers.get('location')
  if (to !== null) {
    const told = new URL(to).searchParams
    const { error, state } = Object.fromEntries(told)
    return `sent back with ${error ?? (told.has('code') ? 'a code' : 'nothing')}, state ${state}, iss ${told.has('iss')}`
  }
  const text = await response.text()
  const error = /"error":"(\w+)"/.exec(text)?.[1] ?? /&quot;error&quot;:&quot;(\w+)/.exec(text)?.[1]
  return error === undefined ? `${response.status}` : `${response.status} ${error}`
}

/** The steps of a scenario on one server. */
const steps = (side: Side) => {
  const register = (metadata: object = {}) =>
    side.post(
      '/mcp-oauth/register',
      JSON.stringify({ redirect_uris: [REDIRECT], application_type: 'native', scope: SCOPE, ...metadata }),
      { 'Content-Type': 'application/json' },
    )
  const client = async (metadata: object = {}): Promise<Client> => Client.parse(await (await register(metadata)).json())
  const parameters = (by: Client, verifier: string, more: Values = {}): Values => ({
    response_type: 'code',
    client_id: by.client_id,
    redirect_uri: REDIRECT,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    state: 's',
    resource: RESOURCE,
    scope: SCOPE,
    ...more,
  })
  const form = (path: string, values: Values, headers: Headers = {}) =>
    side.post(path, formOf(values), { 'Content-Type': 'application/x-www-form-urlencoded', ...headers })
  const code = async (by: Client, more: Values = {}) => {
    const verifier = newVerifier()
    const response = await side.authorize(parameters(by, verifier, more))
    const found = new URL(response.headers.get('location') ?? '').searchParams.get('code')
    if (found === null) throw new Error(`no code: ${response.headers.get('location')}`)
    return { code: found, verifier }
  }
  const token = (values: Values, headers?: Headers) => form('/mcp-oauth/token', values, headers)
  const exchange = (by: Client, { code, verifier }: { code: string; verifier: string }, more: Values = {}) =>
    token({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      client_id: by.client_id,
      ...more,
    })
  const refresh = (by: Client, refresh_token: string, more: Values = {}) =>
    token({ grant_type: 'refresh_token', refresh_token, client_id: by.client_id, ...more })
  const tokens = async (by: Client) => Tokens.parse(await (await exchange(by, await code(by))).json())
  const revoke = (values: Values) => form('/mcp-oauth/revoke', values)
  const ask = async (more: Values) => said(await side.authorize(parameters(await client(), newVerifier(), more)))
  const isPublic = { token_endpoint_auth_method: 'none' }
  return { ...side, register, client, ask, code, token, exchange, refresh, tokens, revoke, isPublic }
}
type Steps = ReturnType<typeof steps>

const basic = ({ client_id, client_secret = '' }: Client) => ({
  Authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}`,
})
const BASIC = { token_endpoint_auth_method: 'client_secret_basic' }
const POST = { token_endpoint_auth_method: 'client_secret_post' }

type Scenario = (on: Steps) => Promise<unknown>

const registering =
  (metadata: object): Scenario =>
  async ({ register }) =>
    said(await register(metadata))

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'register a loopback address': registering({}),
  'register an https address': registering({ redirect_uris: ['https://a.example/cb'], application_type: 'web' }),
  'register http to another host': registering({ redirect_uris: ['http://a.example/cb'] }),
  'register an address with a fragment': registering({ redirect_uris: ['https://a.example/cb#x'] }),
  'register no address': registering({ redirect_uris: [] }),
  'register nothing for addresses': registering({ redirect_uris: undefined }),
  'register what is no address': registering({ redirect_uris: ['x'] }),
  'register a wildcard': registering({ redirect_uris: ['https://*.a.example/cb'], application_type: 'web' }),
  'register a user name in the address': registering({
    redirect_uris: ['https://u@a.example/cb'],
    application_type: 'web',
  }),
  "register an address of the client's own scheme": registering({ redirect_uris: ['com.example.app:/cb'] }),
  'register an unknown way to show a secret': registering({ token_endpoint_auth_method: 'magic' }),
  'register an unknown grant type': registering({ grant_types: ['authorization_code', 'magic'] }),
  'register an unknown response type': registering({ response_types: ['magic'] }),
  'register an unknown scope': registering({ scope: 'devices:fly' }),
  'register a scope of many': registering({ scope: '*' }),

  'ask for authorization': ({ ask }) => ask({}),
  'ask as an unknown client': ({ ask }) => ask({ client_id: 'unknown' }),
  'ask to be sent to another host': ({ ask }) => ask({ redirect_uri: 'https://evil.example/cb' }),
  'ask to be sent to another path': ({ ask }) => ask({ redirect_uri: `${REDIRECT}2` }),
  'ask to be sent to another port': ({ ask }) => ask({ redirect_uri: 'http://127.0.0.1:50123/cb' }),
  'ask for no response type': ({ ask }) => ask({ response_type: undefined }),
  'ask for an unknown response type': ({ ask }) => ask({ response_type: 'magic' }),
  'ask without PKCE': ({ ask }) => ask({ code_challenge: undefined, code_challenge_method: undefined }),
  'ask with plain PKCE': ({ ask }) => ask({ code_challenge_method: 'plain' }),
  'ask with a challenge alone': ({ ask }) => ask({ code_challenge_method: undefined }),
  'ask with a method alone': ({ ask }) => ask({ code_challenge: undefined }),
  'ask with a short challenge': ({ ask }) => ask({ code_challenge: 'short' }),
  'ask for another resource': ({ ask }) => ask({ resource: 'https://other.example/mcp' }),
  'ask for no resource': ({ ask }) => ask({ resource: undefined }),
  'ask for a scope that is not registered': ({ ask }) => ask({ scope: 'networks:list' }),
  'ask for one scope more than is registered': ({ ask }) => ask({ scope: `${SCOPE} networks:list` }),

  'exchange a code': async ({ client, code, exchange }) => {
    const one = await client()
    const response = await exchange(one, await code(one))
    const { scope, token_type, expires_in } = z.looseObject({}).parse(await response.json())
    return [response.status, response.headers.get('cache-control'), scope, token_type, expires_in]
  },
  'exchange without a client': async ({ token }) => said(await token({ grant_type: 'authorization_code', code: 'x' })),
  'exchange as an unknown client': async ({ token }) =>
    said(await token({ grant_type: 'authorization_code', code: 'x', client_id: 'unknown' })),
  'exchange an unknown code': async ({ client, exchange }) =>
    said(await exchange(await client(), { code: 'x', verifier: newVerifier() })),
  'exchange no code': async ({ client, token }) =>
    said(
      await token({ grant_type: 'authorization_code', client_id: (await client()).client_id, redirect_uri: REDIRECT }),
    ),
  'exchange by no grant type': async ({ client, token }) =>
    said(await token({ client_id: (await client()).client_id })),
  'exchange by an unknown grant type': async ({ client, token }) =>
    said(await token({ grant_type: 'magic', client_id: (await client()).client_id })),
  'exchange a code without the address': async ({ client, code, exchange }) => {
    const one = await client()
    return said(await exchange(one, await code(one), { redirect_uri: undefined }))
  },
  'exchange a code without the verifier': async ({ client, code, exchange }) => {
    const one = await client()
    return said(await exchange(one, await code(one), { code_verifier: undefined }))
  },
  'exchange a code for another resource': async ({ client, code, exchange }) => {
    const one = await client()
    return said(await exchange(one, await code(one), { resource: 'https://other.example/mcp' }))
  },
  'exchange a code twice': async ({ client, code, exchange, opens }) => {
    const one = await client()
    const shown = await code(one)
    const { access_token } = Tokens.parse(await (await exchange(one, shown)).json())
    return [await said(await exchange(one, shown)), await opens(access_token)]
  },
  'exchange the code of another client': async ({ client, code, exchange }) => {
    const one = await client()
    const shown = await code(one)
    return [await said(await exchange(await client(), shown)), await said(await exchange(one, shown))]
  },
  'exchange a code with a wrong verifier, then with the right one': async ({ client, code, exchange }) => {
    const one = await client()
    const shown = await code(one)
    const wrong = await said(await exchange(one, { ...shown, verifier: newVerifier() }))
    return [wrong, await said(await exchange(one, shown))]
  },
  'exchange a code with a wrong address, then with the right one': async ({ client, code, exchange }) => {
    const one = await client()
    const shown = await code(one)
    const wrong = await said(await exchange(one, shown, { redirect_uri: `${REDIRECT}2` }))
    return [wrong, await said(await exchange(one, shown))]
  },
  'exchange a code as JSON': async ({ client, post }) => {
    const { client_id } = await client()
    const body = JSON.stringify({ grant_type: 'authorization_code', code: 'x', client_id, redirect_uri: REDIRECT })
    return said(await post('/mcp-oauth/token', body, { 'Content-Type': 'application/json' }))
  },

  'a secret by Basic': async ({ client, code, token }) => {
    const one = await client(BASIC)
    const { code: shown, verifier } = await code(one)
    const values = { grant_type: 'authorization_code', code: shown, code_verifier: verifier, redirect_uri: REDIRECT }
    return said(await token(values, basic(one)))
  },
  'a secret in the body': async ({ client, code, exchange }) => {
    const one = await client(POST)
    return said(await exchange(one, await code(one), { client_secret: one.client_secret }))
  },
  'a secret in the body that was to come by Basic': async ({ client, code, exchange }) => {
    const one = await client(BASIC)
    return said(await exchange(one, await code(one), { client_secret: one.client_secret }))
  },
  'no secret': async ({ client, code, exchange }) => {
    const one = await client(POST)
    return said(await exchange(one, await code(one)))
  },
  'a wrong secret': async ({ client, token }) =>
    said(
      await token(
        { grant_type: 'refresh_token', refresh_token: 'x' },
        basic({ ...(await client(BASIC)), client_secret: 'x' }),
      ),
    ),
  'a secret in two ways': async ({ client, token }) => {
    const one = await client(BASIC)
    const { client_secret } = one
    return said(await token({ grant_type: 'refresh_token', refresh_token: 'x', client_secret }, basic(one)))
  },
  'a secret of a client that has none': async ({ client, token, isPublic }) => {
    const { client_id } = await client(isPublic)
    return said(await token({ grant_type: 'refresh_token', refresh_token: 'x', client_id, client_secret: 'x' }))
  },
  'a client with a secret and without PKCE': async ({ client, code, exchange }) => {
    const one = await client(POST)
    const { code: shown } = await code(one, { code_challenge: undefined, code_challenge_method: undefined })
    const { client_secret } = one
    return said(await exchange(one, { code: shown, verifier: '' }, { client_secret, code_verifier: undefined }))
  },
  'a verifier for a code that was asked for without a challenge': async ({ client, code, exchange }) => {
    const one = await client(POST)
    const { code: shown } = await code(one, { code_challenge: undefined, code_challenge_method: undefined })
    const { client_secret } = one
    return said(await exchange(one, { code: shown, verifier: newVerifier() }, { client_secret }))
  },

  refresh: async ({ client, tokens, refresh, opens }) => {
    const one = await client()
    const first = await tokens(one)
    const second = Tokens.parse(await (await refresh(one, first.refresh_token)).json())
    return [second.refresh_token !== first.refresh_token, second.scope, await opens(second.access_token)]
  },
  'refresh twice with one token': async ({ client, tokens, refresh, opens }) => {
    const one = await client()
    const first = await tokens(one)
    const second = Tokens.parse(await (await refresh(one, first.refresh_token)).json())
    const again = await said(await refresh(one, first.refresh_token))
    const newest = await said(await refresh(one, second.refresh_token))
    return [again, newest, await opens(first.access_token), await opens(second.access_token)]
  },
  'refresh with an unknown token': async ({ client, refresh }) => said(await refresh(await client(), 'x')),
  'refresh with no token': async ({ client, token }) =>
    said(await token({ grant_type: 'refresh_token', client_id: (await client()).client_id })),
  'refresh with the token of another client': async ({ client, tokens, refresh, opens }) => {
    const one = await client()
    const { refresh_token, access_token } = await tokens(one)
    const theirs = await said(await refresh(await client(), refresh_token))
    return [theirs, await opens(access_token), await said(await refresh(one, refresh_token))]
  },
  'refresh for a part of the scope': async ({ client, tokens, refresh }) => {
    const one = await client()
    const { refresh_token } = await tokens(one)
    const part = Tokens.parse(await (await refresh(one, refresh_token, { scope: 'devices:list' })).json())
    return [part.scope, Tokens.parse(await (await refresh(one, part.refresh_token)).json()).scope]
  },
  'refresh for more than the scope': async ({ client, tokens, refresh }) => {
    const one = await client()
    const { refresh_token } = await tokens(one)
    const more = await said(await refresh(one, refresh_token, { scope: `${SCOPE} networks:list` }))
    return [more, await said(await refresh(one, refresh_token))]
  },
  'refresh for another resource': async ({ client, tokens, refresh }) => {
    const one = await client()
    const { refresh_token } = await tokens(one)
    return said(await refresh(one, refresh_token, { resource: 'https://other.example/mcp' }))
  },

  'revoke without a client': async ({ revoke }) => said(await revoke({ token: 'x' })),
  'revoke as an unknown client': async ({ revoke }) => said(await revoke({ token: 'x', client_id: 'unknown' })),
  'revoke nothing': async ({ client, revoke }) => said(await revoke({ client_id: (await client()).client_id })),
  'revoke an unknown token': async ({ client, revoke }) =>
    said(await revoke({ token: 'x', client_id: (await client()).client_id })),
  'revoke a refresh token': async ({ client, tokens, revoke, refresh, opens }) => {
    const { client_id } = await client()
    const { access_token, refresh_token } = await tokens({ client_id })
    const answer = await said(await revoke({ token: refresh_token, client_id }))
    return [answer, await opens(access_token), await said(await refresh({ client_id }, refresh_token))]
  },
  'revoke an access token': async ({ client, tokens, revoke, refresh, opens }) => {
    const { client_id } = await client()
    const { access_token, refresh_token } = await tokens({ client_id })
    const answer = await said(await revoke({ token: access_token, client_id }))
    return [answer, await opens(access_token), await said(await refresh({ client_id }, refresh_token))]
  },
  'revoke the token of another client': async ({ client, tokens, revoke, opens }) => {
    const { client_id } = await client()
    const { access_token } = await tokens({ client_id })
    const answer = await said(await revoke({ token: access_token, client_id: (await client()).client_id }))
    return [answer, await opens(access_token)]
  },
}

const Place = z.looseObject({ redirect_uri: z.string().optional() })

type Difference = { readonly plat: unknown; readonly oracle: unknown }

const NO_ADDRESS = { plat: '400 invalid_redirect_uri', oracle: '201' }
const NOT_REGISTERED = { plat: '400 invalid_request', oracle: '400 invalid_redirect_uri' }
const NO_CLIENT = { plat: '401 invalid_client', oracle: '400 invalid_request' }
const BURNT = { plat: ['400 invalid_grant', '400 invalid_grant'], oracle: ['400 invalid_grant', '200'] }

const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'register a wildcard': NO_ADDRESS,
  'register a user name in the address': NO_ADDRESS,
  "register an address of the client's own scheme": NO_ADDRESS,
  'ask to be sent to another host': NOT_REGISTERED,
  'ask to be sent to another path': NOT_REGISTERED,
  'ask for one scope more than is registered': {
    plat: 'sent back with a code, state s, iss true',
    oracle: 'sent back with invalid_scope, state s, iss true',
  },
  'exchange without a client': NO_CLIENT,
  'exchange a code without the address': { plat: '400 invalid_request', oracle: '200' },
  'exchange a code without the verifier': { plat: '400 invalid_request', oracle: '400 invalid_grant' },
  'exchange a code with a wrong verifier, then with the right one': BURNT,
  'exchange a code with a wrong address, then with the right one': BURNT,
  'revoke without a client': NO_CLIENT,
}

describe('Plat and oidc-provider', () => {
  let app: TestApp
  let oracle: Oracle
  let plat: Steps
  let other: Steps

  beforeAll(async () => {
    app = await oauthApp()
    const oauth = oauthOf(app)
    const ada = await oauth.person()
    oracle = await oidcOracle(RESOURCE, [...SCOPE.split(' '), 'networks:list'])
    plat = steps({
      issuer: ISSUER,
      post: (path, body, headers) => app.guest('POST', path, body, headers),
      authorize: async (parameters) => {
        const response = await app.guest('GET', `/mcp-oauth/authorize?${formOf(parameters)}`, undefined, {
          Cookie: ada.cookie,
        })
        // Plat shows a signed-in user a button where the oracle redirects at once.
        const answer = response.status === 200 ? await oauth.consent(parameters, ada) : response
        const { redirect_uri } = Place.parse(await answer.clone().json())
        if (redirect_uri === undefined) return answer
        return new Response(null, { status: 303, headers: { Location: redirect_uri } })
      },
      opens: async (token) => (await oauth.opens(token)) === 200,
    })
    other = steps({
      issuer: oracle.issuer,
      post: (path, body, headers) => oracle.fetch(path, { method: 'POST', body, headers }),
      authorize: (parameters) => oracle.authorize(formOf(parameters)),
      opens: oracle.opens,
    })
  })
  afterAll(async () => {
    await oracle.close()
    await app.close()
  })

  test.each(Object.entries(SCENARIOS))('%s', async (name, scenario) => {
    const both = { plat: await scenario(plat), oracle: await scenario(other) }
    const known = DIFFERENCES[name]
    expect(both).toEqual(known ?? { plat: both.plat, oracle: both.plat })
  })

  test('every documented difference still exists', () => {
    const names = Object.keys(DIFFERENCES)
    expect(names.filter((name) => !SCENARIOS[name])).toEqual([])
    for (const { plat, oracle } of Object.values(DIFFERENCES)) expect(plat).not.toEqual(oracle)
  })
})
