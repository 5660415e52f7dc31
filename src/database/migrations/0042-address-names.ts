/** Addresses of devices have a MAC address and a name in the DNS. */
import type { Migration } from '../migrate.ts'

/** Replaces a key of the addresses, which no text of a document can contain in this form. */
const withFields = (json: string): string =>
  `replace(${json}, '"pool_id":', '"mac_address":"","dns_name":"","pool_id":')`

export const addressNames: Migration = {
  name: '0042-address-names',
  statements: ({ text }) => [
    `ALTER TABLE addresses ADD COLUMN mac_address ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE addresses ADD COLUMN dns_name ${text} NOT NULL DEFAULT ''`,
    `CREATE INDEX addresses_mac_address ON addresses (mac_address) WHERE mac_address <> ''`,
    `CREATE INDEX addresses_dns_name ON addresses (dns_name) WHERE dns_name <> ''`,
    `UPDATE devices SET doc = ${withFields('doc')}`,
    `UPDATE history SET before = ${withFields('before')} WHERE kind = 'device'`,
  ],
}
