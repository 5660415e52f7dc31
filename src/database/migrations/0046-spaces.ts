/** Address spaces. Rows without a space are right as they are: the default space has no object, and its keys are unchanged. */
import type { Migration } from '../migrate.ts'

export const spaces: Migration = {
  name: '0046-spaces',
  statements: ({ text }) => [
    `CREATE TABLE spaces (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       description ${text} NOT NULL,
       reachable INTEGER NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX spaces_name ON spaces (name_key)',
    // A space that is made again has its key of before, which the history still names.
    `CREATE TABLE space_keys (
       space_id ${text} PRIMARY KEY,
       space_key ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX space_keys_key ON space_keys (space_key)',
    `ALTER TABLE networks ADD COLUMN space_id ${text}`,
    `ALTER TABLE networks ADD COLUMN subnet_key ${text} NOT NULL DEFAULT ''`,
    'UPDATE networks SET subnet_key = subnet',
    'CREATE INDEX networks_subnet_key ON networks (subnet_key)',
    'CREATE INDEX networks_space ON networks (space_id) WHERE space_id IS NOT NULL',
    `ALTER TABLE conflicts ADD COLUMN space_id ${text}`,
    `ALTER TABLE feeds ADD COLUMN space_id ${text}`,
    `ALTER TABLE dns_zones ADD COLUMN space_id ${text}`,
    // A server has one zone of a name; the zones without a server are those of their space.
    'DROP INDEX dns_zones_name',
    `CREATE UNIQUE INDEX dns_zones_name ON dns_zones
       (name, COALESCE(provider_id, ''), (CASE WHEN provider_id IS NULL THEN COALESCE(space_id, '') ELSE '' END))`,
  ],
}
