/** Old changes are hidden at once and deleted later; younger ones and their moments stay. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { engines } from '../../../testing/servers/servers.ts'

const DAY_MS = 86_400_000

describe.each(engines())('on %s', (dialect) => {
  let app: TestApp
  let admin: TestCaller
  beforeEach(async () => {
    app = await testApp({ dialect, env: { HISTORY_RETENTION_DAYS: '10' } })
    admin = await app.as('admin')
  })
  afterEach(() => app.close())

  /** Makes all changes so far older. */
  const age = (days: number) =>
    app.db.write(async ({ db }) => {
      await db
        .updateTable('changes')
        .set(({ eb }) => ({ at: eb('at', '-', days * DAY_MS) }))
        .execute()
      await db
        .updateTable('history_extent')
        .set({ begins_at: Date.now() - 365 * DAY_MS })
        .execute()
    })
  const counts = async () => {
    const of = async (table: 'changes' | 'history') =>
      Number(
        (
          await app.db.read
            .selectFrom(table)
            .select(({ fn }) => fn.countAll().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      )
    return [await of('changes'), await of('history')]
  }
  const newest = async (): Promise<string> => (await admin.api.history.list({ limit: 1 }))[0]?.id ?? ''
  const devices = (from: number, count: number) => ({
    operations: Array.from({ length: count }, (_, i) => ({ op: 'create', device: { name: `d-${from + i}` } })),
  })

  test('changes are deleted with their items, also one of many', async () => {
    await admin.request('POST', '/api/devices/bulk', devices(0, 900))
    for (let i = 0; i < 3; i++) await admin.api.devices.create({ name: `old-${i}` })
    await age(20)
    const { id } = await admin.api.devices.create({ name: 'young' })
    expect(await counts()).toEqual([5, 904])
    await app.plat.runJob('history.retention')
    expect(await counts()).toEqual([1, 1])
    expect(await admin.api.histories.device({ id })).toHaveLength(1)
    const { begins_at } = await admin.api.history.extent({})
    expect(Math.round((Date.now() - Date.parse(begins_at)) / DAY_MS)).toBe(10)
  })

  test('a change before the beginning is not shown, although it is still stored', async () => {
    const { id } = await admin.api.devices.create({ name: 'hidden' })
    const [change] = await admin.api.history.list({})
    await age(10)
    await app.plat.runJob('history.retention')
    expect(await counts()).toEqual([1, 1])
    expect(await admin.api.history.list({})).toEqual([])
    expect((await admin.request('GET', `/api/history/${change?.id}`)).status).toBe(404)
    expect(await admin.api.histories.device({ id })).toEqual([])
  })

  test('a change that is no longer kept cannot be undone, but an undo of it can', async () => {
    const { id } = await admin.api.devices.create({ name: 'first' })
    const change = await newest()
    const undo = (of: string) => admin.request('POST', `/api/history/${of}/undo`)
    await age(20)
    expect((await undo(change)).status).toBe(200)
    const made = await newest()
    await app.plat.runJob('history.retention')
    expect((await undo(change)).status).toBe(404)
    expect((await admin.api.history.get({ id: made })).undoes).toBe(change)
    const response = await undo(made)
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ undoes: made })])
    expect((await admin.api.devices.get({ id })).name).toBe('first')
  })

  test('a change before the beginning cannot be undone, although it is still stored', async () => {
    await admin.api.devices.create({ name: 'hidden' })
    const change = await newest()
    await age(10)
    await app.plat.runJob('history.retention')
    expect(await counts()).toEqual([1, 1])
    const response = await admin.request('POST', `/api/history/${change}/undo?dry_run=true`)
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })])
  })

  test('lists keep their ETags while nothing is too old', async () => {
    const { id } = await admin.api.devices.create({ name: 'same' })
    const paths = ['/api/history', `/api/devices/${id}/history`]
    const etags = async () =>
      Promise.all(paths.map(async (path) => (await admin.request('GET', path)).headers.get('etag')))
    const before = await etags()
    await app.plat.runJob('history.retention')
    expect(await etags()).toEqual(before)
  })

  test('the list has another ETag when changes are no longer shown', async () => {
    await admin.api.devices.create({ name: 'hidden' })
    await age(9)
    const etag = async () => (await admin.request('GET', '/api/history')).headers.get('etag')
    const before = await etag()
    await age(1)
    await app.plat.runJob('history.retention')
    expect(await etag()).not.toBe(before)
  })
})
