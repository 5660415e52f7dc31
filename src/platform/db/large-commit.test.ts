// The commit of a large transaction leaves its log to be moved into the file by another thread.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { until } from '../../testing/until.ts'
import { openSqlite, type SqliteDb } from './sqlite.ts'

type Tables = { t: { id: string; text: string } }

const MIB = 1024 * 1024
const SIZE = 24 * MIB

let dir: string
let file: string
let db: SqliteDb<Tables>
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plat-large-'))
  file = join(dir, 'plat.db')
  db = openSqlite<Tables>(file)
  await db.write((tx) => sql`CREATE TABLE t (id TEXT PRIMARY KEY, text TEXT)`.execute(tx.db))
})
afterEach(async () => {
  await db.close()
  rmSync(dir, { recursive: true })
})

const fill = () =>
  db.write(
    async (tx) => {
      const text = 'x'.repeat(MIB)
      for (let i = 0; i < SIZE / MIB; i++)
        await tx.db
          .insertInto('t')
          .values({ id: `${i}`, text })
          .execute()
    },
    { alone: true },
  )
const isMoved = (): boolean => statSync(file).size > SIZE / 2

test('does not move the log', async () => {
  await fill()
  expect(isMoved()).toBe(false)
})

test('has it moved soon after', async () => {
  await fill()
  expect(await until('moved log', () => isMoved() || undefined)).toBe(true)
})

test('leaves the log to later commits as it was: they move it where nothing else does', async () => {
  await fill()
  const rows = await db.write((tx) => sql<{ pages: number }>`PRAGMA wal_autocheckpoint`.execute(tx.db))
  expect(Object.values(rows.rows[0] ?? {})).toEqual([3000])
})

test('that fails on its way leaves nothing', async () => {
  const failing = db.write(
    async (tx) => {
      await tx.db
        .insertInto('t')
        .values({ id: 'a', text: 'x'.repeat(SIZE) })
        .execute()
      throw new Error('given up')
    },
    { alone: true },
  )
  await failing.catch(() => {})
  expect(await db.read.selectFrom('t').select('id').execute()).toEqual([])
})
