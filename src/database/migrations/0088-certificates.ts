/** The certificates that scans have read, and the names and MACs of observations in columns that reports read. */
import type { Migration } from '../migrate.ts'

const NAMES = ['seen_names', 'ptr_names', 'lease_names'] as const

/** The names of these sources in an observation that are host names, between blanks. */
const SOURCES: Readonly<Record<(typeof NAMES)[number], string>> = {
  seen_names: "NOT IN ('ptr', 'dhcp')",
  ptr_names: "= 'ptr'",
  lease_names: "= 'dhcp'",
}

const HOST_NAME = "NOT LIKE '% %'"

export const certificates: Migration = {
  name: '0088-certificates',
  // An older program would change discovered devices, and leave these columns and the certificates of their ports as they were.
  floor: 'this',
  statements: ({ engine, text }) => {
    const [field, names] =
      engine === 'sqlite'
        ? [(name: string) => `json_extract(observation, '$.${name}')`, "json_each(observation, '$.names') AS n"]
        : [
            (name: string) => `observation::json ->> '${name}'`,
            "json_array_elements(observation::json -> 'names') AS n(value)",
          ]
    const firstLabel =
      engine === 'sqlite'
        ? "substr(ptr_names || '.', 1, instr(ptr_names || '.', '.') - 1)"
        : "split_part(ptr_names, '.', 1)"
    const part = (name: string) =>
      engine === 'sqlite' ? `json_extract(n.value, '$.${name}')` : `n.value ->> '${name}'`
    const collect = (
      column: (typeof NAMES)[number],
    ) => `${column} = coalesce((SELECT string_agg(lower(${part('name')}), ' ')
      FROM ${names} WHERE ${part('source')} ${SOURCES[column]} AND ${part('name')} ${HOST_NAME}
        AND ${part('name')} NOT LIKE '%*%'), '')`
    return [
      `CREATE TABLE discovered_certificates (
       device_id ${text} NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
       ip ${text} NOT NULL,
       port INTEGER NOT NULL,
       subject ${text} NOT NULL,
       issuer ${text} NOT NULL,
       names ${text} NOT NULL,
       expires_at ${text} NOT NULL,
       PRIMARY KEY (device_id, ip, port)
     )`,
      'CREATE INDEX discovered_certificates_end ON discovered_certificates (expires_at)',
      ...['seen_mac', 'ptr_label', 'lease_end', ...NAMES].map(
        (column) => `ALTER TABLE discovered_addresses ADD COLUMN ${column} ${text} NOT NULL DEFAULT ''`,
      ),
      `UPDATE discovered_addresses SET ${NAMES.map(collect).join(', ')},
       seen_mac = CASE WHEN ${field('macSource')} = 'dhcp' THEN '' ELSE coalesce(${field('mac')}, '') END,
       lease_end = coalesce(${field('leaseExpiresAt')}, '')`,
      `UPDATE discovered_addresses SET ptr_label = CASE WHEN ptr_names LIKE '% %' THEN ' ' ELSE ${firstLabel} END`,
    ]
  },
  concurrently: () => [
    { name: 'discovered_addresses_up', on: "discovered_addresses (ip_key) WHERE status = 'up'" },
    { name: 'discovered_devices_matched_up', on: "discovered_devices (matched_device_id, id) WHERE status = 'up'" },
  ],
}
