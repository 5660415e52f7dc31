/** OAuth authorization requests, codes with PKCE (RFC 7636), and scopes. On both databases. */
import { describe, expect, test } from 'bun:test'
import { onSqlite } from '../../../testing/servers/servers.ts'
import {
  challengeOf,
  ISSUER,
  newVerifier,
  oauthSuite,
  problemOf,
  REDIRECT,
  type Signed,
} from '../../../testing/sign-in/oauth.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const suite = oauthSuite(dialect)

  describe('a request for authorization', () => {
    const ask = async (more: Readonly<Record<string, string | undefined>>, query = '') => {
      const values = Object.entries(suite.oauth.parametersFor(suite.client, newVerifier(), more))
      const given = values.flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
      return suite.app.guest('GET', `/mcp-oauth/authorize?${new URLSearchParams(given)}${query}`, undefined, {
        Cookie: suite.ada.cookie,
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
    ])('with %j is refused without a redirect', async (more) => {
      const response = await ask(more)
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect((await problemOf(response))[0]).toBe(400)
    })

    test('with a repeated parameter is refused without a redirect', async () => {
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

    test('of a page gets its answer as a page', async () => {
      const query = new URLSearchParams({ client_id: suite.client.client_id, redirect_uri: REDIRECT })
      const headers = { Cookie: suite.ada.cookie, 'X-Requested-With': 'XMLHttpRequest' }
      const response = await suite.app.guest('GET', `/mcp-oauth/authorize?${query}`, undefined, headers)
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

    test('needs a session', async () => {
      const query = new URLSearchParams(
        Object.entries(suite.oauth.parametersFor(suite.client, newVerifier())) as [string, string][],
      )
      expect(await refusal(await suite.app.guest('GET', `/mcp-oauth/authorize?${query}`))).toEqual([
        401,
        'UNAUTHORIZED',
      ])
    })
  })

  describe('a code', () => {
    test('is valid once, and a second use revokes the tokens of the first', async () => {
      const code = await suite.oauth.codeFor(suite.client, suite.ada)
      const tokens = await suite.oauth.tokensOf(await suite.oauth.exchange(suite.client, code))
      expect(await suite.oauth.opens(tokens.access_token)).toBe(200)
      expect(await problemOf(await suite.oauth.exchange(suite.client, code))).toEqual([400, 'invalid_grant'])
      expect(await suite.oauth.opens(tokens.access_token)).toBe(401)
      expect(await problemOf(await suite.oauth.refresh(suite.client, tokens.refresh_token))).toEqual([
        400,
        'invalid_grant',
      ])
    })

    test.each([
      ['a wrong verifier', { code_verifier: newVerifier() }],
      ['another redirect_uri', { redirect_uri: 'http://127.0.0.1:7778/cb' }],
    ])('is invalidated by %s', async (_, wrong) => {
      const code = await suite.oauth.codeFor(suite.client, suite.ada)
      expect(await problemOf(await suite.oauth.exchange(suite.client, code, wrong))).toEqual([400, 'invalid_grant'])
      expect(await problemOf(await suite.oauth.exchange(suite.client, code))).toEqual([400, 'invalid_grant'])
    })

    test('can be neither used nor invalidated by another client', async () => {
      const code = await suite.oauth.codeFor(suite.client, suite.ada)
      expect(await problemOf(await suite.oauth.exchange(await suite.oauth.register(), code))).toEqual([
        400,
        'invalid_grant',
      ])
      expect((await suite.oauth.exchange(suite.client, code)).status).toBe(200)
    })

    test('expires after a minute', async () => {
      const code = await suite.oauth.codeFor(suite.client, suite.ada)
      suite.clock.ms += 60_000
      expect(await problemOf(await suite.oauth.exchange(suite.client, code))).toEqual([400, 'invalid_grant'])
    })

    test.each([
      [{ code: undefined }, 'invalid_request'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    ])('stays valid after a request with %j', async (wrong, error) => {
      const code = await suite.oauth.codeFor(suite.client, suite.ada)
      expect(await problemOf(await suite.oauth.exchange(suite.client, code, wrong))).toEqual([400, error])
      expect((await suite.oauth.exchange(suite.client, code)).status).toBe(200)
    })
  })

  describe('the scope', () => {
    const scopeFor = async (human: Signed, scope?: string) =>
      (await suite.oauth.tokensFor(suite.client, human, scope === undefined ? {} : { scope })).scope

    test("is the intersection of the requested scope, the registered one and the user's permissions", async () => {
      const reader = await suite.oauth.person({ permissions: ['devices:read', 'devices:delete', 'networks:list'] })
      expect(await scopeFor(suite.ada)).toBe('devices:create devices:list devices:read')
      expect(await scopeFor(suite.ada, 'devices:read devices:delete users:list offline_access')).toBe('devices:read')
      expect(await scopeFor(reader, 'devices:read devices:create')).toBe('devices:read')
    })

    test('without any permission of the user is refused', async () => {
      const nobody = await suite.oauth.person({ permissions: ['networks:list'] })
      const told = await suite.oauth.wentTo(
        await suite.oauth.consent(suite.oauth.parametersFor(suite.client, newVerifier()), nobody),
      )
      expect(Object.fromEntries(told)).toMatchObject({ error: 'invalid_scope', state: 'st4te', iss: ISSUER })
    })

    test('is shown to the user, with where the code will go', async () => {
      const reader = await suite.oauth.person({ permissions: ['devices:read'] })
      const values = suite.oauth.parametersFor(suite.client, newVerifier(), {
        scope: 'devices:read devices:create users:list',
      })
      const query = new URLSearchParams(Object.entries(values) as [string, string][])
      const response = await suite.app.guest('GET', `/mcp-oauth/authorize?${query}`, undefined, {
        Cookie: reader.cookie,
      })
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
      const asked = suite.oauth.parametersFor(suite.client, verifier)
      const answer = await suite.oauth.consent(asked, suite.ada, { approved: true, scope: 'devices:list' })
      const code = (await suite.oauth.wentTo(answer)).get('code') ?? ''
      expect((await suite.oauth.tokensOf(await suite.oauth.exchange(suite.client, { code, verifier }))).scope).toBe(
        'devices:list',
      )
    })
  })

  test('of 20 uses of a code at one time exactly one succeeds', async () => {
    const code = await suite.oauth.codeFor(suite.client, suite.ada)
    const answers = await Promise.all(Array.from({ length: 20 }, () => suite.oauth.exchange(suite.client, code)))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
  })
})
