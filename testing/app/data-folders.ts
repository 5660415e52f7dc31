/** Data folders for the tests of recovery: the real schema, a few rows, the command line on them. */
import { Database } from 'bun:sqlite'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { createLogger } from '../../src/base/runtime/log.ts'
import { type DataFolder, openDataFolder } from '../../src/database/disk/data-folder.ts'
import { migrations as released } from '../../src/database/migrations/index.ts'
import type { SqliteDb } from '../../src/database/sqlite/sqlite.ts'
import type { Tables } from '../../src/database/tables.ts'
import { memoryIo } from '../memory-io.ts'

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const CREATED = '2026-01-02T03:04:05.678Z'

export const openData = (dataDir: string, migrations = released): Promise<DataFolder<Tables>> =>
  openDataFolder<Tables>({ dataDir, migrations, now: () => new Date(), log })

/** Adds a row on which no other depends. */
export const addDatacenter = (db: SqliteDb<Tables>, name: string): Promise<unknown> => {
  const times = { created_at: CREATED, updated_at: CREATED }
  return db.write((tx) =>
    tx.db
      .insertInto('datacenters')
      .values({
        id: name,
        name,
        name_key: name,
        name_order: '',
        location: '',
        description: '',
        refs: '{}',
        managed_by: '',
        ...times,
      })
      .execute(),
  )
}

/** Returns the names of the datacenters of a folder. Migrates it like any start. */
export const datacentersIn = async (dataDir: string, migrations = released): Promise<string[]> => {
  const { db, close } = await openData(dataDir, migrations)
  const rows = await db.read.selectFrom('datacenters').select('name').orderBy('name').execute()
  await close()
  return rows.map(({ name }) => name)
}

/** Creates a data folder with these datacenters. */
export const fillData = async (dataDir: string, ...names: readonly string[]): Promise<void> => {
  const { db, close } = await openData(dataDir)
  for (const name of names) await addDatacenter(db, name)
  await close()
}

/** Adds the tables that Litestream keeps in a database that it replicates. */
export const addLitestreamTables = (file: string): void => {
  const database = new Database(file, { readwrite: true, create: false })
  database.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
  database.run('CREATE TABLE _litestream_lock (id INTEGER)')
  database.run('INSERT INTO _litestream_seq (id, seq) VALUES (1, 7)')
  database.close()
}

/** Returns the names of these tables that a database file holds. */
export const litestreamTablesIn = (file: string): string[] => {
  const database = new Database(file, { readonly: true })
  const rows = database
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE name GLOB '_litestream_*' ORDER BY name")
    .all()
  database.close()
  return rows.map(({ name }) => name)
}

/** Returns every file with its content. Equality before and after proves that nothing was changed. */
export const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, name))).digest('hex')]),
  )

/** Runs the command line with only these environment variables. */
export const platIn = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
  const { io, out, err } = memoryIo({ argv, env })
  return { code: await runCli(io), out: out(), err: err() }
}

export const plat = (...argv: string[]) => platIn({}, ...argv)

/** Creates a folder that is deleted when the process ends. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-recovery-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
