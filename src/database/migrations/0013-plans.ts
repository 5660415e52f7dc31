/** What AI clients have asked to be shown before it is done, and by which tool of which client something was done. */
import type { Migration } from '../migrate.ts'

export const plans: Migration = {
  name: '0013-plans',
  statements: ({ text }) => [
    // `changes` is what the plan was shown to change, by which it is recognised when it is carried out.
    `CREATE TABLE plans (
       id ${text} PRIMARY KEY,
       user_id ${text} NOT NULL,
       client ${text} NOT NULL,
       operation ${text} NOT NULL,
       input ${text} NOT NULL,
       changes ${text} NOT NULL,
       created_at ${text} NOT NULL,
       expires_at ${text} NOT NULL,
       applied_at ${text}
     )`,
    'CREATE INDEX plans_user ON plans (user_id, id)',
    'CREATE INDEX plans_expiry ON plans (expires_at)',
    `ALTER TABLE audit ADD COLUMN oauth_client ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE audit ADD COLUMN tool ${text} NOT NULL DEFAULT ''`,
  ],
}
