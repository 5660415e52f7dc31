/** How full networks and pools were, day by day, and which pools are known to be nearly full. */
import type { Migration } from '../migrate.ts'

export const utilization: Migration = {
  name: '0011-utilization',
  statements: ({ text, bigint }) => [
    // `day` is YYYY-MM-DD in UTC. IPv6 networks have more addresses than 32 bits count.
    `CREATE TABLE utilization_samples (
       object_id ${text} NOT NULL,
       day ${text} NOT NULL,
       used ${bigint} NOT NULL,
       total ${bigint} NOT NULL,
       PRIMARY KEY (object_id, day)
     )`,
    'CREATE INDEX utilization_samples_day ON utilization_samples (day)',
    `CREATE TABLE pool_alarms (
       pool_id ${text} PRIMARY KEY,
       raised_at ${text} NOT NULL
     )`,
  ],
}
