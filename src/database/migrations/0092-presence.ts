/** The intervals in which hosts were at addresses. */
import type { Migration } from '../migrate.ts'

export const presence: Migration = {
  name: '0092-presence',
  // An older program would not write them.
  floor: 'this',
  statements: ({ text }) => [
    `CREATE TABLE presence (
       id ${text} PRIMARY KEY,
       network_id ${text} NOT NULL,
       discovered_id ${text} NOT NULL,
       ip ${text} NOT NULL,
       mac_address ${text} NOT NULL,
       source ${text} NOT NULL,
       began_at ${text} NOT NULL,
       seen_at ${text} NOT NULL,
       ended_at ${text} NOT NULL
     )`,
    `CREATE UNIQUE INDEX presence_open ON presence (network_id, ip, mac_address) WHERE ended_at = '9999-12-31T23:59:59.999Z'`,
    'CREATE INDEX presence_ip ON presence (ip, ended_at)',
    'CREATE INDEX presence_discovered ON presence (discovered_id, ended_at)',
    'CREATE INDEX presence_began ON presence (began_at)',
    'CREATE INDEX presence_network ON presence (network_id, ended_at)',
  ],
}
