// A large transaction runs on another thread by the same rules as any other one. Its log is moved into the file after
// it.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { until } from '../../../testing/until.ts'
import type { AppError } from '../../contract/errors.ts'
import type { Tx } from '../database.ts'
import { getViolation } from '../violations.ts'
import { computeLargeCachePages, createLargeWriter } from './large-writer.ts'
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
    { exclusive: true, large: true },
  )
const isMoved = (): boolean => statSync(file).size > SIZE / 2

test('does not checkpoint the log', async () => {
  await fill()
  expect(isMoved()).toBe(false)
})

test('has it checkpointed soon after', async () => {
  await fill()
  expect(await until('moved log', () => isMoved() || undefined)).toBe(true)
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
    { exclusive: true, large: true },
  )
  await failing.catch(() => {})
  expect(await db.read.selectFrom('t').select('id').execute()).toEqual([])
})

const LARGE = { exclusive: true, large: true }
const ids = async (): Promise<string[]> =>
  (await db.read.selectFrom('t').select('id').orderBy('id').execute()).map(({ id }) => id)
const insert = (tx: Tx<Tables>, id: string) => tx.db.insertInto('t').values({ id, text: '' }).execute()
const thrown = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing',
    (error: unknown) => error,
  )

test('commits on another thread', async () => {
  const start = await db.write(async (tx) => {
    // Writes each row repeatedly: the log contains several versions of a page, of which the commit computes checksums.
    for (let round = 0; round < 3; round++)
      for (let i = 0; i < SIZE / MIB; i++)
        await tx.db
          .replaceInto('t')
          .values({ id: `${i}`, text: String(round).repeat(MIB) })
          .execute()
    return { thread: process.threadCpuUsage(), process: process.cpuUsage() }
  }, LARGE)
  const thread = process.threadCpuUsage(start.thread)
  const all = process.cpuUsage(start.process)
  expect((thread.user + thread.system) / (all.user + all.system)).toBeLessThan(0.5)
})

test('sees its own writes, which are invisible to others before its commit', async () => {
  const seen = await db.write(async (tx) => {
    await insert(tx, 'a')
    const rows = await tx.db.selectFrom('t').select('id').execute()
    return [rows, await ids()]
  }, LARGE)
  expect([seen, await ids()]).toEqual([[[{ id: 'a' }], []], ['a']])
})

test('runs the work deferred to its commit', async () => {
  await db.write(async (tx) => {
    tx.atCommit(async (inCommit, left) => {
      for (const id of left) await inCommit.insertInto('t').values({ id, text: '' }).execute()
    }, 'left')
  }, LARGE)
  expect(await ids()).toEqual(['left'])
})

test('shows in the revision of the tables that it wrote', async () => {
  const before = await db.revision(['t'])
  await db.write((tx) => insert(tx, 'a'), LARGE)
  expect(await db.revision(['t'])).not.toBe(before)
})

test('is followed by writes on the usual connection, and by another large one', async () => {
  for (const id of ['a', 'b', 'c', 'd']) await db.write((tx) => insert(tx, id), id === 'b' ? {} : LARGE)
  expect(await ids()).toEqual(['a', 'b', 'c', 'd'])
})

describe('an insert that breaks a constraint', () => {
  test('fails the transaction, though it was not awaited, and says which constraint', async () => {
    const error = await thrown(
      db.write(async (tx) => {
        await insert(tx, 'a')
        await insert(tx, 'a')
        await insert(tx, 'b')
      }, LARGE),
    )
    expect([getViolation(error), await ids()]).toEqual([{ kind: 'unique', name: 't_id' }, []])
  })

  test('fails every later statement until it is undone', async () => {
    const outcomes = await db.write(async (tx) => {
      await insert(tx, 'a')
      const failed = await thrown(
        tx.savepoint(async () => {
          await insert(tx, 'a')
          await thrown(tx.db.selectFrom('t').select('id').execute())
          await tx.db.selectFrom('t').select('id').execute()
        }),
      )
      await insert(tx, 'b')
      return getViolation(failed)
    }, LARGE)
    expect([outcomes, await ids()]).toEqual([{ kind: 'unique', name: 't_id' }, ['a', 'b']])
  })

  test('an insert that breaks a constraint is only undone with its savepoint', async () => {
    await db.write(async (tx) => {
      await insert(tx, 'a')
      const undone = async () => {
        await insert(tx, 'b')
        await insert(tx, 'b')
      }
      await thrown(tx.savepoint(undone))
      await insert(tx, 'c')
    }, LARGE)
    expect(await ids()).toEqual(['a', 'c'])
  })

  test('that was never sent does not keep the savepoint from being undone', async () => {
    await db.write(async (tx) => {
      await insert(tx, 'a')
      const givenUp = async () => {
        await insert(tx, 'a')
        throw new Error('given up')
      }
      await thrown(tx.savepoint(givenUp))
    }, LARGE)
    expect(await ids()).toEqual(['a'])
  })
})

/** From now on the file has no room to grow. */
const fillDisk = async () => {
  const pages = await db.write((tx) => sql<{ page_count: number }>`PRAGMA page_count`.execute(tx.db))
  await db.write((tx) => sql.raw(`PRAGMA max_page_count = ${pages.rows[0]?.page_count}`).execute(tx.db))
}

test('may grow the file no further than other writes', async () => {
  await fillDisk()
  const error = await thrown(fill())
  expect([(error as AppError).code, await ids()]).toEqual(['UNAVAILABLE', []])
})

describe.each([
  ['of this thread', { exclusive: true }],
  ['of another thread', LARGE],
])('on a connection %s, a full disk ends the transaction', (_, options) => {
  const failing = () =>
    thrown(
      db.write(async (tx) => {
        const later = async () => {
          for (let i = 0; i < 10; i++) {
            await insert(tx, `later-${i}`)
            await Bun.sleep(1)
          }
        }
        await tx.savepoint(async () => {
          const large = tx.db.insertInto('t').values({ id: 'large', text: 'x'.repeat(SIZE) })
          await Promise.all([later(), large.execute(), tx.db.selectFrom('t').select('id').execute()])
        })
      }, options),
    )

  test('and concurrent calls write nothing, then or in the next transaction', async () => {
    await fillDisk()
    expect(((await failing()) as AppError).code).toBe('UNAVAILABLE')
    await Bun.sleep(30)
    const refusing = async () => {
      throw new Error('refused')
    }
    await thrown(db.write(refusing, options))
    await db.write(async () => {}, options)
    expect(await ids()).toEqual([])
  })
})

test('an insert that was not awaited in a rolled back savepoint fails nothing later', async () => {
  await db.write(async (tx) => {
    await insert(tx, 'a')
    let late: Promise<unknown> = Promise.resolve()
    const givenUp = async () => {
      await insert(tx, 'a')
      // Sent, and answered with the failure after the rollback.
      late = thrown(tx.db.selectFrom('t').select('id').execute())
      throw new Error('given up')
    }
    await thrown(tx.savepoint(givenUp))
    await insert(tx, 'b')
    await late
  }, LARGE)
  expect(await ids()).toEqual(['a', 'b'])
})

describe('a worker that dies', () => {
  test('fails the transaction, and the next one has another', async () => {
    const workers: Worker[] = []
    const writer = new Database(file)
    const spawn = () => {
      const worker = new Worker(new URL('./large-writer-worker.ts', import.meta.url).href)
      workers.push(worker)
      return worker
    }
    const large = createLargeWriter<Tables>({ file, writer, log: () => {}, spawn })
    await large.open()
    await large.run('BEGIN IMMEDIATE')
    const under = thrown(large.db.selectFrom('t').select('id').execute())
    workers[0]?.terminate()
    const error = await under
    const after = large.inTransaction
    await large.close()
    await large.open()
    await large.run('BEGIN IMMEDIATE')
    await large.run('ROLLBACK')
    await large.close()
    large.end()
    writer.close()
    expect([String(error), after, workers.length]).toEqual(['Error: The writing worker ended', false, 2])
  })
})

test.each([
  [512 * MIB, 64],
  [1600 * MIB, 100],
  [65_536 * MIB, 128],
])('of a machine with %d bytes caches %d MB', (memory, megabytes) => {
  expect(computeLargeCachePages(memory) * 4096).toBe(megabytes * MIB)
})
