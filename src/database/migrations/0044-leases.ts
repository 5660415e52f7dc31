/** Discovered devices have the end of their DHCP lease, which no earlier version recorded. */
import type { Migration } from '../migrate.ts'

export const discoveredLeases: Migration = {
  name: '0044-leases',
  statements: () => [
    `UPDATE discovered_devices SET doc = substr(doc, 1, length(doc) - 1) || ',"lease_expires_at":null}'`,
  ],
}
