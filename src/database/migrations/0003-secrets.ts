/** Secrets at rest: the check value of the encryption key, and device credentials. */
import type { Migration } from '../migrate.ts'

export const secrets: Migration = {
  name: '0003-secrets',
  statements: ({ text }) => [
    `CREATE TABLE secret_checks (
       name ${text} PRIMARY KEY,
       sealed ${text} NOT NULL
     )`,

    `CREATE TABLE credentials (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       type ${text} NOT NULL,
       username ${text} NOT NULL,
       auth_protocol ${text} NOT NULL,
       priv_protocol ${text} NOT NULL,
       secret ${text},
       device_id ${text} REFERENCES devices (id),
       network_id ${text} REFERENCES networks (id),
       description ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX credentials_name ON credentials (name_key, id)',
    'CREATE INDEX credentials_device ON credentials (device_id)',
    'CREATE INDEX credentials_network ON credentials (network_id)',
  ],
}
