// Writes with the same serializeBy wait in line while another program holds the lock that each of them needs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { engines, postgresDatabase, type TestDatabase } from '../../../testing/servers/servers.ts'
import { startPaused } from '../../../testing/until.ts'
import type { Db } from '../database.ts'
import { DEFAULT_LIMITS } from './connections/settings.ts'
import { openPostgres } from './postgres.ts'

const LOCK_MS = 500

// Left out rather than skipped, as in postgres.test.ts.
if (engines().includes('postgres')) {
  let database: TestDatabase
  let db: Db<Record<string, never>>
  let other: Db<Record<string, never>>
  beforeAll(async () => {
    database = await postgresDatabase()
    db = openPostgres(database.url, { ...DEFAULT_LIMITS, lockMs: LOCK_MS })
    other = openPostgres(database.url)
  }, 60_000)
  afterAll(async () => {
    await db.close()
    await other.close()
    await database.drop()
  })

  const take = (on: typeof db) => on.write((tx) => on.sql.lockNames(tx.db, ['pool 1']), { serializeBy: 'pool 1' })

  test('when a write fails to get a lock in time, those that waited behind it get the same error, and later ones wait again', async () => {
    const free = await startPaused((pause) =>
      other.write(async (tx) => {
        await other.sql.lockNames(tx.db, ['pool 1'])
        await pause()
      }),
    )
    const beganMs = performance.now()
    const line = Promise.all(Array.from({ length: 8 }, () => take(db).catch((error: Error) => error.message)))
    const refused = await line
    const tookMs = performance.now() - beganMs
    const late = take(db)
    await free()
    await late
    expect(new Set(refused)).toEqual(new Set(['The database took too long; try again in a moment']))
    // The first may go alone, and the second in the first group. One after another they would take eight times as long.
    expect(tookMs).toBeLessThan(5 * LOCK_MS)
  })
}
