// The fields of channels: their defaults, what is refused, and URLs that are secrets.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { isStored } from '../../../testing/sign-in/security.ts'
import { until } from '../../../testing/until.ts'

const TIMEOUT_MS = 60_000
const TOKEN = 'token-of-nobody-else-0123456789'
const SLACK = `https://hooks.slack.example/services/T000/B000/${TOKEN}`
const TELEGRAM = `https://api.telegram.example/bot12345:${TOKEN}/sendMessage?chat_id=-100`
const DEFAULTS = {
  ...{ format: 'generic', filter: {}, group_seconds: 10, max_per_hour: 20, quiet_from: '', quiet_to: '' },
  ...{ timezone: 'UTC', digest: '', digest_at: '08:00', reports: [] },
}

describe.each(onSqlite())('the fields of a channel on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let names = 0
  beforeAll(async () => {
    app = await testApp({
      dialect,
      withJobs: false,
      env: { ENCRYPTION_KEY: 'ab'.repeat(32), AUDIT_ENABLED: 'true' },
    })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const draft = (more: object = {}) => ({
    ...{ name: `hook ${++names}`, url: 'https://hook.example/', events: ['device.created'] },
    ...more,
  })
  const create = (more: object = {}, who = admin) => ask(who, 'POST /api/webhooks', draft(more))
  const update = (id: string, patch: object, who = admin) => ask(who, `PUT /api/webhooks/${id}`, patch)
  const make = async (more: object = {}): Promise<{ id: string; url: string }> => {
    const { status, body } = await create(more)
    expect({ status, body }).toMatchObject({ status: 201 })
    return body as { id: string; url: string }
  }
  /** Returns the refused fields with their messages. */
  const issues = async (answer: ReturnType<typeof create>) => {
    const { status, body } = await answer
    expect(status).toBe(400)
    return (body as { details: { field: string; message: string }[] }).details.map(
      ({ field, message }) => `${field}: ${message}`,
    )
  }

  test('a webhook without them is generic', async () => {
    expect(await make()).toMatchObject(DEFAULTS)
  })

  test('are returned as they were sent', async () => {
    const channel = {
      ...{ format: 'teams', group_seconds: 0, max_per_hour: 1, quiet_from: '22:00', quiet_to: '06:00' },
      ...{ timezone: 'Europe/Berlin', digest: 'weekly', digest_at: '09:30', filter: { tags: ['core'] } },
    }
    const made = await make({ ...channel, url: SLACK })
    expect(made).toMatchObject(channel)
    expect((await ask(admin, `GET /api/webhooks/${made.id}`)).body).toEqual(made)
    expect(
      (await update(made.id, { digest: null, quiet_from: '', quiet_to: null, timezone: '', filter: null })).body,
    ).toMatchObject({ digest: '', quiet_from: '', quiet_to: '', timezone: 'UTC', filter: {} })
  })

  test.each<[string, object]>([
    ['format', { format: 'pigeon' }],
    ['format', { format: 'email', url: 'mailto:a@example.com' }],
    ['group_seconds', { format: 'slack', group_seconds: 3601 }],
    ['max_per_hour', { format: 'slack', max_per_hour: 0 }],
    ['quiet_from', { format: 'slack', quiet_from: '24:00', quiet_to: '06:00' }],
    ['quiet_from', { format: 'slack', quiet_to: '06:00' }],
    ['quiet_to', { format: 'slack', quiet_from: '22:00' }],
    ['quiet_to', { format: 'slack', quiet_from: '22:00', quiet_to: '22:00' }],
    ['timezone', { format: 'slack', timezone: 'Europe/Atlantis' }],
    ['timezone', { format: 'slack', timezone: '+02:00' }],
    ['digest', { format: 'slack', digest: 'yearly' }],
    ['digest_at', { format: 'slack', digest: 'daily', digest_at: '8:00' }],
    ['reports', { format: 'slack', reports: ['ghosts'] }],
    ['reports', { format: 'slack', digest: 'daily', reports: ['unknown report'] }],
    ['events', { format: 'slack', events: [] }],
    ['filter.colour', { filter: { colour: ['red'] } }],
    ['filter.network_ids', { filter: { network_ids: ['unknown'] } }],
    ['filter.datacenter_ids', { filter: { datacenter_ids: ['unknown'] } }],
    ['filter.tags[0]', { filter: { tags: [''] } }],
    ['group_seconds', { group_seconds: 60 }],
    ['max_per_hour', { max_per_hour: 5 }],
    ['quiet_from', { quiet_from: '22:00', quiet_to: '06:00' }],
    ['timezone', { timezone: 'Europe/Berlin' }],
    ['digest', { digest: 'daily' }],
    ['digest_at', { digest_at: '09:00' }],
    ['url', { url: 'mailto:a@example.com' }],
    ['url', { format: 'ntfy', url: 'https://ntfy.example/' }],
    ['url', { format: 'ntfy', url: 'https://ntfy.example/no%20topic' }],
    ['url', { format: 'telegram', url: 'https://api.telegram.example/bot1:x/sendMessage' }],
    ['url', { format: 'slack', url: 'https://hooks.slack.example/...' }],
  ])('%s is refused in %j', async (field, more) => {
    const url = 'url' in more || !('format' in more) ? {} : { url: SLACK }
    expect((await issues(create({ ...url, ...more }))).map((one) => one.slice(0, one.indexOf(':')))).toContain(field)
  })

  test('default values are taken for a generic webhook', async () => {
    expect(await make({ group_seconds: 10, digest: '', quiet_from: '', timezone: 'UTC' })).toMatchObject(DEFAULTS)
  })

  test('the object of a filter may be deleted later, and the filter is kept', async () => {
    const { id: network } = await admin.api.networks.create({ name: 'later gone', subnet: '10.9.0.0/24' })
    const hook = await make({ filter: { network_ids: [network] } })
    await admin.api.networks.delete({ id: network })
    expect((await update(hook.id, { filter: { network_ids: [network], tags: ['x'] } })).body).toMatchObject({
      filter: { network_ids: [network], tags: ['x'] },
    })
    expect(await issues(create({ filter: { network_ids: [network] } }))).toEqual([
      `filter.network_ids: there is no network with id "${network}"`,
    ])
  })

  describe('a secret URL', () => {
    test.each<['slack' | 'teams' | 'discord' | 'telegram', string]>([
      ['slack', SLACK],
      ['teams', `https://prod.example:8443/workflows/${TOKEN}/invoke?sig=${TOKEN}`],
      ['discord', `https://discord.example/api/webhooks/1/${TOKEN}`],
      ['telegram', TELEGRAM],
    ])('of %s is shown as its host only', async (format, url) => {
      const made = await make({ format, url })
      expect(made.url).toBe(`${new URL(url).origin}/...`)
    })

    test('is kept by the text in which it is shown, and replaced by any other', async () => {
      const { id, url } = await make({ format: 'slack', url: SLACK })
      const stored = async () =>
        (await app.db.read.selectFrom('webhooks').select('sealed_url').where('id', '=', id).executeTakeFirstOrThrow())
          .sealed_url
      const before = await stored()
      expect((await update(id, { url, description: 'x' })).body).toMatchObject({ url, description: 'x' })
      expect(await stored()).toBe(before)
      expect((await update(id, { url: SLACK })).status).toBe(200)
      expect(await stored()).not.toBe(before)
    })

    test('is needed again for a format that shows its URL, and not for one that does not', async () => {
      const { id } = await make({ format: 'slack', url: SLACK })
      expect((await update(id, { format: 'discord' })).body).toMatchObject({
        format: 'discord',
        url: 'https://hooks.slack.example/...',
      })
      expect(await issues(update(id, { format: 'apprise' }))).toEqual([
        'url: is needed again: this format shows its URL, and the stored one is a secret',
      ])
      expect((await update(id, { format: 'apprise', url: 'https://apprise.example/notify/k' })).body).toMatchObject({
        url: 'https://apprise.example/notify/k',
      })
      const row = await app.db.read.selectFrom('webhooks').select('sealed_url').where('id', '=', id).executeTakeFirst()
      expect(row?.sealed_url).toBeNull()
    })

    test('is sealed when a webhook gets a format whose URL is a secret', async () => {
      const { id } = await make({ url: 'https://mattermost.example/hooks/abc' })
      expect((await update(id, { format: 'slack' })).body).toMatchObject({ url: 'https://mattermost.example/...' })
    })

    test('is in no answer, no audit entry and no file', async () => {
      const hook = await make({ format: 'slack', url: SLACK })
      const telegram = await make({ format: 'telegram', url: TELEGRAM })
      await update(telegram.id, { url: `${TELEGRAM}&x=1` })
      await admin.request('POST', `/api/webhooks/${hook.id}/ping`)
      await create({ format: 'telegram', url: `${TELEGRAM}x`.replace('chat_id', 'chat') })
      const answers = await Promise.all(
        [
          ...['/api/webhooks', `/api/webhooks/${hook.id}`, `/api/webhooks/${hook.id}/deliveries`],
          ...[`/api/webhooks/${telegram.id}/waiting`, '/api/audit?limit=1000', '/api/dashboard'],
        ].map(async (path) => (await admin.request('GET', path)).text()),
      )
      expect(answers.filter((text) => text.includes(TOKEN))).toEqual([])
      expect(answers[4]).toContain('hooks.slack.example')
      expect(isStored(app.config.dataDir, TOKEN)).toBe(false)
      expect(isStored(app.config.dataDir, 'hooks.slack.example')).toBe(true)
    })

    test('is needed again if it cannot be decrypted and the format changes', async () => {
      const { id } = await make({ format: 'slack', url: SLACK })
      await app.db.write(({ db }) =>
        db.updateTable('webhooks').set({ sealed_url: 'v1.00000000.AAAA' }).where('id', '=', id).execute(),
      )
      expect(await issues(update(id, { format: 'teams' }))).toEqual([
        'url: is needed again, because what is stored cannot be decrypted',
      ])
      expect((await update(id, { description: 'still' })).status).toBe(200)
    })

    test('is opened by the new key after a rotation', async () => {
      const { id } = await make({ format: 'slack', url: SLACK })
      const { status } = await admin.request('POST', '/api/secrets/rotate')
      expect(status).toBe(200)
      expect((await update(id, { format: 'discord' })).status).toBe(200)
    })
  })

  test('a caller needs the right to read what the new events are about', async () => {
    const { id } = await make({ format: 'slack', url: SLACK })
    const clerk = await app.as(['webhook:create', 'webhook:update', 'webhook:read', 'networks:read'])
    expect((await update(id, { quiet_from: '22:00', quiet_to: '06:00' }, clerk)).status).toBe(403)
    expect((await create({ format: 'slack', url: SLACK, events: ['network.created'] }, clerk)).status).toBe(201)
  })
})

describe('without ENCRYPTION_KEY', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ withJobs: false })
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  test('a secret URL is refused at its field, and other formats are taken', async () => {
    const admin = await app.as('admin')
    const create = (more: object) =>
      ask(admin, 'POST /api/webhooks', { name: 'x', events: ['device.created'], ...more })
    expect(await create({ format: 'slack', url: SLACK })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'url', message: 'cannot be stored, because the server has no ENCRYPTION_KEY' }] },
    })
    expect((await create({ format: 'ntfy', url: 'https://ntfy.example/topic' })).status).toBe(201)
  })
})

describe('a target of messages', () => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ outbound: to.outbound, env: { ENCRYPTION_KEY: 'ab'.repeat(32) } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  const channel = (format: 'slack' | 'ntfy' | 'telegram' | 'generic', path: string) =>
    admin.api.webhooks.create({
      ...{ name: path, url: to.url(path), format, events: ['network.created' as const] },
      ...(format === 'generic' ? {} : { group_seconds: 0 }),
    })
  const at = (path: string) => to.received.filter((one) => one.path === path)

  test.each<['slack' | 'ntfy' | 'telegram', string, string]>([
    ['slack', `/services/${TOKEN}`, `/services/${TOKEN}`],
    ['ntfy', '/base/my-topic', '/base/'],
    ['telegram', `/bot1:${TOKEN}/sendMessage?chat_id=5`, `/bot1:${TOKEN}/sendMessage`],
  ])('gets a test in the format %s', async (format, path, called) => {
    const { id } = await channel(format, path)
    const { message, delivery } = await admin.api.webhooks.ping({ id })
    expect([message, delivery.status]).toEqual(['The target answered 200', 'success'])
    expect(at(called).at(-1)?.body).toContain('A test from Plat')
    expect(delivery.payload).toEqual(JSON.parse(at(called).at(-1)?.body ?? ''))
    await admin.api.webhooks.delete({ id })
  })

  test('that echoes its secret URL shows it to no reader of deliveries', async () => {
    const path = `/hooks/${TOKEN}`
    to.answer(path, (response) => void response.writeHead(404).end(`no such path: ${path}`))
    const { id } = await channel('slack', path)
    const { delivery } = await admin.api.webhooks.ping({ id })
    expect(delivery.response_body).toBe('no such path: /hooks/***')
    await admin.api.webhooks.delete({ id })
  })

  test.each<[string, 'slack' | 'generic', number, string, number, number]>([
    ['waits as long as a 429 says', 'slack', 429, '600', 600, 640],
    ['waits as long as a 503 says', 'slack', 503, '600', 600, 640],
    ['waits for an hour at most', 'slack', 429, '86400', 3600, 3640],
    ['keeps to the schedule where that is later', 'slack', 429, '1', 60, 65],
    ['keeps to the schedule after another status', 'slack', 500, '600', 60, 65],
    ['keeps to the specified schedule if it is generic', 'generic', 429, '600', 60, 65],
  ])('%s', async (title, format, status, seconds, min, max) => {
    const path = `/${title.replaceAll(' ', '-')}`
    to.answer(path, (response) => void response.writeHead(status, { 'Retry-After': seconds }).end())
    const { id } = await channel(format, path)
    await admin.api.networks.create({
      name: title,
      subnet: `10.${to.received.length % 250}.${Math.floor(to.received.length / 250)}.0/24`,
    })
    const delivery = await until('the first attempt', async () =>
      (await admin.api.webhooks.deliveries({ id })).find((one) => one.attempt_number === 1),
    )
    const [attempt] = delivery.attempts
    const waitSeconds =
      (Date.parse(delivery.next_retry ?? '') - Date.parse(attempt?.at ?? '') - (attempt?.duration_ms ?? 0)) / 1000
    expect(waitSeconds).toBeGreaterThanOrEqual(min)
    expect(waitSeconds).toBeLessThanOrEqual(max)
    await admin.api.webhooks.delete({ id })
  })

  test('that answers 410 disables its channel, and nothing waits on', async () => {
    const { id } = await channel('slack', '/gone')
    to.answer('/gone', 410)
    await admin.api.networks.create({ name: 'told to the gone', subnet: '172.16.0.0/24' })
    await until(
      'the end of the channel',
      async () => (await admin.api.webhooks.get({ id })).enabled === false || undefined,
    )
    await admin.api.networks.create({ name: 'told to no one', subnet: '172.16.1.0/24' })
    expect(await admin.api.webhooks.waiting({ id })).toEqual({ count: 0, next_message_at: null, entries: [] })
  })
})
