/** OAuth refresh and access tokens: rotation, replay, revocation (RFC 7009), client secrets and missing scopes. On both databases. */
import { beforeAll, describe, expect, test } from 'bun:test'
import { onSqlite } from '../../../testing/servers/servers.ts'
import {
  type Client,
  ISSUER,
  newVerifier,
  oauthSuite,
  problemOf,
  REDIRECT,
  toolCall,
} from '../../../testing/sign-in/oauth.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const suite = oauthSuite(dialect)
  /** Returns status and code of the answer to a refresh that must fail. */
  const refusalOf = async (client: Client, token: string) => problemOf(await suite.oauth.refresh(client, token))
  /** Returns the status that each token gets at /mcp. */
  const statusesOf = (tokens: readonly string[]) => Promise.all(tokens.map(suite.oauth.opens))

  describe('a refresh token', () => {
    test('is replaced by each use', async () => {
      const first = await suite.oauth.tokensFor(suite.client, suite.ada)
      const second = await suite.oauth.tokensOf(await suite.oauth.refresh(suite.client, first.refresh_token))
      expect(second.refresh_token).not.toBe(first.refresh_token)
      expect(await statusesOf([first.access_token, second.access_token])).toEqual([200, 200])
    })

    test('that is used twice ends the whole family', async () => {
      const first = await suite.oauth.tokensFor(suite.client, suite.ada)
      const second = await suite.oauth.tokensOf(await suite.oauth.refresh(suite.client, first.refresh_token))
      expect(await refusalOf(suite.client, first.refresh_token)).toEqual([400, 'invalid_grant'])
      expect(await statusesOf([first.access_token, second.access_token])).toEqual([401, 401])
      expect(await refusalOf(suite.client, second.refresh_token)).toEqual([400, 'invalid_grant'])
    })

    test('of another client cannot be used, and stays valid', async () => {
      const tokens = await suite.oauth.tokensFor(suite.client, suite.ada)
      const used = await suite.oauth.tokensOf(await suite.oauth.refresh(suite.client, tokens.refresh_token))
      const other = await suite.oauth.register()
      for (const one of [tokens, used])
        expect(await refusalOf(other, one.refresh_token)).toEqual([400, 'invalid_grant'])
      expect(await suite.oauth.opens(used.access_token)).toBe(200)
    })

    test('expires', async () => {
      const tokens = await suite.oauth.tokensFor(suite.client, suite.ada)
      suite.clock.ms += 30 * 24 * 3_600_000
      expect(await refusalOf(suite.client, tokens.refresh_token)).toEqual([400, 'invalid_grant'])
      await suite.signInAgain()
    })

    test.each([
      [{ scope: 'devices:list users:list' }, 'invalid_scope'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ refresh_token: undefined }, 'invalid_request'],
    ])('stays valid after a request with %j', async (wrong, error) => {
      const tokens = await suite.oauth.tokensFor(suite.client, suite.ada)
      expect(await problemOf(await suite.oauth.refresh(suite.client, tokens.refresh_token, wrong))).toEqual([
        400,
        error,
      ])
      expect((await suite.oauth.refresh(suite.client, tokens.refresh_token)).status).toBe(200)
    })
  })

  test('of 20 refreshes at one time exactly one succeeds', async () => {
    const { refresh_token } = await suite.oauth.tokensFor(suite.client, suite.ada)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => suite.oauth.refresh(suite.client, refresh_token)),
    )
    const statuses = await Promise.all(answers.map(async (one) => (one.ok ? 'tokens' : (await problemOf(one)).join())))
    expect(statuses.toSorted()).toEqual([...Array(19).fill('400,invalid_grant'), 'tokens'])
  })

  test('a revoked role limits present and refreshed tokens, and works again once granted', async () => {
    const bob = await suite.oauth.person({ permissions: ['devices:read'], roles: ['operator'] })
    const first = await suite.oauth.tokensFor(suite.client, bob)
    expect(first.scope).toBe('devices:create devices:list devices:read')
    const list = () => suite.oauth.mcp(first.access_token, toolCall('device_list'))
    expect(await (await list()).text()).not.toContain('FORBIDDEN')
    const role = { user_id: bob.id, role_id: 'operator' }
    expect((await suite.admin.request('POST', '/api/users/revoke-role', role)).status).toBe(204)
    // The user lacks the permission too, so consent would not help and the model gets an ordinary error.
    const refused = await list()
    expect([refused.status, (await refused.text()).includes('FORBIDDEN')]).toEqual([200, true])
    const second = await suite.oauth.tokensOf(await suite.oauth.refresh(suite.client, first.refresh_token))
    expect(second.scope).toBe('devices:read')
    expect((await suite.admin.request('POST', '/api/users/grant-role', role)).status).toBe(201)
    const third = await suite.oauth.tokensOf(await suite.oauth.refresh(suite.client, second.refresh_token))
    expect(third.scope).toBe(first.scope)
  })

  describe('a client with a secret', () => {
    let basic: Client
    let inBody: Client
    beforeAll(async () => {
      basic = await suite.oauth.register({ token_endpoint_auth_method: 'client_secret_basic' })
      inBody = await suite.oauth.register({ token_endpoint_auth_method: 'client_secret_post' })
    })
    const challenged = async (response: Response) => {
      expect(response.headers.get('www-authenticate')).toStartWith('Basic')
      return problemOf(response)
    }

    test('gets tokens in the way that it has registered, without PKCE if it likes', async () => {
      for (const one of [basic, inBody]) {
        const without = { code_challenge: undefined, code_challenge_method: undefined }
        const { code } = await suite.oauth.codeFor(one, suite.ada, without)
        const response = await suite.oauth.exchange(one, { code, verifier: '' })
        expect((await suite.oauth.tokensOf(response)).token_type).toBe('Bearer')
      }
    })

    test('must not come with a verifier for a code without a challenge', async () => {
      const { code } = await suite.oauth.codeFor(basic, suite.ada, {
        code_challenge: undefined,
        code_challenge_method: undefined,
      })
      const answer = await suite.oauth.exchange(basic, { code, verifier: newVerifier() })
      expect(await problemOf(answer)).toEqual([400, 'invalid_grant'])
    })

    test('is refused without it, or with another one', async () => {
      const { client_id } = basic
      for (const wrong of [
        { client_id, token_endpoint_auth_method: 'none' },
        { ...basic, client_secret: 'wrong' },
        { ...inBody, client_secret: 'wrong' },
        { ...basic, client_id: inBody.client_id },
        { client_id: 'unknown', token_endpoint_auth_method: 'none' },
        { ...suite.client, client_secret: 'made up', token_endpoint_auth_method: 'client_secret_post' },
      ]) {
        expect(
          await challenged(await suite.oauth.exchange(wrong, await suite.oauth.codeFor(basic, suite.ada))),
        ).toEqual([401, 'invalid_client'])
      }
    })

    test('that shows it in two ways at once is refused', async () => {
      const { headers } = suite.oauth.proofOf(basic)
      const code = await suite.oauth.codeFor(basic, suite.ada)
      const { client_secret } = basic
      const values = { grant_type: 'authorization_code', code: code.code, redirect_uri: REDIRECT, client_secret }
      expect(await problemOf(await suite.oauth.post('/mcp-oauth/token', values, headers))).toEqual([
        400,
        'invalid_request',
      ])
      expect((await suite.oauth.exchange(basic, code)).status).toBe(200)
    })

    test('sends forms, with each parameter once', async () => {
      const { headers } = suite.oauth.proofOf(basic)
      const json = await suite.app.guest('POST', '/mcp-oauth/token', { grant_type: 'refresh_token' }, headers)
      expect(await problemOf(json)).toEqual([400, 'invalid_request'])
      const twice = await suite.oauth.post(
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
      expect(await problemOf(await suite.oauth.revoke(unknown, 'plat_at_random'))).toEqual([401, 'invalid_client'])
      expect(await problemOf(await suite.oauth.post('/mcp-oauth/revoke', { token: 'x' }))).toEqual([
        401,
        'invalid_client',
      ])
    })

    test.each(['access_token', 'refresh_token'] as const)("of one's own %s ends the family", async (which) => {
      const tokens = await suite.oauth.tokensFor(suite.client, suite.ada)
      const other = await suite.oauth.tokensFor(suite.client, suite.ada)
      const response = await suite.oauth.revoke(suite.client, tokens[which])
      expect([response.status, await response.text()]).toEqual([200, ''])
      expect(await statusesOf([tokens.access_token, other.access_token])).toEqual([401, 200])
      expect(await refusalOf(suite.client, tokens.refresh_token)).toEqual([400, 'invalid_grant'])
    })

    test("of another client's token changes nothing, nor of an unknown one", async () => {
      const tokens = await suite.oauth.tokensFor(suite.client, suite.ada)
      const other = await suite.oauth.register()
      for (const token of [tokens.access_token, tokens.refresh_token, 'plat_at_random'])
        expect((await suite.oauth.revoke(other, token)).status).toBe(200)
      expect(await suite.oauth.opens(tokens.access_token)).toBe(200)
      expect(await problemOf(await suite.oauth.revoke(suite.client, ''))).toEqual([400, 'invalid_request'])
    })
  })

  test('a client that an admin deletes is gone at once, with all it was allowed', async () => {
    const one = await suite.oauth.register({ client_name: 'to be deleted' })
    const tokens = await suite.oauth.tokensFor(one, suite.ada)
    expect(await suite.oauth.opens(tokens.access_token)).toBe(200)
    const path = `/api/oauth/clients/${one.client_id}`
    const operator = await suite.app.as('operator')
    for (const method of ['GET', 'DELETE']) expect((await operator.request(method, path)).status).toBe(403)
    expect((await operator.request('GET', '/api/oauth/clients')).status).toBe(403)
    expect((await suite.admin.request('DELETE', path)).status).toBe(204)
    expect(await suite.oauth.opens(tokens.access_token)).toBe(401)
    expect(await refusalOf(one, tokens.refresh_token)).toEqual([401, 'invalid_client'])
    expect((await suite.admin.request('GET', path)).status).toBe(404)
  })

  describe('an access token', () => {
    test('opens /mcp and nothing else', async () => {
      const { access_token } = await suite.oauth.tokensFor(suite.client, suite.ada)
      const headers = { Authorization: `Bearer ${access_token}` }
      expect(await suite.oauth.opens(access_token)).toBe(200)
      for (const path of ['/api/devices', '/api/auth/me', '/metrics', '/api/config'])
        expect(await refusal(await suite.app.guest('GET', path, undefined, headers))).toEqual([401, 'UNAUTHORIZED'])
    })

    test('expires, and ends with the sign-ins of the user', async () => {
      const bob = await suite.oauth.person()
      const [timed, reset, off] = [
        await suite.oauth.tokensFor(suite.client, bob),
        await suite.oauth.tokensFor(suite.client, suite.ada),
        await suite.oauth.tokensFor(suite.client, await suite.oauth.person()),
      ]
      await suite.admin.request('POST', `/api/users/${suite.ada.id}/reset-password`, {
        new_password: 'another password',
      })
      expect(await suite.oauth.opens(reset.access_token)).toBe(401)
      expect(await refusalOf(suite.client, reset.refresh_token)).toEqual([400, 'invalid_grant'])
      expect(await suite.oauth.opens(off.access_token)).toBe(200)
      suite.clock.ms += timed.expires_in * 1000
      expect(await suite.oauth.opens(timed.access_token)).toBe(401)
      await suite.signInAgain()
    })

    test('is not read from the query, nor from a cookie', async () => {
      const { access_token } = await suite.oauth.tokensFor(suite.client, suite.ada)
      const headers = { Accept: 'application/json, text/event-stream', Cookie: `session=${access_token}` }
      const response = await suite.app.guest(
        'POST',
        `/mcp?access_token=${access_token}`,
        toolCall('device_list'),
        headers,
      )
      expect(response.status).toBe(401)
    })

    test('leaves API keys valid for /mcp', async () => {
      expect(await suite.oauth.opens(suite.admin.key)).toBe(200)
    })
  })

  test('only the user may call operations without a scope', async () => {
    const { access_token } = await suite.oauth.tokensFor(suite.client, suite.ada)
    const run = async (operation: string, input = {}) =>
      (await suite.oauth.mcp(access_token, toolCall('call_operation', { operation, input }))).text()
    expect(await run('sessions.me')).toContain(suite.ada.username)
    for (const operation of ['keys.list', 'sessions.list', 'oauth-grants.list'])
      expect([operation, await run(operation)]).toEqual([operation, expect.stringContaining('FORBIDDEN')])
    const [grant] = await suite.app.db.read.selectFrom('oauth_grants').select('id').execute()
    expect(await run('oauth-grants.delete', { id: grant?.id })).toContain('FORBIDDEN')
    expect(await suite.oauth.opens(access_token)).toBe(200)
  })

  describe('a permission that a token lacks', () => {
    const create = toolCall('device_create', { name: 'by a client' })

    test('and its user holds is requested by insufficient_scope, with the scopes already granted', async () => {
      const { access_token } = await suite.oauth.tokensFor(suite.client, suite.ada, { scope: 'devices:list' })
      const response = await suite.oauth.mcp(access_token, create)
      const challenge = response.headers.get('www-authenticate') ?? ''
      expect([response.status, challenge]).toEqual([
        403,
        `Bearer realm="mcp", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/mcp", scope="devices:create devices:list", error="insufficient_scope"`,
      ])
      expect(await refusal(response)).toEqual([403, 'FORBIDDEN'])
    })

    test('and its user lacks too is an error for the model', async () => {
      const viewer = await suite.oauth.person({ roles: ['viewer'] })
      const { access_token } = await suite.oauth.tokensFor(suite.client, viewer)
      const response = await suite.oauth.mcp(access_token, create)
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('FORBIDDEN')])
    })
  })
})
