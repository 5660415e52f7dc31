/** The user by whose rights a scan uses credentials, as JSON; null for scans and rules of earlier versions. */
import type { Migration } from '../migrate.ts'

export const credentialUsers: Migration = {
  name: '0060-credential-users',
  floor: 'unchanged',
  statements: ({ text }) => [
    `ALTER TABLE discovery_scans ADD COLUMN credential_user ${text}`,
    `ALTER TABLE discovery_rules ADD COLUMN credential_user ${text}`,
  ],
}
