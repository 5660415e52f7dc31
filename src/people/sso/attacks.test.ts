/**
 * Attacks on a client of OpenID Connect: RFC 9700 and OpenID Connect Core 1.0 section 3.1.3.7. No case makes a session.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type Claims,
  type Script,
  type ScriptedProvider,
  scriptedProvider,
} from '../../../testing/servers/scripted-provider.ts'
import { type Browser, causeOf, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'

let app: SsoApp
let idp: ScriptedProvider
let other: ScriptedProvider
let at: SsoProvider
let atOther: SsoProvider

beforeAll(async () => {
  app = await ssoApp()
  idp = await scriptedProvider()
  other = await scriptedProvider()
  at = await app.addProvider(idp)
  atOther = await app.addProvider(other)
})
afterAll(async () => {
  await app.close()
  idp.close()
  other.close()
})

const stateOf = (url: URL): string => url.searchParams.get('state') ?? ''

/** Expects the cause of a failure, and no session. */
const expectRefused = async (browser: Browser, response: Response, cause: string): Promise<void> => {
  expect(response.status).toBe(302)
  expect(causeOf(response)).toBe(cause)
  expect([...browser.jar.keys()].filter((name) => name.includes('session'))).toEqual([])
  expect(await browser.isSignedIn()).toBe(false)
}

test('the sign-in that the attacks change works', async () => {
  const browser = app.browser()
  const response = await browser.signIn(at, idp)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('content="0;url=/"')
  expect(await browser.isSignedIn()).toBe(true)
})

test('the request has PKCE S256, a state and a nonce, which differ each time', async () => {
  const browser = app.browser()
  const [one, two] = [await browser.begin(at), await browser.begin(at)]
  expect(Object.fromEntries(one.searchParams)).toMatchObject({
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: 'http://plat.test/api/auth/sso/callback',
    code_challenge_method: 'S256',
    client_id: 'plat',
  })
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(one.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name))
  }
})

describe('the state', () => {
  test('is of the browser that began: login CSRF', async () => {
    const [attacker, victim] = [app.browser(), app.browser()]
    const url = await attacker.begin(at)
    const code = idp.agree(url)
    await expectRefused(victim, await victim.comeBack({ code, state: stateOf(url) }), 'state')
    // Also for a browser that has begun a sign-in of its own.
    await victim.begin(at)
    await expectRefused(victim, await victim.comeBack({ code, state: stateOf(url) }), 'state')
  })

  test('is needed, known and used once', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    const code = idp.agree(url)
    await expectRefused(browser, await browser.comeBack({ code }), 'state')
    await expectRefused(browser, await browser.comeBack({ code, state: 'x'.repeat(43) }), 'state')
    expect((await browser.comeBack({ code, state: stateOf(url) })).status).toBe(200)
    const replayed = await browser.comeBack({ code, state: stateOf(url) })
    expect(causeOf(replayed)).toBe('state')
  })

  test('is refused if it is repeated in the address', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    const query = `code=${idp.agree(url)}&state=${stateOf(url)}&state=${stateOf(url)}`
    await expectRefused(browser, await browser.send(`GET /api/auth/sso/callback?${query}`), 'state')
  })

  test('ends after ten minutes', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    await app.db.write((tx) =>
      tx.db
        .updateTable('sso_states')
        .set({ expires_at: new Date(Date.now() - 1).toISOString() })
        .execute(),
    )
    await expectRefused(browser, await browser.comeBack({ code: idp.agree(url), state: stateOf(url) }), 'state')
  })
})

describe('the code', () => {
  test('of another sign-in is refused by its verifier', async () => {
    const [attacker, victim] = [app.browser(), app.browser()]
    const stolen = idp.agree(await victim.begin(at))
    const url = await attacker.begin(at)
    await expectRefused(attacker, await attacker.comeBack({ code: stolen, state: stateOf(url) }), 'provider')
  })

  test('is needed', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    await expectRefused(browser, await browser.comeBack({ state: stateOf(url) }), 'provider')
  })

  test('is refused beside an error of the provider', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    const answer = { code: idp.agree(url), state: stateOf(url), error: 'server_error' }
    await expectRefused(browser, await browser.comeBack(answer), 'provider')
  })

  test('of a user who refuses is no error of the provider', async () => {
    const browser = app.browser()
    const state = stateOf(await browser.begin(at))
    await expectRefused(browser, await browser.comeBack({ state, error: 'access_denied' }), 'denied')
  })
})

describe('a mix-up of providers', () => {
  test('is refused by iss (RFC 9207)', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    const answer = { code: idp.agree(url), state: stateOf(url), iss: other.issuer }
    await expectRefused(browser, await browser.comeBack(answer), 'provider')
  })

  test('sends no code of one provider to another', async () => {
    const browser = app.browser()
    const url = await browser.begin(atOther)
    const code = idp.agree(url)
    const before = idp.requests.length
    await expectRefused(browser, await browser.comeBack({ code, state: stateOf(url) }), 'provider')
    expect(idp.requests.length).toBe(before)
  })

  test('without the iss that the provider announces is refused', async () => {
    other.describe({ authorization_response_iss_parameter_supported: true })
    await app.admin.api.ssoProviders.test({ id: atOther.id })
    const browser = app.browser()
    const url = await browser.begin(atOther)
    await expectRefused(browser, await browser.comeBack({ code: other.agree(url), state: stateOf(url) }), 'provider')
    const again = await browser.begin(atOther)
    const answer = { code: other.agree(again, { claims: { sub: 'iss' } }), state: stateOf(again), iss: other.issuer }
    // The answer with `iss` is accepted, and the user of this name is of the first provider.
    expect(causeOf(await browser.comeBack(answer))).toBe('username_taken')
  })
})

const nowS = () => Math.floor(Date.now() / 1000)

describe('an ID token is refused', () => {
  const forged: readonly (readonly [string, (idp: ScriptedProvider) => Script])[] = [
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['whose issuer differs by a slash', ({ issuer }) => ({ claims: { iss: `${issuer}/` } })],
    ['for another client', () => ({ claims: { aud: 'other' } })],
    ['for other clients', () => ({ claims: { aud: ['other', 'third'] } })],
    ['for several clients, without azp', () => ({ claims: { aud: ['plat', 'other'] } })],
    ['for several clients, issued to another', () => ({ claims: { aud: ['plat', 'other'], azp: 'other' } })],
    ['issued to another client', () => ({ claims: { azp: 'other' } })],
    ['that has expired', () => ({ claims: { exp: nowS() - 60 } })],
    ['without exp', () => ({ claims: { exp: undefined } })],
    ['without iat', () => ({ claims: { iat: undefined } })],
    ['that is not valid yet', () => ({ claims: { nbf: nowS() + 300 } })],
    ['with another nonce', () => ({ claims: { nonce: 'other' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['without sub', () => ({ claims: { sub: undefined } })],
    ['with an empty sub', () => ({ claims: { sub: '' } })],
    ['with a sub that is no text', () => ({ claims: { sub: 7 } })],
    ['signed by a foreign key', (by) => ({ idToken: (claims) => by.sign(claims, by.foreignKey) })],
    ['signed by a key of another kid', (by) => ({ idToken: (claims) => by.sign(claims, by.foreignKey, { kid: 'x' }) })],
    ['whose key is in its own header', (by) => ({ idToken: (claims) => by.sign(claims, by.foreignKey, { jwk: {} }) })],
    ['with alg none', (by) => ({ idToken: (claims) => by.unsigned(claims) })],
    ['signed by HMAC with the public key', (by) => ({ idToken: (claims) => by.signedByPublicKey(claims) })],
    [
      'with a critical extension',
      (by) => ({ idToken: (claims) => by.sign(claims, undefined, { crit: ['b64'], b64: true }) }),
    ],
    ['that is no token', () => ({ idToken: () => 'a.b.c' })],
    ['whose claims were changed', (by) => ({ idToken: async (claims) => changed(await by.sign(claims)) })],
    ['that is missing', () => ({ token: () => Response.json({ access_token: 'at', token_type: 'Bearer' }) })],
    ['behind a redirect', () => ({ token: () => Response.redirect('http://127.0.0.1:1/', 307) })],
    ['in an answer that is no JSON', () => ({ token: () => new Response('<html>') })],
    ['without an access token', () => ({ token: (id_token) => Response.json({ token_type: 'Bearer', id_token }) })],
  ]
  const changed = (token: string): string => {
    const [header, payload = '', signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims
    return [header, Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url'), signature].join('.')
  }

  test.each(forged)('%s', async (_, script) => {
    const browser = app.browser()
    await expectRefused(browser, await browser.signIn(at, idp, script(idp)), 'provider')
  })
})

test('a userinfo answer about another user is refused', async () => {
  const browser = app.browser()
  await expectRefused(browser, await browser.signIn(at, idp, { userinfo: { sub: 'root' } }), 'provider')
})

test('nothing of a refusal is stored but its entry in the log', async () => {
  const rows = await app.db.read.selectFrom('identities').select('subject').execute()
  expect(rows.map(({ subject }) => subject)).toEqual(['ada', 'ada'].slice(0, rows.length))
})

test.each([
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/.//evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['devices', '/'],
  ['', '/'],
  ['/devices?q="><script>', '/devices?q=%22%3E%3Cscript%3E'],
  ['/mcp-oauth/authorize?a=1&b=2', '/mcp-oauth/authorize?a=1&#38;b=2'],
])('after return_to=%s the browser opens %s', async (returnTo, path) => {
  const response = await app.browser().signIn(at, idp, {}, `?return_to=${encodeURIComponent(returnTo)}`)
  expect(await response.text()).toContain(`content="0;url=${path}"`)
})

test('an unknown and a disabled provider are both 404, and start nothing', async () => {
  const off = await app.addProvider(idp, { enabled: false })
  for (const id of ['unknown', off.id]) expect((await app.browser().send(`GET /api/auth/sso/${id}`)).status).toBe(404)
})

test('a provider that is disabled during a sign-in makes no session', async () => {
  const added = await app.addProvider(idp)
  const browser = app.browser()
  const url = await browser.begin(added)
  await app.admin.api.ssoProviders.update({ id: added.id, enabled: false })
  await expectRefused(browser, await browser.comeBack({ code: idp.agree(url), state: stateOf(url) }), 'provider')
})
