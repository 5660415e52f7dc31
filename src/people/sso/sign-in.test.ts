/** Signing in by an identity provider: which user it is, with which rights, for how long, and how it ends. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createUser } from '../../../testing/estates/identities.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { causeOf, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'
import { SsoProvider as Provider } from './schema.ts'

const PASSWORD = 'quick to check'
const HOUR_MS = 3_600_000
/** The start of a token in clear. A shorter text occurs in random ones by chance. */
const TOKEN_START = 'eyJhbGciOi'

describe.each(onSqlite())('single sign-on on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let at: SsoProvider
  let clockMs = Date.now()

  beforeAll(async () => {
    app = await ssoApp({ dialect, env: { AUDIT_ENABLED: 'true' }, now: () => new Date(clockMs) })
    idp = await scriptedProvider(() => new Date(clockMs))
    at = await app.addProvider(idp)
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  const user = (username: string) => app.admin.api.users.list({ username }).then(([found]) => found)
  const verified = (email: string) => ({ email, email_verified: true })

  describe('a new user', () => {
    test('is named by the claim, has no password and no rights', async () => {
      const claims = { sub: 'n1', preferred_username: 'grace', name: 'Grace H.', ...verified('grace@example.org') }
      const browser = app.browser()
      expect((await browser.signIn(at, idp, { claims })).status).toBe(200)
      expect(await user('grace')).toMatchObject({
        ...{ username: 'grace', full_name: 'Grace H.', email: 'grace@example.org', roles: [] },
        ...{ has_password: false, is_break_glass: false, is_active: true },
      })
    })

    test('cannot sign in by a password', async () => {
      expect((await app.guest('POST', '/api/auth/login', { username: 'grace', password: PASSWORD })).status).toBe(401)
    })

    test('is the same user at the next sign-in, whatever the provider calls it', async () => {
      const before = await user('grace')
      const claims = { sub: 'n1', preferred_username: 'root', name: 'Grace Hopper', ...verified('g.h@example.org') }
      const browser = app.browser()
      await browser.signIn(at, idp, { claims })
      expect(await browser.username()).toBe('grace')
      expect(await user('grace')).toMatchObject({ id: before?.id, full_name: 'Grace Hopper', email: 'g.h@example.org' })
    })

    test.each([
      ['the part of the address before @', { preferred_username: undefined, email: 'kay@example.org' }, 'kay'],
      ['the trimmed claim in normal form', { preferred_username: '  Zoe\u0308 ' }, 'Zoë'],
    ])('is named by %s', async (_, claims, username) => {
      const browser = app.browser()
      await browser.signIn(at, idp, { claims: { sub: username, ...claims } })
      expect(await browser.username()).toBe(username)
    })

    test.each([
      ['the name', { sub: 't1', preferred_username: 'FIRST' }],
      ['a name that looks like the name', { sub: 't2', preferred_username: 'fırst' }],
      ['the verified address', { sub: 't3', preferred_username: 'x', ...verified('Taken@example.org') }],
    ])('cannot have %s of a local user', async (_, claims) => {
      if (!(await user('holder'))) await createUser(app.db, { username: 'holder', email: 'taken@example.org' })
      const browser = app.browser()
      expect(causeOf(await browser.signIn(at, idp, { claims }))).toBe('username_taken')
      expect(await browser.isSignedIn()).toBe(false)
    })

    test('has no address that is not verified', async () => {
      for (const [i, email_verified] of [undefined, false, 'false', 'TRUE', 1].entries()) {
        const claims = {
          sub: `u${i}`,
          preferred_username: `unverified-${i}`,
          email: 'taken@example.org',
          email_verified,
        }
        expect((await app.browser().signIn(at, idp, { claims })).status).toBe(200)
        expect((await user(`unverified-${i}`))?.email).toBe('')
      }
    })

    test('is made of userinfo where the ID token lacks claims', async () => {
      const claims = { sub: 'info', preferred_username: undefined }
      const browser = app.browser()
      await browser.signIn(at, idp, {
        claims,
        userinfo: { preferred_username: 'info', ...verified('info@example.org') },
      })
      expect(await user('info')).toMatchObject({ email: 'info@example.org' })
    })

    test('is not made without create_users', async () => {
      const closed = await app.addProvider(idp, { create_users: false })
      const claims = { sub: 'closed', preferred_username: 'closed' }
      expect(causeOf(await app.browser().signIn(closed, idp, { claims }))).toBe('no_account')
      expect(await user('closed')).toBeUndefined()
    })

    test('whom no claim names is not made', async () => {
      const claims = { sub: 'nameless', preferred_username: undefined }
      expect(causeOf(await app.browser().signIn(at, idp, { claims }))).toBe('provider')
    })
  })

  describe('a user who is there', () => {
    test('is linked by a verified address only if the provider may', async () => {
      await createUser(app.db, { username: 'lin', email: 'lin@example.org', roles: ['viewer'] })
      const linking = await app.addProvider(idp, { link_by_email: true })
      const claims = { sub: 'lin', preferred_username: 'other', ...verified('LIN@example.org') }
      expect(causeOf(await app.browser().signIn(at, idp, { claims }))).toBe('username_taken')
      const unverified = { claims: { ...claims, email_verified: false, preferred_username: 'lin' } }
      expect(causeOf(await app.browser().signIn(linking, idp, unverified))).toBe('username_taken')
      const browser = app.browser()
      await browser.signIn(linking, idp, { claims })
      expect(await browser.username()).toBe('lin')
    })

    test.each(['admin', 'people'])('who manages people is not linked by the address: %s', async (who) => {
      const linking = await app.addProvider(idp, { link_by_email: true })
      if (who === 'people') await app.admin.api.roles.create({ name: 'people', permissions: ['apikeys:list'] })
      await createUser(app.db, { username: `boss-${who}`, email: `${who}@example.org`, roles: [] })
      await app.admin.api.users.grantRole({ user_id: (await user(`boss-${who}`))?.id ?? '', role_id: who })
      const claims = { sub: who, preferred_username: who, ...verified(`${who}@example.org`) }
      const browser = app.browser()
      expect(causeOf(await browser.signIn(linking, idp, { claims }))).toBe('no_account')
      expect(await browser.isSignedIn()).toBe(false)
    })

    test('and is deactivated does not get in', async () => {
      const claims = { sub: 'gone', preferred_username: 'gone' }
      const browser = app.browser()
      await browser.signIn(at, idp, { claims })
      await app.admin.api.users.update({ id: (await user('gone'))?.id ?? '', is_active: false })
      expect(await browser.isSignedIn()).toBe(false)
      expect(causeOf(await app.browser().signIn(at, idp, { claims }))).toBe('inactive')
    })

    test('keeps the address of another user from being taken', async () => {
      const claims = { sub: 'n1', preferred_username: 'grace', ...verified('taken@example.org') }
      expect((await app.browser().signIn(at, idp, { claims })).status).toBe(200)
      expect((await user('grace'))?.email).toBe('g.h@example.org')
    })
  })

  describe('a provider can demand', () => {
    test('a domain of a verified address', async () => {
      const strict = await app.addProvider(idp, { allowed_domains: ['Example.com'], create_users: true })
      const cause = async (claims: object) =>
        causeOf(
          await app.browser().signIn(strict, idp, { claims: { sub: 'dom', preferred_username: 'dom', ...claims } }),
        )
      expect(await cause({})).toBe('domain')
      expect(await cause({ email: 'dom@example.com' })).toBe('domain')
      expect(await cause(verified('dom@example.org'))).toBe('domain')
      expect(await cause(verified('dom@sub.example.com'))).toBe('domain')
      expect(await cause(verified('"a@example.com"@example.org'))).toBe('domain')
      expect(await cause(verified('dom@EXAMPLE.com'))).toBeUndefined()
    })

    test('an authentication context, which it asks for', async () => {
      const strict = await app.addProvider(idp, { required_acr: 'mfa' })
      const browser = app.browser()
      expect((await browser.begin(strict)).searchParams.get('acr_values')).toBe('mfa')
      const claims = { sub: 'acr', preferred_username: 'acr' }
      expect(causeOf(await browser.signIn(strict, idp, { claims }))).toBe('acr')
      expect(causeOf(await browser.signIn(strict, idp, { claims: { ...claims, acr: 'pwd' } }))).toBe('acr')
      // Userinfo says nothing of the authentication.
      expect(causeOf(await browser.signIn(strict, idp, { claims, userinfo: { acr: 'mfa' } }))).toBe('acr')
      expect((await browser.signIn(strict, idp, { claims: { ...claims, acr: 'mfa' } })).status).toBe(200)
    })
  })

  describe('a sign-in that fails', () => {
    const consent = '/mcp-oauth/authorize?client_id=a&state=b%20c'
    const login = (code: string) => `/login?sso_error=${code}&return_to=${encodeURIComponent(consent)}`
    const query = `?return_to=${encodeURIComponent(consent)}`
    const locationOf = (response: Response) => response.headers.get('location')

    test('keeps the path to return to, for the next try', async () => {
      const browser = app.browser()
      const state = async () => (await browser.begin(at, query)).searchParams.get('state') ?? ''
      const failed = await browser.comeBack({ error: 'access_denied', state: await state() })
      expect(locationOf(failed)).toBe(login('denied'))
      const late = await state()
      clockMs += 11 * 60_000
      expect(locationOf(await browser.comeBack({ code: 'c', state: late }))).toBe(login('state'))
      const away = await app.addProvider({ issuer: 'http://127.0.0.1:9' })
      expect(locationOf(await browser.send(`GET /api/auth/sso/${away.id}${query}`))).toBe(login('provider'))
      const done = await browser.signIn(at, idp, { claims: { sub: 'n1' } }, query)
      expect(await done.text()).toContain('url=/mcp-oauth/authorize?client_id=a&#38;state=b%20c')
    })

    test('keeps no path of another site', async () => {
      const browser = app.browser()
      const url = await browser.begin(at, '?return_to=//evil.example/')
      const state = url.searchParams.get('state') ?? ''
      expect(locationOf(await browser.comeBack({ error: 'access_denied', state }))).toBe('/login?sso_error=denied')
      expect(locationOf(await browser.comeBack({ error: 'access_denied', state }))).toBe('/login?sso_error=state')
    })
  })

  describe('a session', () => {
    test('says how it began', async () => {
      const browser = app.browser()
      await browser.signIn(at, idp)
      expect(await (await browser.send('GET /api/sessions')).json()).toMatchObject([
        { method: 'sso', provider_id: at.id },
      ])
    })

    test('ends after max_session_hours, although it is used', async () => {
      const short = await app.addProvider(idp, { max_session_hours: 2 })
      const browser = app.browser()
      await browser.signIn(short, idp, { claims: { sub: 'short', preferred_username: 'short' } })
      for (let quarter = 0; quarter < 7; quarter++) {
        clockMs += HOUR_MS / 4
        expect(await browser.isSignedIn()).toBe(true)
      }
      clockMs += HOUR_MS / 4
      expect(await browser.isSignedIn()).toBe(false)
    })
  })

  describe('a user who is signed in', () => {
    test('links an identity, and unlinks it', async () => {
      await createUser(app.db, { username: 'local', password: PASSWORD, roles: ['viewer'] })
      const browser = app.browser()
      await browser.send('POST /api/auth/login', { username: 'local', password: PASSWORD })
      const claims = { sub: 'local-at-idp', preferred_username: 'whatever' }
      const linked = await browser.signIn(at, idp, { claims }, '?link=true')
      expect(await linked.text()).toContain('url=/account')
      const [identity] = (await (await browser.send('GET /api/auth/identities')).json()) as [
        { id: string; subject: string },
      ]
      expect(identity).toMatchObject({ subject: 'local-at-idp', provider_id: at.id, provider: at.name })
      const other = app.browser()
      await other.signIn(at, idp, { claims })
      expect(await other.username()).toBe('local')
      expect((await browser.send(`DELETE /api/auth/identities/${identity.id}`)).status).toBe(204)
      expect(causeOf(await app.browser().signIn(at, idp, { claims: { ...claims, preferred_username: 'local' } }))).toBe(
        'username_taken',
      )
    })

    test('cannot link the identity of somebody else', async () => {
      const browser = app.browser()
      await browser.send('POST /api/auth/login', { username: 'local', password: PASSWORD })
      const response = await browser.signIn(at, idp, { claims: { sub: 'n1' } }, '?link=true')
      expect(response.headers.get('location')).toBe('/account?sso_error=linked_elsewhere')
    })

    test('needs a fresh sign-in to link', async () => {
      const browser = app.browser()
      expect((await browser.send(`GET /api/auth/sso/${at.id}?link=true`)).status).toBe(401)
      await browser.send('POST /api/auth/login', { username: 'local', password: PASSWORD })
      clockMs += 16 * 60_000
      const response = await browser.send(`GET /api/auth/sso/${at.id}?link=true`)
      expect([response.status, await response.json()]).toMatchObject([403, { code: 'REAUTHENTICATION_REQUIRED' }])
    })

    test('keeps the only way in', async () => {
      const browser = app.browser()
      await browser.signIn(at, idp, { claims: { sub: 'n1' } })
      const [identity] = (await (await browser.send('GET /api/auth/identities')).json()) as [{ id: string }]
      const response = await browser.send(`DELETE /api/auth/identities/${identity.id}`)
      expect([response.status, await response.json()]).toMatchObject([400, { details: [{ field: 'id' }] }])
      // Nor that of another user.
      const other = app.browser()
      await other.signIn(at, idp, { claims: { sub: 'lone', preferred_username: 'lone' } })
      expect((await other.send(`DELETE /api/auth/identities/${identity.id}`)).status).toBe(404)
    })
  })

  describe('logout', () => {
    test('answers with the address of the provider, with the ID token as a hint', async () => {
      const browser = app.browser()
      await browser.signIn(at, idp)
      const { url } = (await (await browser.send('POST /api/auth/sso/logout')).json()) as { url: string }
      const { origin, pathname, searchParams } = new URL(url)
      expect([origin, pathname]).toEqual([idp.issuer, '/logout'])
      expect(searchParams.get('post_logout_redirect_uri')).toBe('http://plat.test/login')
      expect(searchParams.get('client_id')).toBe('plat')
      expect(searchParams.get('id_token_hint')?.split('.')).toHaveLength(3)
      expect(await browser.isSignedIn()).toBe(false)
    })

    test('has no address for a session by password, and none for a key', async () => {
      const browser = app.browser()
      await browser.send('POST /api/auth/login', { username: 'local', password: PASSWORD })
      expect(await (await browser.send('POST /api/auth/sso/logout')).json()).toEqual({ url: null })
      expect(await browser.isSignedIn()).toBe(false)
      expect((await app.admin.request('POST', '/api/auth/sso/logout')).status).toBe(403)
    })

    const send = (logout_token: string, id = at.id) =>
      app.guest('POST', `/api/auth/sso/${id}/backchannel-logout`, new URLSearchParams({ logout_token }).toString(), {
        'Content-Type': 'application/x-www-form-urlencoded',
      })

    test('by the provider ends the sessions of sid, or all of sub', async () => {
      const now = { iat: Math.floor(clockMs / 1000), exp: Math.floor(clockMs / 1000) + 120 }
      const [one, two, other] = [app.browser(), app.browser(), app.browser()]
      await one.signIn(at, idp, { claims: { sid: 's1' } })
      await two.signIn(at, idp, { claims: { sid: 's2' } })
      await other.signIn(at, idp, { claims: { sub: 'lone', sid: 's3' } })
      const answer = await send(await idp.logoutToken({ ...now, sid: 's1' }))
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect([await one.isSignedIn(), await two.isSignedIn()]).toEqual([false, true])
      expect((await send(await idp.logoutToken({ ...now }))).status).toBe(200)
      expect([await two.isSignedIn(), await other.isSignedIn()]).toEqual([false, true])
    })

    test('by a forged, replayed or other token ends nothing', async () => {
      const iat = Math.floor(clockMs / 1000)
      const now = { iat, exp: iat + 120 }
      const browser = app.browser()
      await browser.signIn(at, idp)
      const used = await idp.logoutToken({ ...now, sub: 'nobody' })
      expect((await send(used)).status).toBe(200)
      const tokens = [
        used,
        await idp.logoutToken(now, idp.foreignKey),
        await idp.logoutToken({ ...now, iss: 'https://evil.example' }),
        await idp.logoutToken({ ...now, aud: 'other' }),
        await idp.logoutToken({ iat: iat - 200, exp: iat + 120 }),
        await idp.logoutToken({ iat: iat + 300, exp: iat + 600 }),
        await idp.logoutToken({ iat: iat - 100, exp: iat - 60 }),
        await idp.logoutToken({ iat, exp: undefined }),
        await idp.logoutToken({ iat: undefined, exp: iat + 120 }),
        await idp.logoutToken({ ...now, jti: undefined }),
        await idp.logoutToken({ ...now, events: undefined }),
        await idp.logoutToken({ ...now, events: { other: {} } }),
        await idp.logoutToken({ ...now, nonce: 'n' }),
        await idp.logoutToken({ ...now, sub: undefined }),
        await idp.logoutToken(now, undefined, { typ: 'at+jwt' }),
        idp.unsigned({ ...idp.standard(), ...now, sub: 'ada', jti: 'x' }),
        await idp.signedByPublicKey({ ...idp.standard(), ...now, sub: 'ada', jti: 'x' }),
        'no token',
        '',
      ]
      for (const token of tokens) {
        const answer = await send(token)
        expect([answer.status, await answer.json()]).toEqual([400, { error: 'invalid_request' }])
      }
      expect((await send(await idp.logoutToken(now), 'unknown')).status).toBe(400)
      expect(await browser.isSignedIn()).toBe(true)
    })
  })

  test('the trail tells the way of each sign-in, and holds no secret', async () => {
    const entries = JSON.stringify(await app.admin.api.audit.list({ limit: 1000 }))
    expect(entries).toContain('"method\\":\\"sso\\"')
    for (const secret of [TOKEN_START, 's3cret', '"at"']) expect(entries).not.toContain(secret)
  })

  test('no token, code or state is stored in clear', async () => {
    const browser = app.browser()
    const url = await browser.begin(at)
    const rows = await app.db.read.selectFrom('sso_states').selectAll().execute()
    const text = JSON.stringify([rows, await app.db.read.selectFrom('sso_sessions').selectAll().execute()])
    expect(text).not.toContain(url.searchParams.get('state') ?? '')
    expect(text).not.toContain(browser.jar.get('sso') ?? '')
    expect(text).not.toContain(TOKEN_START)
  })

  test('expired rows are deleted', async () => {
    clockMs += 800 * HOUR_MS
    await app.plat.runJob('sso.purge')
    for (const table of ['sso_states', 'sso_sessions', 'sso_seen'] as const)
      expect(await app.db.read.selectFrom(table).selectAll().execute()).toEqual([])
  })

  test('a provider is sent as its schema says', async () => {
    for (const one of await app.admin.api.ssoProviders.list({})) Provider.strict().parse(one)
  })
})
