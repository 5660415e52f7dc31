// The fields of a webhook, its requests to the target, and its behavior on failures.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Delivery, Webhook } from './schema.ts'

const KEY = 'd1'.repeat(32)
const TIMEOUT_MS = 60_000
const MINUTE_MS = 60_000

type Body = { event: string; delivery_id: string; timestamp: string; data: Record<string, unknown> }

describe.each(onSqlite())('webhooks on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  /** Added to the current time. */
  let aheadMs = 0
  let paths = 0
  beforeAll(async () => {
    to = await startReceiver()
    const now = () => new Date(Date.now() + aheadMs)
    app = await testApp({ dialect, now, outbound: to.outbound, env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  const hook = async (more: object = {}): Promise<Webhook & { path: string }> => {
    const path = `/${++paths}`
    const draft = { name: `hook ${paths}`, url: to.url(path), events: ['device.created' as const], ...more }
    return { ...(await admin.api.webhooks.create(draft)), path }
  }
  const at = ({ path }: { path: string }) => to.received.filter((one) => one.path === path)
  const bodies = (target: { path: string }): Body[] => at(target).map(({ body }) => JSON.parse(body))
  const arrived = (target: { path: string }, n: number) =>
    until(`${n} deliveries at ${target.path}`, () => (at(target).length >= n ? at(target) : undefined))
  const history = (id: string): Promise<Delivery[]> => admin.api.webhooks.deliveries({ id })
  const settled = (id: string, status: Delivery['status'], attempts = 1) =>
    until(`a delivery that is ${status}`, async () =>
      (await history(id)).find((one) => one.status === status && one.attempt_number >= attempts),
    )
  const device = (name: string, more: object = {}) => admin.api.devices.create({ name, ...more })

  test('a change arrives as it was, signed', async () => {
    const target = await hook({ secret: 'shh', headers: { 'X-Team': 'net' } })
    const made = await device('signed', { addresses: [{ ip: '10.1.2.3' }] })
    const [got] = await arrived(target, 1)
    if (!got) throw new Error('nothing came')
    const body: Body = JSON.parse(got.body)
    const [change] = await admin.api.history.list({ object_id: made.id, limit: 1 })
    expect(body).toEqual({
      event: 'device.created',
      delivery_id: expect.any(String),
      timestamp: made.created_at,
      data: { ...made, ip_address: '10.1.2.3' },
    })
    const signature = `sha256=${createHmac('sha256', 'shh').update(got.body).digest('hex')}`
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'device.created',
      'x-service-delivery': body.delivery_id,
      'x-service-change': change?.id ?? '',
      'x-service-signature': signature,
      'x-team': 'net',
    })
    expect(Math.abs(Number(got.headers['x-service-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
    const delivery = await settled(target.id, 'success')
    expect(delivery).toMatchObject({ id: body.delivery_id, response_code: 200, response_body: 'this is 200' })
    expect(delivery.payload).toEqual(body)
    expect(delivery.change_id).toBe(change?.id ?? '')
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('every event of devices and networks is delivered, with its changes', async () => {
    const events = [
      'device.created',
      'device.updated',
      'device.deleted',
      'network.created',
      'network.updated',
      'network.deleted',
    ] as const
    const target = await hook({ events })
    const { id } = await device('told')
    await admin.api.devices.update({ id, os: 'Debian' })
    // Changes nothing.
    await admin.api.devices.update({ id, os: 'Debian' })
    await admin.api.devices.delete({ id })
    const network = await admin.api.networks.create({ name: 'told', subnet: '10.77.0.0/24' })
    await admin.api.networks.update({ id: network.id, name: 'told again' })
    await admin.api.networks.delete({ id: network.id })
    await arrived(target, 6)
    expect(bodies(target).map(({ event, data }) => [event, data.changes])).toEqual([
      ['device.created', undefined],
      ['device.updated', ['os']],
      ['device.deleted', undefined],
      ['network.created', undefined],
      ['network.updated', ['name']],
      ['network.deleted', undefined],
    ])
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('without a secret there is no signature, and events without a subscription are not sent', async () => {
    const target = await hook({ events: ['device.deleted'] })
    const { id } = await device('silent')
    await admin.api.devices.delete({ id })
    const [got] = await arrived(target, 1)
    expect(got?.headers['x-service-signature']).toBeUndefined()
    expect(bodies(target).map(({ event }) => event)).toEqual(['device.deleted'])
    await admin.api.webhooks.delete({ id: target.id })
  })

  test(
    'events are delivered in order',
    async () => {
      const target = await hook()
      const names = Array.from({ length: 60 }, (_, i) => `in-order-${i}`)
      for (const name of names) await device(name)
      await arrived(target, names.length)
      expect(bodies(target).map(({ data }) => data.name)).toEqual(names)
      await admin.api.webhooks.delete({ id: target.id })
    },
    TIMEOUT_MS,
  )

  test('a rolled back change is not delivered', async () => {
    const target = await hook()
    const bulk = await admin.request('POST', '/api/devices/bulk', {
      atomic: true,
      operations: [
        { op: 'create', device: { name: 'undone' } },
        { op: 'create', device: { name: '' } },
      ],
    })
    expect(bulk.status).toBe(400)
    await device('done')
    await arrived(target, 1)
    expect(bodies(target).map(({ data }) => data.name)).toEqual(['done'])
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('a target that does not answer does not delay others', async () => {
    const slow = await hook()
    const quick = await hook()
    const held: ServerResponse[] = []
    to.answer(slow.path, (response) => held.push(response))
    await device('held up')
    await arrived(slow, 1)
    await device('not held up')
    await arrived(quick, 2)
    // The delivery of the other device may be under way too.
    expect((await history(slow.id)).filter(({ status }) => status === 'success')).toEqual([])
    for (const response of held) response.end()
    to.answer(slow.path, 200)
    await arrived(slow, 2)
    for (const { id } of [slow, quick]) await admin.api.webhooks.delete({ id })
  })

  test(
    'a delivery that fails is sent again after a minute: the same id, the same bytes',
    async () => {
      const target = await hook({ secret: 's' })
      to.answer(target.path, 500)
      await device('again')
      const failed = await settled(target.id, 'retrying')
      expect(failed).toMatchObject({ attempt_number: 1, response_code: 500, error: 'answered 500' })
      const waitMs = Date.parse(failed.next_retry ?? '') - Date.parse(failed.attempts[0]?.at ?? '')
      expect(waitMs).toBeGreaterThanOrEqual(MINUTE_MS)
      expect(waitMs).toBeLessThan(MINUTE_MS * 1.05 + 1000)
      expect(at(target)).toHaveLength(1)
      to.answer(target.path, 204)
      aheadMs += 1.1 * MINUTE_MS
      const done = await settled(target.id, 'success', 2)
      const [first, second] = at(target)
      expect(second?.body).toBe(first?.body ?? '')
      expect(second?.headers['x-service-signature']).toBe(first?.headers['x-service-signature'] ?? '')
      expect(done.attempts.map(({ response_code }) => response_code)).toEqual([500, 204])
      expect(done.next_retry).toBeNull()
      await admin.api.webhooks.delete({ id: target.id })
    },
    TIMEOUT_MS,
  )

  test(
    'a delivery fails after its last retry',
    async () => {
      const target = await hook({ retry_count: 2 })
      to.answer(target.path, 503)
      await device('given up')
      for (const [attempts, minutes] of [
        [1, 1.1],
        [2, 5.5],
      ] as const) {
        await settled(target.id, 'retrying', attempts)
        aheadMs += minutes * MINUTE_MS
      }
      const failed = await settled(target.id, 'failed', 3)
      expect(failed.attempts).toHaveLength(3)
      expect(at(target)).toHaveLength(3)
      await admin.api.webhooks.delete({ id: target.id })
    },
    TIMEOUT_MS,
  )

  test(
    'an edited webhook is honored when a delivery is sent again',
    async () => {
      const target = await hook()
      to.answer(target.path, 500)
      await device('moved')
      await settled(target.id, 'retrying')
      const elsewhere = { path: `${target.path}-moved` }
      await admin.api.webhooks.update({ id: target.id, url: to.url(elsewhere.path) })
      aheadMs += 1.1 * MINUTE_MS
      await arrived(elsewhere, 1)
      await admin.api.webhooks.delete({ id: target.id })
    },
    TIMEOUT_MS,
  )

  test(
    'a disabled webhook is sent nothing, not even queued deliveries',
    async () => {
      const target = await hook()
      to.answer(target.path, 500)
      await device('on its way')
      await settled(target.id, 'retrying')
      await admin.api.webhooks.update({ id: target.id, enabled: false })
      await device('after that')
      aheadMs += 1.1 * MINUTE_MS
      const failed = await settled(target.id, 'failed')
      expect(failed.error).toBe('the webhook is disabled')
      expect([at(target).length, (await history(target.id)).length]).toEqual([1, 1])
      await admin.api.webhooks.delete({ id: target.id })
    },
    TIMEOUT_MS,
  )

  test('410 fails at once, and disables the webhook with the reason', async () => {
    const target = await hook()
    to.answer(target.path, 410)
    await device('gone')
    expect((await settled(target.id, 'failed')).attempt_number).toBe(1)
    const disabled = await until('a disabled webhook', async () => {
      const found = await admin.api.webhooks.get({ id: target.id })
      return found.enabled ? undefined : found
    })
    expect(disabled.disabled_reason).toContain('410')
    const enabled = await admin.api.webhooks.update({ id: target.id, enabled: true })
    expect(enabled.disabled_reason).toBe('')
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('a delivery can be sent again by hand', async () => {
    const target = await hook({ retry_count: 0 })
    to.answer(target.path, 500)
    await device('by hand')
    const failed = await settled(target.id, 'failed')
    to.answer(target.path, 200)
    const response = await admin.request('POST', `/api/webhooks/${target.id}/deliveries/${failed.id}/redeliver`)
    expect(response.status).toBe(202)
    const done = await settled(target.id, 'success', 2)
    expect(done.id).toBe(failed.id)
    expect(at(target)[1]?.body).toBe(at(target)[0]?.body ?? '')
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('a ping answers with its outcome, and is in the history', async () => {
    const target = await hook({ secret: 'p' })
    const good = await admin.api.webhooks.ping({ id: target.id })
    expect(good.message).toBe('The target answered 200')
    expect(good.delivery).toMatchObject({ event: 'webhook.ping', status: 'success', attempt_number: 1 })
    expect(bodies(target)[0]?.data).toMatchObject({ webhook_id: target.id, message: expect.any(String) })
    expect(at(target)[0]?.headers).not.toHaveProperty('x-service-change')
    to.answer(target.path, 418)
    const bad = await admin.api.webhooks.ping({ id: target.id })
    expect(bad.message).toBe('The test delivery failed: answered 418')
    expect((await history(target.id)).map(({ status }) => status)).toEqual(['failed', 'success'])
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('the history is filtered by status and event, newest first', async () => {
    const target = await hook({ retry_count: 0 })
    await device('one')
    await settled(target.id, 'success')
    to.answer(target.path, 500)
    await device('two')
    await settled(target.id, 'failed')
    const list = async (filter: object) =>
      (await admin.api.webhooks.deliveries({ id: target.id, ...filter })).map(
        ({ payload }) => (payload as Body).data.name,
      )
    expect(await list({})).toEqual(['two', 'one'])
    expect(await list({ status: 'failed' })).toEqual(['two'])
    expect(await list({ event: 'device.deleted' })).toEqual([])
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('a secret is never sent back; absent keeps it, "" clears it', async () => {
    const target = await hook({ secret: 'never-shown' })
    expect(target.has_secret).toBe(true)
    const kept = await admin.api.webhooks.update({ id: target.id, name: 'renamed' })
    const cleared = await admin.api.webhooks.update({ id: target.id, secret: '' })
    const all = await admin.api.webhooks.list({})
    expect([kept.has_secret, cleared.has_secret]).toEqual([true, false])
    expect(JSON.stringify([target, kept, cleared, all])).not.toContain('never-shown')
    await admin.api.webhooks.delete({ id: target.id })
  })

  test('is stored encrypted', async () => {
    const target = await hook({ secret: 'in-plain-text' })
    const row = await app.db.read
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', target.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain('in-plain-text')
    await admin.api.webhooks.delete({ id: target.id })
  })

  const refused = async (more: object): Promise<readonly { field: string }[]> => {
    const response = await admin.request('POST', '/api/webhooks', {
      ...{ name: 'refused', url: 'http://203.0.113.7/', events: ['device.created'] },
      ...more,
    })
    expect(response.status).toBe(400)
    return ((await response.json()) as { details: { field: string }[] }).details
  }
  test.each([
    ['url', { url: 'http://127.0.0.1/' }],
    ['url', { url: 'http://169.254.169.254/latest' }],
    ['url', { url: 'ftp://203.0.113.7/' }],
    ['url', { url: '' }],
    ['events', { events: [] }],
    ['events[0]', { events: ['device.exploded'] }],
    ['headers.Host', { headers: { Host: 'x' } }],
    ['headers.X-Service-Signature', { headers: { 'X-Service-Signature': 'x' } }],
    ['headers.x-service-change', { headers: { 'x-service-change': 'x' } }],
    ['headers.Transfer-Encoding', { headers: { 'Transfer-Encoding': 'chunked' } }],
    ['headers.X-A', { headers: { 'X-A': 'a\r\nB: c' } }],
    ['timeout_seconds', { timeout_seconds: 61 }],
    ['retry_count', { retry_count: 11 }],
    ['name', { name: ' ' }],
  ])('%s is refused: %j', async (field, more) => {
    expect((await refused(more)).map((issue) => issue.field)).toContain(field)
  })

  test('the catalog of events can be read', async () => {
    const names = (await admin.api.webhooks.events({})).map(({ name }) => name)
    expect(names).toHaveLength(71)
    expect(names).toContain('pool.utilization_high')
  })
})

test('a secret needs ENCRYPTION_KEY', async () => {
  const app = await testApp()
  try {
    const admin = await app.as('admin')
    const draft = { name: 'w', url: 'http://203.0.113.7/', events: ['device.created'], secret: 's' }
    const response = await admin.request('POST', '/api/webhooks', draft)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ details: [{ field: 'secret' }] })
  } finally {
    await app.close()
  }
})
