/** The data file, or its log, is replaced or deleted while it is open. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { until } from '../../../testing/until.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { SLOW } from './slow-reads.ts'
import { openSqlite, type SqliteDb } from './sqlite.ts'

let folder: string
let file: string
let db: SqliteDb<{ t: { n: number } }>
let isOpen = false
const logged: string[] = []
const log = createLogger({ level: 'info', format: 'text', write: (entry) => logged.push(entry) })

const open = async (lookMs = 20) => {
  db = openSqlite(file, { log, lookMs })
  isOpen = true
  await db.write(({ db: tx }) => sql`CREATE TABLE IF NOT EXISTS t (n INTEGER)`.execute(tx))
}
const close = async () => {
  if (isOpen) await db.close()
  isOpen = false
}
beforeEach(async () => {
  logged.length = 0
  folder = mkdtempSync(join(tmpdir(), 'plat-identity-'))
  file = join(folder, 'plat.db')
  await open()
})
afterEach(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

const insert = (n: number) => db.write(({ db: tx }) => tx.insertInto('t').values({ n }).execute())
const REPLACED = /^The data file was replaced or deleted: /
const refuses = (n: number) => expect(insert(n)).rejects.toThrow(REPLACED)
const numbersIn = (path: string): number[] => {
  const database = new Database(path)
  const rows = database.query<{ n: number }, []>('SELECT n FROM t ORDER BY n').all()
  database.close()
  return rows.map(({ n }) => n)
}
/** Puts another database at the path, with its own log. Returns the content of both. */
const replace = (to: string) => {
  const foreign = join(folder, 'foreign.db')
  const made = new Database(foreign)
  made.run('PRAGMA journal_mode = WAL')
  made.run('CREATE TABLE t (n INTEGER)')
  made.run('INSERT INTO t VALUES (1000)')
  const contents = ['', '-wal'].map((end) => readFileSync(foreign + end))
  made.close()
  renameSync(file, to)
  for (const [i, end] of ['', '-wal'].entries()) writeFileSync(`${foreign}${end}`, contents[i] ?? '')
  renameSync(foreign, file)
  return { contents, foreignLog: `${foreign}-wal` }
}

describe('a replaced data file', () => {
  test('refuses the next write, is read on, streams too, and the moved file has all that was written', async () => {
    await insert(1)
    const { contents } = replace(join(folder, 'old.db'))
    await refuses(2)
    const read = [{ n: 1 }]
    expect(await db.read.selectFrom('t').selectAll().execute()).toEqual(read)
    const rows = await Array.fromAsync(db.stream(db.read.selectFrom('t').selectAll()))
    expect(rows.flat()).toEqual(read)
    await expect(db.ping()).rejects.toThrow(REPLACED)
    await close()
    expect(readFileSync(file).equals(contents[0] ?? Buffer.alloc(0))).toBe(true)
    expect(numbersIn(join(folder, 'old.db'))).toEqual([1])
  })

  test('keeps a log that came with it', async () => {
    await insert(1)
    const { contents, foreignLog } = replace(join(folder, 'old.db'))
    renameSync(foreignLog, `${file}-wal`)
    await refuses(2)
    await close()
    expect(readFileSync(`${file}-wal`).equals(contents[1] ?? Buffer.alloc(0))).toBe(true)
    expect(numbersIn(file)).toEqual([1000])
  })

  test('is not written by a large transaction or a transaction that had begun', async () => {
    await insert(1)
    const large = db.write(
      async ({ db: tx }) => {
        await tx.insertInto('t').values({ n: 2 }).execute()
        replace(join(folder, 'old.db'))
        await tx.insertInto('t').values({ n: 3 }).execute()
      },
      { exclusive: true, large: true },
    )
    await expect(large).rejects.toThrow(REPLACED)
    await close()
    expect(readdirSync(folder).filter((name) => name.startsWith('plat.db'))).toEqual(['plat.db'])
  })

  test('is not opened by a read that comes before the next look', async () => {
    await close()
    await open(3_600_000)
    await insert(1)
    const { contents } = replace(join(folder, 'old.db'))
    const { rows } = await sql`SELECT n FROM t ${SLOW}`.execute(db.read)
    const streamed = await Array.fromAsync(db.stream(db.read.selectFrom('t').selectAll()))
    expect([rows, streamed.flat()]).toEqual([[{ n: 1 }], [{ n: 1 }]])
    expect(readFileSync(file).equals(contents[0] ?? Buffer.alloc(0))).toBe(true)
    await close()
    expect(readFileSync(file).equals(contents[0] ?? Buffer.alloc(0))).toBe(true)
  })

  test('is noticed without a write, and logged once', async () => {
    replace(join(folder, 'old.db'))
    await until('the fault', () => (db.fault()?.kind === 'replaced' ? true : undefined))
    await refuses(1)
    expect(logged.filter((entry) => entry.includes('the data file was replaced'))).toHaveLength(1)
  })
})

test('a log that is deleted refuses writes, and nothing that was written is lost', async () => {
  await insert(1)
  rmSync(`${file}-wal`)
  await until('the fault', () => (db.fault()?.kind === 'replaced' ? true : undefined))
  await refuses(2)
  await close()
  expect(numbersIn(file)).toEqual([1])
})

test('a data file behind a symbolic link is its target', async () => {
  await close()
  mkdirSync(join(folder, 'disk'))
  for (const name of readdirSync(folder).filter((one) => one.startsWith('plat.db')))
    renameSync(join(folder, name), join(folder, 'disk', name))
  symlinkSync(join(folder, 'disk', 'plat.db'), file)
  await open()
  await insert(1)
  expect(db.fault()).toBeUndefined()
  rmSync(join(folder, 'disk', 'plat.db'))
  await refuses(2)
})
