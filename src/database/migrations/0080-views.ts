/** Saved views of lists, and the views that users have pinned to their menu. */
import type { Migration } from '../migrate.ts'

export const views: Migration = {
  name: '0080-views',
  floor: 'unchanged',
  statements: ({ text }) => [
    `CREATE TABLE views (
       id ${text} PRIMARY KEY,
       owner_id ${text} REFERENCES users (id) ON DELETE SET NULL,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       name_order ${text} NOT NULL,
       path ${text} NOT NULL,
       search ${text} NOT NULL,
       is_shared INTEGER NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX views_owner ON views (owner_id, path, name_key)',
    'CREATE INDEX views_shared ON views (is_shared) WHERE is_shared = 1',
    `CREATE TABLE view_pins (
       user_id ${text} NOT NULL REFERENCES users (id) ON DELETE CASCADE,
       view_id ${text} NOT NULL REFERENCES views (id) ON DELETE CASCADE,
       PRIMARY KEY (user_id, view_id)
     )`,
    'CREATE INDEX view_pins_view ON view_pins (view_id)',
  ],
}
