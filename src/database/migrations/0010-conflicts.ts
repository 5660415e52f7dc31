/** Addresses that several devices have, and networks that overlap. */
import type { Migration } from '../migrate.ts'

export const conflicts: Migration = {
  name: '0010-conflicts',
  statements: ({ text }) => [
    `CREATE TABLE conflicts (
       id ${text} PRIMARY KEY,
       type ${text} NOT NULL,
       cause ${text} NOT NULL,
       status ${text} NOT NULL,
       description ${text} NOT NULL,
       ip_address ${text} NOT NULL,
       device_ids ${text} NOT NULL,
       network_ids ${text} NOT NULL,
       subnets ${text} NOT NULL,
       detected_at ${text} NOT NULL,
       resolved_at ${text},
       resolved_by ${text} NOT NULL,
       notes ${text} NOT NULL
     )`,
    'CREATE INDEX conflicts_newest ON conflicts (id, type, status)',
    // One at a time of each cause; those that are resolved are history.
    `CREATE UNIQUE INDEX conflicts_open ON conflicts (cause) WHERE status <> 'resolved'`,
    // Which objects a conflict is about.
    `CREATE TABLE conflict_members (
       conflict_id ${text} NOT NULL REFERENCES conflicts (id) ON DELETE CASCADE,
       member_id ${text} NOT NULL,
       PRIMARY KEY (conflict_id, member_id)
     )`,
    'CREATE INDEX conflict_members_member ON conflict_members (member_id, conflict_id)',
  ],
}
