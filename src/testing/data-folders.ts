/** Data folders for the tests of recovery: the real schema, a few rows, the command line against it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../cli.ts'
import type { Tables } from '../features/tables.ts'
import { migrations as released } from '../migrations/index.ts'
import { memoryIo } from '../platform/cli/memory-io.ts'
import { type DataFolder, openDataFolder } from '../platform/db/disk/data-folder.ts'
import type { SqliteDb } from '../platform/db/sqlite/sqlite.ts'
import { createLogger } from '../platform/runtime/log.ts'

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const CREATED = '2026-01-02T03:04:05.678Z'

export const openData = (dataDir: string, migrations = released): Promise<DataFolder<Tables>> =>
  openDataFolder<Tables>({ dataDir, migrations, now: () => new Date(), log })

/** One row that nothing depends on. */
export const addDatacenter = (db: SqliteDb<Tables>, name: string): Promise<unknown> => {
  const times = { created_at: CREATED, updated_at: CREATED }
  return db.write((tx) =>
    tx.db
      .insertInto('datacenters')
      .values({ id: name, name, name_key: name, location: '', description: '', ...times })
      .execute(),
  )
}

/** The names of the datacenters that a folder holds, which brings it to the schema like any start. */
export const datacentersIn = async (dataDir: string, migrations = released): Promise<string[]> => {
  const { db, close } = await openData(dataDir, migrations)
  const rows = await db.read.selectFrom('datacenters').select('name').orderBy('name').execute()
  await close()
  return rows.map(({ name }) => name)
}

/** A folder of data with these datacenters in it. */
export const fillData = async (dataDir: string, ...names: readonly string[]): Promise<void> => {
  const { db, close } = await openData(dataDir)
  for (const name of names) await addDatacenter(db, name)
  await close()
}

/** Every file and what is in it: equal before and after means that nothing was touched. */
export const contentOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, new Bun.CryptoHasher('sha256').update(readFileSync(join(folder, name))).digest('hex')]),
  )

/** The command line with these environment variables and no others. */
export const platIn = async (env: Readonly<Record<string, string>>, ...argv: string[]) => {
  const { io, out, err } = memoryIo({ argv, env })
  return { code: await runCli(io), out: out(), err: err() }
}

export const plat = (...argv: string[]) => platIn({}, ...argv)

/** A folder that goes when the process ends, whatever a test does. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-recovery-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
