/** Racks and device types. Those of a device stand in its document, and in columns for lists. */
import type { Migration } from '../migrate.ts'

export const racks: Migration = {
  name: '0051-racks',
  statements: ({ text }) => [
    `CREATE TABLE racks (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       datacenter_id ${text} REFERENCES datacenters (id),
       location ${text} NOT NULL,
       description ${text} NOT NULL,
       height INTEGER NOT NULL,
       first_unit INTEGER NOT NULL,
       numbering ${text} NOT NULL,
       max_power_w INTEGER,
       custom ${text},
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX racks_name ON racks (name_key, id)',
    'CREATE INDEX racks_datacenter ON racks (datacenter_id) WHERE datacenter_id IS NOT NULL',
    "CREATE INDEX racks_managed_by ON racks (managed_by, name_key, id) WHERE managed_by <> ''",
    `ALTER TABLE devices ADD COLUMN rack_id ${text}`,
    `CREATE TABLE device_types (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       manufacturer ${text} NOT NULL,
       model ${text} NOT NULL,
       natural_key ${text} NOT NULL,
       slug ${text} NOT NULL,
       part_number ${text} NOT NULL,
       height DOUBLE PRECISION NOT NULL,
       full_depth INTEGER NOT NULL,
       power_w INTEGER,
       description ${text} NOT NULL,
       ports ${text} NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX device_types_natural_key ON device_types (natural_key)',
    'CREATE INDEX device_types_name ON device_types (name_key, id)',
    "CREATE INDEX device_types_managed_by ON device_types (managed_by, name_key, id) WHERE managed_by <> ''",
    `ALTER TABLE devices ADD COLUMN device_type_id ${text}`,
    'CREATE INDEX devices_type ON devices (device_type_id, name_key, id) WHERE device_type_id IS NOT NULL',
    'CREATE INDEX devices_rack ON devices (rack_id, name_key, id) WHERE rack_id IS NOT NULL',
  ],
}
