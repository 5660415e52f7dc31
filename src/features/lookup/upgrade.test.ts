// Discovered devices of versions before lookups existed are found by MAC and name too.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../migrations/index.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { emptyDatabase } from '../../testing/database.ts'
import { dialects } from '../../testing/servers.ts'
import type { Tables } from '../tables.ts'
import { discoveredIdsNamed, discoveredIdsOfMac } from './store.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')
const before = migrations.filter(({ name }) => name < '0014')
const doc = JSON.stringify({ mac_address: '02:00:00:00:00:05', hostname: 'Printer-7.example.com' })

test.each([...dialects()])('on %s', async (dialect) => {
  const { db, close } = await emptyDatabase<Tables>(dialect)
  await migrate(db, { migrations: before, now })
  await db.write(async (tx) => {
    await sql`INSERT INTO networks (id, name, name_key, subnet, prefix, first_key, last_key, description, created_at, updated_at)
      VALUES ('n', 'n', 'n', '10.0.0.0/24', 24, '40a000000', '40a0000ff', '', '', '')`.execute(tx.db)
    await sql`INSERT INTO discovered_devices (id, network_id, ip_key, status, confidence, last_seen, first_scan_id,
        last_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed, bucket, bucket_since, is_ignored,
        ignored_findings, findings, conflicts, links, doc)
      VALUES ('d', 'n', '40a000003', 'up', 80, '', '', '', '', '', '', 0, '', '', 0, '', '[]', '[]', '[]', ${doc})`.execute(
      tx.db,
    )
    await sql`INSERT INTO discovered_texts (device_id, search_text) VALUES ('d', '')`.execute(tx.db)
  })
  await migrate(db, { migrations, now })
  const scope = { db: db.read, store: db }
  expect([
    await discoveredIdsOfMac(scope, '02:00:00:00:00:05'),
    await discoveredIdsNamed(scope, 'printer-7.example.com'),
    await discoveredIdsNamed(scope, 'printer-7'),
  ]).toEqual([['d'], ['d'], ['d']])
  await close()
})
