import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { RESERVE_BYTES, RESERVE_MARGIN_BYTES } from '../../base/disk/reserve.ts'
import { createLogger } from '../../base/runtime/log.ts'
import type { Migration } from '../migrate.ts'
import { openDataFolder } from './data-folder.ts'
import { copyBeforeUpgrade } from './upgrade-copy.ts'

type Tables = { a: { id: string } }

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const now = () => new Date('2026-01-02T03:04:05.678Z')
const numbered = (n: number): Migration => ({
  name: `000${n}`,
  statements: () => [n === 1 ? 'CREATE TABLE a (id TEXT)' : `CREATE TABLE more_${n} (id TEXT)`],
})
const upTo = (count: number) => Array.from({ length: count }, (_, i) => numbered(i + 1))

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plat-folder-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const at = (name: string) => join(dataDir, name)
const open = (migrations: readonly Migration[]) => openDataFolder<Tables>({ dataDir, migrations, now, log })
const upgrade = async (migrations: readonly Migration[]) => {
  const { close } = await open(migrations)
  await close()
}
const tablesOf = (file: string): string[] => {
  const database = new Database(file, { readonly: true })
  const rows = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  const sound = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').get()
  database.close()
  expect(sound?.integrity_check).toBe('ok')
  return rows.map(({ name }) => name)
}

/** Opens the folder in a separate process, with a second migration that never ends after many writes. */
const startSlowUpgrade = () => {
  const script = `
    const { openDataFolder } = await import(${JSON.stringify(join(import.meta.dir, 'data-folder.ts'))})
    const { createLogger } = await import(${JSON.stringify(join(import.meta.dir, '../../base/runtime/log.ts'))})
    const rows = (n, columns) => 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ' + n + ') SELECT ' + columns + ' FROM n'
    await openDataFolder({
      dataDir: ${JSON.stringify(dataDir)},
      now: () => new Date(),
      log: createLogger({ level: 'error', format: 'text' }),
      migrations: [
        { name: '0001', statements: () => ['CREATE TABLE a (id TEXT)'] },
        { name: '0002', statements: () => [
          "INSERT INTO a VALUES ('half-way')",
          'CREATE TABLE more_2 AS ' + rows(10000, 'randomblob(4000) AS blob'),
          'CREATE TABLE forever AS ' + rows(1e15, 'count(*)'),
        ] },
      ],
    })
  `
  return Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' })
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await Bun.sleep(5)
}

describe('a kill -9 inside a migration', () => {
  beforeEach(async () => {
    const { db, close } = await open(upTo(1))
    await db.write((tx) => tx.db.insertInto('a').values({ id: 'kept' }).execute())
    await close()
    const child = startSlowUpgrade()
    // Uncommitted writes are in the log, so the migration is in progress.
    await until(() => (statSync(at('plat.db-wal'), { throwIfNoEntry: false })?.size ?? 0) > 1024 * 1024)
    child.kill('SIGKILL')
    await child.exited
  })

  test('leaves the data unchanged, and the next start completes it', async () => {
    const { db, close } = await open(upTo(2))
    const rows = await db.read.selectFrom('a').selectAll().execute()
    const applied = await sql<{ name: string }>`SELECT name FROM migrations ORDER BY name`.execute(db.read)
    await close()
    expect(rows).toEqual([{ id: 'kept' }])
    expect(applied.rows).toEqual([{ name: '0001' }, { name: '0002' }])
    expect(tablesOf(at('plat.db'))).toContain('more_2')
  })

  test('leaves the copy of the previous version', () => {
    expect(tablesOf(at('plat-before-2.db'))).not.toContain('more_2')
    const copy = new Database(at('plat-before-2.db'), { readonly: true })
    expect(copy.query('SELECT id FROM a').all()).toEqual([{ id: 'kept' }])
    copy.close()
  })

  test('leaves data that the previous version can use', async () => {
    const { db, close } = await open(upTo(1))
    expect(await db.read.selectFrom('a').selectAll().execute()).toEqual([{ id: 'kept' }])
    await close()
  })
})

describe('copies before an upgrade', () => {
  const copies = () => readdirSync(dataDir).filter((name) => name.startsWith('plat-before-'))

  test('are kept to the newest three', async () => {
    for (let count = 1; count <= 6; count++) {
      await upgrade(upTo(count))
      // Files of the same time have no order.
      for (const [i, name] of copies().sort().entries()) utimesSync(at(name), i + 1, i + 1)
    }
    expect(copies().sort()).toEqual(['plat-before-4.db', 'plat-before-5.db', 'plat-before-6.db'])
  })

  test('keep the one just made, whatever the others say of their age', async () => {
    await upgrade(upTo(2))
    for (const n of [6, 7, 8]) {
      writeFileSync(at(`plat-before-${n}.db`), '')
      utimesSync(at(`plat-before-${n}.db`), 9_999_999_999, 9_999_999_999)
    }
    await upgrade(upTo(3))
    expect(copies()).toContain('plat-before-3.db')
    expect(copies()).toHaveLength(3)
  })

  test('only the owner can read copies before an upgrade', async () => {
    await upgrade(upTo(1))
    await upgrade(upTo(2))
    expect(statSync(at('plat-before-2.db')).mode & 0o777).toBe(0o600)
  })

  test('replace one of the same number, and never by half', async () => {
    await upgrade(upTo(1))
    writeFileSync(at('plat-before-2.db'), 'of a start that failed')
    writeFileSync(at('plat-before-2.db.part'), 'of a start that was killed')
    await upgrade(upTo(2))
    expect(tablesOf(at('plat-before-2.db'))).toContain('a')
    expect(existsSync(at('plat-before-2.db.part'))).toBe(false)
  })
})

test('an upgrade without room for the copy changes nothing, and says so', () => {
  const copyTo = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  }
  expect(() => copyBeforeUpgrade({ copyTo }, dataDir, 2)).toThrow(/^There is no room in \S+ for the copy of the data/)
  expect(readdirSync(dataDir)).toEqual([])
})

describe('a leftover of a killed command', () => {
  test('is removed at the next start', async () => {
    await upgrade(upTo(1))
    for (const name of ['plat.db.restoring', 'plat.db.restoring-journal', 'plat-before-1.db.part'])
      writeFileSync(at(name), 'half')
    await upgrade(upTo(1))
    expect(readdirSync(dataDir).toSorted()).toEqual(['plat.db', 'plat.lock'])
  })

  test('does not give the data file a second name', async () => {
    await upgrade(upTo(1))
    linkSync(at('plat.db'), at('plat-replaced-20260102T030405Z.db'))
    writeFileSync(at('plat-replaced-20260101T030405Z.db'), 'other data')
    await upgrade(upTo(1))
    expect(readdirSync(dataDir).toSorted()).toEqual(['plat-replaced-20260101T030405Z.db', 'plat.db', 'plat.lock'])
  })
})

describe('the reserve', () => {
  const maintain = async (freeBytes: number) => {
    const folder = await openDataFolder<Tables>({ dataDir, migrations: upTo(1), now, log, freeBytes: () => freeBytes })
    await folder.maintain()
    await folder.close()
  }
  const size = () => statSync(at('plat.ballast'), { throwIfNoEntry: false })?.size

  test('is made where there is space', async () => {
    await maintain(1e9)
    expect(size()).toBe(RESERVE_BYTES)
  })

  test('is not made of the last space', async () => {
    await maintain(RESERVE_BYTES + RESERVE_MARGIN_BYTES - 1)
    expect(size()).toBeUndefined()
  })

  test('is made whole when a kill has left it half', async () => {
    writeFileSync(at('plat.ballast'), 'half')
    await maintain(1e9)
    expect(size()).toBe(RESERVE_BYTES)
  })
})

test('a damaged data file stops the start, with the reason and what to do', async () => {
  await upgrade(upTo(1))
  const bytes = readFileSync(at('plat.db'))
  bytes.fill(0xff, 100)
  writeFileSync(at('plat.db'), bytes)
  await expect(upgrade(upTo(1))).rejects.toThrow(/^The data file is damaged, .* plat restore the latest backup$/)
  expect(readFileSync(at('plat.db')).equals(bytes)).toBe(true)
})

test('a start that fails releases the lock of the folder', async () => {
  await upgrade(upTo(2))
  const [newer] = await Promise.allSettled([upgrade(upTo(1))])
  const [right] = await Promise.allSettled([upgrade(upTo(2))])
  expect([newer.status, right.status]).toEqual(['rejected', 'fulfilled'])
})
