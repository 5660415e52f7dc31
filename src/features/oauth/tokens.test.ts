/** OAuth refresh and access tokens: rotation, replay, revocation (RFC 7009), client secrets and missing scopes. On both databases. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp, TestCaller } from '../../testing/app.ts'
import {
  type Client,
  ISSUER,
  newVerifier,
  type OauthSteps,
  oauthApp,
  oauthOf,
  problemOf,
  REDIRECT,
  type Signed,
  toolCall,
} from '../../testing/oauth.ts'
import { dialects } from '../../testing/servers.ts'
import { refusal } from '../../testing/sign-in.ts'

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

  describe('a refresh token', () => {
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

  test('of 20 refreshes at one time exactly one succeeds', async () => {
    const { refresh_token } = await oauth.tokensFor(client, ada)
    const answers = await Promise.all(Array.from({ length: 20 }, () => oauth.refresh(client, refresh_token)))
    const statuses = await Promise.all(answers.map(async (one) => (one.ok ? 'tokens' : (await problemOf(one)).join())))
    expect(statuses.toSorted()).toEqual([...Array(19).fill('400,invalid_grant'), 'tokens'])
  })

  test('a role that is gone is gone from what runs and from what is refreshed, and comes back', async () => {
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

  describe('a client with a secret', () => {
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

  describe('revocation', () => {
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

  test('a client that an admin deletes is gone at once, with all it was allowed', async () => {
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

  describe('an access token', () => {
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
