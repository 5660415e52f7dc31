/** What a lookup of a block finds discovered devices by: through their networks it looked into each of them. */
import type { Migration } from '../migrate.ts'

export const lookupFound: Migration = {
  name: '0020-lookup-found',
  statements: () => [
    'CREATE INDEX discovered_devices_undocumented ON discovered_devices (ip_key) WHERE matched_device_id IS NULL',
  ],
}
