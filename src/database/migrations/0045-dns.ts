/** DNS servers, zones, own records, and the state of each RRset. */
import type { Migration } from '../migrate.ts'

export const dns: Migration = {
  name: '0045-dns',
  statements: ({ text, bigint }) => [
    `CREATE TABLE dns_providers (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       type ${text} NOT NULL,
       host ${text} NOT NULL,
       port INTEGER NOT NULL,
       tsig_name ${text} NOT NULL,
       tsig_algorithm ${text} NOT NULL,
       tsig_secret ${text},
       timeout_seconds INTEGER NOT NULL,
       description ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX dns_providers_name_key ON dns_providers (name_key, id)',
    `CREATE TABLE dns_zones (
       id ${text} PRIMARY KEY,
       name ${text} NOT NULL,
       subnet ${text},
       kind ${text} NOT NULL,
       provider_id ${text} REFERENCES dns_providers (id),
       mode ${text} NOT NULL,
       ttl INTEGER NOT NULL,
       tags ${text} NOT NULL,
       datacenter_id ${text},
       network_id ${text},
       statuses ${text} NOT NULL,
       is_default INTEGER NOT NULL,
       nameservers ${text} NOT NULL,
       admin_email ${text} NOT NULL,
       negative_ttl INTEGER NOT NULL,
       max_delete_percent INTEGER NOT NULL,
       check_interval_seconds INTEGER NOT NULL,
       repair INTEGER NOT NULL,
       description ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    "CREATE UNIQUE INDEX dns_zones_name ON dns_zones (name, COALESCE(provider_id, ''))",
    `CREATE TABLE dns_zone_states (
       zone_id ${text} PRIMARY KEY,
       holder ${text} NOT NULL,
       until_ms ${bigint} NOT NULL,
       serial ${bigint} NOT NULL,
       head ${text} NOT NULL,
       server_serial ${bigint},
       compared_serial ${bigint},
       error ${text} NOT NULL,
       failures INTEGER NOT NULL,
       retry_ms ${bigint} NOT NULL,
       held ${text} NOT NULL,
       drift_count INTEGER NOT NULL,
       check_ms ${bigint} NOT NULL,
       last_synced_at ${text},
       last_checked_at ${text}
     )`,
    `CREATE TABLE dns_records (
       id ${text} PRIMARY KEY,
       zone_id ${text} NOT NULL REFERENCES dns_zones (id),
       name ${text} NOT NULL,
       type ${text} NOT NULL,
       ttl INTEGER,
       value ${text} NOT NULL,
       description ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE INDEX dns_records_name ON dns_records (zone_id, name, type, id)',
    `CREATE TABLE dns_rrsets (
       zone_id ${text} NOT NULL,
       name ${text} NOT NULL,
       type ${text} NOT NULL,
       state ${text} NOT NULL,
       message ${text} NOT NULL,
       source ${text} NOT NULL,
       device_ids ${text} NOT NULL,
       record_ids ${text} NOT NULL,
       wanted ${text},
       wanted_ttl INTEGER NOT NULL,
       published ${text},
       published_ttl INTEGER NOT NULL,
       sending ${text},
       PRIMARY KEY (zone_id, name, type)
     )`,
    'CREATE INDEX dns_rrsets_state ON dns_rrsets (zone_id, state)',
    `CREATE TABLE dns_changes (
       zone_id ${text} NOT NULL,
       id ${text} NOT NULL,
       name ${text} NOT NULL,
       PRIMARY KEY (zone_id, id)
     )`,
    `CREATE TABLE dns_reports (
       zone_id ${text} PRIMARY KEY,
       doc ${text} NOT NULL
     )`,
  ],
}
