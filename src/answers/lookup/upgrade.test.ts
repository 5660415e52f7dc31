// Discovered devices of versions before lookups existed are found by MAC and name too.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { findDiscoveredIdsByMac, findDiscoveredIdsByName } from './store.ts'

const doc = { mac_address: '02:00:00:00:00:05', hostname: 'Printer-7.example.com' }

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0014', async (tx) => {
    await insertDiscovered(tx, [{ id: 'd', doc }])
    await sql`INSERT INTO discovered_texts (device_id, search_text) VALUES ('d', '')`.execute(tx)
  })
  const scope = { db: db.read, store: db }
  expect([
    await findDiscoveredIdsByMac(scope, '02:00:00:00:00:05'),
    await findDiscoveredIdsByName(scope, 'printer-7.example.com'),
    await findDiscoveredIdsByName(scope, 'printer-7'),
  ]).toEqual([['d'], ['d'], ['d']])
  await close()
})
