/** Scanners in other places, the scanner of a network and of a scan, and rules that listen. */
import type { Migration } from '../migrate.ts'

export const scanners: Migration = {
  name: '0091-scanners',
  // An older program would scan networks of scanners itself.
  floor: 'this',
  statements: ({ text, bigint }) => [
    `CREATE TABLE scanners (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       name_order ${text} NOT NULL,
       natural_key ${text} NOT NULL,
       description ${text} NOT NULL,
       tags ${text} NOT NULL,
       use_credentials INTEGER NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX scanners_natural_key ON scanners (natural_key)',
    'CREATE INDEX scanners_order ON scanners (name_order, id)',
    "CREATE INDEX scanners_managed_by ON scanners (managed_by, name_order, id) WHERE managed_by <> ''",
    `CREATE TABLE scanner_states (
       scanner_id ${text} PRIMARY KEY,
       enrolment_hash ${text} NOT NULL DEFAULT '',
       enrolment_expires_at ${text},
       token_hash ${text} NOT NULL DEFAULT '',
       public_key ${text} NOT NULL DEFAULT '',
       is_online INTEGER NOT NULL DEFAULT 0,
       revoked_at ${text},
       enrolled_at ${text},
       last_seen_at ${text},
       protocol INTEGER,
       version ${text} NOT NULL DEFAULT '',
       hostname ${text} NOT NULL DEFAULT '',
       capabilities ${text} NOT NULL DEFAULT '{"icmp":false,"arp":false,"neighbours":false,"listen":false}',
       links ${text} NOT NULL DEFAULT '[]',
       slots INTEGER NOT NULL DEFAULT 0,
       ip_address ${text} NOT NULL DEFAULT '',
       spooled_reports INTEGER NOT NULL DEFAULT 0,
       noted_at ${text}
     )`,
    "CREATE UNIQUE INDEX scanner_states_token ON scanner_states (token_hash) WHERE token_hash <> ''",
    "CREATE UNIQUE INDEX scanner_states_enrolment ON scanner_states (enrolment_hash) WHERE enrolment_hash <> ''",
    `CREATE TABLE scanner_beats (scanner_id ${text} PRIMARY KEY, beat_ms ${bigint} NOT NULL)`,
    `ALTER TABLE networks ADD COLUMN scanner ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE discovery_scans ADD COLUMN scanner_id ${text}`,
    `ALTER TABLE discovery_scans ADD COLUMN scanner_name ${text} NOT NULL DEFAULT ''`,
    'ALTER TABLE discovery_scans ADD COLUMN is_done INTEGER NOT NULL DEFAULT 0',
    `ALTER TABLE discovery_scan_states ADD COLUMN lease ${text} NOT NULL DEFAULT ''`,
    'ALTER TABLE discovery_scan_states ADD COLUMN seq INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE discovery_rules ADD COLUMN listen INTEGER NOT NULL DEFAULT 0',
    "CREATE INDEX networks_scanner ON networks (scanner) WHERE scanner <> ''",
    'CREATE INDEX discovery_scans_scanner ON discovery_scans (scanner_id) WHERE scanner_id IS NOT NULL',
  ],
}
