/** What several instances on one database must know of each other: who does which job, who is at which delivery, who lives. */
import type { Migration } from '../migrate.ts'

export const instances: Migration = {
  name: '0018-instances',
  statements: ({ text, bigint }) => [
    `CREATE TABLE job_leases (
       name ${text} PRIMARY KEY,
       holder TEXT NOT NULL,
       fence ${bigint} NOT NULL,
       until_ms ${bigint} NOT NULL,
       began_ms ${bigint} NOT NULL
     )`,
    "ALTER TABLE webhook_deliveries ADD COLUMN claim TEXT NOT NULL DEFAULT ''",
    `ALTER TABLE discovery_scans ADD COLUMN beat_ms ${bigint} NOT NULL DEFAULT 0`,
  ],
}
