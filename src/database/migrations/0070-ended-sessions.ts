/** Sessions in Valkey that have ended before their time, so that an older copy of Valkey cannot revive them. */
import type { Migration } from '../migrate.ts'

export const endedSessions: Migration = {
  name: '0070-ended-sessions',
  floor: 'unchanged',
  statements: ({ text }) => [
    `CREATE TABLE ended_sessions (
       id ${text} PRIMARY KEY,
       expires_at ${text} NOT NULL
     )`,
    'CREATE INDEX ended_sessions_expiry ON ended_sessions (expires_at)',
  ],
}
