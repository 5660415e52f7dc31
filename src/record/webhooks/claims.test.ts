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
/** The instance is sending nothing. */
const NOTHING: deliveries.Own = { ids: [], holders: [], keys: [] }
const DAY_MS = 86_400_000

// Left out instead of skipped, because a run on SQLite only is valid. There, one process sends.
if (engines().includes('postgres')) {
  let app: TestApp
  let hooks = 0
  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres', withJobs: false })
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
  /** Stores further due deliveries of a webhook, each with its object and the number of its event. */
  const more = async (webhookId: string, all: readonly (readonly [id: string, object: string, seq: number])[]) => {
    const texts = { event: 'x', body: '{}', change_id: '', response_body: '', error: '', attempts: '[]', holder: '' }
    const numbers = { attempt_number: 0, attempts_left: 1, due_ms: 0, until_ms: 0 }
    const rows = all.map(([id, resource_id, event_seq]) => ({
      ...{ id, webhook_id: webhookId, resource_id, event_seq, status: 'pending' as const, created_at: '' },
      ...texts,
      ...numbers,
    }))
    await app.db.write(({ db }) => db.insertInto('webhook_deliveries').values(rows).execute())
  }
  const claimableIds = async (webhookId: string) => (await claimable(webhookId, Date.now())).map(({ id }) => id)
  const take = (id: string, holder: string) => write((ctx) => deliveries.leases.take(ctx, [id], holder))
  const claimable = (webhookId: string, nowMs: number) =>
    write((ctx) => deliveries.lockClaimable(ctx, { webhookId, nowMs, most: 10 }, NOTHING))
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

  test('deliveries are claimed in the order of their events, whatever their ids', async () => {
    const { webhookId } = await due()
    await more(webhookId, [
      ['order-a', 'net', 3],
      ['order-b', 'net', 1],
      ['order-c', 'net', 2],
    ])
    expect(await claimableIds(webhookId)).toEqual(['order-b', 'order-c', 'order-a'])
  })

  test('while an instance holds a delivery, no other claims one of the same object, earlier or later', async () => {
    const { webhookId } = await due()
    await more(webhookId, [
      ['held-1', 'net', 1],
      ['held-2', 'net', 2],
      ['held-3', 'net', 3],
      ['held-4', 'other', 4],
    ])
    await take('held-2', 'another')
    expect(await claimableIds(webhookId)).toEqual(['held-4'])
  })

  test('an object of which an instance sends does not delay the others, until 5,000 deliveries are before theirs', async () => {
    const { webhookId } = await due()
    const add = (name: string, count: number) =>
      more(
        webhookId,
        Array.from({ length: count }, (_, i) => [`${name}-${i}`, 'busy', 1]),
      )
    for (const name of ['busy-a', 'busy-b', 'busy-c', 'busy-d']) await add(name, 1000)
    await more(webhookId, [['patient', 'other', 2]])
    await take('busy-a-0', 'another')
    expect(await claimableIds(webhookId)).toEqual(['patient'])
    await add('busy-e', 1000)
    expect(await claimableIds(webhookId)).toEqual([])
  })

  test('deliveries without an object, of an earlier version, do not wait for each other', async () => {
    const { webhookId } = await due()
    await more(webhookId, [
      ['old-1', '', 0],
      ['old-2', '', 0],
    ])
    await take('old-1', 'another')
    expect(await claimableIds(webhookId)).toEqual(['old-2'])
  })

  test('two instances that claim at once do not take deliveries of one object', async () => {
    const { webhookId } = await due()
    const ids = Array.from({ length: 20 }, (_, i) => `at-once-${i}`)
    await more(
      webhookId,
      ids.map((id, seq) => [id, `object ${seq % 2}`, seq]),
    )
    const claimOnce = (holder: string) =>
      write(async (ctx) => {
        const rows = await deliveries.lockClaimable(ctx, { webhookId, nowMs: Date.now(), most: 5 }, NOTHING)
        const keys = rows.map(({ id }) => id)
        await deliveries.leases.take(ctx, keys, holder)
        return rows.map(({ resource_id }) => resource_id)
      })
    const claims = await Promise.all(['first', 'second', 'third'].map(claimOnce))
    // The first one gets five of both objects.
    expect(claims.map((objects) => objects.length).sort()).toEqual([0, 0, 5])
  })

  test('while an earlier delivery of an object is locked, the later ones are not claimed', async () => {
    const { webhookId } = await due()
    await more(webhookId, [
      ['locked-1', 'net', 1],
      ['locked-2', 'net', 2],
      ['locked-3', 'other', 3],
    ])
    const found = await app.db.write(async ({ db }) => {
      await app.db.sql.lockRows(db.selectFrom('webhook_deliveries').select('id').where('id', '=', 'locked-1')).execute()
      return claimableIds(webhookId)
    })
    expect(found).toEqual(['locked-3'])
  })

  test('a claim that has expired is not renewed, although no other instance has taken it', async () => {
    const { id } = await due()
    const held = await take(id, 'frozen')
    await app.db.write(({ db }) =>
      db.updateTable('webhook_deliveries').set({ until_ms: 1 }).where('id', '=', id).execute(),
    )
    expect(await write((ctx) => deliveries.leases.renew(ctx, held))).toBe(false)
  })

  test('an instance claims later deliveries of an object that it is sending itself', async () => {
    const { webhookId } = await due()
    await more(webhookId, [
      ['own-1', 'net', 1],
      ['own-2', 'net', 2],
    ])
    await take('own-1', 'itself')
    const claimed = (keys: readonly string[]) =>
      write((ctx) =>
        deliveries.lockClaimable(
          ctx,
          { webhookId, nowMs: Date.now(), most: 10 },
          { ids: [], holders: ['itself'], keys },
        ),
      )
    expect((await claimed([])).map(({ id }) => id)).toEqual(['own-2'])
    expect(await claimed(['net'])).toEqual([])
  })
}
