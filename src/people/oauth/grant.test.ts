/**
 * The decisions on codes and refresh tokens: cases for each stored state and request, and properties of all of them.
 */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countCases } from '../../../testing/cases.ts'
import { challengeOf, newVerifier } from '../../../testing/sign-in/oauth.ts'
import {
  type CodeRequest,
  computeEffectiveScopes,
  decideCode,
  decideRefresh,
  matchesChallenge,
  NOT_VALID,
  type RefreshRequest,
  type StoredCode,
  type StoredRefreshToken,
} from './grant.ts'
import { ALL_SCOPES, parseScopes } from './scopes.ts'

const VERIFIER = newVerifier()
const server = { issuer: 'https://plat.example', resource: 'https://plat.example/mcp' }
const AGREED = 'devices:create devices:list devices:read'
const NOW = '2026-11-21T12:00:00.000Z'
const LATER = '2026-11-21T12:00:00.001Z'
const EARLIER = '2026-11-21T11:59:59.999Z'

const user = { isActive: true, generation: 3, permissions: new Set(['devices:list', 'devices:read', 'devices:create']) }
const client = { id: 'client', scope: AGREED, mayRefresh: true }
const granted = { clientId: 'client', scope: AGREED, userGeneration: 3, user }

const code: StoredCode = {
  ...granted,
  redirectUri: 'https://client.example/cb',
  codeChallenge: challengeOf(VERIFIER),
  expiresAt: LATER,
  usedAt: null,
  grantId: null,
}
const codeRequest: CodeRequest = {
  client,
  server,
  now: NOW,
  resource: server.resource,
  redirectUri: code.redirectUri,
  verifier: VERIFIER,
}
const token: StoredRefreshToken = { ...granted, grantId: 'grant', expiresAt: LATER, usedAt: null }
const refreshRequest: RefreshRequest = { client, server, now: NOW, resource: undefined, scope: undefined, graceMs: 0 }

const exchange = (stored: Partial<StoredCode> = {}, asked: Partial<CodeRequest> = {}) =>
  decideCode({ ...code, ...stored }, { ...codeRequest, ...asked })
const refresh = (stored: Partial<StoredRefreshToken> = {}, asked: Partial<RefreshRequest> = {}) =>
  decideRefresh({ ...token, ...stored }, { ...refreshRequest, ...asked })

/** Summarizes a decision in two words. */
const short = (decision: ReturnType<typeof decideCode | typeof decideRefresh>) =>
  'problem' in decision ? [decision.kind, decision.problem.error] : [decision.kind, decision.scope]

describe('a code', () => {
  test('gives tokens for the consent', () => {
    expect(exchange()).toEqual({ kind: 'issue', scope: AGREED, withRefreshToken: true })
  })
  test('gives no refresh token to a client that did not register for it', () => {
    expect(exchange({}, { client: { ...client, mayRefresh: false } })).toMatchObject({ withRefreshToken: false })
  })

  test.each<[string, Partial<StoredCode>, Partial<CodeRequest>, [string, string]]>([
    ['of another client', { clientId: 'other' }, {}, ['refuse', 'invalid_grant']],
    ['of another client, used', { clientId: 'other', usedAt: EARLIER, grantId: 'g' }, {}, ['refuse', 'invalid_grant']],
    ['that was used', { usedAt: EARLIER, grantId: 'g' }, {}, ['revoke', 'invalid_grant']],
    [
      'that was used, and is over',
      { usedAt: EARLIER, grantId: 'g', expiresAt: EARLIER },
      {},
      ['revoke', 'invalid_grant'],
    ],
    [
      'that was used, with a wrong verifier',
      { usedAt: EARLIER, grantId: 'g' },
      { verifier: 'x' },
      ['revoke', 'invalid_grant'],
    ],
    ['that was burnt', { usedAt: EARLIER }, {}, ['refuse', 'invalid_grant']],
    ['that is over at this moment', { expiresAt: NOW }, {}, ['refuse', 'invalid_grant']],
    ['that is over', { expiresAt: EARLIER }, {}, ['refuse', 'invalid_grant']],
    ['for another redirect_uri', {}, { redirectUri: 'https://client.example/cb2' }, ['burn', 'invalid_grant']],
    ['with another verifier', {}, { verifier: newVerifier() }, ['burn', 'invalid_grant']],
    ['with no verifier', {}, { verifier: undefined }, ['refuse', 'invalid_request']],
    [
      'with no verifier, for another redirect_uri',
      {},
      { verifier: undefined, redirectUri: 'x' },
      ['refuse', 'invalid_request'],
    ],
    ['without a challenge, with a verifier', { codeChallenge: null }, {}, ['burn', 'invalid_grant']],
    [
      'without a challenge, for another redirect_uri',
      { codeChallenge: null },
      { verifier: undefined, redirectUri: 'x' },
      ['burn', 'invalid_grant'],
    ],
    ['without a challenge, with none', { codeChallenge: null }, { verifier: undefined }, ['issue', AGREED]],
    ['for another resource', {}, { resource: 'https://other.example/mcp' }, ['refuse', 'invalid_target']],
    ['for no resource', {}, { resource: undefined }, ['issue', AGREED]],
    ['for the server as its resource', {}, { resource: 'https://plat.example/' }, ['issue', AGREED]],
    ['of a user who is gone', { user: undefined }, {}, ['refuse', 'invalid_grant']],
    ['of a user who may not sign in', { user: { ...user, isActive: false } }, {}, ['refuse', 'invalid_grant']],
    ['of a user who has ended all sign-ins', { user: { ...user, generation: 4 } }, {}, ['refuse', 'invalid_grant']],
    [
      'of a user who lost a permission',
      { user: { ...user, permissions: new Set(['devices:list']) } },
      {},
      ['issue', 'devices:list'],
    ],
    [
      'of a user who lost all of them',
      { user: { ...user, permissions: new Set(['users:list']) } },
      {},
      ['refuse', 'invalid_grant'],
    ],
    ['for more than is registered', { scope: 'devices:list devices:delete' }, {}, ['issue', 'devices:list']],
    ['for what is in no catalogue', { scope: 'devices:fly' }, {}, ['refuse', 'invalid_grant']],
  ])('%s', (_, stored, asked, decision) => {
    expect(short(exchange(stored, asked))).toEqual(decision)
  })

  test('of another client gets the answer of an unknown one', () => {
    for (const stored of [{ clientId: 'other' }, { expiresAt: EARLIER }, { usedAt: EARLIER }])
      expect(exchange(stored)).toEqual({ kind: 'refuse', problem: NOT_VALID })
  })
  test('that was used before revokes its tokens', () => {
    expect(exchange({ usedAt: EARLIER, grantId: 'g' })).toMatchObject({ grantId: 'g' })
  })
})

describe('a refresh token', () => {
  test.each<[string, Partial<StoredRefreshToken>, Partial<RefreshRequest>, [string, string]]>([
    ['brings new tokens', {}, {}, ['rotate', AGREED]],
    ['of another client', { clientId: 'other' }, {}, ['refuse', 'invalid_grant']],
    ['of another client, used', { clientId: 'other', usedAt: EARLIER }, {}, ['refuse', 'invalid_grant']],
    ['that was used', { usedAt: NOW }, {}, ['revoke', 'invalid_grant']],
    ['that was used, and is over', { usedAt: EARLIER, expiresAt: EARLIER }, {}, ['revoke', 'invalid_grant']],
    ['that was used by a user who is gone', { usedAt: EARLIER, user: undefined }, {}, ['revoke', 'invalid_grant']],
    ['that was used within the grace', { usedAt: EARLIER }, { graceMs: 2 }, ['lend', AGREED]],
    ['that was used by a process whose clock is ahead', { usedAt: LATER }, {}, ['revoke', 'invalid_grant']],
    ['that was used at the end of the grace', { usedAt: EARLIER }, { graceMs: 1 }, ['revoke', 'invalid_grant']],
    [
      'that was used within the grace, and is over',
      { usedAt: EARLIER, expiresAt: NOW },
      { graceMs: 2 },
      ['refuse', 'invalid_grant'],
    ],
    ['that was not used, with a grace', {}, { graceMs: 10_000 }, ['rotate', AGREED]],
    ['that is over at this moment', { expiresAt: NOW }, {}, ['refuse', 'invalid_grant']],
    ['that is over', { expiresAt: EARLIER }, {}, ['refuse', 'invalid_grant']],
    ['of a user who is gone', { user: undefined }, {}, ['refuse', 'invalid_grant']],
    ['of a user who may not sign in', { user: { ...user, isActive: false } }, {}, ['refuse', 'invalid_grant']],
    ['of a user who has ended all sign-ins', { user: { ...user, generation: 4 } }, {}, ['refuse', 'invalid_grant']],
    ['for another resource', {}, { resource: 'https://plat.example/api' }, ['refuse', 'invalid_target']],
    ['for the resource', {}, { resource: server.resource }, ['rotate', AGREED]],
    ['for a part', {}, { scope: 'devices:read' }, ['rotate', 'devices:read']],
    ['for more than was agreed to', {}, { scope: 'devices:read devices:delete' }, ['refuse', 'invalid_scope']],
    [
      'for nothing of it any more',
      { user: { ...user, permissions: new Set(['users:list']) } },
      {},
      ['refuse', 'invalid_grant'],
    ],
    [
      'for less, because the user may do less',
      { user: { ...user, permissions: new Set(['devices:read']) } },
      {},
      ['rotate', 'devices:read'],
    ],
    [
      'for less, because the client has registered less',
      {},
      { client: { ...client, scope: 'devices:list' } },
      ['rotate', 'devices:list'],
    ],
  ])('%s', (_, stored, asked, decision) => {
    expect(short(refresh(stored, asked))).toEqual(decision)
  })

  test('that was used ends its family', () => expect(refresh({ usedAt: EARLIER })).toMatchObject({ grantId: 'grant' }))
  test('of another client gets the answer of an unknown one', () => {
    for (const stored of [{ clientId: 'other' }, { expiresAt: EARLIER }])
      expect(refresh(stored)).toEqual({ kind: 'refuse', problem: NOT_VALID })
  })
})

test('an error description is printable, and without quotes', () => {
  const wrong = [
    ...[{ usedAt: EARLIER, grantId: 'g' }, { expiresAt: NOW }, { user: undefined }, { codeChallenge: null }].map(
      (one) => exchange(one),
    ),
    ...[{ redirectUri: 'x' }, { verifier: 'x' }, { verifier: undefined }, { resource: 'x' }].map((one) =>
      exchange({}, one),
    ),
    ...[{ usedAt: EARLIER }, { user: { ...user, permissions: new Set<string>() } }].map((one) => refresh(one)),
    ...[{ scope: 'x' }, { resource: 'x' }].map((one) => refresh({}, one)),
  ]
  for (const decision of wrong)
    expect('problem' in decision && decision.problem.description).toMatch(/^[ !#-[\]-~]{5,}$/)
})

describe('code_verifier', () => {
  // RFC 7636, appendix B.
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

  test('matches as in the example of the RFC', () => expect(matchesChallenge(verifier, challenge)).toBe(true))
  test.each([43, 128])('may have %i characters', (length) => {
    const one = 'a~.-_Z9'.repeat(20).slice(0, length)
    expect(matchesChallenge(one, challengeOf(one))).toBe(true)
  })
  test.each(['x'.repeat(42), 'x'.repeat(129), `${verifier}=`, `${verifier}\n`, `${verifier} `, `+${verifier}`, ''])(
    '%j is none, whatever the challenge',
    (one) => expect(matchesChallenge(one, challengeOf(one))).toBe(false),
  )
  test('matches no challenge of another length', () => {
    for (const one of ['', challenge.slice(1), `${challenge}A`]) expect(matchesChallenge(verifier, one)).toBe(false)
  })
  test('matches its own challenge, and no other', () => {
    const verifiers = fc.stringMatching(/^[A-Za-z0-9._~-]{43,128}$/)
    fc.assert(
      fc.property(verifiers, verifiers, (a, b) => {
        expect(matchesChallenge(a, challengeOf(a))).toBe(true)
        expect(matchesChallenge(a, challengeOf(b))).toBe(a === b)
      }),
    )
  })
})

describe('for any stored state and any request', () => {
  const moments = fc.constantFrom(EARLIER, NOW, LATER)
  const scopes = fc.subarray([...ALL_SCOPES.slice(0, 12), 'unknown:scope']).map((all) => all.join(' '))
  const holders = fc.record({
    isActive: fc.boolean(),
    generation: fc.integer({ min: 3, max: 4 }),
    permissions: scopes.map((text) => new Set(parseScopes(text))),
  })
  const clients = fc.record({
    id: fc.constantFrom('client', 'other'),
    scope: scopes,
    mayRefresh: fc.boolean(),
  })
  const grants = {
    clientId: fc.constantFrom('client', 'other'),
    scope: scopes,
    userGeneration: fc.constant(3),
    user: fc.option(holders, { nil: undefined }),
    expiresAt: moments,
    usedAt: fc.option(moments, { nil: null }),
  }
  const codes = fc.record({
    ...grants,
    redirectUri: fc.constantFrom('a', 'b'),
    codeChallenge: fc.constantFrom(null, challengeOf(VERIFIER)),
    grantId: fc.constantFrom(null, 'grant'),
  })
  const tokens = fc.record({ ...grants, grantId: fc.constant('grant') })
  const asking = {
    client: clients,
    server: fc.constant(server),
    now: fc.constant(NOW),
    resource: fc.constantFrom(undefined, server.resource, 'x'),
  }
  const codeRequests = fc.record({
    ...asking,
    redirectUri: fc.constantFrom('a', 'b'),
    verifier: fc.constantFrom(undefined, VERIFIER, newVerifier()),
  })
  const refreshRequests = fc.record({
    ...asking,
    scope: fc.option(scopes, { nil: undefined }),
    graceMs: fc.constantFrom(0, 1, 2, 10_000),
  })

  const expectRightful = (
    scope: string,
    stored: Pick<StoredCode, 'clientId' | 'scope' | 'user' | 'expiresAt' | 'userGeneration'>,
    request: Pick<CodeRequest, 'client' | 'resource'>,
  ) => {
    const { user: holder } = stored
    expect(stored.clientId).toBe(request.client.id)
    expect(stored.expiresAt > NOW).toBe(true)
    expect(request.resource).not.toBe('x')
    expect([holder?.isActive, holder?.generation]).toEqual([true, stored.userGeneration])
    expect(scope).not.toBe('')
    for (const one of parseScopes(scope)) {
      expect(parseScopes(stored.scope)).toContain(one)
      expect(parseScopes(request.client.scope)).toContain(one)
      expect(holder?.permissions.has(one)).toBe(true)
      expect(ALL_SCOPES).toContain(one)
    }
  }

  test('a code gives tokens only once, only to its client, and for no more than the consent', () => {
    fc.assert(
      fc.property(codes, codeRequests, (stored, request) => {
        const decision = decideCode(stored, request)
        if (decision.kind !== 'issue') return
        expectRightful(decision.scope, stored, request)
        expect(stored.usedAt).toBeNull()
        expect(request.redirectUri).toBe(stored.redirectUri)
        expect(request.verifier).toBe(stored.codeChallenge === null ? undefined : VERIFIER)
        expect(decision.withRefreshToken).toBe(request.client.mayRefresh)
      }),
      { numRuns: countCases(5000) },
    )
  })

  test('a refresh token gives tokens only once, except within the grace, and for no more than the consent', () => {
    fc.assert(
      fc.property(tokens, refreshRequests, (stored, request) => {
        const decision = decideRefresh(stored, request)
        if (decision.kind !== 'rotate' && decision.kind !== 'lend') return
        expectRightful(decision.scope, stored, request)
        expect(decision.kind === 'rotate').toBe(stored.usedAt === null)
        if (stored.usedAt !== null)
          expect(Math.abs(Date.parse(NOW) - Date.parse(stored.usedAt))).toBeLessThan(request.graceMs)
        if (request.scope !== undefined)
          for (const one of parseScopes(decision.scope)) expect(parseScopes(request.scope)).toContain(one)
      }),
      { numRuns: countCases(5000) },
    )
  })

  test('another client can revoke nothing', () => {
    fc.assert(
      fc.property(codes, codeRequests, tokens, refreshRequests, (aCode, codeAsked, aToken, tokenAsked) => {
        if (aCode.clientId !== codeAsked.client.id) expect(decideCode(aCode, codeAsked).kind).toBe('refuse')
        if (aToken.clientId !== tokenAsked.client.id) expect(decideRefresh(aToken, tokenAsked).kind).toBe('refuse')
      }),
    )
  })

  test('a second use ends the family, whatever else is wrong with it', () => {
    fc.assert(
      fc.property(tokens, refreshRequests, (stored, request) => {
        const isReplay = stored.clientId === request.client.id && stored.usedAt !== null && request.graceMs === 0
        if (isReplay) expect(decideRefresh(stored, request).kind).toBe('revoke')
      }),
    )
  })

  test('the effective scopes do not depend on the order of the requested ones', () => {
    fc.assert(
      fc.property(scopes, clients, holders, (agreed, asked, holder) => {
        const backwards = parseScopes(agreed).toReversed().join(' ')
        expect(computeEffectiveScopes(agreed, asked, holder)).toEqual(computeEffectiveScopes(backwards, asked, holder))
      }),
    )
  })
})
