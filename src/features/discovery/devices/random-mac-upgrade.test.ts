// Discovered devices of an earlier version are marked, and recognised by their locally administered MACs.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrations } from '../../../migrations/index.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { emptyDatabase } from '../../../testing/database.ts'
import { dialects } from '../../../testing/servers.ts'
import type { Tables } from '../../tables.ts'

const now = () => new Date('2026-01-02T03:04:05.678Z')
const before = migrations.filter(({ name }) => name < '0030')
const SHARED = 'f6:00:00:00:00:01'

const macs = [
  ['a', 'da:a1:19:00:00:01'],
  ['b', '52:54:00:00:00:01'],
  ['c', '00:1b:21:00:00:01'],
  ['d', ''],
  // Seen twice, at two addresses.
  ['e', 'da:a1:19:00:00:05'],
  ['f', 'da:a1:19:00:00:05'],
  ...Array.from({ length: 9 }, (_, i) => [`p${i}`, SHARED] as const),
] as const

test.each([...dialects()])('on %s', async (dialect) => {
  const { db, close } = await emptyDatabase<Tables>(dialect)
  await migrate(db, { migrations: before, now })
  await db.write(async (tx) => {
    await sql`INSERT INTO networks (id, name, name_key, subnet, prefix, first_key, last_key, description, created_at, updated_at)
      VALUES ('n', 'n', 'n', '10.0.0.0/24', 24, '40a000000', '40a0000ff', '', '', '')`.execute(tx.db)
    for (const [id, mac] of macs) {
      const doc = JSON.stringify({ id, mac_address: mac })
      await sql`INSERT INTO discovered_devices (id, network_id, ip_key, status, confidence, last_seen, first_scan_id,
          last_scan_id, unseen_scan_id, returned_scan_id, baseline, is_changed, bucket, bucket_since, is_ignored,
          ignored_findings, findings, conflicts, links, doc)
        VALUES (${id}, 'n', ${`40a00000${id}`}, 'up', 80, '', '', '', '', '', '', 0, '', '', 0, '', '[]', '[]', '[]', ${doc})`.execute(
        tx.db,
      )
      await sql`INSERT INTO discovered_texts (device_id, search_text, mac_address, hostname_key)
        VALUES (${id}, '', ${mac}, '')`.execute(tx.db)
    }
  })
  await migrate(db, { migrations, now })
  const rows = await db.read
    .selectFrom('discovered_devices')
    .select(['id', 'random_mac', 'doc'])
    .orderBy('id')
    .execute()
  const keys = await db.read.selectFrom('discovered_identities').selectAll().orderBy('place').execute()
  await close()
  expect({
    marked: rows.filter(({ random_mac }) => random_mac === 1).map(({ id }) => id),
    sent: rows.filter(({ doc }) => (JSON.parse(doc) as { random_mac?: boolean }).random_mac).map(({ id }) => id),
    one: rows.find(({ id }) => id === 'c')?.doc,
    keys: keys.map(({ place, key, device_id }) => [place, key, device_id]),
  }).toEqual({
    marked: ['a', 'e', 'f', ...macs.slice(6).map(([id]) => id)],
    sent: ['a', 'e', 'f', ...macs.slice(6).map(([id]) => id)],
    one: '{"id":"c","mac_address":"00:1b:21:00:00:01","random_mac":false}',
    keys: [
      ['n mac:52:54:00:00:00:01', 'mac:52:54:00:00:00:01', 'b'],
      ['n mac:da:a1:19:00:00:01', 'mac:da:a1:19:00:00:01', 'a'],
      ['n mac:da:a1:19:00:00:05', 'mac:da:a1:19:00:00:05', 'e'],
      [`n mac:${SHARED}`, `mac:${SHARED}`, null],
    ],
  })
})
