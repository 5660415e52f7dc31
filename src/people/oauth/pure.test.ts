/** The pure checks: redirect URIs, client metadata and client authentication. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { challengeOf } from '../../../testing/sign-in/oauth.ts'
import { hashSecret } from '../../base/security/secret-token.ts'
import { decideAuthorization, type RegisteredClient } from './authorization.ts'
import { isProven, parseClient } from './clients/client-credentials.ts'
import { buildRedirection, isRedirectUri, isRegistered, parseDestination } from './clients/redirect-uri.ts'
import { validateRegistration } from './clients/registration.ts'
import { OauthProtocolError } from './oauth-error.ts'
import { ALL_SCOPES, EVERYDAY, parseCatalogued, parseKnownScopes, READING } from './scopes.ts'

describe('a redirect_uri', () => {
  test('that may be registered is one that browsers read as it is written', () => {
    const texts = fc.oneof(
      fc.webUrl({ withQueryParameters: true }),
      fc.webUrl({ authoritySettings: { withPort: true, withUserInfo: true, withIPv6: true } }),
      fc
        .tuple(
          fc.constantFrom('https://', 'http://', 'https:/', 'HTTPS://', '//', 'https:\\\\', 'ftp://'),
          fc.constantFrom(
            'localhost',
            '127.0.0.1',
            '[::1]',
            'a.example',
            'u@a.example',
            '127.1',
            'a.example@b.example',
            '',
          ),
          fc.constantFrom('', ':1', ':65535', ':65536', ':', ':x'),
          fc.string({ maxLength: 8 }),
        )
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, (text) => {
        if (!isRedirectUri(text)) return
        const { protocol, username, password, hash, hostname } = new URL(text)
        expect([username, password, hash]).toEqual(['', '', ''])
        expect(text.startsWith(`${protocol}//`)).toBe(true)
        if (protocol === 'http:') expect(['localhost', '127.0.0.1', '[::1]']).toContain(hostname)
        else expect(protocol).toBe('https:')
        expect(parseDestination(text).host.split(':')[0]?.replace('[', '')).toBe(
          text
            .slice(protocol.length + 2)
            .split(/[/?:]/)[0]
            ?.replace('[', '') ?? '',
        )
      }),
      { numRuns: countCases(5000) },
    )
  })

  test('matches exactly, except for the port of a loopback', () => {
    const registered = ['https://a.example/cb', 'http://127.0.0.1/cb', 'http://localhost:1/cb?x=1', 'http://[::1]:9/']
    const asked = (uri: string) => isRegistered(uri, registered)
    for (const uri of ['https://a.example/cb', 'http://127.0.0.1:80/cb', 'http://localhost/cb?x=1', 'http://[::1]:1/'])
      expect([uri, asked(uri)]).toEqual([uri, true])
    for (const uri of [
      'https://a.example:443/cb',
      'https://a.example/cb/',
      'https://a.example/cb?',
      'http://a.example/cb',
      'http://127.0.0.1:1/CB',
      'http://127.0.0.1:1/cb#',
      'http://127.0.0.1:99999/cb',
      'http://u@127.0.0.1:1/cb',
      'http://127.0.0.1:1@evil.example/cb',
      'http://localhost:1/cb',
      'http://localhost.evil.example:1/cb?x=1',
      'http://[::1]/x',
      '',
    ])
      expect([uri, asked(uri)]).toEqual([uri, false])
  })

  test('keeps its query before the parameters of the answer', () => {
    expect(buildRedirection('https://a.example/cb', { code: 'a b', state: undefined, iss: 'https://p' })).toBe(
      'https://a.example/cb?code=a+b&iss=https%3A%2F%2Fp',
    )
    expect(buildRedirection('https://a.example/cb?x=1', { code: 'c' })).toBe('https://a.example/cb?x=1&code=c')
  })

  test('shows its host and port', () => {
    expect(parseDestination('https://claude.ai/api/cb')).toEqual({ host: 'claude.ai', isLoopback: false })
    expect(parseDestination('http://[::1]:5000/cb')).toEqual({ host: '[::1]:5000', isLoopback: true })
  })
})

describe('a state', () => {
  const client: RegisteredClient = {
    id: 'c',
    name: 'C',
    redirectUris: ['https://a.example/cb'],
    scope: 'devices:list',
    isConfidential: false,
  }
  const server = { issuer: 'https://plat.example', resource: 'https://plat.example/mcp' }
  test('is returned unchanged, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (state) => {
        const parameters = { redirect_uri: 'https://a.example/cb', response_type: 'x', state }
        const decision = decideAuthorization(parameters, client, server)
        if (decision.kind !== 'report') throw new Error('there is something to tell')
        expect(new URL(decision.redirectUri).searchParams.get('state')).toBe(state)
      }),
    )
  })

  test('never changes the target of the redirect', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), fc.string(), (more, uri) => {
        const parameters = { response_type: 'code', code_challenge: challengeOf('x'), ...more, redirect_uri: uri }
        const decision = decideAuthorization(parameters, client, server)
        if (decision.kind === 'report') expect(decision.redirectUri.startsWith('https://a.example/cb?')).toBe(true)
        if (decision.kind === 'ask') expect(decision.asked.redirectUri).toBe('https://a.example/cb')
      }),
    )
  })
})

describe('scopes', () => {
  test('of the defaults are in the catalog', () => {
    for (const set of [READING, EVERYDAY]) expect(set.filter((scope) => !ALL_SCOPES.includes(scope))).toEqual([])
    expect(READING.filter((scope) => !/:(list|read)$/.test(scope))).toEqual([])
    expect(EVERYDAY.filter((scope) => /:delete$/.test(scope))).toEqual([])
  })
  test('have one spelling and one order', () => {
    expect(parseCatalogued('webhooks:list  devices:read openid devices:list devices:read')).toEqual([
      'devices:list',
      'devices:read',
      'webhook:list',
    ])
    expect(parseKnownScopes('devices:read openid')).toBeUndefined()
  })
})

describe('registration', () => {
  test('stores known fields or names an error, for any input', () => {
    const member = fc.oneof(
      fc.jsonValue(),
      fc.constant(['https://a.example/cb']),
      fc.constantFrom('none', 'devices:list'),
    )
    const names = [
      'redirect_uris',
      'client_name',
      'scope',
      'token_endpoint_auth_method',
      'grant_types',
      'response_types',
    ]
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, '__proto__'), member), (body) => {
        const registration = validateRegistration(body)
        if ('problem' in registration) expect(registration.problem.description).toMatch(/^[ !#-[\]-~]+$/)
        else expect(registration.redirect_uris.every(isRedirectUri)).toBe(true)
      }),
      { numRuns: countCases(2000) },
    )
  })
})

describe('a client', () => {
  const basic = (text: string) => new Headers({ authorization: `Basic ${btoa(text)}` })
  const refused = (work: () => unknown): string => {
    try {
      work()
    } catch (thrown) {
      if (thrown instanceof OauthProtocolError) return thrown.problem.error
      throw thrown
    }
    return 'no refusal'
  }

  test.each([
    ['id:secret', 'id', 'secret'],
    ['id%2D1:s%3Acret+x', 'id-1', 's:cret x'],
    ['id:a:b', 'id', 'a:b'],
    ['id:', 'id', ''],
  ])('shows itself by Basic as %s', (text, id, secret) => {
    expect(parseClient(basic(text), {})).toEqual({ id, secret })
  })

  test.each([
    ['nothing', new Headers(), {}, 'invalid_client'],
    ['another scheme', new Headers({ authorization: 'Bearer abc' }), { client_id: 'id' }, 'invalid_client'],
    ['no base64', new Headers({ authorization: 'Basic !' }), {}, 'invalid_client'],
    ['no colon', basic('id'), {}, 'invalid_client'],
    ['a broken encoding', basic('%zz:x'), {}, 'invalid_client'],
    ['two ways at once', basic('id:secret'), { client_secret: 'secret' }, 'invalid_request'],
    ['two names', basic('id:secret'), { client_id: 'other' }, 'invalid_request'],
  ])('that shows %s is refused', (_, headers, parameters, error) => {
    expect(refused(() => parseClient(headers, parameters))).toBe(error)
  })

  test('is proven by its secret, and by none where it has none', () => {
    const hash = hashSecret('secret')
    expect(isProven({ id: 'id', secret: 'secret' }, hash)).toBe(true)
    expect(isProven({ id: 'id', secret: 'Secret' }, hash)).toBe(false)
    expect(isProven({ id: 'id', secret: undefined }, hash)).toBe(false)
    expect(isProven({ id: 'id', secret: undefined }, null)).toBe(true)
    expect(isProven({ id: 'id', secret: '' }, null)).toBe(false)
  })
})
