// The log of SQLite is moved into the file beside the writes, and stays bounded.
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describeAll } from '../../../testing/cases.ts'
import { type Checkpoints, createCheckpoints } from './checkpoints.ts'
import { openSqlite, type SqliteDb } from './sqlite.ts'

type Tables = { t: { id: number; blob: string } }

/** From this size on, a commit itself runs a checkpoint (sqlite.ts). */
const LOG_PAGES = 3000
const ROW = 'x'.repeat(130_000)
/** Pages of the log that a row takes: about 33 in each transaction. */
const ROW_PAGES = 40
const POLL_MS = 5
const PATIENCE_MS = 10_000

let dir: string
let file: string
let db: SqliteDb<Tables>
let beside: Database
let rows = 0
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plat-checkpoints-'))
  file = join(dir, 'plat.db')
  db = openSqlite<Tables>(file)
  rows = 0
  await db.write((tx) => sql`CREATE TABLE t (id INTEGER PRIMARY KEY, blob TEXT NOT NULL)`.execute(tx.db))
  beside = new Database(file)
})
afterEach(async () => {
  beside.close()
  await db.close()
  rmSync(dir, { recursive: true })
})

const add = () => db.write((tx) => tx.db.insertInto('t').values({ id: ++rows, blob: ROW }).execute())
const logOf = (database = beside) =>
  database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').get() ?? {
    log: -1,
    checkpointed: -1,
  }

/** Writes until the condition holds. @returns the maximum length of the log */
const writeUntil = async (isSo: () => boolean): Promise<number> => {
  const deadline = performance.now() + PATIENCE_MS
  let longest = 0
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('waited in vain')
    await add()
    longest = Math.max(longest, logOf().log)
  }
  return longest
}
const until = async (isSo: () => boolean): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('waited in vain')
    await Bun.sleep(POLL_MS)
  }
}

/** Writes until the log was reset without having been long, so the worker is running. */
const warm = async (): Promise<void> => {
  let before = 0
  await writeUntil(() => {
    const { log } = logOf()
    const isAnew = log < before && before < LOG_PAGES
    before = log
    return isAnew
  })
}

test('reading the length of the log checkpoints nothing', async () => {
  await add()
  logOf()
  expect(logOf().checkpointed).toBe(0)
})

test('the log restarts repeatedly, before a commit must checkpoint', async () => {
  await warm()
  const from = rows
  const longest = await writeUntil(() => rows === from + 200)
  expect(longest).toBeLessThan(LOG_PAGES)
})

test('a large transaction is moved, also if the log is as long as before by then', async () => {
  const isMoved = () => logOf().checkpointed === logOf().log
  for (let n = 0; n < 3; n++) {
    await db.write(
      async (tx) => {
        for (let row = 0; row < 100; row++) await tx.db.insertInto('t').values({ id: ++rows, blob: ROW }).execute()
      },
      { large: true },
    )
    await until(isMoved)
  }
  expect(logOf().log).toBeLessThan(2 * 100 * 33)
})

test('checkpointed data is complete', async () => {
  await warm()
  await writeUntil(() => rows >= 150)
  expect(beside.query('SELECT count(*) AS n, sum(length(blob)) AS bytes FROM t').get()).toEqual({
    n: rows,
    bytes: rows * ROW.length,
  })
  expect(beside.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

describe('a snapshot that is still read', () => {
  const readBeside = () => {
    beside.run('BEGIN')
    const count = () => beside.query<{ n: number }, []>('SELECT count(*) AS n FROM t').get()?.n
    return { before: count(), count, end: () => beside.run('COMMIT') }
  }

  test('stays what it is while the log grows', async () => {
    await add()
    const { before, count, end } = readBeside()
    for (let i = 0; i < 120; i++) await add()
    expect(count()).toBe(before)
    end()
  })

  test('blocks the restart of the log only until it ends', async () => {
    await add()
    const { end } = readBeside()
    for (let i = 0; i < 120; i++) await add()
    end()
    const { log } = logOf()
    expect(log).toBeGreaterThan(LOG_PAGES)
    await writeUntil(() => logOf().log < LOG_PAGES)
  })
})

describeAll('in a file that Litestream replicates', () => {
  const FRAME_BYTES = 4096 + 24
  const LOG_HEADER_BYTES = 32
  const come = () => beside.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
  /** Writes until the log is reset. @returns the length before, and the bytes of the file right after */
  const untilReset = async () => {
    let longest = 0
    await writeUntil(() => {
      const { log } = logOf()
      if (log < longest) return true
      longest = log
      return false
    })
    return { longest, bytes: statSync(`${file}-wal`).size, log: logOf().log }
  }

  test.each([
    ['comes while the server runs', false],
    ['was there before', true],
  ])('and that %s, the log is left to it up to 64 MB, and a reset leaves no older frame', async (_, isReopened) => {
    await warm()
    come()
    if (isReopened) {
      await db.close()
      db = openSqlite<Tables>(file)
    }
    const { longest, bytes, log } = await untilReset()
    expect(longest).toBeGreaterThan(8 * 2000)
    // The commit that passes the limit runs a checkpoint, if the worker has not started by then.
    expect(longest).toBeLessThan(8 * LOG_PAGES + ROW_PAGES)
    expect(bytes).toBe(LOG_HEADER_BYTES + log * FRAME_BYTES)
  })

  test('the reset by a large transaction leaves no older frame', async () => {
    come()
    await db.write((tx) =>
      tx.db
        .insertInto('t')
        .values({ id: ++rows, blob: ROW.repeat(100) })
        .execute(),
    )
    beside.run('PRAGMA wal_checkpoint(PASSIVE)')
    await db.write((tx) => tx.db.insertInto('t').values({ id: ++rows, blob: ROW }).execute(), { large: true })
    const { log } = logOf()
    expect(log).toBeLessThan(100)
    expect(statSync(`${file}-wal`).size).toBe(LOG_HEADER_BYTES + log * FRAME_BYTES)
  })
})

describe('the checkpoint worker', () => {
  const HANGING = "let n = 0; self.onmessage = () => { if (n++ === 0) self.postMessage({ ok: true, value: 'moved' }) }"
  const BROKEN = "self.onmessage = () => self.postMessage({ ok: false, message: 'disk I/O error' })"
  const DYING = 'self.onmessage = () => process.exit(1)'
  const workerOf = (body: string) => () =>
    new Worker(URL.createObjectURL(new Blob([body], { type: 'application/javascript' })))

  const opened = ({ body, longestWaitMs = PATIENCE_MS }: { body?: string; longestWaitMs?: number } = {}) => {
    const writer = new Database(join(dir, 'own.db'), { create: true })
    writer.run('PRAGMA journal_mode = WAL')
    writer.run('PRAGMA synchronous = OFF')
    writer.run('PRAGMA wal_autocheckpoint = 0')
    writer.run('CREATE TABLE t (blob TEXT)')
    const failures: unknown[] = []
    const checkpoints = createCheckpoints({
      file: join(dir, 'own.db'),
      writer,
      onFailure: (error) => failures.push(error),
      longestWaitMs,
      ...(body !== undefined && { spawn: workerOf(body) }),
    })
    const grow = () => {
      for (let i = 0; i < 70; i++) writer.run('INSERT INTO t VALUES (?)', [ROW])
    }
    const close = async () => {
      await checkpoints.close()
      writer.close()
    }
    return { writer, checkpoints, failures, grow, close }
  }

  /** Lets the log grow until writes have to wait. @returns the wrapped promise of the wait */
  const warmed = async (checkpoints: Checkpoints, grow: () => void): Promise<{ waited: Promise<void> }> => {
    let waited: Promise<void> | undefined
    await until(() => {
      grow()
      waited = checkpoints.maintain()
      return waited !== undefined
    })
    if (!waited) throw new Error('nobody waits')
    return { waited }
  }

  test('has nothing to do with a short log', async () => {
    const { writer, checkpoints, close } = opened()
    writer.run('INSERT INTO t VALUES (?)', [ROW])
    expect(checkpoints.maintain()).toBeUndefined()
    await close()
  })

  test('delays no write until it has started', async () => {
    const { checkpoints, grow, close } = opened()
    grow()
    expect(checkpoints.maintain()).toBeUndefined()
    await close()
  })

  test('once started, delays writes until the checkpoint is complete', async () => {
    const { writer, checkpoints, grow, close } = opened()
    await (await warmed(checkpoints, grow)).waited
    const { log, checkpointed } = logOf(writer)
    expect(checkpointed).toBe(log)
    await close()
  })

  test('delays a large transaction until it is complete, also the first one', async () => {
    const { writer, checkpoints, grow, close } = opened()
    grow()
    expect(checkpoints.maintain()).toBeUndefined()
    const waited = checkpoints.beforeLarge()
    expect(waited).toBeDefined()
    await waited
    const { log, checkpointed } = logOf(writer)
    expect([checkpointed, checkpoints.beforeLarge()]).toEqual([log, undefined])
    await close()
  })

  test.each([
    ['that fails', BROKEN],
    ['that dies', DYING],
  ])('one %s is logged once', async (_, body) => {
    const { checkpoints, failures, grow, close } = opened({ body })
    grow()
    void checkpoints.maintain()
    await until(() => failures.length > 0)
    grow()
    void checkpoints.maintain()
    await close()
    expect(failures).toHaveLength(1)
  })

  test('is asked again only when the log has grown by the same size again', async () => {
    const { checkpoints, failures, grow, close } = opened({ body: BROKEN })
    grow()
    void checkpoints.maintain()
    await until(() => failures.length > 0)
    expect(checkpoints.maintain()).toBeUndefined()
    await close()
  })

  test('one that hangs delays writes for a bounded time', async () => {
    const { checkpoints, grow, close } = opened({ body: HANGING, longestWaitMs: 20 })
    const { waited } = await warmed(checkpoints, grow)
    expect(await waited).toBeUndefined()
    await close()
  })
})
