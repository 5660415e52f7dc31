/** Who made or last changed each identity provider, as far as the audit trail still knows; null where it does not. */
import type { Migration } from '../migrate.ts'

export const providerMakers: Migration = {
  name: '0065-provider-makers',
  floor: 'unchanged',
  statements: ({ text }) => [
    `ALTER TABLE sso_providers ADD COLUMN changed_by ${text}`,
    // The entry of a call with an API key has the id of the key as its user.
    `UPDATE sso_providers SET changed_by = (
       SELECT COALESCE(NULLIF(key_owner_id, ''), NULLIF(user_id, '')) FROM audit
       WHERE audit.resource_id = sso_providers.id AND audit.resource = 'sso-provider'
         AND audit.action IN ('create', 'update') AND audit.status = 'success'
       ORDER BY id DESC LIMIT 1
     )`,
  ],
}
