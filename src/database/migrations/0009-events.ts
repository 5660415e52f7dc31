/** What happened, in the order in which it did, and what of it is on its way to whom. */
import type { Migration } from '../migrate.ts'

export const events: Migration = {
  name: '0009-events',
  statements: ({ text, serial, bigint }) => [
    // Numbered by the engine: the number is the id of the live feed.
    `CREATE TABLE events (
       seq ${serial},
       event ${text} NOT NULL,
       resource_id ${text} NOT NULL,
       data ${text} NOT NULL,
       created_at ${text} NOT NULL
     )`,
    `CREATE TABLE webhooks (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       url ${text} NOT NULL,
       secret ${text},
       events ${text} NOT NULL,
       enabled INTEGER NOT NULL,
       disabled_reason ${text} NOT NULL,
       description ${text} NOT NULL,
       headers ${text} NOT NULL,
       timeout_seconds INTEGER NOT NULL,
       retry_count INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX webhooks_name ON webhooks (name_key, id)',
    // The id begins with the moment: the order of the ids is that of the events.
    `CREATE TABLE webhook_deliveries (
       id ${text} PRIMARY KEY,
       webhook_id ${text} NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
       event ${text} NOT NULL,
       body ${text} NOT NULL,
       status ${text} NOT NULL,
       attempt_number INTEGER NOT NULL,
       attempts_left INTEGER NOT NULL,
       response_code INTEGER,
       response_body ${text} NOT NULL,
       error ${text} NOT NULL,
       duration_ms INTEGER,
       attempts ${text} NOT NULL,
       next_retry ${text},
       due_ms ${bigint},
       lease_ms ${bigint} NOT NULL,
       created_at ${text} NOT NULL
     )`,
    'CREATE INDEX webhook_deliveries_history ON webhook_deliveries (webhook_id, id)',
    `CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, created_at) WHERE status = 'failed'`,
    // The few that are open.
    'CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_ms, id) WHERE due_ms IS NOT NULL',
  ],
}
