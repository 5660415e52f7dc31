/** Who owns the API key of an audit entry. Entries of before name the owner as `user_id` and `username`, and have no more. */
import type { Migration } from '../migrate.ts'

export const auditKeyOwners: Migration = {
  name: '0029-audit-key-owners',
  statements: ({ text }) => [
    `ALTER TABLE audit ADD COLUMN key_owner_id ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE audit ADD COLUMN key_owner ${text} NOT NULL DEFAULT ''`,
    'DROP INDEX audit_newest',
    // The filter by user reads three columns of it.
    'CREATE INDEX audit_newest ON audit (id, resource, action, status, user_id, key_id, key_owner_id)',
  ],
}
