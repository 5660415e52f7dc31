/**
 * OAuth clients, what users have agreed to with them, and the tokens of that. What hangs on a client, a user or a grant
 * goes with it: whatever opens doors must not outlive its reason.
 */
import type { Migration } from '../migrate.ts'

export const oauth: Migration = {
  name: '0012-oauth',
  statements: ({ text }) => [
    // `redirect_uris`, `grant_types` and `response_types` are JSON lists of texts. Without a secret, a client is public.
    `CREATE TABLE oauth_clients (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       redirect_uris ${text} NOT NULL,
       grant_types ${text} NOT NULL,
       response_types ${text} NOT NULL,
       auth_method ${text} NOT NULL,
       secret_hash ${text},
       scope ${text} NOT NULL,
       created_at ${text} NOT NULL,
       consented_at ${text}
     )`,
    'CREATE INDEX oauth_clients_name ON oauth_clients (name_key, id)',
    // Those that nobody has ever agreed to, oldest first.
    'CREATE INDEX oauth_clients_idle ON oauth_clients (created_at, id) WHERE consented_at IS NULL',
    `CREATE TABLE oauth_client_uses (
       client_id ${text} PRIMARY KEY REFERENCES oauth_clients (id) ON DELETE CASCADE,
       last_used_at ${text}
     )`,

    `CREATE TABLE oauth_grants (
       id ${text} PRIMARY KEY,
       client_id ${text} NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       user_generation INTEGER NOT NULL,
       scope ${text} NOT NULL,
       created_at ${text} NOT NULL
     )`,
    'CREATE INDEX oauth_grants_client ON oauth_grants (client_id, id)',
    'CREATE INDEX oauth_grants_user ON oauth_grants (user_id, id)',
    // When each was last used, and when the last of its tokens ends.
    `CREATE TABLE oauth_grant_uses (
       grant_id ${text} PRIMARY KEY REFERENCES oauth_grants (id) ON DELETE CASCADE,
       last_used_at ${text},
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX oauth_grant_uses_expiry ON oauth_grant_uses (expires_at)',

    // `grant_id` is what the code was exchanged for.
    `CREATE TABLE oauth_codes (
       code_hash ${text} PRIMARY KEY,
       client_id ${text} NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       user_generation INTEGER NOT NULL,
       redirect_uri ${text} NOT NULL,
       code_challenge ${text},
       scope ${text} NOT NULL,
       expires_at ${text} NOT NULL,
       used_at ${text},
       grant_id ${text}
     )`,
    'CREATE INDEX oauth_codes_client ON oauth_codes (client_id)',
    'CREATE INDEX oauth_codes_user ON oauth_codes (user_id)',
    'CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at)',

    `CREATE TABLE oauth_refresh_tokens (
       token_hash ${text} PRIMARY KEY,
       grant_id ${text} NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
       expires_at ${text} NOT NULL,
       used_at ${text}
     )`,
    'CREATE INDEX oauth_refresh_tokens_grant ON oauth_refresh_tokens (grant_id)',
    'CREATE INDEX oauth_refresh_tokens_expiry ON oauth_refresh_tokens (expires_at)',
    `CREATE TABLE oauth_access_tokens (
       token_hash ${text} PRIMARY KEY,
       grant_id ${text} NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
       scope ${text} NOT NULL,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX oauth_access_tokens_grant ON oauth_access_tokens (grant_id)',
    'CREATE INDEX oauth_access_tokens_expiry ON oauth_access_tokens (expires_at)',
  ],
}
