// Discovered devices of an earlier version are marked, and recognized by their locally administered MACs.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { engines } from '../../../testing/servers/servers.ts'

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

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0030', async (tx) => {
    await insertDiscovered(
      tx,
      macs.map(([id, mac_address]) => ({ id, doc: { id, mac_address } })),
    )
    for (const [id, mac] of macs)
      await sql`INSERT INTO discovered_texts (device_id, search_text, mac_address, hostname_key)
        VALUES (${id}, '', ${mac}, '')`.execute(tx)
  })
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
    one: '{"id":"c","mac_address":"00:1b:21:00:00:01","random_mac":false,"lease_expires_at":null}',
    keys: [
      ['n mac:52:54:00:00:00:01', 'mac:52:54:00:00:00:01', 'b'],
      ['n mac:da:a1:19:00:00:01', 'mac:da:a1:19:00:00:01', 'a'],
      ['n mac:da:a1:19:00:00:05', 'mac:da:a1:19:00:00:05', 'e'],
      [`n mac:${SHARED}`, `mac:${SHARED}`, null],
    ],
  })
})
