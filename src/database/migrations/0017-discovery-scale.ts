/** A hundred thousand discovered devices: what is asked of them is found in the order of an index. */
import type { Migration } from '../migrate.ts'

export const discoveryScale: Migration = {
  name: '0017-discovery-scale',
  statements: ({ engine, text }) => [
    // The inbox of one network: the order of the inbox, within it.
    `CREATE INDEX discovered_devices_network_inbox
       ON discovered_devices (network_id, is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> ''`,
    // What a scan found first, by address.
    'CREATE INDEX discovered_devices_first ON discovered_devices (first_scan_id, ip_key, id)',
    // The few of many that are down, or promoted, and those that nobody has seen for long.
    `CREATE INDEX discovered_devices_down ON discovered_devices (network_id, ip_key, id) WHERE status = 'down'`,
    `CREATE INDEX discovered_devices_promoted ON discovered_devices (network_id, ip_key, id)
       WHERE promoted_to_device_id IS NOT NULL`,
    // What a scan changed, by address.
    'CREATE INDEX discovery_changes_order ON discovery_changes (scan_id, kind, ip_key, discovered_id)',
    // Who has told something of whom: what a switch no longer says is found by the switch.
    `CREATE TABLE discovery_links (
       device_id ${text} NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
       other_id ${text} NOT NULL,
       PRIMARY KEY (device_id, other_id)
     )`,
    'CREATE INDEX discovery_links_other ON discovery_links (other_id)',
    engine === 'sqlite'
      ? `INSERT INTO discovery_links (device_id, other_id)
           SELECT DISTINCT discovered_devices.id, coalesce(json_extract(value, '$.sourceId'), json_extract(value, '$.targetId'))
           FROM discovered_devices, json_each(links) WHERE links <> '[]'`
      : `INSERT INTO discovery_links (device_id, other_id)
           SELECT DISTINCT id, coalesce(value ->> 'sourceId', value ->> 'targetId')
           FROM discovered_devices, json_array_elements(links::json) WHERE links <> '[]'`,
    // Scans that have ended, for what is kept of them.
    'CREATE INDEX discovery_scans_completed ON discovery_scans (completed_at, id) WHERE completed_at IS NOT NULL',
  ],
}
