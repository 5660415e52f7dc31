// The addresses of an earlier version get the columns that reports read, from their observations.
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { insertDiscovered, upgraded } from '../../../testing/servers/earlier-version.ts'
import { host } from '../../../testing/servers/scripted-scanner.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { deriveColumns, type Observation } from './records.ts'

const observations: readonly Observation[] = [
  host('127.0.0.1', { mac: '00:1b:21:00:00:01', names: [{ name: 'Web.Example.com', source: 'ptr' }] }),
  {
    ...host('127.0.0.2', {
      names: [
        { name: 'laptop', source: 'dhcp' },
        { name: 'a.example.com', source: 'ptr' },
        { name: 'b.example.com', source: 'ptr' },
        { name: 'Living Room', source: 'snmp' },
        { name: 'tv.local', source: 'mdns' },
        { name: '*.example.com', source: 'tls' },
      ],
    }),
    ...{ mac: '00:1b:21:00:00:02', macSource: 'dhcp', leaseExpiresAt: '2026-07-01T00:00:00.000Z' },
  },
  host('127.0.0.3'),
]

test.each(engines())('on %s', async (dialect) => {
  const { db, close } = await upgraded(dialect, '0088', async (tx) => {
    await insertDiscovered(tx, [{ id: 'a', doc: { id: 'a' } }])
    for (const observation of observations)
      await sql`INSERT INTO discovered_addresses
        (place, ip_key, device_id, ip, status, first_seen, last_seen, last_scan_id, ports_scan_id, observation)
        VALUES (${observation.ip}, ${observation.ip}, 'a', ${observation.ip}, 'up', '', '', '', '',
          ${JSON.stringify(observation)})`.execute(tx)
  })
  const rows = await db.read
    .selectFrom('discovered_addresses')
    .select(['seen_mac', 'seen_names', 'ptr_names', 'ptr_label', 'lease_names', 'lease_end'])
    .orderBy('ip')
    .execute()
  await close()
  expect(rows).toEqual(observations.map(deriveColumns))
})
