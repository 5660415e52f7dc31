// The live feed ends with the session or key that opened it: at once when that is ended, and within a second of its
// expiry.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { follow } from '../../../testing/feed.ts'
import { places, storeConfig } from '../../../testing/servers/session-stores.ts'
import { cookieOf, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { ApiKey } from '../../people/keys/api.ts'
import { sessions as contract } from '../../people/sessions/api.ts'

const TIMEOUT_MS = 60_000
const PASSWORD = 'quick to check'
const DAY_MS = 24 * 3600 * 1000

type Shown = { readonly key: string } | { readonly cookie: string }
type Feed = Awaited<ReturnType<typeof follow>>

describe.each(places())('the live feed on %s with sessions in the %s', (dialect, store) => {
  let app: SignInApp
  let adminKey: string
  beforeAll(async () => {
    app = await signInApp(dialect, { config: await storeConfig(store) })
    const { id } = await createUser(app.db, { username: 'ada', roles: ['admin'], password: PASSWORD })
    adminKey = await keyFor(app.db, id)
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  let count = 0
  const person = async () => {
    const username = `vic-${++count}`
    const { id } = await createUser(app.db, { username, roles: ['viewer'], password: PASSWORD })
    return { id, username, signIn: async () => ({ cookie: cookieOf(await app.login(username, PASSWORD)) }) }
  }
  const feedOf = async (shown: Shown): Promise<Feed> => {
    const own = 'key' in shown ? { Authorization: `Bearer ${shown.key}` } : { Cookie: shown.cookie }
    const request = (method: string, path: string, _: unknown, headers = {}) =>
      app.request(path, { method, headers: { ...own, ...headers } })
    const feed = await follow({ request })
    await feed.opened()
    return feed
  }
  const asAdmin = async (http: string, body?: unknown) => {
    const response = await app.send(http, { key: adminKey, body })
    expect(response.status).toBeLessThan(300)
    return response
  }
  const device = (name: string) => asAdmin('POST /api/devices', { name })
  /** Checks that the feed still sends events. */
  const goesOn = async (feed: Feed) => {
    const before = feed.heard().length
    await device('still told')
    await feed.hears(before + 1)
  }
  const sessionsOf = async (userId: string) =>
    contract.list.output.parse(await (await asAdmin(`GET /api/sessions?user_id=${userId}`)).json())

  describe('opened by a session ends, and sends nothing more,', () => {
    const ends = {
      'when that signs out': (_: unknown, shown: Shown) => app.send('POST /api/auth/logout', shown),
      'when somebody ends that': async ({ id }: { id: string }) => {
        const [session] = await sessionsOf(id)
        await asAdmin(`DELETE /api/sessions/${session?.id}`)
      },
      'when the user has another password': ({ id }: { id: string }, { cookie }: { cookie: string }) =>
        app.send(`POST /api/users/${id}/password`, {
          cookie,
          body: { current_password: PASSWORD, new_password: 'another one 1' },
        }),
      'when somebody resets the password': ({ id }: { id: string }) =>
        asAdmin(`POST /api/users/${id}/reset-password`, { new_password: 'another one 1' }),
      'when the user is deactivated': ({ id }: { id: string }) => asAdmin(`PUT /api/users/${id}`, { is_active: false }),
      'when the user is deleted': ({ id }: { id: string }) => asAdmin(`DELETE /api/users/${id}`),
      'when the user may not follow any more': ({ id }: { id: string }) =>
        asAdmin(`PUT /api/users/${id}`, { roles: [] }),
    }
    test.each(Object.keys(ends) as (keyof typeof ends)[])('%s', async (how) => {
      const someone = await person()
      const shown = await someone.signIn()
      const feed = await feedOf(shown)
      await goesOn(feed)
      await ends[how](someone, shown)
      await device('too late')
      await feed.isOver()
      expect(feed.heard()).toHaveLength(1)
    })
  })

  describe('opened by a key ends, and sends nothing more,', () => {
    const ends = {
      'when that is deleted': async (id: string) => {
        const keys = ApiKey.array().parse(await (await asAdmin(`GET /api/keys?user_id=${id}`)).json())
        await asAdmin(`DELETE /api/keys/${keys[0]?.id}`)
      },
      'when its user is deactivated': (id: string) => asAdmin(`PUT /api/users/${id}`, { is_active: false }),
      'when its user is deleted': (id: string) => asAdmin(`DELETE /api/users/${id}`),
    }
    test.each(Object.keys(ends) as (keyof typeof ends)[])('%s', async (how) => {
      const { id } = await person()
      const feed = await feedOf({ key: await keyFor(app.db, id) })
      await goesOn(feed)
      await ends[how](id)
      await device('too late')
      await feed.isOver()
      expect(feed.heard()).toHaveLength(1)
    })
  })

  test('ends when its key expires', async () => {
    const { id } = await person()
    const expiresAt = new Date(app.clock.ms + DAY_MS).toISOString()
    const feed = await feedOf({ key: await keyFor(app.db, id, { expiresAt }) })
    app.clock.ms += DAY_MS - 5000
    await goesOn(feed)
    app.clock.ms += 5000
    await feed.isOver()
  })

  test('ends when its session expires', async () => {
    const feed = await feedOf(await (await person()).signIn())
    app.clock.ms += app.config.sessionTtlMs - 5000
    await goesOn(feed)
    app.clock.ms += 5000
    await feed.isOver()
  })

  test('sends no event after the expiry', async () => {
    const feed = await feedOf(await (await person()).signIn())
    app.clock.ms += app.config.sessionTtlMs
    await device('too late')
    await feed.isOver()
    expect(feed.heard()).toEqual([])
  })

  test('goes on as long as requests move the expiry of its session', async () => {
    const shown = await (await person()).signIn()
    const feed = await feedOf(shown)
    for (let step = 0; step < 3; step++) {
      app.clock.ms += app.config.sessionTtlMs / 2
      expect((await app.send('GET /api/auth/me', shown)).status).toBe(200)
      await goesOn(feed)
    }
    app.clock.ms += app.config.sessionTtlMs
    await feed.isOver()
  })

  test('ends when a separate process changes the password without a notification', async () => {
    const { id, signIn } = await person()
    const feed = await feedOf(await signIn())
    await app.db.write((tx) => tx.db.updateTable('users').set({ generation: 1 }).where('id', '=', id).execute())
    await feed.isOver()
  })

  test('ends when a separate process deletes its key without a notification', async () => {
    const { id } = await person()
    const feed = await feedOf({ key: await keyFor(app.db, id) })
    await app.db.write((tx) => tx.db.deleteFrom('api_keys').where('user_id', '=', id).execute())
    await feed.isOver()
  })

  test('continues for all others', async () => {
    const [one, other] = [await person(), await person()]
    const shown = await one.signIn()
    const ending = await feedOf(shown)
    const staying = [
      await feedOf(await one.signIn()),
      await feedOf(await other.signIn()),
      await feedOf({ key: await keyFor(app.db, one.id) }),
    ]
    await app.send('POST /api/auth/logout', shown)
    await ending.isOver()
    await createRole(app.db, { name: `unheld-${count}`, permissions: ['devices:read'] })
    await asAdmin('POST /api/roles', { name: `unheld too ${count}`, permissions: ['devices:read'] })
    await other.signIn()
    for (const feed of staying) {
      await goesOn(feed)
      await feed.stop()
    }
  })
})
