/** A link by address ends all that opened the account before, because the account may be of another person. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { OAUTH_ENV, oauthOf } from '../../../testing/sign-in/oauth.ts'
import { addPasskey, signInWithPasskey } from '../../../testing/sign-in/passkeys.ts'
import { type Browser, browserOf, causeOf, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'

const PASSWORD = 'known to the clerk'

describe.each(places())('a link by address on %s, sessions in %s', (dialect, store) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let linking: SsoProvider
  let made = 0

  beforeAll(async () => {
    const { sessionStoreType = 'sqlite', valkeyUrl } = await storeConfig(store)
    const places = { SESSION_STORE_TYPE: sessionStoreType, ...(valkeyUrl && { VALKEY_URL: valkeyUrl }) }
    app = await ssoApp({ dialect, env: { ...OAUTH_ENV, ...places, AUDIT_ENABLED: 'true' } })
    idp = await scriptedProvider()
    const groups = []
    for (const role_id of ['operator', 'admin']) {
      const { id: group_id } = await app.admin.api.groups.create({ name: `${role_id}s` })
      await app.admin.api.grants.create({ role_id, group_id })
      groups.push({ value: role_id, group_id })
    }
    linking = await app.addProvider(idp, { link_by_email: true, group_mappings: groups })
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  type Target = { id: string; username: string; email: string }
  const target = async (fields: object = {}): Promise<Target> => {
    const username = `boss-${++made}`
    const email = `${username}@example.org`
    const user = { username, email, password: PASSWORD, roles: ['viewer'], ...fields }
    const { id } = await app.admin.api.users.create(user)
    return { id, username, email }
  }
  const claimsOf = ({ username, email }: Target, groups: string[] = ['operator']) => ({
    claims: { sub: `at-idp-${username}`, preferred_username: 'other', email, email_verified: true, groups },
  })
  const byPassword = async ({ username }: Target): Promise<Browser> => {
    const browser = app.browser()
    await browser.send('POST /api/auth/login', { username, password: PASSWORD })
    return browser
  }
  const opens = async (key: string): Promise<number> =>
    (await app.guest('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${key}` })).status
  const keyIn = async (response: Response): Promise<{ id: string; key: string }> =>
    (await response.json()) as { id: string; key: string }

  /** Does all that a clerk can do with an account after he has chosen its password. */
  const prepare = async (user: Target) => {
    const session = await byPassword(user)
    const own = await keyIn(await session.send('POST /api/keys', { name: 'own' }))
    const ofClerk = await app.admin.api.keys.create({ name: 'of the clerk', user_id: user.id })
    const oauth = oauthOf(app)
    const client = await oauth.register({ scope: 'devices:list devices:read', client_name: 'Claude Code' })
    const cookie = [...session.jar].map((pair) => pair.join('=')).join('; ')
    const { access_token, refresh_token } = await oauth.tokensFor(client, { ...user, cookie })
    const passkey = await addPasskey(session)
    const rights = async () => [
      (await app.guest('POST', '/api/auth/login', { username: user.username, password: PASSWORD })).status,
      (await session.me()).status,
      await opens(own.key),
      await opens(ofClerk.key),
      await oauth.opens(access_token),
      (await oauth.refresh(client, refresh_token)).status,
      (await signInWithPasskey(app.browser(), passkey)).status,
    ]
    return { rights, own, session, passkey }
  }

  test('ends password, sessions, keys, OAuth grants and passkeys of the account', async () => {
    const user = await target()
    const { rights, own } = await prepare(user)
    const browser = app.browser()
    expect((await browser.signIn(linking, idp, claimsOf(user))).status).toBe(200)
    expect(await browser.username()).toBe(user.username)
    expect(await rights()).toEqual([401, 401, 401, 401, 401, 400, 401])
    const after = await app.admin.api.users.get({ id: user.id })
    expect(after).toMatchObject({ has_password: false, roles: ['viewer'] })
    expect(await (await browser.send('GET /api/auth/factors')).json()).toMatchObject({
      ...{ totp: null, passkeys: [], recovery_codes_left: 0 },
    })
    expect(await (await browser.send('GET /api/keys')).json()).toEqual([])
    expect(await (await browser.send('GET /api/auth/me')).text()).toContain('"devices:update"')
    const [entry] = await app.admin.api.audit.list({ user_id: user.id, action: 'login', limit: 1 })
    expect(JSON.stringify(entry)).toContain(own.id)
  })

  test('ends nothing at the next sign-in of the identity', async () => {
    const user = await target()
    const browser = app.browser()
    await browser.signIn(linking, idp, claimsOf(user))
    const passkey = await addPasskey(browser)
    const { key } = await keyIn(await browser.send('POST /api/keys', { name: 'own' }))
    await app.browser().signIn(linking, idp, claimsOf(user))
    expect([await opens(key), (await browser.me()).status]).toEqual([200, 200])
    expect((await signInWithPasskey(app.browser(), passkey)).status).toBe(200)
  })

  test('is refused if the groups of the provider let the user manage people, and changes nothing', async () => {
    const user = await target()
    const { session, own } = await prepare(user)
    const browser = app.browser()
    expect(causeOf(await browser.signIn(linking, idp, claimsOf(user, ['admin'])))).toBe('no_account')
    expect(await browser.isSignedIn()).toBe(false)
    expect([(await session.me()).status, await opens(own.key)]).toEqual([200, 200])
    expect(await (await session.me()).text()).not.toContain('users:update')
    expect((await app.admin.api.users.get({ id: user.id })).has_password).toBe(true)
    // An administrator links the own account while signed in, and keeps what is there.
    const fresh = await byPassword(await target())
    const self = { claims: { sub: `self-${made}`, groups: ['admin'] } }
    expect((await fresh.signIn(linking, idp, self, '?link=true')).status).toBe(200)
    expect(await (await fresh.me()).text()).toContain('users:update')
  })

  test('a link is refused for a break-glass user, because the password is a last way in', async () => {
    const user = await target({ is_break_glass: true })
    expect(causeOf(await app.browser().signIn(linking, idp, claimsOf(user)))).toBe('no_account')
    expect((await (await byPassword(user)).me()).status).toBe(200)
  })

  test('is refused for a deactivated user, and changes nothing', async () => {
    const user = await target()
    await app.admin.api.users.update({ id: user.id, is_active: false })
    expect(causeOf(await app.browser().signIn(linking, idp, claimsOf(user)))).toBe('inactive')
    expect((await app.admin.api.users.get({ id: user.id })).has_password).toBe(true)
  })

  test('ends identities at other providers, and the memberships that they gave', async () => {
    const { id: group_id } = await app.admin.api.groups.create({ name: `elsewhere ${++made}` })
    const evil = await app.addProvider(idp, { group_mappings: [{ value: '*', group_id }] })
    const email = `boss-${++made}@example.org`
    const forged = { claims: { sub: 'forged', preferred_username: `boss-${made}`, email, email_verified: true } }
    const attacker = app.browser()
    expect((await attacker.signIn(evil, idp, forged)).status).toBe(200)
    const { id } = (await (await attacker.me()).json()) as { id: string }
    await app.browser().signIn(linking, idp, claimsOf({ id, username: `boss-${made}`, email }))
    expect((await attacker.me()).status).toBe(401)
    expect(causeOf(await attacker.signIn(evil, idp, forged))).toBe('username_taken')
    expect(await app.admin.api.groups.members({ id: group_id })).toEqual([])
  })

  test('keeps the keys of a user who links by hand', async () => {
    const user = await target()
    const { rights, session } = await prepare(user)
    const linked = await session.signIn(linking, idp, claimsOf(user), '?link=true')
    expect(await linked.text()).toContain('url=/account')
    // The password asks for the passkey.
    expect(await rights()).toEqual([401, 200, 200, 401, 200, 200, 200])
  })

  if (dialect === 'postgres')
    test('that one instance makes ends the sessions and keys on the other', async () => {
      const other: Instance = await instanceBeside(app)
      try {
        const user = await target()
        const { session, own } = await prepare(user)
        const elsewhere = browserOf(other.plat)
        for (const [name, value] of session.jar) elsewhere.jar.set(name, value)
        const keyThere = () => other.fetch('GET', '/api/auth/me', { Authorization: `Bearer ${own.key}` })
        expect([(await elsewhere.me()).status, (await keyThere()).status]).toEqual([200, 200])
        await app.browser().signIn(linking, idp, claimsOf(user))
        expect([(await elsewhere.me()).status, (await keyThere()).status]).toEqual([401, 401])
      } finally {
        await other.close()
      }
    })
})
