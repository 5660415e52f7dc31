/** Who made each API key, as far as the audit trail still knows; null where it does not. */
import type { Migration } from '../migrate.ts'

export const keyMakers: Migration = {
  name: '0022-key-makers',
  statements: ({ text }) => [
    `ALTER TABLE api_keys ADD COLUMN created_by ${text}`,
    // An entry that names an API key in place of its user says nothing of who that was.
    `UPDATE api_keys SET created_by = (
       SELECT min(user_id) FROM audit
       WHERE audit.resource_id = api_keys.id AND audit.resource = 'key' AND audit.action = 'create' AND audit.status = 'success'
         AND audit.user_id <> '' AND audit.user_id NOT IN (SELECT id FROM api_keys)
     )`,
  ],
}
