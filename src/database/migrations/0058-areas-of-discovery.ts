/** The areas of address spaces and of discovered devices: the sets of the scopes that they are in, as numbers. */
import type { Migration } from '../migrate.ts'

export const areasOfDiscovery: Migration = {
  name: '0058-areas-of-discovery',
  statements: () => [
    'ALTER TABLE spaces ADD COLUMN area INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE discovered_devices ADD COLUMN area INTEGER NOT NULL DEFAULT 0',
    // Those with an address in a scope and a network in none follow with their next scan.
    'UPDATE discovered_devices SET area = (SELECT area FROM networks WHERE networks.id = network_id)',
    'CREATE INDEX discovered_devices_area ON discovered_devices (area, network_id, ip_key, id) WHERE area <> 0',
  ],
}
