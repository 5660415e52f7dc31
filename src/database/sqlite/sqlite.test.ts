import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { isTooOld, openSqlite, type SqliteDb } from './sqlite.ts'

type Tables = { t: { id: string } }

let dir: string
let file: string
let db: SqliteDb<Tables>
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plat-sqlite-'))
  file = join(dir, 'plat.db')
  db = openSqlite<Tables>(file)
  await db.write((tx) => sql`CREATE TABLE t (id TEXT PRIMARY KEY)`.execute(tx.db))
})
afterEach(async () => {
  await db.close()
  rmSync(dir, { recursive: true })
})

const add = (id: string) => db.write((tx) => tx.db.insertInto('t').values({ id }).execute())
const pragma = async (on: 'reader' | 'writer', name: string): Promise<unknown> => {
  const query = sql.raw<Record<string, unknown>>(`PRAGMA ${name}`)
  const { rows } = await (on === 'reader' ? query.execute(db.read) : db.write((tx) => query.execute(tx.db)))
  return Object.values(rows[0] ?? {})[0]
}

describe.each(['writer', 'reader'] as const)('the %s', (on) => {
  test.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2], // FULL: a commit is on the disk before it is answered
    ['foreign_keys', 1],
    // A write waits for a lock beside this thread.
    ['busy_timeout', on === 'writer' ? 0 : 5000],
    ['journal_size_limit', 64 * 1024 * 1024],
  ])('has %s = %p', async (name, value) => {
    expect(await pragma(on, name)).toBe(value)
  })
})

describe('the SQLite that is built in', () => {
  test.each(['3.51.2', '3.50.9', '3.8.0', '2.99.99', '3.51', ''])('is too old as %p', (version) => {
    expect(isTooOld(version)).toBe(true)
  })

  test.each(['3.51.3', '3.51.10', '3.52.0', '3.100.0', '4.0.0', '3.54.1'])('is new enough as %p', (version) => {
    expect(isTooOld(version)).toBe(false)
  })
})

describe('a copy', () => {
  test('holds committed rows', async () => {
    await add('a')
    db.copyTo(join(dir, 'copy.db'))
    const copy = new Database(join(dir, 'copy.db'), { readonly: true })
    expect(copy.query('SELECT id FROM t').all()).toEqual([{ id: 'a' }])
    copy.close()
  })

  test('overwrites nothing', async () => {
    db.copyTo(join(dir, 'copy.db'))
    expect(() => db.copyTo(join(dir, 'copy.db'))).toThrow()
  })
})

describe('closing', () => {
  test('waits for the writes under way', async () => {
    const writes = [add('a'), add('b')]
    await db.close()
    const outcomes = await Promise.allSettled(writes)
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    db = openSqlite<Tables>(file)
  })

  test('leaves one file, whole', async () => {
    await add('a')
    await db.close()
    const copy = new Database(file, { readonly: true })
    expect(copy.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    copy.close()
    db = openSqlite<Tables>(file)
  })

  test('with a stream half-way lets the stream end', async () => {
    const rows = Array.from({ length: 1200 }, (_, i) => ({ id: `${i}` }))
    await db.write((tx) => tx.db.insertInto('t').values(rows).execute())
    const stream = db.stream(db.read.selectFrom('t').selectAll())
    let seen = (await stream.next()).value?.length ?? 0
    await db.close()
    for await (const chunk of stream) seen += chunk.length
    expect(seen).toBe(1200)
    db = openSqlite<Tables>(file)
  })
})

test('revisions of another start of the program are other ones', async () => {
  const before = await db.revision(['t'])
  await db.close()
  db = openSqlite<Tables>(file)
  expect(await db.revision(['t'])).not.toBe(before)
})

test('a file that is no database is refused', () => {
  const other = join(dir, 'text.db')
  writeFileSync(other, 'this is no database, but long enough to be looked at as one, at least by its head.'.repeat(20))
  expect(() => openSqlite(other)).toThrow('file is not a database')
})

describe('the revision in a transaction', () => {
  const revisionIn = () => db.write(async (tx) => tx.revision(['t']))

  test('is that of the last commit', async () => {
    await add('a')
    expect(await revisionIn()).toBe(String(await db.revision(['t'])))
  })

  test('stays the same while nothing is written', async () => {
    expect(await revisionIn()).toBe(await revisionIn())
  })

  test('moves with a commit of another connection, as that of lists does from then on', async () => {
    const [before, ofLists] = [await revisionIn(), await db.revision(['t'])]
    const other = new Database(file)
    other.run("INSERT INTO t VALUES ('other')")
    other.close()
    expect(await revisionIn()).not.toBe(before)
    expect(await db.revision(['t'])).not.toBe(ofLists)
  })

  test('is unknown after another write of the table in the same commit', async () => {
    const [, told] = await Promise.all([add('a'), revisionIn()])
    expect(told).toBeUndefined()
  })
})
