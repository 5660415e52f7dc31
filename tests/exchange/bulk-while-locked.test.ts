// Bulk calls and imports that fail because of the database and not because of an item: PostgreSQL was busy or away.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { engines } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

describe.skipIf(!engines().includes('postgres'))('while another transaction holds the lock of a device', () => {
  let app: TestApp
  let admin: TestCaller
  let id: string

  beforeAll(async () => {
    app = await testApp({ dialect: 'postgres', env: { DATABASE_LOCK_TIMEOUT: '300ms' } })
    admin = await app.as('admin')
    ;({ id } = await admin.api.devices.create({ name: 'web-01' }))
  })
  afterAll(() => app.close())

  const whileLocked = async <T>(work: () => Promise<T>): Promise<T> => {
    const locked = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const holding = app.db.write(async (tx) => {
      await app.db.sql.lockRows(tx.db.selectFrom('devices').selectAll().where('id', '=', id)).execute()
      locked.resolve()
      await done.promise
    })
    await locked.promise
    try {
      return await work()
    } finally {
      done.resolve()
      await holding
    }
  }

  const bulk = async (atomic: boolean) => {
    const operations = [{ op: 'update', id, device: { description: 'changed' } }]
    const response = await whileLocked(() => admin.request('POST', '/api/devices/bulk', { operations, atomic }))
    return [response.status, await response.json()]
  }

  test('an atomic bulk call answers 503, so that the client tries again', async () => {
    expect(await bulk(true)).toMatchObject([503, { code: 'UNAVAILABLE', details: [] }])
  })

  test('a bulk call that is not atomic reports it at the item', async () => {
    expect(await bulk(false)).toMatchObject([200, { failed: 1, results: [{ error: { code: 'UNAVAILABLE' } }] }])
  })

  const endWaiting = async (): Promise<true | undefined> => {
    const { rows } = await sql<{ ended: boolean }>`
      SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`.execute(app.db.read)
    return rows.length > 0 || undefined
  }

  test('an import that loses its connection reports that, and not bad rows', async () => {
    const text = await whileLocked(async () => {
      const response = await admin.request('POST', '/api/estate/import?resource=devices', [
        { id, description: 'changed' },
      ])
      const [body] = await Promise.all([response.text(), until('waiting import', endWaiting)])
      return body
    })
    expect(JSON.parse(text.trim().split('\n').at(-1) ?? '')).toMatchObject({ error: { code: 'UNAVAILABLE' } })
  })
})
