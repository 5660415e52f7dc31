// A ping is sent by the call that asked for it. If its process dies before, it is due after the timeout of the target.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { type Receiver, startReceiver } from '../../../testing/receiver.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { PING } from '../events/catalogue.ts'
import { enqueuePing } from './queue.ts'
import type { Webhook } from './schema.ts'

const TIMEOUT_MS = 60_000

describe.each(onSqlite())('a ping whose process died on %s', (dialect) => {
  let app: TestApp
  let to: Receiver
  let hooks = 0
  beforeAll(async () => {
    to = await startReceiver()
    app = await testApp({ dialect, outbound: to.outbound })
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  const hook = async () => {
    const path = `/${++hooks}`
    const { api } = await app.as('admin')
    const made = await api.webhooks.create({ name: path, url: to.url(path), events: ['device.created'] })
    return { hook: made, received: () => to.received.filter((one) => one.path === path) }
  }
  /** Queues a ping as its process would have done that many seconds ago. */
  const left = (webhook: Webhook, seconds: number) =>
    app.db.write(({ db }) => {
      const now = new Date(Date.now() - seconds * 1000).toISOString()
      // Only these parts of a context are used.
      return enqueuePing({ db, store: app.db, now } as unknown as Ctx, webhook, { event: PING })
    })

  test('is sent', async () => {
    const target = await hook()
    const { id } = await left(target.hook, target.hook.timeout_seconds + 31)
    const [sent] = await until('the ping', () => (target.received().length > 0 ? target.received() : undefined))
    expect(sent?.headers['x-service-delivery']).toBe(id)
  })

  test('is not sent while its process may be sending it', async () => {
    const target = await hook()
    await left(target.hook, target.hook.timeout_seconds)
    await app.plat.runJob('webhooks.deliver')
    const { due_ms } = await app.db.read
      .selectFrom('webhook_deliveries')
      .select('due_ms')
      .where('webhook_id', '=', target.hook.id)
      .executeTakeFirstOrThrow()
    expect([target.received(), Number(due_ms) > Date.now()]).toEqual([[], true])
  })
})
