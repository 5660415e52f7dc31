/** Scans, what they find, the rules that start them, and what people decided about what was found. */
import type { Migration } from '../migrate.ts'

export const discovery: Migration = {
  name: '0008-discovery',
  statements: ({ text }) => [
    `CREATE TABLE discovery_scans (
       id ${text} PRIMARY KEY,
       network_id ${text} NOT NULL REFERENCES networks (id),
       status ${text} NOT NULL,
       scan_type ${text} NOT NULL,
       stage ${text} NOT NULL,
       total_hosts INTEGER NOT NULL,
       scanned_hosts INTEGER NOT NULL,
       found_hosts INTEGER NOT NULL,
       hosts_per_second DOUBLE PRECISION NOT NULL,
       exclude_ips ${text} NOT NULL,
       error_message ${text} NOT NULL,
       rule_id ${text},
       created_by ${text} NOT NULL,
       started_at ${text},
       completed_at ${text},
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL,
       runner ${text} NOT NULL,
       heartbeat_at ${text} NOT NULL,
       resumes INTEGER NOT NULL
     )`,
    'CREATE INDEX discovery_scans_created ON discovery_scans (created_at, id)',
    'CREATE INDEX discovery_scans_network ON discovery_scans (network_id, created_at, id)',
    // The few that wait or run, oldest first; and never two of one network at a time, whoever starts them.
    `CREATE INDEX discovery_scans_open ON discovery_scans (status, created_at, id) WHERE status IN ('pending', 'running')`,
    `CREATE UNIQUE INDEX discovery_scans_running ON discovery_scans (network_id) WHERE status = 'running'`,
    `CREATE TABLE discovery_scan_states (
       scan_id ${text} PRIMARY KEY REFERENCES discovery_scans (id) ON DELETE CASCADE,
       privilege ${text} NOT NULL,
       log ${text} NOT NULL,
       checkpoint ${text} NOT NULL
     )`,
    // What became of a device in a completed scan; what is new is told by the device itself.
    `CREATE TABLE discovery_changes (
       scan_id ${text} NOT NULL REFERENCES discovery_scans (id) ON DELETE CASCADE,
       discovered_id ${text} NOT NULL,
       kind ${text} NOT NULL,
       ip ${text} NOT NULL,
       ip_key ${text} NOT NULL,
       hostname ${text} NOT NULL,
       mac_address ${text} NOT NULL,
       changes ${text} NOT NULL,
       PRIMARY KEY (scan_id, kind, discovered_id)
     )`,

    `CREATE TABLE discovery_rules (
       id ${text} PRIMARY KEY,
       network_id ${text} NOT NULL UNIQUE REFERENCES networks (id),
       enabled INTEGER NOT NULL,
       scan_type ${text} NOT NULL,
       interval_hours INTEGER NOT NULL,
       exclude_ips ${text} NOT NULL,
       last_run_at ${text},
       next_run_at ${text},
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX discovery_rules_due ON discovery_rules (next_run_at)',

    `CREATE TABLE discovered_devices (
       id ${text} PRIMARY KEY,
       network_id ${text} NOT NULL REFERENCES networks (id),
       ip_key ${text} NOT NULL,
       status ${text} NOT NULL,
       confidence INTEGER NOT NULL,
       last_seen ${text} NOT NULL,
       first_scan_id ${text} NOT NULL,
       last_scan_id ${text} NOT NULL,
       unseen_scan_id ${text} NOT NULL,
       returned_scan_id ${text} NOT NULL,
       baseline ${text} NOT NULL,
       is_changed INTEGER NOT NULL,
       promoted_to_device_id ${text} REFERENCES devices (id),
       matched_device_id ${text} REFERENCES devices (id),
       bucket ${text} NOT NULL,
       bucket_since ${text} NOT NULL,
       is_ignored INTEGER NOT NULL,
       ignored_findings ${text} NOT NULL,
       findings ${text} NOT NULL,
       conflicts ${text} NOT NULL,
       links ${text} NOT NULL,
       doc ${text} NOT NULL
     )`,
    'CREATE INDEX discovered_devices_network ON discovered_devices (network_id, ip_key, id)',
    'CREATE INDEX discovered_devices_matched ON discovered_devices (matched_device_id) WHERE matched_device_id IS NOT NULL',
    `CREATE INDEX discovered_devices_inbox ON discovered_devices (is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> ''`,
    // Apart, so that a search reads no more than what it looks at. An index of trigrams would cost each host more than all else.
    `CREATE TABLE discovered_texts (
       device_id ${text} PRIMARY KEY REFERENCES discovered_devices (id) ON DELETE CASCADE,
       search_text ${text} NOT NULL
     )`,
    // Which device has which address, and what was last seen there. One that has moved on leaves no row.
    `CREATE TABLE discovered_addresses (
       place ${text} PRIMARY KEY,
       ip_key ${text} NOT NULL,
       device_id ${text} NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
       ip ${text} NOT NULL,
       status ${text} NOT NULL,
       first_seen ${text} NOT NULL,
       last_seen ${text} NOT NULL,
       last_scan_id ${text} NOT NULL,
       ports_scan_id ${text} NOT NULL,
       observation ${text} NOT NULL
     )`,
    'CREATE INDEX discovered_addresses_device ON discovered_addresses (device_id)',
    // What a device is recognised by; without a device: what many have in common, and nobody is recognised by.
    `CREATE TABLE discovered_identities (
       place ${text} PRIMARY KEY,
       key ${text} NOT NULL,
       device_id ${text} REFERENCES discovered_devices (id) ON DELETE CASCADE
     )`,
    'CREATE INDEX discovered_identities_key ON discovered_identities (key)',
    'CREATE INDEX discovered_identities_device ON discovered_identities (device_id)',

    `CREATE TABLE discovery_host_keys (
       place ${text} PRIMARY KEY,
       network_id ${text} NOT NULL REFERENCES networks (id),
       ip_key ${text} NOT NULL,
       ip ${text} NOT NULL,
       fingerprint ${text} NOT NULL,
       pinned_at ${text} NOT NULL
     )`,
    'CREATE INDEX discovery_host_keys_network ON discovery_host_keys (network_id)',
    `CREATE TABLE discovery_locks (
       device_id ${text} NOT NULL REFERENCES devices (id),
       field ${text} NOT NULL,
       created_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       PRIMARY KEY (device_id, field)
     )`,
    'CREATE INDEX discovery_locks_created ON discovery_locks (created_at, device_id, field)',
  ],
}
