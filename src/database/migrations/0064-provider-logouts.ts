/** Which identities a provider has signed out, and which were linked by the address of their user, as far as the audit trail knows. */
import type { Migration } from '../migrate.ts'

export const providerLogouts: Migration = {
  name: '0064-provider-logouts',
  floor: 'unchanged',
  statements: ({ text }) => [
    `ALTER TABLE identities ADD COLUMN logged_out_at ${text}`,
    'ALTER TABLE identities ADD COLUMN linked_by_email INTEGER',
    // A user who is made for an identity is as old as it.
    `UPDATE identities SET linked_by_email = 0 WHERE created_at = (SELECT created_at FROM users WHERE users.id = identities.user_id)`,
    // The entry of a link by hand names the provider only by its name.
    `UPDATE identities SET linked_by_email = 0 WHERE user_id IN (
       SELECT user_id FROM audit WHERE resource = 'identity' AND action = 'login' AND status = 'success'
         AND changes LIKE '%"method":"link"%'
     )`,
    `UPDATE identities SET linked_by_email = 1 WHERE id IN (
       SELECT linked.id FROM audit
       JOIN identities AS linked ON linked.user_id = audit.user_id AND audit.changes LIKE '%' || linked.provider_id || '%'
       WHERE audit.resource = 'session' AND audit.action = 'login' AND audit.status = 'success'
         AND audit.changes LIKE '%"account":"linked"%'
     )`,
  ],
}
