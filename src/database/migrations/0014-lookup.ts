/** What a lookup finds things by, beside what there is: the MAC and the name of discovered devices, domains, reserved names. */
import type { Migration } from '../migrate.ts'

export const lookup: Migration = {
  name: '0014-lookup',
  statements: ({ engine, text }) => {
    const field = (name: string) => (engine === 'sqlite' ? `json_extract(doc, '$.${name}')` : `doc::json ->> '${name}'`)
    const ofDevice = (value: string) =>
      `coalesce((SELECT ${value} FROM discovered_devices WHERE discovered_devices.id = discovered_texts.device_id), '')`
    return [
      `ALTER TABLE discovered_texts ADD COLUMN mac_address ${text} NOT NULL DEFAULT ''`,
      `ALTER TABLE discovered_texts ADD COLUMN hostname_key ${text} NOT NULL DEFAULT ''`,
      `UPDATE discovered_texts SET
         mac_address = ${ofDevice(field('mac_address'))},
         hostname_key = ${ofDevice(`lower(${field('hostname')})`)}`,
      // Most hosts in networks behind a router have no MAC, and many no name.
      `CREATE INDEX discovered_texts_mac ON discovered_texts (mac_address) WHERE mac_address <> ''`,
      `CREATE INDEX discovered_texts_hostname ON discovered_texts (hostname_key) WHERE hostname_key <> ''`,
      // Both keep names as they were typed; names know no case.
      'CREATE INDEX device_domains_key ON device_domains (lower(domain))',
      'CREATE INDEX reservations_hostname ON reservations (lower(hostname))',
    ]
  },
}
