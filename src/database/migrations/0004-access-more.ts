/** Where each session was signed in from, so that a person can tell them apart. */
import type { Migration } from '../migrate.ts'

export const accessMore: Migration = {
  name: '0004-access-more',
  statements: ({ text }) => [
    `ALTER TABLE sessions ADD COLUMN ip_address ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE sessions ADD COLUMN user_agent ${text} NOT NULL DEFAULT ''`,
  ],
}
