/** What usernames look like in upper case. Those of existing users are computed at the next start. */
import type { Migration } from '../migrate.ts'

export const userUpperLooks: Migration = {
  name: '0027-user-upper-looks',
  statements: ({ text }) => [
    `ALTER TABLE users ADD COLUMN username_look_upper ${text}`,
    'CREATE INDEX users_look_upper ON users (username_look_upper)',
  ],
}
