/** What usernames look like, so that a new one does not look like another. The names that are there are computed at the next start. */
import type { Migration } from '../migrate.ts'

export const userLooks: Migration = {
  name: '0023-user-looks',
  statements: ({ text }) => [
    `ALTER TABLE users ADD COLUMN username_look ${text}`,
    `ALTER TABLE users ADD COLUMN username_look_lower ${text}`,
    // Not unique: names of before may look alike.
    'CREATE INDEX users_look ON users (username_look)',
    'CREATE INDEX users_look_lower ON users (username_look_lower)',
  ],
}
