// The authorization endpoint is no open redirector (RFC 9700 4.11.2). An invalid or refused request redirects no
// browser to the client unless a signed-in user asks for it. Registration is open, so the client may be an attacker's.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../../testing/app/app.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import {
  type Client,
  ISSUER,
  newVerifier,
  type OauthSteps,
  oauthApp,
  oauthOf,
  REDIRECT,
  type Signed,
} from '../../../testing/sign-in/oauth.ts'

const SCRIPT = { 'X-Requested-With': 'XMLHttpRequest' }
const FORM = 'application/x-www-form-urlencoded'
const EVIL = 'https://evil.example/phish'
const HOST = 'evil.example'
/** Requests that an attacker may put into a link. Each of them used to redirect to the client. */
const WRONG = [
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_mode: 'fragment' }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
  [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
  [{ scope: '*' }, 'invalid_scope'],
] as const

type Values = Readonly<Record<string, string | undefined>>

describe.each(onSqlite())('an authorization request on %s', (dialect) => {
  let app: TestApp
  let oauth: OauthSteps
  let client: Client
  let ada: Signed
  beforeAll(async () => {
    app = await oauthApp({ dialect, env: { AUDIT_ENABLED: 'true' } })
    oauth = oauthOf(app)
    ada = await oauth.person()
    client = await oauth.register({ redirect_uris: [EVIL], client_name: 'Friendly' })
  }, 60_000)
  afterAll(() => app.close())

  const valuesOf = (more: Values): Values => oauth.parametersFor(client, newVerifier(), { redirect_uri: EVIL, ...more })
  const given = (values: Values): Record<string, string> =>
    Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const ask = (more: Values, headers: Record<string, string>) =>
    app.guest('GET', `/mcp-oauth/authorize?${new URLSearchParams(given(valuesOf(more)))}`, undefined, headers)
  const answer = (values: object, headers: Record<string, string>) =>
    app.guest('POST', '/mcp-oauth/authorize', values, headers)
  const answerByForm = (values: Values, headers: Record<string, string> = {}) =>
    app.guest('POST', '/mcp-oauth/authorize', new URLSearchParams(given(values)).toString(), {
      'Content-Type': FORM,
      ...headers,
    })
  /** Returns each part of an answer, except its body, that could reveal the client's address. */
  const seen = async (response: Response) => {
    const text = await response.text()
    const body = JSON.parse(text === '' ? '{}' : text)
    return { status: response.status, location: response.headers.get('location'), body }
  }
  const cookieOf = ({ cookie }: Signed) => ({ Cookie: cookie })
  const PASSWORD = 'quick to check'

  describe('that is wrong', () => {
    test.each([...WRONG])('is not redirected without a session: %j', async (more, error) => {
      const told = { error, error_description: expect.any(String), redirect_host: HOST }
      for (const headers of [{}, SCRIPT, { Accept: '*/*' }, { Cookie: 'session=forged' }])
        expect(await seen(await ask(more, headers))).toEqual({ status: 400, location: null, body: told })
    })

    test.each([...WRONG])('is answered without a session, to JSON and to forms: %j', async (more, error) => {
      const told = { error, error_description: expect.any(String), redirect_host: HOST }
      for (const approved of [true, false]) {
        const values = { ...valuesOf(more), approved: String(approved) }
        const expected = { status: 400, location: null, body: told }
        expect(await seen(await answer({ ...values, approved }, {}))).toEqual(expected)
        expect(await seen(await answer({ ...values, approved }, SCRIPT))).toEqual(expected)
        expect(await seen(await answerByForm(values))).toEqual(expected)
      }
    })

    test.each([...WRONG])('shows the redirect to a signed-in user, and does not follow it: %j', async (more, error) => {
      for (const headers of [cookieOf(ada), { ...cookieOf(ada), ...SCRIPT }]) {
        const { status, location, body } = await seen(await ask(more, headers))
        expect({ status, location }).toEqual({ status: 400, location: null })
        const to = new URL(body.redirect_uri)
        expect(`${to.origin}${to.pathname}`).toBe(EVIL)
        expect(Object.fromEntries(to.searchParams)).toMatchObject({ error, state: 'st4te', iss: ISSUER })
      }
    })

    test('is answered with {redirect_uri} where a session posts JSON', async () => {
      const values = { ...valuesOf({ scope: '*' }), approved: true }
      const { status, location, body } = await seen(await answer(values, { ...cookieOf(ada), ...SCRIPT }))
      expect({ status, location }).toEqual({ status: 200, location: null })
      expect(body).toEqual({
        redirect_uri: expect.stringMatching(/^https:\/\/evil\.example\/phish\?error=invalid_scope/),
      })
    })

    test('is answered with {redirect_uri} to a name and a password that are right', async () => {
      const { username } = ada
      const values = { ...valuesOf({ scope: '*' }), approved: true, username, password: PASSWORD }
      expect(await seen(await answer(values, {}))).toMatchObject({
        status: 200,
        body: { redirect_uri: expect.stringContaining('error=invalid_scope') },
      })
    })

    test.each([...WRONG])('does not redirect a form with a correct name and password: %j', async (more, error) => {
      const values = { ...valuesOf(more), approved: 'true', username: ada.username, password: PASSWORD }
      const { status, location, body } = await seen(await answerByForm(values))
      expect({ status, location, error: body.error }).toEqual({ status: 400, location: null, error })
      expect(body.redirect_uri).toStartWith(EVIL)
    })

    test.each([
      ['a wrong password', { username: 'ada', password: 'wrong' }, 401],
      ['a name alone', { username: 'ada' }, 400],
      ['a password alone', { password: 'wrong' }, 400],
    ])('is not redirected with %s', async (_, who, status) => {
      const values = { ...valuesOf({ scope: '*' }), approved: 'true', ...who }
      for (const response of [await answer(values, {}), await answerByForm(values)]) {
        const got = await seen(response)
        expect([got.status, got.location, got.body.redirect_uri]).toEqual([status, null, undefined])
      }
    })

    test('stands in the audit trail when it is posted', async () => {
      const admin = await app.as('admin')
      await answer({ ...valuesOf({ scope: '*' }), approved: true }, {})
      const [entry] = await admin.api.audit.list({ resource: 'oauth-client', limit: 1 })
      expect(entry).toMatchObject({ status: 'failure', user_id: '' })
    })

    test('for an unknown client names no host', async () => {
      const { body } = await seen(await ask({ client_id: 'unknown' }, cookieOf(ada)))
      expect(body).toEqual({ error: 'invalid_client', error_description: expect.any(String) })
    })
  })

  test.each(['cross-site', 'same-site'])('is not decided by a page that is %s', async (site) => {
    const values = { ...valuesOf({}), username: ada.username, password: PASSWORD }
    for (const approved of ['true', 'false']) {
      const { status, location } = await seen(await answerByForm({ ...values, approved }, { 'Sec-Fetch-Site': site }))
      expect({ status, location }).toEqual({ status: 403, location: null })
    }
  })

  describe('that is denied', () => {
    test.each([
      ['JSON', {}],
      ['JSON of a script', SCRIPT],
      ['JSON with a session that is none', { Cookie: 'session=forged' }],
    ])('is not redirected without a session: %s', async (_, headers) => {
      const got = await seen(await answer({ ...valuesOf({}), approved: false }, headers))
      expect(got).toMatchObject({ status: 401, location: null, body: { code: 'UNAUTHORIZED' } })
      expect(got.body.redirect_uri).toBeUndefined()
    })

    test('is not redirected without a session: a form', async () => {
      const got = await seen(await answerByForm({ ...valuesOf({}), approved: 'false' }))
      expect(got).toMatchObject({ status: 401, location: null, body: { code: 'UNAUTHORIZED' } })
    })

    test('is not redirected with a wrong password', async () => {
      const values = { ...valuesOf({}), approved: 'false', username: ada.username, password: 'wrong' }
      expect(await seen(await answerByForm(values))).toMatchObject({
        status: 401,
        location: null,
        body: { code: 'INVALID_CREDENTIALS' },
      })
    })

    test('is not redirected with an API key', async () => {
      const { key } = await app.as('admin')
      const headers = { Authorization: `Bearer ${key}`, ...SCRIPT }
      expect((await answer({ ...valuesOf({}), approved: false }, headers)).status).toBe(401)
    })

    test('goes back as access_denied by a signed-in user', async () => {
      const response = await oauth.consent(valuesOf({}), ada, { approved: false })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(await oauth.wentTo(response))).toMatchObject({ error: 'access_denied', state: 'st4te' })
    })

    test('goes back as access_denied by a form with a name and a password that are right', async () => {
      const { username } = ada
      const response = await answerByForm({ ...valuesOf({}), approved: 'false', username, password: PASSWORD })
      expect(response.status).toBe(303)
      expect((await oauth.wentTo(response)).get('error')).toBe('access_denied')
    })

    test('is in the audit trail with the user who denied it', async () => {
      const admin = await app.as('admin')
      await oauth.consent(valuesOf({}), ada, { approved: false })
      const [entry] = await admin.api.audit.list({ resource: 'oauth-client', limit: 1 })
      expect(entry).toMatchObject({ status: 'failure', user_id: ada.id, username: ada.username })
    })
  })

  test('that is correct still redirects with a code', async () => {
    const own = await oauth.register()
    const response = await oauth.consent(oauth.parametersFor(own, newVerifier()), ada)
    expect((await oauth.wentTo(response)).get('code')).toStartWith('plat_ac_')
    expect(REDIRECT).toStartWith('http://127.0.0.1')
  })
})
