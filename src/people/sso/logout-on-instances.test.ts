/** A back-channel logout that one instance receives, with sessions in a Valkey server: they end on each instance. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Instance, instanceBeside } from '../../../testing/servers/instances.ts'
import { type ScriptedProvider, scriptedProvider } from '../../../testing/servers/scripted-provider.ts'
import { engines, valkey } from '../../../testing/servers/servers.ts'
import { type Browser, PUBLIC_URL, type SsoApp, ssoApp } from '../../../testing/sign-in/sso.ts'
import type { SsoProvider } from './schema.ts'

const TIMEOUT_MS = 60_000

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres'))
  describe('with sessions in Valkey', () => {
    let store: Awaited<ReturnType<typeof valkey>>
    let app: SsoApp
    let other: Instance
    let idp: ScriptedProvider
    let at: SsoProvider
    beforeAll(async () => {
      store = await valkey()
      app = await ssoApp({ dialect: 'postgres', env: { SESSION_STORE_TYPE: 'valkey', VALKEY_URL: store.url } })
      other = await instanceBeside(app)
      idp = await scriptedProvider()
      at = await app.addProvider(idp)
    }, TIMEOUT_MS)
    afterAll(async () => {
      await other.close()
      await app.close()
      idp.close()
      await store.stop()
    }, TIMEOUT_MS)

    const signedIn = async (claims: Readonly<Record<string, string>>): Promise<Browser> => {
      const browser = app.browser()
      expect((await browser.signIn(at, idp, { claims })).status).toBe(200)
      return browser
    }
    /** Returns the status of a session at each instance. */
    const statuses = async ({ jar, me }: Browser): Promise<number[]> => {
      const Cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      return [(await me()).status, (await other.fetch('GET', '/api/auth/me', { Cookie })).status]
    }
    const logOut = async (claims: object): Promise<number> => {
      const seconds = Math.floor(Date.now() / 1000)
      const logout_token = await idp.logoutToken({ iat: seconds, exp: seconds + 120, ...claims })
      const url = `${PUBLIC_URL}/api/auth/sso/${at.id}/backchannel-logout`
      const body = new URLSearchParams({ logout_token })
      return (await other.plat.fetch(new Request(url, { method: 'POST', body }))).status
    }

    test('the session of sid ends on both instances, and the others of the user stay', async () => {
      const [one, two] = [await signedIn({ sid: 'one' }), await signedIn({ sid: 'two' })]
      // Both instances have cached the callers.
      expect([await statuses(one), await statuses(two)]).toEqual([
        [200, 200],
        [200, 200],
      ])
      expect(await logOut({ sid: 'one' })).toBe(200)
      expect([await statuses(one), await statuses(two)]).toEqual([
        [401, 401],
        [200, 200],
      ])
      expect(await logOut({ sid: undefined })).toBe(200)
      expect(await statuses(two)).toEqual([401, 401])
      expect(await app.db.read.selectFrom('sso_sessions').selectAll().execute()).toEqual([])
    })

    test('a deletion of the provider that is refused ends no session', async () => {
      const browser = await signedIn({ sub: 'ada', preferred_username: 'ada' })
      const { id: user_id } = (await (await browser.me()).json()) as { id: string }
      await app.admin.api.users.grantRole({ user_id, role_id: 'operator' })
      const clerk = await app.as(['sso-providers:delete'])
      expect((await clerk.request('DELETE', `/api/sso/providers/${at.id}`)).status).toBe(403)
      expect(await statuses(browser)).toEqual([200, 200])
    })

    test('so do all sessions of a provider that is deleted', async () => {
      const browser = await signedIn({ sub: 'ada', preferred_username: 'ada' })
      expect(await statuses(browser)).toEqual([200, 200])
      await app.admin.api.ssoProviders.delete({ id: at.id })
      expect(await statuses(browser)).toEqual([401, 401])
    })
  })
