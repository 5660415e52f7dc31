/** Keys and OAuth grants of a user without a password sleep when no sign-in by a provider comes for too long. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { OAUTH_ENV, oauthOf, toolCall } from '../../../testing/sign-in/oauth.ts'
import { type Browser, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import { ASLEEP } from '../users/account.ts'
import type { SsoProvider } from './schema.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const claims = { sub: 'idle', preferred_username: 'idle' }

describe.each(onSqlite())('sleeping credentials on %s', (dialect) => {
  let app: SsoApp
  let idp: ScriptedProvider
  let at: SsoProvider
  let browser: Browser
  let userId: string
  const startMs = Date.parse('2026-11-21T12:00:00.000Z')
  let clockMs = startMs

  beforeAll(async () => {
    app = await ssoApp({ dialect, env: OAUTH_ENV, now: () => new Date(clockMs) })
    idp = await scriptedProvider(() => new Date(clockMs))
    at = await app.addProvider(idp, { credentials_max_idle_days: 30, max_session_hours: 720 })
    browser = app.browser()
    await browser.signIn(at, idp, { claims })
    userId = ((await (await browser.me()).json()) as { id: string }).id
    const { id: group_id } = await app.admin.api.groups.create({ name: 'by hand' })
    await app.admin.api.grants.create({ role_id: 'viewer', group_id })
    await app.admin.api.groups.add({ id: group_id, user_id: userId })
  })
  afterAll(async () => {
    await app.close()
    idp.close()
  })

  const opens = async (key: string): Promise<number | string> => {
    const response = await app.guest('GET', '/api/auth/me', undefined, { Authorization: `Bearer ${key}` })
    return response.status === 200 ? 200 : ((await response.json()) as { error: string }).error
  }
  const sleepsAt = async (key: string): Promise<unknown> => {
    const response = await app.guest('GET', '/api/dashboard', undefined, { Authorization: `Bearer ${key}` })
    return ((await response.json()) as { credentials_sleep_at?: string }).credentials_sleep_at
  }

  test('are refused after the days of the provider, and open again after a sign-in', async () => {
    const oauth = oauthOf(app)
    const key = ((await (await browser.send('POST /api/keys', { name: 'script' })).json()) as { key: string }).key
    const client = await oauth.register({ scope: 'devices:list devices:read', client_name: 'Claude Code' })
    const cookie = [...browser.jar].map((pair) => pair.join('=')).join('; ')
    const first = await oauth.tokensFor(client, { id: userId, username: 'idle', cookie })

    expect(await (await browser.me()).json()).toMatchObject({ grants: [{ group: 'by hand' }] })
    // The client holds a part of the rights, which its permissions name.
    const asked = await oauth.mcp(
      first.access_token,
      toolCall('call_operation', { operation: 'sessions.me', input: {} }),
    )
    expect(await asked.text()).toMatch(/^(?!.*by hand).*"username/s)

    clockMs = startMs + 15 * DAY_MS
    expect(await sleepsAt(key)).toBeUndefined()
    clockMs = startMs + 17 * DAY_MS
    expect(await sleepsAt(key)).toBe(new Date(startMs + 30 * DAY_MS).toISOString())

    clockMs = startMs + 30 * DAY_MS - MINUTE_MS
    const { access_token, refresh_token } = await oauth.tokensOf(await oauth.refresh(client, first.refresh_token))
    expect([await opens(key), await oauth.opens(access_token)]).toEqual([200, 200])
    clockMs += 2 * MINUTE_MS
    expect(await opens(key)).toBe(ASLEEP)
    const refused = await oauth.mcp(access_token)
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining(ASLEEP)])
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
    const renewed = await oauth.tokensOf(await oauth.refresh(client, refresh_token))
    expect(await oauth.opens(renewed.access_token)).toBe(401)

    await browser.signIn(at, idp, { claims })
    expect([await opens(key), await oauth.opens(renewed.access_token)]).toEqual([200, 200])
    expect(await sleepsAt(key)).toBeUndefined()

    // A user with a password can leave the provider, and is like any local user.
    await app.admin.api.users.resetPassword({ id: userId, new_password: 'quick to check' })
    clockMs += 31 * DAY_MS
    expect(await opens(key)).toBe(200)
  })

  test('end with the provider if they sleep then, and stay if they do not', async () => {
    const by = await app.addProvider(idp, { credentials_max_idle_days: 7 })
    const keyOf = async (sub: string): Promise<string> => {
      const own = app.browser()
      await own.signIn(by, idp, { claims: { sub, preferred_username: sub } })
      return ((await (await own.send('POST /api/keys', { name: 'script' })).json()) as { key: string }).key
    }
    const asleep = await keyOf('left')
    clockMs += 6 * DAY_MS
    const awake = await keyOf('stays')
    clockMs += 2 * DAY_MS
    expect([await opens(asleep), await opens(awake)]).toEqual([ASLEEP, 200])
    await app.admin.api.ssoProviders.delete({ id: by.id })
    expect([await opens(asleep), await opens(awake)]).toEqual(['The API key is not valid', 200])
  })

  test('are no concern of a user who has none', async () => {
    const { id: group_id } = await app.admin.api.groups.create({ name: 'viewers' })
    await app.admin.api.grants.create({ role_id: 'viewer', group_id })
    const group_mappings = [{ value: '*', group_id }]
    const short = await app.addProvider(idp, { credentials_max_idle_days: 7, group_mappings })
    const other = app.browser()
    await other.signIn(short, idp, { claims: { sub: 'bare', preferred_username: 'bare' } })
    const warning = async () => {
      const response = await other.send('GET /api/dashboard')
      expect(response.status).toBe(200)
      return ((await response.json()) as { credentials_sleep_at?: string }).credentials_sleep_at
    }
    expect(await warning()).toBeUndefined()
    await other.send('POST /api/keys', { name: 'first' })
    expect(await warning()).toBe(new Date(clockMs + 7 * DAY_MS).toISOString())
  })
})
