/** The names below the apex of a zone that only its DNS server delegates, so that no device publishes names there. */
import type { Migration } from '../migrate.ts'

export const dnsDelegations: Migration = {
  name: '0075-dns-delegations',
  floor: 'unchanged',
  statements: ({ text }) => [`ALTER TABLE dns_zone_states ADD COLUMN delegations ${text} NOT NULL DEFAULT '[]'`],
}
