// Subscribing to an event, and seeing its deliveries, requires the permission that the live feed requires for it.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask, failure } from '../../../testing/estates/inventory.ts'
import { callTool } from '../../../testing/mcp.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Delivery, Webhook } from './schema.ts'

const TIMEOUT_MS = 60_000
const KEY = 'd5'.repeat(32)
const HOOKS = ['webhook:list', 'webhook:read', 'webhook:create', 'webhook:update', 'webhook:delete']

describe.each(onSqlite())('events of webhooks on %s', (dialect) => {
  let app: TestApp
  let to: Receiver
  let admin: TestCaller
  /** Manages webhooks, and may read devices. */
  let clerk: TestCaller
  /** Manages webhooks, and has no permission to read other objects. */
  let stranger: TestCaller
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ dialect, outbound: to.outbound, env: { ENCRYPTION_KEY: KEY } })
    admin = await app.as('admin')
    clerk = await app.as([...HOOKS, 'devices:read'])
    stranger = await app.as(HOOKS)
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  let paths = 0
  const hook = (events: Webhook['events'], more: object = {}): Promise<Webhook> => {
    const path = `/${++paths}`
    return admin.api.webhooks.create({ name: path, url: to.url(path), events, ...more })
  }
  const put = (who: TestCaller, { id }: Webhook, body: object) => ask(who, `PUT /api/webhooks/${id}`, body)
  const withoutConflicts = { ...failure(403, 'FORBIDDEN'), body: { error: expect.stringContaining('conflicts:read') } }

  test.each([
    ['device.created', true],
    ['network.updated', false],
    ['conflict.detected', false],
    ['pool.utilization_high', false],
    ['discovery.device_found', false],
  ])('a caller with only devices:read subscribes to %s: %p', async (event, isAllowed) => {
    const { status } = await ask(clerk, 'POST /api/webhooks', { name: 'n', url: to.url('/n'), events: [event] })
    expect(status).toBe(isAllowed ? 201 : 403)
  })

  test('a subscription without the permission is refused with its name, and nothing is stored', async () => {
    const events = ['device.created', 'conflict.detected']
    const answer = await ask(clerk, 'POST /api/webhooks', { name: 'not stored', url: to.url('/n'), events })
    expect(answer).toMatchObject(withoutConflicts)
    expect(await admin.api.webhooks.list({ name: 'not stored' })).toEqual([])
  })

  test('an edit that adds an event is refused without its permission, and accepted with it', async () => {
    const own = await hook(['device.created'])
    expect(await put(clerk, own, { events: ['device.created', 'conflict.detected'] })).toMatchObject(withoutConflicts)
    expect((await put(clerk, own, { url: to.url('/other'), enabled: false, name: 'renamed' })).status).toBe(200)
  })

  test.each([
    [{ name: 'renamed' }],
    [{ enabled: false }],
    [{ description: 'x' }],
    [{ events: ['device.created'] }],
    [{ url: 'http://203.0.113.9/' }],
    [{ secret: 's' }],
    [{}],
  ])('an edit of a webhook with an event that the editor may not see is refused: %j', async (patch) => {
    const foreign = await hook(['device.created', 'conflict.detected'])
    expect(await put(clerk, foreign, patch)).toMatchObject(withoutConflicts)
    expect(await admin.api.webhooks.get({ id: foreign.id })).toEqual(foreign)
  })

  test('an edit is refused while deliveries are queued that the editor may not see', async () => {
    const target = await hook(['device.created', 'network.created'])
    to.answer(target.name, 500)
    await admin.api.networks.create({ name: `n${paths}`, subnet: `10.${paths}.0.0/24` })
    await until('a delivery that waits', async () =>
      (await admin.api.webhooks.deliveries({ id: target.id })).find(({ status }) => status === 'retrying'),
    )
    await admin.api.webhooks.update({ id: target.id, events: ['device.created'] })
    const answer = await put(clerk, target, { url: to.url('/of-the-clerk') })
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([403, expect.stringContaining('networks:read')])
    await admin.api.webhooks.delete({ id: target.id })
  })

  const sentOne = async (): Promise<{ target: Webhook; delivery: Delivery }> => {
    const target = await hook(['device.created'])
    await admin.api.devices.create({ name: `payload-of-${target.name}` })
    const delivery = await until('a delivery', async () =>
      (await admin.api.webhooks.deliveries({ id: target.id })).find(({ status }) => status === 'success'),
    )
    return { target, delivery }
  }
  /** Removes the fields that a caller without the event's permission does not see. */
  const withheld = (delivery: Delivery) => ({ ...delivery, payload: null, response_body: '' })

  test('a delivery is shown whole to a caller with the permission of its event', async () => {
    const { target, delivery } = await sentOne()
    expect(await clerk.api.webhooks.delivery({ id: target.id, delivery_id: delivery.id })).toEqual(delivery)
    expect(delivery).toMatchObject({ payload: { event: 'device.created' }, response_body: 'this is 200' })
  })

  test('a delivery is shown without payload and answer to all others', async () => {
    const { target, delivery } = await sentOne()
    const { id } = target
    expect(await stranger.api.webhooks.delivery({ id, delivery_id: delivery.id })).toEqual(withheld(delivery))
    expect(await stranger.api.webhooks.deliveries({ id })).toEqual([withheld(delivery)])
    const again = await ask(stranger, `POST /api/webhooks/${id}/deliveries/${delivery.id}/redeliver`)
    expect([again.status, again.body]).toMatchObject([202, { id: delivery.id, payload: null, response_body: '' }])
  })

  test('MCP shows no more', async () => {
    const { target, delivery } = await sentOne()
    const call = (operation: string, input: object) =>
      callTool({ fetch: app.fetch, key: stranger.key }, 'call_operation', { operation, input })
    const one = { id: target.id, delivery_id: delivery.id }
    const answers = [
      await call('webhooks.delivery', one),
      await call('webhooks.deliveries', { id: target.id }),
      await call('webhooks.redeliver', one),
    ]
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, false])
    expect(JSON.stringify(answers)).not.toMatch(/payload-of|this is 200/)
  })

  test('a ping holds nothing of the inventory, and is shown whole', async () => {
    const target = await hook(['device.created'])
    const { delivery } = await stranger.api.webhooks.ping({ id: target.id })
    expect(delivery).toMatchObject({ payload: { event: 'webhook.ping' }, response_body: 'this is 200' })
  })

  test("the ETag of one caller's list is not valid for another caller", async () => {
    const { target } = await sentOne()
    const path = `/api/webhooks/${target.id}/deliveries`
    // Deliveries of other webhooks also change the ETag until all are settled.
    await until('a list that stays the same', async () => {
      const { etag } = await ask(stranger, `GET ${path}`)
      const headers = { 'If-None-Match': etag ?? '' }
      expect((await clerk.request('GET', path, undefined, headers)).status).toBe(200)
      return (await stranger.request('GET', path, undefined, headers)).status === 304 ? true : undefined
    })
  })

  test('an earlier event cannot be sent again to a new target without its permission', async () => {
    const { target, delivery } = await sentOne()
    await admin.api.webhooks.update({ id: target.id, events: ['network.created'] })
    const networker = await app.as([...HOOKS, 'networks:read'])
    expect((await put(networker, target, { url: to.url('/of-the-networker') })).status).toBe(200)
    const path = `/api/webhooks/${target.id}/deliveries/${delivery.id}/redeliver`
    const answer = await ask(networker, `POST ${path}`)
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([403, expect.stringContaining('devices:read')])
    expect((await ask(clerk, `POST ${path}`)).status).toBe(202)
  })

  test('the catalog names the permission of each event', async () => {
    const entries = await stranger.api.webhooks.events({})
    expect(entries.find(({ name }) => name === 'pool.utilization_high')?.permission).toBe('pools:read')
  })
})
