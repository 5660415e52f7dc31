/** Devices in the order of their lists, also of one datacenter or status: the first page of many needs no look at the others. */
import type { Migration } from '../migrate.ts'

export const deviceOrder: Migration = {
  name: '0007-device-order',
  statements: () => [
    'DROP INDEX devices_name',
    'DROP INDEX devices_datacenter',
    'CREATE INDEX devices_name ON devices (name_key, id, status)',
    'CREATE INDEX devices_datacenter ON devices (datacenter_id, name_key, id)',
  ],
}
