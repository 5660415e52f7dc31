/** Another program holds the lock of the data file. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { FaultError } from '../../base/disk/fault.ts'
import { openSqlite, type SqliteDb } from './sqlite.ts'

const WAIT_MS = 300

let folder: string
let file: string
let db: SqliteDb<{ t: { n: number } }>
let other: Database
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plat-locked-'))
  file = join(folder, 'plat.db')
  db = openSqlite(file, { lockWaitMs: WAIT_MS })
  await db.write(({ db: tx }) => sql`CREATE TABLE t (n INTEGER)`.execute(tx))
  other = new Database(file)
})
afterEach(async () => {
  other.close()
  await db.close()
  rmSync(folder, { recursive: true, force: true })
})

const insert = (n: number) => db.write(({ db: tx }) => tx.insertInto('t').values({ n }).execute())
const outcome = async (n: number) => {
  const beganMs = performance.now()
  const result = await insert(n).then(
    () => 'written',
    (error: unknown) => (error instanceof FaultError ? error.fault.kind : error),
  )
  return { result, ms: performance.now() - beganMs }
}

test('each write waits for the lock for its own time, and reads go on', async () => {
  other.run('BEGIN EXCLUSIVE')
  const first = outcome(1)
  await Bun.sleep(WAIT_MS / 2)
  const second = outcome(2)
  let longestMs = 0
  for (let last = performance.now(), isOver = false; !isOver; ) {
    isOver = (await Promise.race([first, Bun.sleep(1).then(() => undefined)])) !== undefined
    expect(await db.read.selectFrom('t').selectAll().execute()).toEqual([])
    longestMs = Math.max(longestMs, performance.now() - last)
    last = performance.now()
  }
  other.run('ROLLBACK')
  expect((await first).result).toBe('locked')
  expect((await first).ms).toBeGreaterThanOrEqual(WAIT_MS)
  expect((await second).result).toBe('written')
  expect(longestMs).toBeLessThan(WAIT_MS / 2)
})

test('more writes than one commit takes are refused together, and written after the lock has ended', async () => {
  other.run('BEGIN EXCLUSIVE')
  const results = await Promise.all(Array.from({ length: 200 }, (_, n) => outcome(n)))
  expect(new Set(results.map(({ result }) => result))).toEqual(new Set(['locked']))
  expect(Math.max(...results.map(({ ms }) => ms))).toBeLessThan(WAIT_MS * 3)
  expect(db.fault()?.kind).toBe('locked')
  other.run('ROLLBACK')
  expect((await outcome(1)).result).toBe('written')
  expect(await db.read.selectFrom('t').selectAll().execute()).toEqual([{ n: 1 }])
})

test('a lock that is held for moments delays writes alone', async () => {
  for (let n = 0; n < 3; n++) {
    other.run('BEGIN IMMEDIATE')
    const writing = outcome(n)
    await Bun.sleep(20)
    other.run('ROLLBACK')
    expect((await writing).result).toBe('written')
  }
  expect(db.fault()).toBeUndefined()
})
