/** Single sign-on: identity providers, their identities, sign-ins in progress, their sessions, and sign-ins of devices. */
import type { Migration } from '../migrate.ts'

export const sso: Migration = {
  name: '0054-sso',
  statements: ({ text }) => [
    `CREATE TABLE sso_providers (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       issuer ${text} NOT NULL,
       client_id ${text} NOT NULL,
       client_secret ${text},
       scopes ${text} NOT NULL,
       enabled INTEGER NOT NULL,
       create_users INTEGER NOT NULL,
       link_by_email INTEGER NOT NULL,
       allowed_domains ${text} NOT NULL,
       username_claim ${text} NOT NULL,
       groups_claim ${text} NOT NULL,
       group_mappings ${text} NOT NULL,
       required_acr ${text} NOT NULL,
       max_session_hours INTEGER NOT NULL,
       credentials_max_idle_days INTEGER NOT NULL,
       allow_http INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX sso_providers_name_key ON sso_providers (name_key)',
    `CREATE TABLE identities (
       id ${text} PRIMARY KEY,
       provider_id ${text} NOT NULL REFERENCES sso_providers (id),
       subject ${text} NOT NULL,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       created_at ${text} NOT NULL,
       last_login_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX identities_subject ON identities (provider_id, subject)',
    'CREATE INDEX identities_user ON identities (user_id, id)',
    `CREATE TABLE sso_states (
       state_hash ${text} PRIMARY KEY,
       browser_hash ${text} NOT NULL,
       provider_id ${text} NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
       verifier ${text} NOT NULL,
       nonce ${text} NOT NULL,
       return_to ${text} NOT NULL,
       user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
       user_generation INTEGER,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX sso_states_expires_at ON sso_states (expires_at)',
    `CREATE TABLE sso_sessions (
       session_id ${text} PRIMARY KEY,
       provider_id ${text} NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
       subject ${text} NOT NULL,
       sid ${text} NOT NULL,
       id_token ${text},
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX sso_sessions_subject ON sso_sessions (provider_id, subject)',
    'CREATE INDEX sso_sessions_sid ON sso_sessions (provider_id, sid)',
    'CREATE INDEX sso_sessions_expires_at ON sso_sessions (expires_at)',
    `CREATE TABLE sso_seen (
       token_hash ${text} PRIMARY KEY,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX sso_seen_expires_at ON sso_seen (expires_at)',
    `CREATE TABLE device_codes (
       code_hash ${text} PRIMARY KEY,
       user_code ${text} NOT NULL,
       client ${text} NOT NULL,
       ip_address ${text} NOT NULL,
       created_at ${text} NOT NULL,
       expires_at ${text} NOT NULL,
       polled_at ${text} NOT NULL,
       state ${text} NOT NULL,
       user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
       user_generation INTEGER
     )`,
    'CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code)',
    'CREATE INDEX device_codes_expires_at ON device_codes (expires_at)',
    'ALTER TABLE users ADD COLUMN is_break_glass INTEGER NOT NULL DEFAULT 0',
    `ALTER TABLE sessions ADD COLUMN ends_at ${text}`,
  ],
}
