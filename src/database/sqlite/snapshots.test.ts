/**
 * Streams that are not read: on SQLite they prevent a reset of the log for a limited time only; on PostgreSQL they hold
 * no connection.
 */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { testAll } from '../../../testing/cases.ts'
import { until } from '../../../testing/until.ts'
import { createSnapshotAges } from '../snapshot-ages.ts'
import { openSqlite, type SqliteDb } from './sqlite.ts'

type Tables = { t: { id: number; blob: string } }

/** About 33 pages. */
const ROW = 'x'.repeat(130_000)
/** From this size on, a commit itself runs a checkpoint (sqlite.ts). */
const LOG_PAGES = 3000

let dir: string
let db: SqliteDb<Tables>
let beside: Database
let rows = 0

const open = async (resetAfterMs: number): Promise<void> => {
  dir = mkdtempSync(join(tmpdir(), 'plat-snapshots-'))
  db = openSqlite<Tables>(join(dir, 'plat.db'), { resetAfterMs })
  rows = 0
  await db.write((tx) => sql`CREATE TABLE t (id INTEGER PRIMARY KEY, blob TEXT NOT NULL)`.execute(tx.db))
  beside = new Database(join(dir, 'plat.db'))
}
afterEach(async () => {
  beside.close()
  await db.close()
  rmSync(dir, { recursive: true })
})

const add = () => db.write((tx) => tx.db.insertInto('t').values({ id: ++rows, blob: ROW }).execute())
const logPages = (): number => beside.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? Number.NaN
const allRows = () => db.read.selectFrom('t').selectAll().orderBy('id')

/**
 * A stream with a reader that has taken only the first chunk; `finish` reads the rest, like a stream that is moved to a file.
 */
const begun = async (rowsAtMost = 10_000) => {
  const stream = db.stream(allRows().limit(rowsAtMost))
  const first = await stream.next()
  const finish = async (): Promise<number> => {
    let count = first.value?.length ?? 0
    for await (const chunk of stream) count += chunk.length
    return count
  }
  return { stream, finish }
}

const writeUntil = async (what: string, isSo: () => boolean): Promise<void> => {
  await until(what, async () => {
    await add()
    return isSo() || undefined
  })
}
const addMany = async () => {
  for (let i = 0; i < 40; i++) await add()
}

describe('on SQLite', () => {
  beforeEach(() => open(50))

  testAll('the log restarts with a constant reader: all snapshots are requested', async () => {
    await addMany()
    let held = [await begun(10)]
    db.onSnapshotsDue(() => {
      for (const one of held.splice(0)) void one.finish()
    })
    let longest = 0
    for (let i = 0; i < 400; i++) {
      // Each begins while the one before it is open.
      const before = held
      held = [await begun(10)]
      await add()
      longest = Math.max(longest, logPages())
      for (const one of before) await one.finish()
    }
    for (const one of held) await one.finish()
    // All writes together are more than 13,000 pages.
    expect(longest).toBeLessThan(2 * LOG_PAGES)
  })

  test('a requested snapshot is read to its end', async () => {
    await addMany()
    const before = rows
    const one = await begun()
    const { promise: counted, resolve } = Promise.withResolvers<number>()
    db.onSnapshotsDue(() => void one.finish().then(resolve))
    await writeUntil('a snapshot that is due', () => rows > before + 200)
    expect(await counted).toBe(before)
  })

  test('no snapshot is requested while the log is short', async () => {
    await addMany()
    const { stream } = await begun()
    let asked = 0
    db.onSnapshotsDue(() => {
      asked++
    })
    for (let i = 0; i < 10; i++) await add()
    await Bun.sleep(100)
    await add()
    expect(asked).toBe(0)
    await stream.return(undefined)
  })

  test('no snapshot is requested while a scan of the server itself reads', async () => {
    await addMany()
    const scan = db.scan(allRows())
    await scan.next()
    let asked = 0
    db.onSnapshotsDue(() => {
      asked++
    })
    await writeUntil('a long log', () => logPages() > LOG_PAGES)
    await Bun.sleep(100)
    await addMany()
    expect(asked).toBe(0)
    await scan.return(undefined)
  })

  testAll('one that begins while the log is moved waits, and then is answered', async () => {
    await addMany()
    const one = await begun()
    let later: Promise<number> | undefined
    db.onSnapshotsDue(() => {
      later ??= (async () => (await begun()).finish())()
      void Bun.sleep(50).then(one.finish)
    })
    await writeUntil('a stream that began later', () => later !== undefined && rows > 300)
    expect(await later).toBeGreaterThan(40)
  })

  test('rows of a megabyte are read a few at a time', async () => {
    await db.write((tx) => sql`CREATE TABLE long (id INTEGER PRIMARY KEY, blob TEXT)`.execute(tx.db))
    const long = 'x'.repeat(1_000_000)
    for (let i = 0; i < 5; i++) await db.write((tx) => sql`INSERT INTO long (blob) VALUES (${long})`.execute(tx.db))
    // A table that is not in the types of this test.
    const longRows = db.read.selectFrom('long' as 't').selectAll()
    const sizes: number[] = []
    for await (const chunk of db.stream(longRows)) sizes.push(chunk.length)
    expect(Math.max(...sizes)).toBe(1)
  })
})

describe('ages of snapshots on PostgreSQL', () => {
  const OLD_MS = 100

  beforeEach(() => open(60_000))

  test('one that is too old is due', async () => {
    const ages = createSnapshotAges(5, OLD_MS)
    const due: number[] = []
    ages.listen((beforeMs) => due.push(beforeMs))
    const began = performance.now()
    const leave = ages.enter()
    await until('one that is due', () => due.length > 0 || undefined)
    expect(due[0]).toBeGreaterThanOrEqual(began)
    leave()
    ages.close()
  })

  test('one that has ended is not', async () => {
    const ages = createSnapshotAges(5, OLD_MS)
    let due = 0
    ages.listen(() => {
      due++
    })
    ages.enter()()
    const leave = ages.enter()
    await Bun.sleep(50)
    leave()
    await Bun.sleep(600)
    expect(due).toBe(0)
    ages.close()
  })

  test('where others wait for it, a younger one is due', async () => {
    const ages = createSnapshotAges(1, 3_600_000)
    let due = 0
    ages.listen(() => {
      due++
    })
    const leave = [ages.enter(), ages.enter()]
    expect(await until('snapshot that is due', () => due || undefined)).toBeGreaterThan(0)
    for (const one of leave) one()
    ages.close()
  })
})
