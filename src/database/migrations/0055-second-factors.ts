/** Second factors, and the way of signing in of each session. */
import type { Migration } from '../migrate.ts'

export const secondFactors: Migration = {
  name: '0055-second-factors',
  statements: ({ text, bigint }) => [
    `ALTER TABLE sessions ADD COLUMN method ${text} NOT NULL DEFAULT 'password'`,
    `ALTER TABLE sessions ADD COLUMN provider_id ${text}`,
    // Without `confirmed_at` it is not yet in force. `last_step` is the time step of the last accepted code.
    `CREATE TABLE totp (
       id ${text} PRIMARY KEY,
       user_id ${text} NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
       secret ${text} NOT NULL,
       last_step INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       confirmed_at ${text},
       last_used_at ${text}
     )`,
    // `transports` is a JSON list of texts. The key is base64url of its COSE form.
    `CREATE TABLE passkeys (
       id ${text} PRIMARY KEY,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       credential_id ${text} NOT NULL UNIQUE,
       public_key ${text} NOT NULL,
       counter ${bigint} NOT NULL,
       transports ${text} NOT NULL,
       is_synced INTEGER NOT NULL,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       created_at ${text} NOT NULL,
       last_used_at ${text}
     )`,
    'CREATE UNIQUE INDEX passkeys_name ON passkeys (user_id, name_key)',
    // All codes of a user have the same salt.
    `CREATE TABLE recovery_codes (
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       code_hash ${text} NOT NULL,
       salt ${text} NOT NULL,
       PRIMARY KEY (user_id, code_hash)
     )`,
    `CREATE TABLE factor_failures (
       user_id ${text} PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
       failures INTEGER NOT NULL,
       blocked_until ${text}
     )`,
    `CREATE TABLE factor_challenges (
       id ${text} PRIMARY KEY,
       challenge ${text} NOT NULL,
       purpose ${text} NOT NULL,
       user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX factor_challenges_expiry ON factor_challenges (expires_at)',
    'CREATE INDEX factor_challenges_user ON factor_challenges (user_id)',
  ],
}
