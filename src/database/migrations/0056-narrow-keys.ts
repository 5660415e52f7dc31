/** Limits of API keys, their rotation, and the address of the last use. */
import type { Migration } from '../migrate.ts'

export const narrowKeys: Migration = {
  name: '0056-narrow-keys',
  statements: ({ text }) => [
    // JSON lists; null for all permissions of the owner, and for every address.
    `ALTER TABLE api_keys ADD COLUMN permissions ${text}`,
    `ALTER TABLE api_keys ADD COLUMN allowed_cidrs ${text}`,
    `ALTER TABLE api_keys ADD COLUMN rotated_at ${text}`,
    // The hash of the value before the last rotation, which opens until the time beside it.
    `ALTER TABLE api_keys ADD COLUMN previous_hash ${text}`,
    `ALTER TABLE api_keys ADD COLUMN previous_expires_at ${text}`,
    'CREATE UNIQUE INDEX api_keys_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL',
    `ALTER TABLE api_key_uses ADD COLUMN last_used_ip ${text}`,
  ],
}
