// The events that the live feed sends, their recipients and their order, and the listeners that it disconnects.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ReservedSQL, SQL } from 'bun'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callerWith } from '../../../testing/app/kernel.ts'
import { createRole, createUser, keyFor } from '../../../testing/estates/identities.ts'
import { follow, type Heard } from '../../../testing/feed.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { createLogger } from '../../base/runtime/log.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { eventsFeature } from './events.ts'

const TIMEOUT_MS = 60_000
const silent = createLogger({ level: 'error', format: 'text', write: () => {} })

describe.each(engines())('the live feed on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp({ dialect })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const device = (name: string) => admin.api.devices.create({ name })
  const namesOf = (heard: readonly Heard[]) => heard.map(({ data }) => (data.data as { name: string }).name)

  test('sends events in order, with rising numbers', async () => {
    const feed = await follow(admin)
    await feed.opened()
    const { id, created_at } = await device('first')
    await admin.api.devices.update({ id, os: 'Debian' })
    await admin.api.devices.delete({ id })
    const heard = await feed.hears(3)
    expect(heard.map(({ event }) => event)).toEqual(['device.created', 'device.updated', 'device.deleted'])
    const [deleted, updated, created] = await admin.api.history.list({ object_id: id })
    expect(heard.map(({ data }) => data.change_id)).toEqual([created?.id, updated?.id, deleted?.id])
    expect(heard[0]?.data).toMatchObject({
      event: 'device.created',
      timestamp: created_at,
      data: { id, name: 'first' },
    })
    const ids = heard.map((one) => one.id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    await feed.stop()
  })

  test('begins at the moment of the request', async () => {
    await device('before')
    const feed = await follow(admin)
    await feed.opened()
    await device('after')
    await feed.hears(1)
    expect(namesOf(feed.heard())).toEqual(['after'])
    await feed.stop()
  })

  test.each(['header', 'query'])('goes on after the last event that arrived: %s', async (how) => {
    const first = await follow(admin)
    await first.opened()
    await device('seen')
    const [seen] = await first.hears(1)
    await first.stop()
    await device('missed one')
    await device('missed two')
    const last = String(seen?.id)
    const again =
      how === 'header'
        ? await follow(admin, '', { 'Last-Event-ID': last })
        : await follow(admin, `?last_event_id=${last}`)
    await again.hears(2)
    await device('live again')
    await again.hears(3)
    expect(namesOf(again.heard())).toEqual(['missed one', 'missed two', 'live again'])
    await again.stop()
  })

  test('sends reset when missed events are no longer stored', async () => {
    const feed = await follow(admin, '?last_event_id=999999999')
    await until('reset', () => feed.heard().find(({ event }) => event === 'reset'))
    await device('after the reset')
    await until('event after it', () => feed.heard().find(({ event }) => event === 'device.created'))
    expect(feed.heard().map(({ event }) => event)).toEqual(['reset', 'device.created'])
    await feed.stop()
  })

  test.each([
    ['?types=device.deleted', ['device.deleted']],
    ['?types=network.*,device.deleted', ['network.created', 'device.deleted']],
    ['', ['device.created', 'network.created', 'device.deleted']],
  ])('keeps to the types of %p', async (query, wanted) => {
    const feed = await follow(admin, query)
    await feed.opened()
    const { id } = await device('typed')
    await admin.api.networks.create({ name: 'typed', subnet: '10.99.0.0/24' })
    await admin.api.devices.delete({ id })
    expect((await feed.hears(wanted.length)).map(({ event }) => event)).toEqual(wanted)
    await feed.stop()
  })

  test('keeps to one object', async () => {
    const [one, other] = [await device('one'), await device('other')]
    const feed = await follow(admin, `?resource=${one.id}`)
    await feed.opened()
    await admin.api.devices.update({ id: other.id, os: 'x' })
    await admin.api.devices.update({ id: one.id, os: 'y' })
    const heard = await feed.hears(1)
    expect(namesOf(heard)).toEqual(['one'])
    await feed.stop()
  })

  test('sends first the events since a time', async () => {
    const { created_at } = await device(`since-${dialect}`)
    const feed = await follow(admin, `?since=${created_at}`)
    const heard = await feed.hears(1)
    expect(namesOf(heard)).toEqual([`since-${dialect}`])
    await feed.stop()
  })

  test('says reset for a moment that is no longer kept', async () => {
    const feed = await follow(admin, '?since=2020-01-01T00:00:00Z')
    const [first] = await feed.hears(1)
    expect(first?.event).toBe('reset')
    await feed.stop()
  })

  test('sends a listener only events that it may read', async () => {
    const feed = await follow(await app.as(['events:read', 'networks:read']))
    await feed.opened()
    await device('hidden')
    await admin.api.networks.create({ name: 'shown', subnet: '10.98.0.0/24' })
    const heard = await feed.hears(1)
    expect(heard.map(({ event }) => event)).toEqual(['network.created'])
    await feed.stop()
  })

  test('is refused without the permission, and for unknown types', async () => {
    expect((await app.guest('GET', '/api/events')).status).toBe(401)
    expect((await (await app.as(['devices:read'])).request('GET', '/api/events')).status).toBe(403)
    const wrong = await admin.request('GET', '/api/events?types=device.exploded')
    expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_ERROR' })])
  })

  test('the feeds of users with changed rights are closed, and the users reconnect with the present rights', async () => {
    const role = await createRole(app.db, { name: `role-${dialect}`, permissions: ['events:read', 'networks:read'] })
    const { id } = await createUser(app.db, { username: `user-of-${dialect}`, roles: [role.id] })
    const headers = { Authorization: `Bearer ${await keyFor(app.db, id)}` }
    const caller: Pick<TestCaller, 'request'> = {
      request: async (method, path, _, more) =>
        app.fetch(new Request(`http://plat.test${path}`, { method, headers: { ...headers, ...more } })),
    }
    const [feed, unchanged] = [await follow(caller), await follow(admin)]
    await admin.api.roles.update({ id: role.id, permissions: ['events:read', 'devices:read'] })
    await feed.isOver()
    const again = await follow(caller)
    await device('seen by now')
    await again.hears(1)
    await unchanged.hears(1)
    expect([namesOf(again.heard()), namesOf(unchanged.heard())]).toEqual([['seen by now'], ['seen by now']])
    for (const one of [again, unchanged]) await one.stop()
  })

  test('ends when its session or key cannot be checked', async () => {
    let asked = 0
    const checkCredentials = async () => {
      asked++
      throw new Error('the database is away')
    }
    const { db, config } = app
    const {
      routes = [],
      onNotificationGap: missed,
      close,
    } = eventsFeature({ db, config, log: silent, now: () => new Date(), checkCredentials })
    // The route uses only the caller of the context.
    const ctx = { caller: callerWith('events:read') } as unknown as Ctx
    const following = routes[0]?.handler(ctx, new Request('http://plat/api/events'), {} as never, {} as never)
    await expect(Promise.resolve(following)).rejects.toThrow('the database is away')
    expect(asked).toBe(1)
    await close?.()
    missed?.()
  })

  const severalWriters = dialect === 'sqlite' ? [] : ['in two transactions at once']
  test.each(severalWriters)('an event with a lower number that is committed later is sent first: %s', async () => {
    const feed = await follow(admin)
    await feed.opened()
    const insert = (sql: ReservedSQL, name: string) =>
      sql`INSERT INTO events (event, resource_id, data, created_at)
        VALUES ('device.created', 'raw', ${JSON.stringify({ name })}, '2026-01-01T00:00:00Z')`
    const sql = new SQL(app.config.databaseUrl ?? '', { max: 2 })
    const [first, second] = [await sql.reserve(), await sql.reserve()]
    await first`BEGIN`
    await insert(first, 'first')
    await insert(second, 'second')
    await device('third')
    await Bun.sleep(200)
    expect(feed.heard()).toEqual([])
    await first`COMMIT`
    await feed.hears(3)
    expect(namesOf(feed.heard())).toEqual(['first', 'second', 'third'])
    await feed.stop()
    for (const one of [first, second]) one.release()
    await sql.close()
  })

  test('ends the oldest feed of a user for the seventeenth, and none of other users', async () => {
    const { userId, ...viewer } = await app.as('viewer')
    const headers = { Authorization: `Bearer ${await keyFor(app.db, userId)}` }
    const own = await Promise.all(Array.from({ length: 16 }, () => follow(viewer)))
    const others = await follow(admin)
    const seventeenth = await follow(viewer, '', headers)
    await device('heard by seventeen')
    for (const feed of [...own.slice(1), seventeenth, others]) await feed.hears(1)
    const [oldest] = own
    await oldest?.isOver()
    expect(oldest?.heard().map(({ event }) => event)).toEqual(['limit'])
    for (const feed of [...own, seventeenth, others]) await feed.stop()
  })

  test(
    "sends all missed events, also more than a listener's buffer holds",
    async () => {
      const before = await follow(admin)
      await device('the last that was seen')
      const [seen] = await before.hears(1)
      await before.stop()
      const description = 'x'.repeat(4000)
      for (let i = 0; i < 120; i++) await admin.api.devices.create({ name: `missed ${i}`, description })
      const feed = await follow(admin, `?last_event_id=${seen?.id}`)
      const names = namesOf(await feed.hears(120))
      expect([names[0], names.at(-1), names.length]).toEqual(['missed 0', 'missed 119', 120])
      await feed.stop()
    },
    TIMEOUT_MS,
  )

  test(
    'a feed is closed if its client does not read',
    async () => {
      const response = await admin.request('GET', '/api/events')
      const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
      await reader.read()
      const description = 'x'.repeat(4000)
      for (let i = 0; i < 100; i++) await admin.api.devices.create({ name: `big ${i}`, description })
      let bytes = 0
      const end = async (): Promise<void> => {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return
          bytes += value.length
        }
      }
      await end()
      expect(bytes).toBeLessThan(400_000)
    },
    TIMEOUT_MS,
  )

  test(
    'ends with the server',
    async () => {
      const other = await testApp({ dialect })
      const feed = await follow(await other.as('admin'))
      await feed.opened()
      await other.close()
      await feed.isOver()
    },
    TIMEOUT_MS,
  )

  test(
    'closes feeds when shutdown starts',
    async () => {
      const other = await testApp({ dialect })
      const feed = await follow(await other.as('admin'))
      await feed.opened()
      other.plat.closeStreams()
      await feed.isOver()
      await other.close()
    },
    TIMEOUT_MS,
  )
})
