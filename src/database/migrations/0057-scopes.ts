/** Scopes, and the area of each object: the set of the scopes that it is in, as a number. 0 is in none. */
import type { Migration } from '../migrate.ts'

const TABLES = ['datacenters', 'networks', 'pools', 'reservations', 'devices'] as const

export const scopes: Migration = {
  name: '0057-scopes',
  statements: ({ text }) => [
    `CREATE TABLE scopes (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL UNIQUE,
       description ${text} NOT NULL,
       datacenter_ids ${text} NOT NULL,
       space_ids ${text} NOT NULL,
       subnets ${text} NOT NULL,
       tags ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    `CREATE TABLE areas (
       id INTEGER PRIMARY KEY,
       scopes ${text} NOT NULL UNIQUE
     )`,
    `CREATE TABLE area_scopes (
       scope_id ${text} NOT NULL,
       area_id INTEGER NOT NULL REFERENCES areas (id),
       PRIMARY KEY (scope_id, area_id)
     )`,
    `ALTER TABLE api_keys ADD COLUMN scope_id ${text}`,
    ...TABLES.flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN area INTEGER NOT NULL DEFAULT 0`,
      `CREATE INDEX ${table}_area ON ${table} (area, ${table === 'reservations' ? 'ip_key' : 'name_key'}, id) WHERE area <> 0`,
    ]),
  ],
}
