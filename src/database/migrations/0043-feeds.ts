/** Feeds, and API keys that open the content of one feed. */
import type { Migration } from '../migrate.ts'

export const feeds: Migration = {
  name: '0043-feeds',
  statements: ({ text }) => [
    `CREATE TABLE feeds (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       description ${text} NOT NULL,
       format ${text} NOT NULL,
       tags ${text} NOT NULL,
       datacenter_id ${text},
       network_id ${text},
       statuses ${text} NOT NULL,
       address_label ${text} NOT NULL,
       family ${text} NOT NULL,
       port INTEGER,
       zone_id ${text},
       template ${text} NOT NULL,
       media_type ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX feeds_name_key ON feeds (name_key, id)',
    `ALTER TABLE api_keys ADD COLUMN feed_id ${text}`,
    'CREATE INDEX api_keys_feed_id ON api_keys (feed_id) WHERE feed_id IS NOT NULL',
  ],
}
