/** The audit trail with fewer indexes: each of them costs every audited write a page of the disk. */
import type { Migration } from '../migrate.ts'

/** Places that a chain has. */
const PLACES = 2 ** 40

const KEPT = [
  ...['id', 'timestamp', 'action', 'resource', 'resource_id', 'user_id', 'username', 'key_id', 'ip_address', 'changes'],
  ...['status', 'error', 'request_id', 'hash'],
].join(', ')

export const auditPlaces: Migration = {
  name: '0006-audit-places',
  statements: ({ text, bigint }) => [
    'ALTER TABLE audit RENAME TO audit_before',
    // The place says which chain it is of and where in it: SQLite keeps the rows by it and needs no index for either.
    `CREATE TABLE audit (
       place ${bigint} PRIMARY KEY,
       id ${text} NOT NULL,
       timestamp ${text} NOT NULL,
       action ${text} NOT NULL,
       resource ${text} NOT NULL,
       resource_id ${text} NOT NULL,
       user_id ${text} NOT NULL,
       username ${text} NOT NULL,
       key_id ${text} NOT NULL,
       ip_address ${text} NOT NULL,
       changes ${text} NOT NULL,
       status ${text} NOT NULL,
       error ${text} NOT NULL,
       request_id ${text} NOT NULL,
       hash ${text} NOT NULL
     )`,
    `INSERT INTO audit (place, ${KEPT}) SELECT chain * ${PLACES} + seq, ${KEPT} FROM audit_before`,
    'DROP TABLE audit_before',
    'CREATE INDEX audit_object ON audit (resource_id, id)',
    // Newest first, and tells of all else that lists are filtered by without a look at the entries that don't match.
    'CREATE INDEX audit_newest ON audit (id, resource, action, status, user_id)',
  ],
}
