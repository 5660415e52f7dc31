/** Reservations have the MAC address of the host that gets the address, by which a lookup finds them. */
import type { Migration } from '../migrate.ts'

export const reservationMac: Migration = {
  name: '0048-reservation-mac',
  statements: ({ text }) => [
    `ALTER TABLE reservations ADD COLUMN mac_address ${text} NOT NULL DEFAULT ''`,
    `CREATE INDEX reservations_mac_address ON reservations (mac_address) WHERE mac_address <> ''`,
  ],
}
