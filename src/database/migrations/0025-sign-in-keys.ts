/** The key of device cookies: all instances share it, and it outlives restarts. */
import type { Migration } from '../migrate.ts'

export const signInKeys: Migration = {
  name: '0025-sign-in-keys',
  statements: ({ text }) => [
    `CREATE TABLE sign_in_keys (
       name ${text} PRIMARY KEY,
       key TEXT NOT NULL
     )`,
  ],
}
