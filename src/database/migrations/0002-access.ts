/** Users, roles, API keys and sessions. What opens doors for a user goes with the user: here cascades are safer than code. */
import type { Migration } from '../migrate.ts'

/** The system roles' rows; what they are called and hold is in people/roles/catalogue.ts. */
const systemRoles = ['admin', 'operator', 'viewer'].map(
  (name) => `INSERT INTO roles (id, name, name_key, description, is_system, created_at, updated_at)
       VALUES ('role-${name}', '${name}', '${name}', '', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z')`,
)

export const access: Migration = {
  name: '0002-access',
  statements: ({ text }) => [
    `CREATE TABLE roles (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL UNIQUE,
       description ${text} NOT NULL,
       is_system INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    ...systemRoles,
    `CREATE TABLE role_permissions (
       role_id ${text} NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
       permission ${text} NOT NULL,
       PRIMARY KEY (role_id, permission)
     )`,

    `CREATE TABLE users (
       id ${text} PRIMARY KEY,
       username ${text} NOT NULL,
       username_key ${text} NOT NULL UNIQUE,
       email ${text} NOT NULL,
       email_key ${text} UNIQUE,
       full_name ${text} NOT NULL,
       password_hash ${text} NOT NULL,
       is_active INTEGER NOT NULL,
       generation INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL,
       last_login_at ${text}
     )`,
    `CREATE TABLE user_roles (
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       role_id ${text} NOT NULL REFERENCES roles (id),
       PRIMARY KEY (user_id, role_id)
     )`,
    'CREATE INDEX user_roles_role ON user_roles (role_id, user_id)',

    `CREATE TABLE api_keys (
       id ${text} PRIMARY KEY,
       user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       key_hash ${text} NOT NULL UNIQUE,
       prefix ${text} NOT NULL,
       created_at ${text} NOT NULL,
       expires_at ${text},
       UNIQUE (user_id, name_key)
     )`,
    'CREATE INDEX api_keys_name ON api_keys (name_key, id)',
    `CREATE TABLE api_key_uses (
       key_id ${text} PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
       last_used_at ${text}
     )`,

    `CREATE TABLE sessions (
       id ${text} PRIMARY KEY,
       token_hash ${text} NOT NULL UNIQUE,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       user_generation INTEGER NOT NULL,
       created_at ${text} NOT NULL
     )`,
    'CREATE INDEX sessions_user ON sessions (user_id)',
    `CREATE TABLE session_expiries (
       session_id ${text} PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
       renewed_at ${text} NOT NULL,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX session_expiries_expiry ON session_expiries (expires_at)',
  ],
}
