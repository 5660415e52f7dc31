// Two instances on one PostgreSQL: a live feed at one ends when its session or key is ended at the other.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { createUser, keyFor } from '../../testing/estates/identities.ts'
import { follow } from '../../testing/feed.ts'
import { type Instance, instanceBeside } from '../../testing/servers/instances.ts'
import { engines } from '../../testing/servers/servers.ts'
import { type StoreName, storeConfig } from '../../testing/servers/session-stores.ts'
import { cookieOf, type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

const TIMEOUT_MS = 60_000
const PASSWORD = 'quick to check'
const STORES: StoreName[] = ['database', 'valkey']

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  describe.each(STORES)('the live feed, with sessions in the %s', (store) => {
    let app: SignInApp
    let other: Instance
    let adminKey: string
    beforeAll(async () => {
      app = await signInApp('postgres', { config: await storeConfig(store) })
      other = await instanceBeside(app, { now: app.now, passwords: createPasswords({ cost: 4 }) })
      adminKey = await keyFor(app.db, (await createUser(app.db, { username: 'ada', roles: ['admin'] })).id)
    }, TIMEOUT_MS)
    afterAll(async () => {
      await other.close()
      await app.close()
    }, TIMEOUT_MS)

    let count = 0
    const person = async () => {
      const username = `vic-${++count}`
      const { id } = await createUser(app.db, { username, roles: ['viewer'], password: PASSWORD })
      return { id, cookie: cookieOf(await app.login(username, PASSWORD)) }
    }
    const feedOf = async (headers: Record<string, string>) => {
      const request = (method: string, path: string, _: unknown, more = {}) =>
        app.request(path, { method, headers: { ...headers, ...more } })
      const feed = await follow({ request })
      await feed.opened()
      return feed
    }
    const atOther = async (http: string, headers: Record<string, string>, body?: unknown) => {
      const [method = '', path = ''] = http.split(' ')
      const response = await other.fetch(method, path, headers, body)
      expect(response.status).toBeLessThan(300)
      await response.text()
    }
    const asAdmin = (http: string, body?: unknown) => atOther(http, { Authorization: `Bearer ${adminKey}` }, body)
    const browser = (cookie: string) => ({ Cookie: cookie, 'X-Requested-With': 'XMLHttpRequest' })

    test('ends with a sign-out', async () => {
      const { cookie } = await person()
      const feed = await feedOf({ Cookie: cookie })
      await atOther('POST /api/auth/logout', browser(cookie))
      await feed.isOver()
    })

    test('ends with a new password', async () => {
      const { id, cookie } = await person()
      const feed = await feedOf({ Cookie: cookie })
      await asAdmin(`POST /api/users/${id}/reset-password`, { new_password: 'another one 1' })
      await feed.isOver()
    })

    test('ends with its key', async () => {
      const { id } = await person()
      const feed = await feedOf({ Authorization: `Bearer ${await keyFor(app.db, id)}` })
      const [key] = await app.db.read.selectFrom('api_keys').select('id').where('user_id', '=', id).execute()
      await asAdmin(`DELETE /api/keys/${key?.id}`)
      await feed.isOver()
    })

    test('goes on as long as requests there move the expiry, and ends when none does', async () => {
      const { cookie } = await person()
      const feed = await feedOf({ Cookie: cookie })
      for (const name of ['one', 'two', 'three']) {
        app.clock.ms += app.config.sessionTtlMs / 2
        await atOther('GET /api/auth/me', browser(cookie))
        await asAdmin('POST /api/devices', { name })
      }
      expect((await feed.hears(3)).length).toBe(3)
      app.clock.ms += app.config.sessionTtlMs
      await feed.isOver()
    })
  })
}
