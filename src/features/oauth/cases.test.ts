/** The acceptance cases 15 to 28 of security.md, section 6, by their numbers, on both databases. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import type { TestApp, TestCaller } from '../../testing/app.ts'
import {
  type Client,
  challengeOf,
  ISSUER,
  newVerifier,
  type OauthSteps,
  oauthApp,
  oauthOf,
  problemOf,
  REDIRECT,
  RESOURCE,
  type Signed,
  toolCall,
} from '../../testing/oauth.ts'
import { dialects } from '../../testing/servers.ts'
import { refusal } from '../../testing/sign-in.ts'
import { CATALOGUE } from '../roles/catalogue.ts'

const START_TIMEOUT_MS = 60_000

describe.each(dialects())('on %s', (dialect) => {
  const clock = { ms: Date.parse('2026-11-21T12:00:00.000Z') }
  let app: TestApp
  let oauth: OauthSteps
  let admin: TestCaller
  let ada: Signed
  let client: Client

  beforeAll(async () => {
    app = await oauthApp({ dialect, now: () => new Date(clock.ms) })
    oauth = oauthOf(app)
    admin = await app.as('admin')
    ada = await oauth.person()
    client = await oauth.register({ scope: 'devices:list devices:read devices:create', client_name: 'Claude Code' })
  }, START_TIMEOUT_MS)
  afterAll(() => app.close(), START_TIMEOUT_MS)

  const getJson = async (path: string) => {
    const response = await app.guest('GET', path)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  describe('case 15: the metadata', () => {
    test.each(['', '/mcp'])('of the server, at its path%s', async (suffix) => {
      const { status, headers, body } = await getJson(`/.well-known/oauth-authorization-server${suffix}`)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
      expect(headers.get('cache-control')).toContain('max-age=300')
      expect(body).toEqual({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/mcp-oauth/authorize`,
        token_endpoint: `${ISSUER}/mcp-oauth/token`,
        registration_endpoint: `${ISSUER}/mcp-oauth/register`,
        revocation_endpoint: `${ISSUER}/mcp-oauth/revoke`,
        scopes_supported: CATALOGUE.map(({ name }) => name),
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
        authorization_response_iss_parameter_supported: true,
      })
    })

    test.each(['', '/mcp'])('of the resource, at its path%s', async (suffix) => {
      const { status, headers, body } = await getJson(`/.well-known/oauth-protected-resource${suffix}`)
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
      expect(body).toMatchObject({
        resource: RESOURCE,
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
      })
      const { scopes_supported } = z.object({ scopes_supported: z.array(z.string()) }).parse(body)
      expect(scopes_supported.filter((scope) => !/:(list|read)$/.test(scope))).toEqual([])
      expect(scopes_supported).toContain('devices:list')
    })
  })

  test('case 16: who comes to /mcp without a token is told where to get one', async () => {
    const response = await oauth.mcp(undefined)
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect([response.status, challenge.startsWith('Bearer realm="mcp", ')]).toEqual([401, true])
    expect(challenge).not.toContain('error=')
    expect(challenge).toMatch(/ scope="[^"]*devices:list devices:read[^"]*"/)
    const [, at = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    expect(at.startsWith(`${ISSUER}/`)).toBe(true)
    expect((await getJson(at.slice(ISSUER.length))).body).toMatchObject({ resource: RESOURCE })
    const wrong = await oauth.mcp('plat_at_nothing')
    expect([wrong.status, wrong.headers.get('www-authenticate')?.includes('error="invalid_token"')]).toEqual([
      401,
      true,
    ])
  })

  describe('case 17: registration', () => {
    const statusFor = async (metadata: object) => {
      const response = await app.guest('POST', '/mcp-oauth/register', { redirect_uris: [REDIRECT], ...metadata })
      return response.status === 201 ? 'registered' : problemOf(response)
    }

    test.each([
      'https://client.example/cb',
      'https://client.example:8443/cb?x=1',
      'https://client.example',
      'https://client.example/@name/cb',
      'https://[2001:db8::1]/cb',
      'http://localhost/cb',
      'http://localhost:3118/cb',
      'http://127.0.0.1:7777/cb',
      'http://[::1]:7777/cb',
    ])('takes %s', async (uri) => {
      expect(await statusFor({ redirect_uris: [uri] })).toBe('registered')
    })

    test.each([
      '',
      'client.example/cb',
      '/cb',
      '//client.example/cb',
      'https:client.example/cb',
      'https:/client.example/cb',
      'https:///cb',
      'HTTPS://client.example/cb',
      'http://client.example/cb',
      'http://127.0.0.1.client.example/cb',
      'http://127.1/cb',
      'http://2130706433/cb',
      'http://localhost.client.example/cb',
      'http://[::ffff:127.0.0.1]/cb',
      'https://user@client.example/cb',
      'https://user:pw@client.example/cb',
      'http://localhost:pw@client.example/cb',
      'https://client.example/cb#',
      'https://client.example/cb#x',
      'https://*.client.example/cb',
      'https://client.example/*',
      'https://client.example\\@evil.example/cb',
      'https://client.example/c b',
      ' https://client.example/cb',
      'https://client.example/cb\n',
      'https://client.example/\u0000',
      'https://cliént.example/cb',
      'https://client.example:99999/cb',
      'https://client.example:x/cb',
      'cursor://client.example/cb',
      'com.example.app:/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      `https://client.example/${'x'.repeat(2048)}`,
    ])('refuses %j', async (uri) => {
      expect(await statusFor({ redirect_uris: [uri] })).toEqual([400, 'invalid_redirect_uri'])
    })

    test.each([
      [undefined],
      [null],
      ['https://client.example/cb'],
      [[]],
      [[5]],
      [Array(11).fill('https://client.example/cb')],
    ])('refuses %j for redirect_uris', async (uris) => {
      expect(await statusFor({ redirect_uris: uris })).toEqual([400, 'invalid_redirect_uri'])
    })

    test.each(['', ' ', '*', 'devices:*', 'devices:fly', 'devices:list,devices:read', 'openid', 5, [['devices:list']]])(
      'refuses the scope %j',
      async (scope) => {
        expect(await statusFor({ scope })).toEqual([400, 'invalid_client_metadata'])
      },
    )

    test.each([
      { token_endpoint_auth_method: 'private_key_jwt' },
      { grant_types: ['implicit'] },
      { grant_types: ['refresh_token'] },
      { grant_types: ['authorization_code', 'client_credentials'] },
      { response_types: ['token'] },
      { response_types: ['code', 'code'] },
      { response_types: [] },
      { client_name: 5 },
      { client_name: 'x'.repeat(256) },
      { client_name: 'gpj.\u202elatot' },
    ])('refuses %j', async (metadata) => {
      expect(await statusFor(metadata)).toEqual([400, 'invalid_client_metadata'])
    })

    test('says what it has made of what it was sent', async () => {
      const sent = { redirect_uris: [REDIRECT, REDIRECT], logo_uri: 'http://169.254.169.254/', application_type: 'web' }
      const response = await app.guest('POST', '/mcp-oauth/register', sent)
      expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
      const { client_id, client_id_issued_at, scope, ...rest } = z
        .looseObject({ client_id: z.uuid(), client_id_issued_at: z.int(), scope: z.string() })
        .parse(await response.json())
      expect(client_id_issued_at).toBe(Math.floor(clock.ms / 1000))
      expect(scope.split(' ').every((one) => /:(list|read)$/.test(one))).toBe(true)
      expect(rest).toEqual({
        client_name: 'Unnamed client',
        redirect_uris: [REDIRECT],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      })
    })

    test.each(['client_secret_basic', 'client_secret_post'])('gives a client of %s a secret', async (method) => {
      const response = await app.guest('POST', '/mcp-oauth/register', {
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: method,
      })
      expect(await response.json()).toMatchObject({
        client_secret: expect.stringMatching(/^plat_cs_[\w-]{43}$/),
        client_secret_expires_at: 0,
      })
    })
  })

  describe('case 19: a request for authorization', () => {
    const ask = async (more: Readonly<Record<string, string | undefined>>, query = '') => {
      const values = Object.entries(oauth.parametersFor(client, newVerifier(), more))
      const given = values.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
      return app.guest('GET', `/mcp-oauth/authorize?${new URLSearchParams(given)}${query}`, undefined, {
        Cookie: ada.cookie,
      })
    }

    test.each([
      { redirect_uri: 'https://evil.example/cb' },
      { redirect_uri: `${REDIRECT}/more` },
      { redirect_uri: 'http://127.0.0.1:7777/CB' },
      { redirect_uri: 'http://localhost:7777/cb' },
      { redirect_uri: 'https://127.0.0.1:7777/cb' },
      { redirect_uri: 'http://127.0.0.1:7777/cb?x=1' },
      { redirect_uri: undefined },
      { client_id: 'unknown' },
      { client_id: '\u0000' },
      { client_id: undefined },
    ])('with %j is refused, and nobody is sent anywhere', async (more) => {
      const response = await ask(more)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect((await problemOf(response))[0]).toBe(400)
    })

    test('with a parameter twice is refused, and nobody is sent anywhere', async () => {
      const response = await ask({}, '&state=other')
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
    })

    test.each([
      [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ code_challenge: `${challengeOf('x')}=` }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ response_type: undefined }, 'invalid_request'],
      [{ response_mode: 'fragment' }, 'invalid_request'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ scope: 'users:list' }, 'invalid_scope'],
      [{ scope: '*' }, 'invalid_scope'],
    ])('with %j is shown with the way back to the client, with %s', async (more, error) => {
      const response = await ask(more)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      const { redirect_uri } = (await response.json()) as { redirect_uri: string }
      const to = new URL(redirect_uri)
      expect(`${to.origin}${to.pathname}`).toBe(REDIRECT)
      const { error_description, ...told } = Object.fromEntries(to.searchParams)
      expect(told).toEqual({ error, state: 'st4te', iss: ISSUER })
      expect(error_description).toMatch(/^[ !#-[\]-~]+$/)
    })

    test('of a page goes back in the words of a page', async () => {
      const query = new URLSearchParams({ client_id: client.client_id, redirect_uri: REDIRECT })
      const headers = { Cookie: ada.cookie, 'X-Requested-With': 'XMLHttpRequest' }
      const response = await app.guest('GET', `/mcp-oauth/authorize?${query}`, undefined, headers)
      const to = `${REDIRECT}?error=invalid_request`
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { redirect_uri: expect.stringContaining(to) },
      ])
    })

    test('takes another port of the loopback, and the address of the server as the resource', async () => {
      const response = await ask({ redirect_uri: 'http://127.0.0.1:50123/cb', resource: `${ISSUER}/` })
      expect([response.status, await response.json()]).toMatchObject([200, { redirect_host: '127.0.0.1:50123' }])
    })

    test('needs someone who is signed in', async () => {
      const query = new URLSearchParams(
        Object.entries(oauth.parametersFor(client, newVerifier())) as [string, string][],
      )
      expect(await refusal(await app.guest('GET', `/mcp-oauth/authorize?${query}`))).toEqual([401, 'UNAUTHORIZED'])
    })
  })

  describe('case 20: a code', () => {
    test('is good for one use, and a second one ends what the first has brought', async () => {
      const code = await oauth.codeFor(client, ada)
      const tokens = await oauth.tokensOf(await oauth.exchange(client, code))
      expect(await oauth.opens(tokens.access_token)).toBe(200)
      expect(await problemOf(await oauth.exchange(client, code))).toEqual([400, 'invalid_grant'])
      expect(await oauth.opens(tokens.access_token)).toBe(401)
      expect(await problemOf(await oauth.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    })

    test.each([
      ['a wrong verifier', { code_verifier: newVerifier() }],
      ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:7778/cb' }],
    ])('is burnt by %s', async (_, wrong) => {
      const code = await oauth.codeFor(client, ada)
      expect(await problemOf(await oauth.exchange(client, code, wrong))).toEqual([400, 'invalid_grant'])
      expect(await problemOf(await oauth.exchange(client, code))).toEqual([400, 'invalid_grant'])
    })

    test('is not to be used by another client, nor to be burnt by one', async () => {
      const code = await oauth.codeFor(client, ada)
      expect(await problemOf(await oauth.exchange(await oauth.register(), code))).toEqual([400, 'invalid_grant'])
      expect((await oauth.exchange(client, code)).status).toBe(200)
    })

    test('is over after a minute', async () => {
      const code = await oauth.codeFor(client, ada)
      clock.ms += 60_000
      expect(await problemOf(await oauth.exchange(client, code))).toEqual([400, 'invalid_grant'])
    })

    test.each([
      [{ code: undefined }, 'invalid_request'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ])('is not spoilt by a request with %j', async (wrong, error) => {
      const code = await oauth.codeFor(client, ada)
      expect(await problemOf(await oauth.exchange(client, code, wrong))).toEqual([400, error])
      expect((await oauth.exchange(client, code)).status).toBe(200)
    })
  })

  describe('case 21: the scope', () => {
    const scopeFor = async (human: Signed, scope?: string) =>
      (await oauth.tokensFor(client, human, scope === undefined ? {} : { scope })).scope

    test('is never more than asked for, registered, and in the power of the user', async () => {
      const reader = await oauth.person({ permissions: ['devices:read', 'devices:delete', 'networks:list'] })
      expect(await scopeFor(ada)).toBe('devices:create devices:list devices:read')
      expect(await scopeFor(ada, 'devices:read devices:delete users:list offline_access')).toBe('devices:read')
      expect(await scopeFor(reader, 'devices:read devices:create')).toBe('devices:read')
    })

    test('that the user has nothing of is none', async () => {
      const nobody = await oauth.person({ permissions: ['networks:list'] })
      const told = await oauth.wentTo(await oauth.consent(oauth.parametersFor(client, newVerifier()), nobody))
      expect(Object.fromEntries(told)).toMatchObject({ error: 'invalid_scope', state: 'st4te', iss: ISSUER })
    })

    test('is shown to the user, with where the code will go', async () => {
      const reader = await oauth.person({ permissions: ['devices:read'] })
      const values = oauth.parametersFor(client, newVerifier(), { scope: 'devices:read devices:create users:list' })
      const query = new URLSearchParams(Object.entries(values) as [string, string][])
      const response = await app.guest('GET', `/mcp-oauth/authorize?${query}`, undefined, { Cookie: reader.cookie })
      expect([response.status, await response.json()]).toMatchObject([
        200,
        {
          client_name: 'Claude Code',
          redirect_host: '127.0.0.1:7777',
          is_loopback: true,
          username: reader.username,
          scope: 'devices:create devices:read',
          scopes: [
            { name: 'devices:create', is_held: false },
            { name: 'devices:read', is_held: true },
          ],
        },
      ])
    })

    test('may be narrowed by the user', async () => {
      const verifier = newVerifier()
      const asked = oauth.parametersFor(client, verifier)
      const answer = await oauth.consent(asked, ada, { approved: true, scope: 'devices:list' })
      const code = (await oauth.wentTo(answer)).get('code') ?? ''
      expect((await oauth.tokensOf(await oauth.exchange(client, { code, verifier }))).scope).toBe('devices:list')
    })
  })

  describe('case 22: a refresh token', () => {
    test('is replaced by each use', async () => {
      const first = await oauth.tokensFor(client, ada)
      const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
      expect(second.refresh_token).not.toBe(first.refresh_token)
      expect([await oauth.opens(first.access_token), await oauth.opens(second.access_token)]).toEqual([200, 200])
    })

    test('that is used twice ends the whole family', async () => {
      const first = await oauth.tokensFor(client, ada)
      const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
      expect(await problemOf(await oauth.refresh(client, first.refresh_token))).toEqual([400, 'invalid_grant'])
      expect([await oauth.opens(first.access_token), await oauth.opens(second.access_token)]).toEqual([401, 401])
      expect(await problemOf(await oauth.refresh(client, second.refresh_token))).toEqual([400, 'invalid_grant'])
    })

    test('of another client is not to be used, and nothing happens to it', async () => {
      const tokens = await oauth.tokensFor(client, ada)
      const used = await oauth.tokensOf(await oauth.refresh(client, tokens.refresh_token))
      const other = await oauth.register()
      for (const one of [tokens, used])
        expect(await problemOf(await oauth.refresh(other, one.refresh_token))).toEqual([400, 'invalid_grant'])
      expect(await oauth.opens(used.access_token)).toBe(200)
    })

    test('is over after its time', async () => {
      const tokens = await oauth.tokensFor(client, ada)
      clock.ms += 30 * 24 * 3_600_000
      expect(await problemOf(await oauth.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
      ada = await oauth.person()
      admin = await app.as('admin')
    })

    test.each([
      [{ scope: 'devices:list users:list' }, 'invalid_scope'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ refresh_token: undefined }, 'invalid_request'],
    ])('is not spoilt by a request with %j', async (wrong, error) => {
      const tokens = await oauth.tokensFor(client, ada)
      expect(await problemOf(await oauth.refresh(client, tokens.refresh_token, wrong))).toEqual([400, error])
      expect((await oauth.refresh(client, tokens.refresh_token)).status).toBe(200)
    })
  })

  test('case 23: of 20 refreshes at one time exactly one succeeds', async () => {
    const { refresh_token } = await oauth.tokensFor(client, ada)
    const answers = await Promise.all(Array.from({ length: 20 }, () => oauth.refresh(client, refresh_token)))
    const statuses = await Promise.all(answers.map(async (one) => (one.ok ? 'tokens' : (await problemOf(one)).join())))
    expect(statuses.toSorted()).toEqual([...Array(19).fill('400,invalid_grant'), 'tokens'])
  })

  test('case 20, of 20 uses of a code at one time exactly one succeeds', async () => {
    const code = await oauth.codeFor(client, ada)
    const answers = await Promise.all(Array.from({ length: 20 }, () => oauth.exchange(client, code)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })

  test('case 24: a role that is gone is gone from what runs and from what is refreshed, and comes back', async () => {
    const bob = await oauth.person({ permissions: ['devices:read'], roles: ['operator'] })
    const first = await oauth.tokensFor(client, bob)
    expect(first.scope).toBe('devices:create devices:list devices:read')
    const list = () => oauth.mcp(first.access_token, toolCall('device_list'))
    expect(await (await list()).text()).not.toContain('FORBIDDEN')
    const role = { user_id: bob.id, role_id: 'operator' }
    expect((await admin.request('POST', '/api/users/revoke-role', role)).status).toBe(204)
    // The user lacks it too: no consent would help, and so it is an answer to the model.
    const refused = await list()
    expect([refused.status, (await refused.text()).includes('FORBIDDEN')]).toEqual([200, true])
    const second = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
    expect(second.scope).toBe('devices:read')
    expect((await admin.request('POST', '/api/users/grant-role', role)).status).toBe(201)
    const third = await oauth.tokensOf(await oauth.refresh(client, second.refresh_token))
    expect(third.scope).toBe(first.scope)
  })

  describe('case 25: a client with a secret', () => {
    let basic: Client
    let inBody: Client
    beforeAll(async () => {
      basic = await oauth.register({ token_endpoint_auth_method: 'client_secret_basic' })
      inBody = await oauth.register({ token_endpoint_auth_method: 'client_secret_post' })
    })
    const challenged = async (response: Response) => {
      expect(response.headers.get('www-authenticate')).toStartWith('Basic')
      return problemOf(response)
    }

    test('gets tokens in the way that it has registered, without PKCE if it likes', async () => {
      for (const one of [basic, inBody]) {
        const without = { code_challenge: undefined, code_challenge_method: undefined }
        const { code } = await oauth.codeFor(one, ada, without)
        const response = await oauth.exchange(one, { code, verifier: '' })
        expect((await oauth.tokensOf(response)).token_type).toBe('Bearer')
      }
    })

    test('must not come with a verifier for a code without a challenge', async () => {
      const { code } = await oauth.codeFor(basic, ada, { code_challenge: undefined, code_challenge_method: undefined })
      const answer = await oauth.exchange(basic, { code, verifier: newVerifier() })
      expect(await problemOf(answer)).toEqual([400, 'invalid_grant'])
    })

    test('is nobody without it, or with another one', async () => {
      const { client_id } = basic
      for (const wrong of [
        { client_id, token_endpoint_auth_method: 'none' },
        { ...basic, client_secret: 'wrong' },
        { ...inBody, client_secret: 'wrong' },
        { ...basic, client_id: inBody.client_id },
        { client_id: 'unknown', token_endpoint_auth_method: 'none' },
        { ...client, client_secret: 'made up', token_endpoint_auth_method: 'client_secret_post' },
      ]) {
        expect(await challenged(await oauth.exchange(wrong, await oauth.codeFor(basic, ada)))).toEqual([
          401,
          'invalid_client',
        ])
      }
    })

    test('that shows it in two ways at once is refused', async () => {
      const { headers } = oauth.proofOf(basic)
      const code = await oauth.codeFor(basic, ada)
      const { client_secret } = basic
      const values = { grant_type: 'authorization_code', code: code.code, redirect_uri: REDIRECT, client_secret }
      expect(await problemOf(await oauth.post('/mcp-oauth/token', values, headers))).toEqual([400, 'invalid_request'])
      expect((await oauth.exchange(basic, code)).status).toBe(200)
    })

    test('sends forms, with each parameter once', async () => {
      const { headers } = oauth.proofOf(basic)
      const json = await app.guest('POST', '/mcp-oauth/token', { grant_type: 'refresh_token' }, headers)
      expect(await problemOf(json)).toEqual([400, 'invalid_request'])
      const twice = await oauth.post(
        '/mcp-oauth/token',
        'grant_type=refresh_token&refresh_token=a&refresh_token=b',
        headers,
      )
      expect(await problemOf(twice)).toEqual([400, 'invalid_request'])
    })
  })

  describe('case 26: revocation', () => {
    test('needs a client, whatever the token', async () => {
      const unknown = { client_id: 'unknown', token_endpoint_auth_method: 'none' }
      expect(await problemOf(await oauth.revoke(unknown, 'plat_at_random'))).toEqual([401, 'invalid_client'])
      expect(await problemOf(await oauth.post('/mcp-oauth/revoke', { token: 'x' }))).toEqual([401, 'invalid_client'])
    })

    test.each(['access_token', 'refresh_token'] as const)("of one's own %s ends the family", async (which) => {
      const tokens = await oauth.tokensFor(client, ada)
      const other = await oauth.tokensFor(client, ada)
      const response = await oauth.revoke(client, tokens[which])
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect([await oauth.opens(tokens.access_token), await oauth.opens(other.access_token)]).toEqual([401, 200])
      expect(await problemOf(await oauth.refresh(client, tokens.refresh_token))).toEqual([400, 'invalid_grant'])
    })

    test("of somebody else's token changes nothing, nor does that of none", async () => {
      const tokens = await oauth.tokensFor(client, ada)
      const other = await oauth.register()
      for (const token of [tokens.access_token, tokens.refresh_token, 'plat_at_random'])
        expect((await oauth.revoke(other, token)).status).toBe(200)
      expect(await oauth.opens(tokens.access_token)).toBe(200)
      expect(await problemOf(await oauth.revoke(client, ''))).toEqual([400, 'invalid_request'])
    })
  })

  test('case 27: a client that an admin deletes is gone at once, with all it was allowed', async () => {
    const one = await oauth.register({ client_name: 'to be deleted' })
    const tokens = await oauth.tokensFor(one, ada)
    expect(await oauth.opens(tokens.access_token)).toBe(200)
    const path = `/api/oauth/clients/${one.client_id}`
    const operator = await app.as('operator')
    for (const method of ['GET', 'DELETE']) expect((await operator.request(method, path)).status).toBe(403)
    expect((await operator.request('GET', '/api/oauth/clients')).status).toBe(403)
    expect((await admin.request('DELETE', path)).status).toBe(204)
    expect(await oauth.opens(tokens.access_token)).toBe(401)
    expect(await problemOf(await oauth.refresh(one, tokens.refresh_token))).toEqual([401, 'invalid_client'])
    expect((await admin.request('GET', path)).status).toBe(404)
  })

  describe('case 28: an access token', () => {
    test('opens /mcp and nothing else', async () => {
      const { access_token } = await oauth.tokensFor(client, ada)
      const headers = { Authorization: `Bearer ${access_token}` }
      expect(await oauth.opens(access_token)).toBe(200)
      for (const path of ['/api/devices', '/api/auth/me', '/metrics', '/api/config'])
        expect(await refusal(await app.guest('GET', path, undefined, headers))).toEqual([401, 'UNAUTHORIZED'])
    })

    test('is over after its time, and with whatever ends the sign-ins of the user', async () => {
      const bob = await oauth.person()
      const [timed, reset, off] = [
        await oauth.tokensFor(client, bob),
        await oauth.tokensFor(client, ada),
        await oauth.tokensFor(client, await oauth.person()),
      ]
      await admin.request('POST', `/api/users/${ada.id}/reset-password`, { new_password: 'another password' })
      expect(await oauth.opens(reset.access_token)).toBe(401)
      expect(await problemOf(await oauth.refresh(client, reset.refresh_token))).toEqual([400, 'invalid_grant'])
      expect(await oauth.opens(off.access_token)).toBe(200)
      clock.ms += timed.expires_in * 1000
      expect(await oauth.opens(timed.access_token)).toBe(401)
      ada = await oauth.person()
    })

    test('is not read from the query, nor from a cookie', async () => {
      const { access_token } = await oauth.tokensFor(client, ada)
      const headers = { Accept: 'application/json, text/event-stream', Cookie: `session=${access_token}` }
      const response = await app.guest('POST', `/mcp?access_token=${access_token}`, toolCall('device_list'), headers)
      expect(response.status).toBe(401)
    })

    test('while an API key opens /mcp as well', async () => {
      expect(await oauth.opens(admin.key)).toBe(200)
    })
  })

  test('what no scope says is for the user alone', async () => {
    const { access_token } = await oauth.tokensFor(client, ada)
    const run = async (operation: string, input = {}) =>
      (await oauth.mcp(access_token, toolCall('call_operation', { operation, input }))).text()
    expect(await run('sessions.me')).toContain(ada.username)
    for (const operation of ['keys.list', 'sessions.list', 'oauth-grants.list'])
      expect([operation, await run(operation)]).toEqual([operation, expect.stringContaining('FORBIDDEN')])
    const [grant] = await app.db.read.selectFrom('oauth_grants').select('id').execute()
    expect(await run('oauth-grants.delete', { id: grant?.id })).toContain('FORBIDDEN')
    expect(await oauth.opens(access_token)).toBe(200)
  })

  describe('what a token lacks', () => {
    const create = toolCall('device_create', { name: 'by a client' })

    test('and its user holds is asked for at the door, with all that is needed from then on', async () => {
      const { access_token } = await oauth.tokensFor(client, ada, { scope: 'devices:list' })
      const response = await oauth.mcp(access_token, create)
      const challenge = response.headers.get('www-authenticate') ?? ''
      expect([response.status, challenge]).toEqual([
        403,
        `Bearer realm="mcp", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp", scope="devices:create devices:list", error="insufficient_scope"`,
      ])
      expect(await refusal(response)).toEqual([403, 'FORBIDDEN'])
    })

    test('and its user lacks too is refused to the model', async () => {
      const viewer = await oauth.person({ roles: ['viewer'] })
      const { access_token } = await oauth.tokensFor(client, viewer)
      const response = await oauth.mcp(access_token, create)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('FORBIDDEN')])
    })
  })
})
