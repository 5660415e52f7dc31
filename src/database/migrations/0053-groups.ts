/** Groups of users. `grants` replaces `user_roles`: a role is granted to a user or to a group. */
import type { Migration } from '../migrate.ts'

export const groups: Migration = {
  name: '0053-groups',
  statements: ({ text }) => [
    `CREATE TABLE groups (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL UNIQUE,
       description ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    `CREATE TABLE group_members (
       group_id ${text} NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       source ${text} NOT NULL,
       PRIMARY KEY (group_id, user_id, source)
     )`,
    'CREATE INDEX group_members_user ON group_members (user_id, group_id)',
    `CREATE TABLE grants (
       id ${text} PRIMARY KEY,
       role_id ${text} NOT NULL REFERENCES roles (id),
       user_id ${text} REFERENCES users (id) ON DELETE CASCADE,
       group_id ${text} REFERENCES groups (id) ON DELETE CASCADE,
       scope_id ${text},
       created_at ${text} NOT NULL
     )`,
    "CREATE UNIQUE INDEX grants_user ON grants (user_id, role_id, COALESCE(scope_id, '')) WHERE user_id IS NOT NULL",
    "CREATE UNIQUE INDEX grants_group ON grants (group_id, role_id, COALESCE(scope_id, '')) WHERE group_id IS NOT NULL",
    'CREATE INDEX grants_role ON grants (role_id)',
    `INSERT INTO grants (id, role_id, user_id, group_id, scope_id, created_at)
       SELECT user_roles.user_id || '.' || user_roles.role_id, user_roles.role_id, user_roles.user_id, NULL, NULL, users.created_at
       FROM user_roles JOIN users ON users.id = user_roles.user_id`,
    'DROP TABLE user_roles',
  ],
}
