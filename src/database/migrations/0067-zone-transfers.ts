/** What is known of the transfers of a zone, so that those of a server that sends too much are rare, also after a start. */
import type { Migration } from '../migrate.ts'

export const zoneTransfers: Migration = {
  name: '0067-zone-transfers',
  floor: 'unchanged',
  statements: ({ text }) => [
    // Transfers that have begun since the last one that succeeded.
    'ALTER TABLE dns_zone_states ADD COLUMN transfer_failures INTEGER NOT NULL DEFAULT 0',
    `ALTER TABLE dns_zone_states ADD COLUMN transfer_error ${text} NOT NULL DEFAULT ''`,
  ],
}
