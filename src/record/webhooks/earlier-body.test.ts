// Deliveries that an earlier version has stored, with the id of the change in their bodies.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { type Received, type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { separateChange } from './earlier-body.ts'

const TIMEOUT_MS = 60_000
const CHANGE = '0199f3c4-7a52-7c1e-9b0d-3f2a61c8d404'
const AT = '2026-01-02T03:04:05.678Z'

test.each([
  ['without a change', `{"event":"dns.sync_failed","delivery_id":"1","timestamp":"t","data":{}}`],
  [
    'with another member of this name',
    `{"event":"device.created","delivery_id":"1","timestamp":"t","data":{"change_id":"2"}}`,
  ],
])('a body %s stays as it is', (_, body) => {
  const { event } = JSON.parse(body) as { event: string }
  const row = { event, body, change_id: 'kept' }
  expect(separateChange(row)).toEqual(row)
})

describe.each(onSqlite())('a delivery of an earlier version on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  let to: Receiver
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ dialect, outbound: to.outbound, env: { ENCRYPTION_KEY: 'd1'.repeat(32) } })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  /** Stores a delivery as an earlier version did, which has tried it once. */
  const stored = async (webhook_id: string, due_ms: number | null): Promise<string> => {
    const id = Bun.randomUUIDv7()
    const data = JSON.stringify({ id: 'd', name: 'printer "3", 2nd floor', change_id: 'of a custom field' })
    const head = `"event":"device.created","change_id":"${CHANGE}","delivery_id":"${id}"`
    const attempts = JSON.stringify([{ at: AT, response_code: 500, error: 'answered 500', duration_ms: 1 }])
    await app.db.write(({ db }) =>
      db
        .insertInto('webhook_deliveries')
        .values({
          ...{ id, webhook_id, event: 'device.created', body: `{${head},"timestamp":"${AT}","data":${data}}` },
          ...{
            status: due_ms === null ? 'failed' : 'retrying',
            attempt_number: 1,
            attempts_left: due_ms === null ? 0 : 1,
          },
          ...{ response_code: 500, response_body: '', error: 'answered 500', duration_ms: 1, attempts },
          ...{ next_retry: null, due_ms, created_at: AT, until_ms: 0, holder: '', change_id: '' },
        })
        .execute(),
    )
    return id
  }
  const hook = async (path: string) => {
    const draft = { name: path, url: to.url(path), events: ['device.created' as const], secret: 's' }
    return (await admin.api.webhooks.create(draft)).id
  }
  const arrived = (path: string): Promise<Received> =>
    until(`a delivery at ${path}`, () => to.received.find((one) => one.path === path))

  const expectPresent = ({ headers, body }: Received, id: string) => {
    expect(Object.keys(JSON.parse(body))).toEqual(['event', 'delivery_id', 'timestamp', 'data'])
    expect(JSON.parse(body)).toMatchObject({
      ...{ event: 'device.created', delivery_id: id, timestamp: AT },
      data: { name: 'printer "3", 2nd floor', change_id: 'of a custom field' },
    })
    expect(headers).toMatchObject({
      'x-service-change': CHANGE,
      'x-service-delivery': id,
      // Signs exactly the sent bytes.
      'x-service-signature': `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`,
    })
  }

  test('is tried again with the present body, its change in the header, and the signature of these bytes', async () => {
    const webhook = await hook('/retry')
    const id = await stored(webhook, Date.now())
    await app.plat.runJob('webhooks.deliver')
    expectPresent(await arrived('/retry'), id)
  })

  test('is sent again by hand in the same form', async () => {
    const webhook = await hook('/redelivered')
    const id = await stored(webhook, null)
    await admin.api.webhooks.redeliver({ id: webhook, delivery_id: id })
    expectPresent(await arrived('/redelivered'), id)
  })

  test('is shown in the form in which it is sent', async () => {
    const webhook = await hook('/shown')
    const delivery_id = await stored(webhook, null)
    const delivery = await admin.api.webhooks.delivery({ id: webhook, delivery_id })
    expect([Object.keys(delivery.payload ?? {}), delivery.change_id]).toEqual([
      ['event', 'delivery_id', 'timestamp', 'data'],
      CHANGE,
    ])
  })
})
