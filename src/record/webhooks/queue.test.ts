// The deliveries of a transaction in which a savepoint was rolled back.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { writeIn } from '../../../testing/app-write.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createQueue } from './queue.ts'

describe.each(engines())('the queue of deliveries on %s', (dialect) => {
  let app: TestApp
  beforeEach(async () => {
    app = await testApp({ dialect, withJobs: false })
    const { api } = await app.as('admin')
    await api.webhooks.create({ name: 'hook', url: 'https://hooks.example.com/', events: ['device.created'] })
  })
  afterEach(() => app.close())

  test('an event is delivered although an earlier read of the subscriptions has failed in a savepoint', async () => {
    const { enqueue } = createQueue()
    const record = (ctx: Ctx, resource_id: string) =>
      enqueue(ctx, [{ event: 'device.created', resource_id, data: '{}', change_id: '', created_at: ctx.now }])
    await writeIn(app, async (ctx) => {
      const failing = ctx.savepoint(async () => {
        // On PostgreSQL, each later statement of the savepoint fails.
        await sql`SELECT * FROM no_such_table`.execute(ctx.db).catch(() => {})
        await record(ctx, 'lost')
        throw new Error('rolled back')
      })
      await failing.catch(() => {})
      await record(ctx, 'kept')
    })
    const rows = await app.db.read.selectFrom('webhook_deliveries').select('event').execute()
    expect(rows).toEqual([{ event: 'device.created' }])
  })
})
