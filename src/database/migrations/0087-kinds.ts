/** Kinds, the types of objects that users define, and their objects: one table for all kinds. Scopes name kinds. */
import type { Migration } from '../migrate.ts'

/** The columns that searches match. */
const SEARCHED = ['name_key', 'description', 'custom'] as const

export const kinds: Migration = {
  name: '0087-kinds',
  floor: 'this',
  statements: ({ text, columnsIndex }) => [
    `CREATE TABLE kinds (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       name_order ${text} NOT NULL,
       singular ${text} NOT NULL,
       description ${text} NOT NULL,
       icon ${text} NOT NULL,
       nested INTEGER NOT NULL,
       located INTEGER NOT NULL,
       unique_names INTEGER NOT NULL,
       navigation INTEGER NOT NULL,
       position INTEGER NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX kinds_name ON kinds (name_key)',
    `CREATE TABLE objects (
       id ${text} PRIMARY KEY,
       kind_id ${text} NOT NULL REFERENCES kinds (id),
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       name_order ${text} NOT NULL,
       parent_id ${text} REFERENCES objects (id),
       datacenter_id ${text} REFERENCES datacenters (id),
       description ${text} NOT NULL,
       custom ${text},
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL,
       area INTEGER NOT NULL DEFAULT 0
     )`,
    'CREATE INDEX objects_name ON objects (name_key, id)',
    'CREATE INDEX objects_order ON objects (name_order, id)',
    'CREATE INDEX objects_kind_name ON objects (kind_id, name_key, id)',
    'CREATE INDEX objects_kind_order ON objects (kind_id, name_order, id)',
    'CREATE INDEX objects_parent ON objects (parent_id) WHERE parent_id IS NOT NULL',
    'CREATE INDEX objects_datacenter ON objects (datacenter_id) WHERE datacenter_id IS NOT NULL',
    "CREATE INDEX objects_managed_by ON objects (managed_by, name_order, id) WHERE managed_by <> ''",
    'CREATE INDEX objects_area ON objects (area, name_order, id) WHERE area <> 0',
    `ALTER TABLE scopes ADD COLUMN kind_ids ${text} NOT NULL DEFAULT '[]'`,
    ...columnsIndex('objects', SEARCHED),
  ],
  concurrently: ({ columnsIndexes }) => columnsIndexes('objects', SEARCHED),
}
