// When messages are composed, and of which events, with a clock that the tests set.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Delivery, Webhook } from '../webhooks/schema.ts'

const TIMEOUT_MS = 60_000
const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

describe.each(engines())('messages on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let nowMs = Date.parse('2026-06-01T12:00:00.000Z')
  let names = 0
  beforeAll(async () => {
    const now = () => new Date(nowMs)
    const env = { ENCRYPTION_KEY: 'ab'.repeat(32), PUBLIC_URL: 'https://plat.example' }
    app = await testApp({ dialect, now, withJobs: false, env })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const channel = (more: object = {}): Promise<Webhook> =>
    admin.api.webhooks.create({
      ...{ name: `channel ${++names}`, url: 'https://apprise.example/notify/key', format: 'apprise' as const },
      ...{ events: ['device.created', 'device.updated', 'device.deleted'] as const, retry_count: 0, group_seconds: 10 },
      ...more,
    })
  const end = (hook: Webhook) => admin.api.webhooks.delete({ id: hook.id })
  /** Runs the job at each second, as a server does, without the seconds in which nothing happens. */
  const compose = () => app.plat.runJob('webhooks.compose')
  const wait = async (ms: number): Promise<void> => {
    nowMs += ms
    await compose()
  }
  type Body = { title: string; body: string; type: string }
  const read = async (hook: Webhook): Promise<(Body & Pick<Delivery, 'event' | 'created_at'>)[]> => {
    const all = await admin.api.webhooks.deliveries({ id: hook.id })
    // A message of Apprise has these members.
    return all.toReversed().map(({ payload, event, created_at }) => ({ ...(payload as Body), event, created_at }))
  }
  const waiting = (hook: Webhook) => admin.api.webhooks.waiting({ id: hook.id })
  const device = (more: object = {}) => admin.api.devices.create({ name: `host ${++names}`, ...more })

  test('events that follow each other within group_seconds are one message', async () => {
    const hook = await channel()
    const one = await device({ name: 'first', addresses: [{ ip: '10.0.0.1' }] })
    await wait(5 * SECOND_MS)
    await device({ name: 'second' })
    await wait(4 * SECOND_MS)
    expect(await read(hook)).toEqual([])
    await wait(1 * SECOND_MS)
    expect(await read(hook)).toMatchObject([
      {
        ...{ title: 'Device created (2)', event: 'device.created', type: 'info' },
        body: `• Device first (10.0.0.1, active) was added\n  https://plat.example/devices/${one.id}\n• Device second (active) was added\n  https://plat.example/devices/${(await admin.api.devices.list({ q: 'second' }))[0]?.id}`,
      },
    ])
    await wait(HOUR_MS)
    expect(await read(hook)).toHaveLength(1)
    await end(hook)
  })

  test('events of one object are one line, with its last state and how often', async () => {
    const hook = await channel()
    const { id } = await device({ name: 'flapping' })
    for (const status of ['maintenance', 'active', 'maintenance'] as const)
      await admin.api.devices.update({ id, status })
    await wait(10 * SECOND_MS)
    expect(await read(hook)).toMatchObject([
      {
        title: '4 events of 1 object',
        event: 'notification.summary',
        body: `• Device flapping (maintenance) changed: status (x4)\n  https://plat.example/devices/${id}`,
      },
    ])
    await end(hook)
  })

  test('an object that was deleted is linked to the list of its kind', async () => {
    const hook = await channel({ events: ['device.deleted'] })
    const { id } = await device({ name: 'gone' })
    await admin.api.devices.delete({ id })
    await wait(10 * SECOND_MS)
    expect(await read(hook)).toMatchObject([
      { body: '• Device gone (active) was removed\n  https://plat.example/devices' },
    ])
    await end(hook)
  })

  test('a host with 600 changes in an hour causes at most 5 messages, and the last says how it is', async () => {
    const hook = await channel()
    const { id } = await device({ name: 'restless' })
    for (let change = 1; change <= 600; change++) {
      await admin.api.devices.update({ id, status: change % 2 === 0 ? 'active' : 'maintenance' })
      await wait(6 * SECOND_MS)
    }
    await admin.api.devices.update({ id, status: 'planned' })
    for (let minute = 0; minute < 70; minute++) await wait(MINUTE_MS)
    const messages = await read(hook)
    expect(messages.length).toBeLessThanOrEqual(5)
    expect(messages.at(-1)?.body).toContain('Device restless (planned) changed')
    // Each event is in exactly one message.
    const told = messages.map(({ body }) => Number(/\(x(\d+)\)/.exec(body)?.[1] ?? 1))
    expect(told.reduce((sum, n) => sum + n, 0)).toBe(602)
    const times = messages.map(({ created_at }) => Date.parse(created_at))
    for (const [at, time] of times.entries())
      expect(times[at + 3] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(time + HOUR_MS)
    await end(hook)
  }, 240_000)

  test('a held object does not hold others', async () => {
    const hook = await channel({ group_seconds: 0 })
    const { id } = await device({ name: 'held' })
    for (const status of ['maintenance', 'active', 'maintenance'] as const) {
      await wait(SECOND_MS)
      await admin.api.devices.update({ id, status })
    }
    await wait(SECOND_MS)
    expect(await read(hook)).toHaveLength(3)
    const told = (await read(hook))[0]?.created_at ?? ''
    expect(await waiting(hook)).toMatchObject({
      count: 1,
      next_message_at: new Date(Date.parse(told) + HOUR_MS).toISOString(),
      entries: [{ event: 'device.updated', resource_id: id, text: 'Device held (maintenance) changed: status' }],
    })
    await device({ name: 'other' })
    await wait(SECOND_MS)
    expect((await read(hook)).at(-1)).toMatchObject({ title: 'Device created' })
    expect((await waiting(hook)).count).toBe(1)
    await end(hook)
  })

  test('300 devices that are gone at once are one message of 20 lines and a count', async () => {
    const ids = await Promise.all(Array.from({ length: 300 }, async () => (await device()).id))
    const hook = await channel({ events: ['device.deleted'] })
    for (let from = 0; from < ids.length; from += 100)
      await admin.api.devices.bulk({ operations: ids.slice(from, from + 100).map((id) => ({ op: 'delete', id })) })
    await wait(10 * SECOND_MS)
    const [only, ...others] = await read(hook)
    expect([others.length, only?.title, only?.type]).toEqual([0, 'Device deleted (300)', 'warning'])
    expect(only?.body.match(/•/g)).toHaveLength(20)
    expect(only?.body).toEndWith('\nand 280 more')
    await end(hook)
  }, 120_000)

  test('more messages than max_per_hour wait, and then go as one', async () => {
    const hook = await channel({ max_per_hour: 2, group_seconds: 0 })
    for (let n = 0; n < 5; n++) {
      await device()
      await wait(MINUTE_MS)
    }
    const first = await read(hook)
    expect(first).toHaveLength(2)
    const next = new Date(Date.parse(first[0]?.created_at ?? '') + HOUR_MS).toISOString()
    expect(await waiting(hook)).toMatchObject({ count: 3, next_message_at: next })
    nowMs = Date.parse(next) - 1
    await compose()
    expect(await read(hook)).toHaveLength(2)
    await wait(1)
    expect((await read(hook)).at(-1)).toMatchObject({ title: 'Device created (3)' })
    await end(hook)
  })

  test('nothing is sent in quiet hours, and everything at their end', async () => {
    nowMs = Date.parse('2026-06-02T21:59:00.000Z')
    const hook = await channel({ quiet_from: '22:00', quiet_to: '06:30', group_seconds: 0 })
    await device()
    await wait(0)
    expect(await read(hook)).toHaveLength(1)
    await wait(MINUTE_MS)
    for (let n = 0; n < 3; n++) {
      await device()
      await wait(HOUR_MS)
    }
    expect(await waiting(hook)).toMatchObject({ count: 3, next_message_at: '2026-06-03T06:30:00.000Z' })
    nowMs = Date.parse('2026-06-03T06:29:59.999Z')
    await compose()
    expect(await read(hook)).toHaveLength(1)
    await wait(1)
    expect((await read(hook)).at(-1)).toMatchObject({ title: 'Device created (3)' })
    await end(hook)
  })

  test('a daily digest has everything in one message at its time', async () => {
    nowMs = Date.parse('2026-06-04T09:00:00.000Z')
    const hook = await channel({ digest: 'daily', digest_at: '07:15', timezone: 'Europe/Berlin' })
    await device({ name: 'in the digest' })
    await wait(12 * HOUR_MS)
    expect(await waiting(hook)).toMatchObject({ count: 1, next_message_at: '2026-06-05T05:15:00.000Z' })
    expect(await read(hook)).toEqual([])
    nowMs = Date.parse('2026-06-05T05:15:00.000Z')
    await device({ name: 'at its time' })
    await compose()
    expect(await read(hook)).toMatchObject([
      { title: 'Daily digest: Device created (2)', event: 'notification.digest' },
    ])
    await wait(HOUR_MS)
    expect(await read(hook)).toHaveLength(1)
    await wait(23 * HOUR_MS)
    // Without events there is none.
    expect(await read(hook)).toHaveLength(1)
    await end(hook)
  })

  test('a digest with reports is sent at its time also without events, with the counts of that moment', async () => {
    nowMs = Date.parse('2026-06-08T09:00:00.000Z')
    for (const { id } of await admin.api.devices.list()) await admin.api.devices.delete({ id })
    const hook = await channel({ digest: 'daily', reports: ['unlocated-devices', 'full-pools'], events: [] })
    const first = '2026-06-09T08:00:00.000Z'
    expect(await waiting(hook)).toMatchObject({ count: 0, next_message_at: first })
    await wait(HOUR_MS)
    expect(await read(hook)).toEqual([])
    for (let n = 1; n <= 7; n++) await device({ name: `nowhere ${n}` })
    nowMs = Date.parse(first)
    await compose()
    const [digest, ...others] = await read(hook)
    expect(others).toEqual([])
    expect(digest).toMatchObject({ title: 'Daily digest', event: 'notification.digest', created_at: first })
    expect(digest?.body).toContain(': 7 (nowhere 1: ')
    expect(digest?.body).not.toContain('nowhere 6')
    expect(digest?.body).toContain(': 0\n  https://plat.example/reports/full-pools')
    await wait(12 * HOUR_MS)
    expect(await read(hook)).toHaveLength(1)
    await wait(12 * HOUR_MS)
    expect(await read(hook)).toHaveLength(2)
    await end(hook)
  })

  test('reports in a digest need the permissions to read them', async () => {
    const events = ['devices:read', 'devices:list', 'ports:list', 'networks:list'] as const
    const clerk = await app.as(['webhook:create', 'webhook:update', ...events])
    const draft = {
      name: 'of a clerk',
      url: 'https://ntfy.example/topic',
      format: 'ntfy' as const,
      digest: 'daily' as const,
    }
    const reports = ['unlocated-devices']
    const refused = { code: 'FORBIDDEN' }
    await expect(clerk.api.webhooks.create({ ...draft, events: [], reports })).rejects.toMatchObject(refused)
    const made = await clerk.api.webhooks.create({ ...draft, events: ['device.created'] })
    await expect(clerk.api.webhooks.update({ id: made.id, reports })).rejects.toMatchObject(refused)
    await admin.api.webhooks.update({ id: made.id, reports })
    // A change could send the reports elsewhere.
    await expect(clerk.api.webhooks.update({ id: made.id, url: 'https://other.example/x' })).rejects.toMatchObject(
      refused,
    )
    await end(made)
  })

  test('flush sends what waits whatever the rules say, and nothing a second time', async () => {
    const hook = await channel({ digest: 'weekly' })
    await device({ name: 'sent by hand' })
    const { delivery } = await admin.api.webhooks.flush({ id: hook.id })
    expect(delivery).toMatchObject({ webhook_id: hook.id, event: 'notification.digest', status: 'pending' })
    expect(await admin.api.webhooks.flush({ id: hook.id })).toEqual({ delivery: null })
    expect(await waiting(hook)).toEqual({ count: 0, next_message_at: null, entries: [] })
    await end(hook)
  })

  test('composers at the same time put each event into one message', async () => {
    const hook = await channel({ group_seconds: 0, max_per_hour: 1000 })
    const made: string[] = []
    for (let round = 0; round < 5; round++) {
      const writes = Array.from({ length: 6 }, async () => made.push((await device()).id))
      const composers = Array.from({ length: 3 }, () => [compose(), admin.api.webhooks.flush({ id: hook.id })])
      await Promise.all([...writes, ...composers.flat()])
      nowMs += SECOND_MS
    }
    await compose()
    const links = (await read(hook)).flatMap(({ body }) => body.match(/devices\/\S+/g) ?? [])
    expect(links.sort()).toEqual(made.map((id) => `devices/${id}`).sort())
    await end(hook)
  })

  test('a disabled channel keeps nothing', async () => {
    const hook = await channel({ digest: 'weekly' })
    await device()
    await admin.api.webhooks.update({ id: hook.id, enabled: false })
    await device()
    expect(await waiting(hook)).toEqual({ count: 0, next_message_at: null, entries: [] })
    await admin.api.webhooks.update({ id: hook.id, enabled: true })
    expect((await waiting(hook)).count).toBe(0)
    await end(hook)
  })

  test('a channel that becomes generic sends each event from then on, and none that waited', async () => {
    const hook = await channel({ group_seconds: 600, quiet_from: '01:00', quiet_to: '02:00' })
    await device()
    const changed = await admin.api.webhooks.update({ id: hook.id, format: 'generic' })
    expect(changed).toMatchObject({ format: 'generic', group_seconds: 10, quiet_from: '', quiet_to: '' })
    await device()
    expect((await waiting(hook)).count).toBe(0)
    await wait(HOUR_MS)
    expect((await admin.api.webhooks.deliveries({ id: hook.id })).map(({ event }) => event)).toEqual(['device.created'])
    await end(hook)
  })

  test('a channel with an URL that cannot be decrypted holds back no other', async () => {
    const secret = await channel({
      format: 'slack',
      url: 'https://hooks.slack.example/services/T0/B0/abc',
      group_seconds: 0,
    })
    const hook = await channel({ group_seconds: 0 })
    await app.db.write(({ db }) =>
      db.updateTable('webhooks').set({ sealed_url: 'v1.00000000.AAAA' }).where('id', '=', secret.id).execute(),
    )
    await device()
    await wait(SECOND_MS)
    expect(await read(hook)).toHaveLength(1)
    expect(await waiting(secret)).toMatchObject({ count: 1 })
    await end(hook)
    await end(secret)
  })

  test('the texts of events are withheld from callers without their permission', async () => {
    const hook = await channel({ digest: 'weekly' })
    await device({ name: 'of nobody else' })
    const clerk = await app.as(['webhook:read'])
    expect(await clerk.api.webhooks.waiting({ id: hook.id })).toMatchObject({
      count: 1,
      entries: [{ event: 'device.created', resource_id: '', text: '' }],
    })
    await admin.api.webhooks.flush({ id: hook.id })
    expect((await clerk.api.webhooks.deliveries({ id: hook.id })).map(({ payload }) => payload)).toEqual([null])
    await end(hook)
  })

  test('a generic webhook has nothing that waits', async () => {
    const hook = await channel({ format: 'generic', url: 'https://hook.example/', events: ['device.created'] })
    await device()
    expect(await waiting(hook)).toEqual({ count: 0, next_message_at: null, entries: [] })
    expect(await admin.api.webhooks.flush({ id: hook.id })).toEqual({ delivery: null })
    await end(hook)
  })
})
