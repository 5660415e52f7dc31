/** Serial numbers, asset tags and roles of devices, for filters in any case, and the addresses that several devices share. */
import type { Migration } from '../migrate.ts'

export const deviceIdentity: Migration = {
  name: '0085-device-identity',
  // An older program leaves the columns as they were when it changes a document.
  floor: 'this',
  statements: ({ text }) => [
    `ALTER TABLE devices ADD COLUMN serial_key ${text}`,
    `ALTER TABLE devices ADD COLUMN asset_key ${text}`,
    `ALTER TABLE devices ADD COLUMN role_key ${text}`,
    'CREATE INDEX devices_serial ON devices (serial_key, name_order, id) WHERE serial_key IS NOT NULL',
    'CREATE UNIQUE INDEX devices_asset ON devices (asset_key) WHERE asset_key IS NOT NULL',
    'CREATE INDEX devices_role ON devices (role_key, name_order, id) WHERE role_key IS NOT NULL',
    'ALTER TABLE addresses ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0',
  ],
}
