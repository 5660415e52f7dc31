/** Webhooks that send messages to people: their fields, the events that wait for the next message, and what messages have told of. */
import type { Migration } from '../migrate.ts'

export const notifications: Migration = {
  name: '0089-notifications',
  // An older program would send the events of a channel as generic ones.
  floor: 'this',
  statements: ({ text, serial }) => [
    `ALTER TABLE webhooks ADD COLUMN format ${text} NOT NULL DEFAULT 'generic'`,
    `ALTER TABLE webhooks ADD COLUMN filter ${text} NOT NULL DEFAULT '{}'`,
    'ALTER TABLE webhooks ADD COLUMN group_seconds INTEGER NOT NULL DEFAULT 10',
    'ALTER TABLE webhooks ADD COLUMN max_per_hour INTEGER NOT NULL DEFAULT 20',
    `ALTER TABLE webhooks ADD COLUMN quiet_from ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE webhooks ADD COLUMN quiet_to ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE webhooks ADD COLUMN timezone ${text} NOT NULL DEFAULT 'UTC'`,
    `ALTER TABLE webhooks ADD COLUMN digest ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE webhooks ADD COLUMN digest_at ${text} NOT NULL DEFAULT '08:00'`,
    `ALTER TABLE webhooks ADD COLUMN reports ${text} NOT NULL DEFAULT '[]'`,
    // Where it is set, `url` has the form in which it is shown.
    `ALTER TABLE webhooks ADD COLUMN sealed_url ${text}`,
    `CREATE TABLE notification_entries (
       seq ${serial},
       webhook_id ${text} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
       event ${text} NOT NULL,
       resource_id ${text} NOT NULL,
       line ${text} NOT NULL,
       link ${text} NOT NULL,
       created_at ${text} NOT NULL
     )`,
    'CREATE INDEX notification_entries_waiting ON notification_entries (webhook_id, seq)',
    // The row without an object is that of the message.
    `CREATE TABLE notification_told (
       webhook_id ${text} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
       resource_id ${text} NOT NULL,
       told_at ${text} NOT NULL,
       PRIMARY KEY (webhook_id, resource_id, told_at)
     )`,
  ],
}
