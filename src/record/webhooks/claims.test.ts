// Deliveries with several servers on one database: each delivery is claimed by one server at a time, and only its
// outcome counts.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { until } from '../../../testing/until.ts'
import { lockNamed } from '../../kernel/changes/locks.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { createLeases } from '../../kernel/jobs/leases.ts'
import * as deliveries from './delivery-store.ts'

const TIMEOUT_MS = 60_000
const DAY_MS = 86_400_000

// Left out instead of skipped, because a run on SQLite only is valid. There, one process sends.
if (engines().includes('postgres')) {
  let app: TestApp
  let hooks = 0
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres' })
  }, TIMEOUT_MS)
  afterAll(() => app.close(), TIMEOUT_MS)

  const write = <T>(work: (ctx: Pick<Ctx, 'db' | 'store'> & Ctx) => Promise<T>): Promise<T> =>
    // The queries use only the transaction of a context.
    app.db.write(({ db }) => {
      const lock: Ctx['lock'] = (...which) => lockNamed({ db, sql: app.db.sql }, ...which)
      return work({ db, lock, store: app.db, now: new Date().toISOString() } as unknown as Ctx)
    })

  /** Creates a due delivery of a webhook that no dispatcher polls. */
  const due = async () => {
    const webhookId = `hook-${++hooks}`
    const id = Bun.randomUUIDv7()
    const at = new Date().toISOString()
    const texts = { url: 'https://example.net', disabled_reason: '', description: '', headers: '{}', events: '[]' }
    const numbers = { enabled: 0, timeout_seconds: 1, retry_count: 0 }
    await app.db.write(async ({ db }) => {
      await db
        .insertInto('webhooks')
        .values({
          id: webhookId,
          name: webhookId,
          name_key: webhookId,
          name_order: '',
          secret: null,
          ...texts,
          ...numbers,
          created_at: at,
          updated_at: at,
        })
        .execute()
    })
    await write(async (ctx) => {
      const content = { event: 'x', resource_id: '', body: '{}', change_id: '' }
      const row = { id, webhook_id: webhookId, ...content, attempts_left: 1, due_ms: 1, created_at: at }
      await deliveries.insertAll(ctx, [row])
      // Claims it before the dispatcher of the app polls.
      await deliveries.leases.take(ctx, [id], 'nobody')
    })
    return { id, webhookId }
  }
  const take = (id: string, holder: string) => write((ctx) => deliveries.leases.take(ctx, [id], holder))
  const claimable = (webhookId: string, nowMs: number) =>
    write((ctx) => deliveries.lockClaimable(ctx, { webhookId, nowMs, most: 10 }))
  const outcome = (id: string, error: string): deliveries.Outcome => ({
    ...{ id, status: 'success', attempt_number: 1, attempts_left: 0, response_code: 200, response_body: '' },
    ...{ error, duration_ms: 1, attempts: '[]', next_retry: null, due_ms: null },
  })
  const errorOf = async (id: string) =>
    (await app.db.read.selectFrom('webhook_deliveries').select('error').where('id', '=', id).executeTakeFirst())?.error

  test('a claimed delivery is not claimed by another instance, even if its clock is fast', async () => {
    const { webhookId } = await due()
    expect(await claimable(webhookId, Date.now() + DAY_MS)).toEqual([])
  })

  test('the holder of the claim can write the outcome', async () => {
    const { id } = await due()
    await take(id, 'mine')
    await write((ctx) => deliveries.storeOutcome(ctx, outcome(id, 'mine'), 'mine'))
    expect(await errorOf(id)).toBe('mine')
  })

  test('an outcome without the present claim changes nothing', async () => {
    const { id } = await due()
    await take(id, 'late')
    await take(id, 'other')
    await write((ctx) => deliveries.storeOutcome(ctx, outcome(id, 'late'), 'late'))
    expect(await errorOf(id)).toBe('')
  })

  test('a lost claim is not renewed', async () => {
    const { id } = await due()
    const held = await take(id, 'late')
    await take(id, 'other')
    expect(await write((ctx) => deliveries.leases.renew(ctx, held))).toBe(false)
  })

  test('a returned delivery can be claimed by others', async () => {
    const { id, webhookId } = await due()
    const held = await take(id, 'mine')
    await write((ctx) => deliveries.leases.release(ctx, held))
    expect((await claimable(webhookId, Date.now())).map((one) => one.id)).toEqual([id])
  })

  test('a claim ends by the clock of the database', async () => {
    const { id, webhookId } = await due()
    await write((ctx) => createLeases('webhook_deliveries', 'id', { lastsMs: 1 }).take(ctx, [id], 'short'))
    const found = await until('the end of the claim', async () => {
      const [one] = await claimable(webhookId, Date.now())
      return one
    })
    expect(found.id).toBe(id)
  })
}
