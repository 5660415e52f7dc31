/** OAuth metadata (RFC 8414, RFC 9728), the challenge of /mcp, and client registration (RFC 7591). On both databases. */
import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { onSqlite } from '../../../../testing/servers/servers.ts'
import { ISSUER, oauthSuite, problemOf, REDIRECT, RESOURCE } from '../../../../testing/sign-in/oauth.ts'
import { CATALOGUE } from '../../roles/catalogue.ts'

describe.each(onSqlite())('on %s', (dialect) => {
  const suite = oauthSuite(dialect)

  const getJson = async (path: string) => {
    const response = await suite.app.guest('GET', path)
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  describe('the metadata', () => {
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

  test('a request to /mcp without a token gets the address of the metadata', async () => {
    const response = await suite.oauth.mcp(undefined)
    const challenge = response.headers.get('www-authenticate') ?? ''
    expect([response.status, challenge.startsWith('Bearer realm="mcp", ')]).toEqual([401, true])
    expect(challenge).not.toContain('error=')
    expect(challenge).toMatch(/ scope="[^"]*devices:list devices:read[^"]*"/)
    const [, at = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
    expect(at.startsWith(`${ISSUER}/`)).toBe(true)
    expect((await getJson(at.slice(ISSUER.length))).body).toMatchObject({ resource: RESOURCE })
    const wrong = await suite.oauth.mcp('plat_at_nothing')
    expect([wrong.status, wrong.headers.get('www-authenticate')?.includes('error="invalid_token"')]).toEqual([
      401,
      true,
    ])
  })

  describe('registration', () => {
    const statusFor = async (metadata: object) => {
      const response = await suite.app.guest('POST', '/mcp-oauth/register', { redirect_uris: [REDIRECT], ...metadata })
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
    ])('accepts %s', async (uri) => {
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

    test('answers with the registered values', async () => {
      const sent = { redirect_uris: [REDIRECT, REDIRECT], logo_uri: 'http://169.254.169.254/', application_type: 'web' }
      const response = await suite.app.guest('POST', '/mcp-oauth/register', sent)
      expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
      const { client_id, client_id_issued_at, scope, ...rest } = z
        .looseObject({ client_id: z.uuid(), client_id_issued_at: z.int(), scope: z.string() })
        .parse(await response.json())
      expect(client_id_issued_at).toBe(Math.floor(suite.clock.ms / 1000))
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
      const response = await suite.app.guest('POST', '/mcp-oauth/register', {
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: method,
      })
      expect(await response.json()).toMatchObject({
        client_secret: expect.stringMatching(/^plat_cs_[\w-]{43}$/),
        client_secret_expires_at: 0,
      })
    })
  })
})
