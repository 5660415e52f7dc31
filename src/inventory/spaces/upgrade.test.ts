/** Objects of versions without address spaces stay as they are, in the default space. */
import { expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'
import type { Tables } from '../../database/tables.ts'

const TABLES = ['networks', 'pools', 'reservations', 'devices', 'addresses', 'network_addresses', 'address_blocks']

const rowsOf = async (db: Kysely<Tables>): Promise<Record<string, object[]>> =>
  Object.fromEntries(
    await Promise.all(
      TABLES.map(async (table) => [table, (await sql<object>`SELECT * FROM ${sql.table(table)}`.execute(db)).rows]),
    ),
  )

test.each(engines())('on %s', async (dialect) => {
  const device = { id: 'd', name: 'web', addresses: [{ ip: '10.0.0.5', network_id: null, pool_id: null }] }
  let before: Record<string, object[]> = {}
  const { db, close } = await upgraded(dialect, '0046', async (tx) => {
    await sql`INSERT INTO networks (id, name, name_key, subnet, prefix, first_key, last_key, description, refs, managed_by, created_at, updated_at)
      VALUES ('n', 'lan', 'lan', '10.0.0.0/24', 24, '40a000000', '40a0000ff', '', '{}', '', 'then', 'then')`.execute(tx)
    await sql`INSERT INTO devices (id, name, name_key, hostname_key, description, make_model, os, status, username, location,
        managed_by, created_at, updated_at, search_text, doc)
      VALUES ('d', 'web', 'web', '', '', '', '', 'active', '', '', '', '', '', '', ${JSON.stringify(device)})`.execute(
      tx,
    )
    await sql`INSERT INTO addresses (device_id, position, ip, ip_key, mac_address, dns_name)
      VALUES ('d', 0, '10.0.0.5', '40a000005', '', '')`.execute(tx)
    await sql`INSERT INTO network_addresses (network_id, ip_key, device_id) VALUES ('n', '40a000005', 'd')`.execute(tx)
    before = await rowsOf(tx)
  })
  const after = await rowsOf(db.read)
  for (const table of TABLES) expect(after[table]).toMatchObject(before[table] ?? [])
  const [row] = await db.read.selectFrom('networks').selectAll().execute()
  expect([row?.subnet_key, row?.space_id]).toEqual(['10.0.0.0/24', null])
  await close()
})
