/** Objects have an owner, `managed_by`, and names in other systems, `refs`. */
import type { Migration } from '../migrate.ts'

/** The tables of the objects, and the columns by which the list of an owner is sorted. */
const ORDER = {
  datacenters: 'name_key, id',
  networks: 'name_key, id',
  pools: 'name_key, id',
  devices: 'name_key, id',
  reservations: 'created_at',
  relationships: 'created_at',
}
const WITH_REFS = ['datacenters', 'networks', 'pools', 'reservations']

const KINDS = "('datacenter', 'network', 'pool', 'reservation', 'device')"

/** Puts fields before `created_at`, which no text of a document can contain in this form. */
const withFields = (json: string, fields: string): string =>
  `replace(${json}, ',"created_at":"', ',${fields},"created_at":"')`

export const externalIds: Migration = {
  name: '0041-external-ids',
  statements: ({ text }) => [
    ...Object.entries(ORDER).flatMap(([table, order]) => [
      `ALTER TABLE ${table} ADD COLUMN managed_by ${text} NOT NULL DEFAULT ''`,
      `CREATE INDEX ${table}_managed_by ON ${table} (managed_by, ${order}) WHERE managed_by <> ''`,
    ]),
    ...WITH_REFS.map((table) => `ALTER TABLE ${table} ADD COLUMN refs ${text} NOT NULL DEFAULT '{}'`),
    `CREATE TABLE refs (
       resource ${text} NOT NULL,
       source ${text} NOT NULL,
       external_id ${text} NOT NULL,
       object_id ${text} NOT NULL,
       PRIMARY KEY (resource, source, external_id),
       UNIQUE (resource, object_id, source)
     )`,
    `UPDATE devices SET doc = ${withFields('doc', '"refs":{},"managed_by":""')}`,
    `UPDATE history SET before = ${withFields('before', '"refs":{},"managed_by":""')} WHERE kind IN ${KINDS}`,
    `UPDATE history SET before = ${withFields('before', '"managed_by":""')} WHERE kind = 'relationship'`,
  ],
}
