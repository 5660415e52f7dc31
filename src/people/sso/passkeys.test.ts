/** A passkey of a user without a password opens only for a while after a sign-in by a provider. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createUser } from '../../../testing/estates/identities.ts'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import type { Authenticator } from '../../../testing/sign-in/authenticator.ts'
import { OAUTH_ENV, oauthOf } from '../../../testing/sign-in/oauth.ts'
import { addPasskey, signInWithPasskey } from '../../../testing/sign-in/passkeys.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'
import { type Browser, browserOf, causeOf, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import { createRequirement } from '../factors/requirement.ts'
import { createCredentialCheck } from '../sessions/credential-check.ts'
import { createDatabaseStore } from '../sessions/database-store.ts'
import { ASLEEP } from '../users/account.ts'
import type { SsoProvider } from './schema.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const PASSWORD = 'quick to check'
const REFUSED: [number, string] = [401, 'INVALID_CREDENTIALS']

describe.each(places())('passkeys of users of a provider on %s, sessions in %s', (dialect, store) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let at: SsoProvider
  let clockMs = Date.now()
  let made = 0
  const now = () => new Date(clockMs)

  beforeAll(async () => {
    const { sessionStoreType = 'sqlite', valkeyUrl } = await storeConfig(store)
    const env = { ...OAUTH_ENV, SESSION_STORE_TYPE: sessionStoreType, ...(valkeyUrl && { VALKEY_URL: valkeyUrl }) }
    app = await ssoApp({ dialect, env: { ...env, SESSION_TTL: '720h' }, now })
    idp = await scriptedProvider(now)
    at = await app.addProvider(idp, { max_session_hours: 2 })
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  type Person = { sub: string; browser: Browser; key: Authenticator; id: string }

  /** A user whom a provider has signed in, with a passkey. */
  const person = async (by: SsoProvider = at, claims: object = {}): Promise<Person> => {
    const sub = `person-${++made}`
    const browser = app.browser()
    await browser.signIn(by, idp, { claims: { sub, preferred_username: sub, ...claims } })
    const { id } = (await (await browser.me()).json()) as { id: string }
    return { sub, browser, key: await addPasskey(browser), id }
  }
  const withPasskey = async (key: Authenticator): Promise<Browser> => {
    const browser = app.browser()
    expect((await signInWithPasskey(browser, key)).status).toBe(200)
    return browser
  }
  const tryPasskey = async (key: Authenticator) => refusal(await signInWithPasskey(app.browser(), key))
  const logOut = async (claims: object): Promise<number> => {
    const seconds = Math.floor(clockMs / 1000)
    const token = await idp.logoutToken({ iat: seconds, exp: seconds + 120, ...claims })
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ logout_token: token }).toString()
    return (await app.guest('POST', `/api/auth/sso/${at.id}/backchannel-logout`, body, form)).status
  }

  test('sign in until max_session_hours after the sign-in by the provider, and so do their sessions', async () => {
    const { key, sub, browser: first } = await person()
    clockMs += HOUR_MS
    const browser = await withPasskey(key)
    const [session] = (await (await browser.send('GET /api/sessions')).json()) as { expires_at: string }[]
    expect(Date.parse(session?.expires_at ?? '')).toBe(clockMs + HOUR_MS)
    clockMs += HOUR_MS - MINUTE_MS
    expect(await browser.isSignedIn()).toBe(true)
    clockMs += MINUTE_MS
    expect([await browser.isSignedIn(), await first.isSignedIn()]).toEqual([false, false])
    expect(await tryPasskey(key)).toEqual(REFUSED)

    await first.signIn(at, idp, { claims: { sub } })
    expect(await (await withPasskey(key)).isSignedIn()).toBe(true)
    // The earlier session has had its end.
    expect(await browser.isSignedIn()).toBe(false)
  })

  test('count from the newest sign-in, of any provider of the user', async () => {
    const long = await app.addProvider(idp, { max_session_hours: 24 })
    const { key, browser } = await person()
    await browser.signIn(long, idp, { claims: { sub: `${made}-elsewhere` } }, '?link=true')
    clockMs += 23 * HOUR_MS
    const opened = await withPasskey(key)
    await app.admin.api.ssoProviders.update({ id: long.id, enabled: false })
    expect([await opened.isSignedIn(), await tryPasskey(key)]).toEqual([false, REFUSED])
    await app.admin.api.ssoProviders.update({ id: long.id, enabled: true })
    expect(await (await withPasskey(key)).isSignedIn()).toBe(true)
    clockMs += HOUR_MS
    expect(await tryPasskey(key)).toEqual(REFUSED)
  })

  test('follow a shorter max_session_hours at once', async () => {
    const by = await app.addProvider(idp, { max_session_hours: 12 })
    const { key } = await person(by)
    clockMs += 3 * HOUR_MS
    const browser = await withPasskey(key)
    await app.admin.api.ssoProviders.update({ id: by.id, max_session_hours: 3 })
    expect([await browser.isSignedIn(), await tryPasskey(key)]).toEqual([false, REFUSED])
  })

  test('are refused after the provider is deleted', async () => {
    const by = await app.addProvider(idp)
    const { key } = await person(by)
    const browser = await withPasskey(key)
    await app.admin.api.ssoProviders.delete({ id: by.id })
    expect([await browser.isSignedIn(), await tryPasskey(key)]).toEqual([false, REFUSED])
  })

  test('sign in a user with a password at any time', async () => {
    const { key, id } = await person()
    await app.admin.api.users.resetPassword({ id, new_password: PASSWORD })
    clockMs += 100 * HOUR_MS
    const browser = await withPasskey(key)
    clockMs += 100 * HOUR_MS
    expect(await browser.isSignedIn()).toBe(true)
  })

  test('of a session that an earlier version made without an end are refused as well', async () => {
    const { key } = await person()
    const browser = await withPasskey(key)
    // Stored sessions of before have no end of their own.
    if (store === 'database') {
      await app.db.write(({ db }) =>
        db.updateTable('sessions').set({ ends_at: null }).where('method', '=', 'passkey').execute(),
      )
      await app.db.write(({ db }) => db.updateTable('session_expiries').set({ expires_at: '2999' }).execute())
    }
    clockMs += HOUR_MS
    expect(await browser.isSignedIn()).toBe(true)
    clockMs += 2 * HOUR_MS
    expect(await browser.isSignedIn()).toBe(false)
  })

  test('a logout by sub ends all sessions of the user, and its passkeys until the next sign-in by the provider', async () => {
    const { key, sub, browser, id } = await person()
    await createUser(app.db, { username: `local-${made}`, password: PASSWORD })
    const bystander = app.browser()
    await bystander.send('POST /api/auth/login', { username: `local-${made}`, password: PASSWORD })
    const byPasskey = await withPasskey(key)
    const oauth = oauthOf(app)
    const client = await oauth.register({ scope: 'devices:list', client_name: 'Claude Code' })
    const { id: group_id } = await app.admin.api.groups.create({ name: `of ${sub}` })
    await app.admin.api.grants.create({ role_id: 'viewer', group_id })
    await app.admin.api.groups.add({ id: group_id, user_id: id })
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ')
    const { access_token } = await oauth.tokensFor(client, { id, username: sub, cookie })
    const { key: secret } = (await (await browser.send('POST /api/keys', { name: 'script' })).json()) as { key: string }
    expect(await logOut({ sub })).toBe(200)
    expect([await browser.isSignedIn(), await byPasskey.isSignedIn()]).toEqual([false, false])
    expect(await tryPasskey(key)).toEqual(REFUSED)
    expect(await bystander.isSignedIn()).toBe(true)
    // Keys and OAuth grants sleep later, as docs/sign-in.md says.
    const asKey = await app.guest('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${secret}` })
    expect(await asKey.json()).toMatchObject({ id })
    expect(await oauth.opens(access_token)).toBe(200)

    await browser.signIn(at, idp, { claims: { sub } })
    expect(await (await withPasskey(key)).isSignedIn()).toBe(true)
    expect(await byPasskey.isSignedIn()).toBe(false)
  })

  test('a logout by sub ends the sessions by password and by another provider too', async () => {
    const { browser, sub, id } = await person()
    const other = await app.addProvider(idp)
    await browser.signIn(other, idp, { claims: { sub: `${sub}-elsewhere` } }, '?link=true')
    await app.admin.api.users.resetPassword({ id, new_password: PASSWORD })
    const [byPassword, byOther] = [app.browser(), app.browser()]
    await byPassword.send('POST /api/auth/login', { username: sub, password: PASSWORD })
    await byOther.signIn(other, idp, { claims: { sub: `${sub}-elsewhere` } })
    expect(await logOut({ sub })).toBe(200)
    expect([await byPassword.isSignedIn(), await byOther.isSignedIn()]).toEqual([false, false])
  })

  test('a logout by sid leaves passkeys while another session by the provider is left, and no longer', async () => {
    const { key, sub, browser } = await person(at, { sid: `a-${made}` })
    const second = app.browser()
    await second.signIn(at, idp, { claims: { sub, sid: `b-${sub}` } })
    const byPasskey = await withPasskey(key)
    const [first] = await app.db.read.selectFrom('sso_sessions').select('sid').where('subject', '=', sub).execute()
    expect(await logOut({ sub, sid: first?.sid })).toBe(200)
    expect([await browser.isSignedIn(), await second.isSignedIn()]).toEqual([false, true])
    expect(await byPasskey.isSignedIn()).toBe(true)
    expect(await logOut({ sub: undefined, sid: `b-${sub}` })).toBe(200)
    expect([await second.isSignedIn(), await byPasskey.isSignedIn()]).toEqual([false, false])
    expect(await tryPasskey(key)).toEqual(REFUSED)
  })

  test('the last identity of a user without a password stays, also beside a passkey', async () => {
    const { browser, id, sub } = await person()
    const identities = async () => (await (await browser.send('GET /api/auth/identities')).json()) as { id: string }[]
    const [only] = await identities()
    const unlink = () => browser.send(`DELETE /api/auth/identities/${only?.id}`)
    const response = await unlink()
    expect([response.status, await response.json()]).toMatchObject([400, { details: [{ field: 'id' }] }])
    // Nor is an identity at a provider that is off a way in.
    const other = await app.addProvider(idp)
    await browser.signIn(other, idp, { claims: { sub: `${sub}-off` } }, '?link=true')
    await app.admin.api.ssoProviders.update({ id: other.id, enabled: false })
    expect((await unlink()).status).toBe(400)
    await app.admin.api.ssoProviders.update({ id: other.id, enabled: true })
    expect((await unlink()).status).toBe(204)
    expect((await app.admin.api.users.get({ id })).has_password).toBe(false)
  })

  if (store === 'database')
    test('end the long answers of their sessions with them', async () => {
      const { key } = await person()
      const browser = await withPasskey(key)
      const [session] = (await (await browser.send('GET /api/sessions')).json()) as { id: string }[]
      const shown = { via: 'session', credentialId: session?.id ?? '' } as const
      const check = createCredentialCheck({
        ...{ db: app.db, sessions: createDatabaseStore(app.db), requirement: createRequirement([]), now },
      })
      const until = clockMs + 2 * HOUR_MS
      expect((await check([shown])).get(shown.credentialId)?.expiresMs).toBe(until)
      clockMs = until - MINUTE_MS
      expect([...(await check([shown])).keys()]).toEqual([shown.credentialId])
      await app.db.write(({ db }) => db.updateTable('session_expiries').set({ expires_at: '2999' }).execute())
      clockMs = until
      expect([...(await check([shown])).keys()]).toEqual([])
    })

  test('keys of such a user sleep, although a passkey opens', async () => {
    const by = await app.addProvider(idp, { credentials_max_idle_days: 1, max_session_hours: 720 })
    const { browser, key } = await person(by)
    const { key: secret } = (await (await browser.send('POST /api/keys', { name: 'script' })).json()) as { key: string }
    clockMs += 25 * HOUR_MS
    await withPasskey(key)
    const asKey = await app.guest('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${secret}` })
    expect([asKey.status, await asKey.json()]).toMatchObject([401, { error: ASLEEP }])
  })

  test('a failed sign-in by the provider opens no passkey', async () => {
    const { key, sub, browser } = await person()
    clockMs += 3 * HOUR_MS
    const url = await browser.begin(at)
    const failed = await browser.comeBack({ error: 'access_denied', state: url.searchParams.get('state') ?? '' })
    expect(causeOf(failed)).toBe('denied')
    expect(await tryPasskey(key)).toEqual(REFUSED)
    await browser.signIn(at, idp, { claims: { sub } })
    await withPasskey(key)
  })

  if (dialect === 'postgres')
    test('a logout that one instance receives ends passkeys and their sessions on the other', async () => {
      const other: Instance = await instanceBeside(app, { now })
      try {
        const { key, sub } = await person()
        const browser = await withPasskey(key)
        const elsewhere = browserOf(other.plat)
        for (const [name, value] of browser.jar) elsewhere.jar.set(name, value)
        expect([await browser.isSignedIn(), await elsewhere.isSignedIn()]).toEqual([true, true])
        expect(await logOut({ sub })).toBe(200)
        expect([await browser.isSignedIn(), await elsewhere.isSignedIn()]).toEqual([false, false])
        expect(await refusal(await signInWithPasskey(browserOf(other.plat), key))).toEqual([401, 'INVALID_CREDENTIALS'])
      } finally {
        await other.close()
      }
    })
})
