/** Databases of earlier versions: made by the migrations up to then, filled, and upgraded. */
import { type Kysely, sql } from 'kysely'
import { migrate } from '../../src/database/migrate.ts'
import { migrations } from '../../src/database/migrations/index.ts'
import type { Tables } from '../../src/database/tables.ts'
import { type EmptyDatabase, emptyDatabase } from './database.ts'
import type { Dialect } from './servers.ts'

/**
 * Creates a database that lacks a migration and all later ones, fills it, and runs them.
 * @param migration the number of the first migration that is missing, such as `0030`
 */
export const upgraded = async (
  dialect: Dialect,
  migration: string,
  fill: (db: Kysely<Tables>) => Promise<unknown>,
): Promise<EmptyDatabase<Tables>> => {
  const now = () => new Date('2026-01-02T03:04:05.678Z')
  const database = await emptyDatabase<Tables>(dialect)
  await migrate(database.db, { migrations: migrations.filter(({ name }) => name < migration), now })
  await database.db.write(({ db }) => fill(db))
  await migrate(database.db, { migrations, now })
  return database
}

/** Inserts network `n`, and discovered devices of it with the columns of migrations 0014 to 0030. */
export const insertDiscovered = async (
  db: Kysely<Tables>,
  devices: readonly { readonly id: string; readonly doc: object }[],
): Promise<void> => {
  await sql`INSERT INTO networks (id, name, name_key, subnet, prefix, first_key, last_key, description, created_at, updated_at)
    VALUES ('n', 'n', 'n', '10.0.0.0/24', 24, '40a000000', '40a0000ff', '', '', '')`.execute(db)
  for (const { id, doc } of devices)
    await sql`INSERT INTO discovered_devices (id, network_id, ip_key, status, confidence, last_seen, first_scan_id,
        last_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed, bucket, bucket_since, is_ignored,
        ignored_findings, findings, conflicts, links, doc)
      VALUES (${id}, 'n', ${`40a00000${id}`}, 'up', 80, '', '', '', '', '', '', 0, '', '', 0, '', '[]', '[]', '[]', ${JSON.stringify(doc)})`.execute(
      db,
    )
}
