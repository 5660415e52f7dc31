CREATE TABLE address_blocks (
  block TEXT PRIMARY KEY,
  taken TEXT NOT NULL
);

CREATE TABLE addresses (
  device_id TEXT NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  ip TEXT NOT NULL,
  ip_key TEXT NOT NULL,
  network_id TEXT REFERENCES networks (id),
  pool_id TEXT REFERENCES pools (id), mac_address TEXT NOT NULL DEFAULT '', dns_name TEXT NOT NULL DEFAULT '', is_shared INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (device_id, position)
);

CREATE INDEX addresses_dns_name ON addresses (dns_name) WHERE dns_name <> '';

CREATE INDEX addresses_ip ON addresses (ip);

CREATE INDEX addresses_ip_key ON addresses (ip_key);

CREATE INDEX addresses_mac_address ON addresses (mac_address) WHERE mac_address <> '';

CREATE INDEX addresses_network ON addresses (network_id);

CREATE INDEX addresses_pool ON addresses (pool_id, ip_key);

CREATE TABLE api_key_uses (
  key_id TEXT PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  last_used_at TEXT
, last_used_ip TEXT);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  key_hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT, created_by TEXT, feed_id TEXT, permissions TEXT, allowed_cidrs TEXT, rotated_at TEXT, previous_hash TEXT, previous_expires_at TEXT, scope_id TEXT, name_order TEXT NOT NULL DEFAULT '',
  UNIQUE (user_id, name_key)
);

CREATE INDEX api_keys_feed_id ON api_keys (feed_id) WHERE feed_id IS NOT NULL;

CREATE INDEX api_keys_in_order ON api_keys (name_order, id);

CREATE INDEX api_keys_name ON api_keys (name_key, id);

CREATE INDEX api_keys_out_of_order ON api_keys (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE UNIQUE INDEX api_keys_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;

CREATE TABLE area_scopes (
  scope_id TEXT NOT NULL,
  area_id INTEGER NOT NULL REFERENCES areas (id),
  PRIMARY KEY (scope_id, area_id)
);

CREATE TABLE areas (
  id INTEGER PRIMARY KEY,
  scopes TEXT NOT NULL UNIQUE
);

CREATE TABLE audit (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  action TEXT NOT NULL,
  resource TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  username TEXT NOT NULL,
  key_id TEXT NOT NULL,
  ip_address TEXT NOT NULL,
  changes TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT NOT NULL,
  request_id TEXT NOT NULL,
  hash TEXT NOT NULL
, oauth_client TEXT NOT NULL DEFAULT '', tool TEXT NOT NULL DEFAULT '', key_owner_id TEXT NOT NULL DEFAULT '', key_owner TEXT NOT NULL DEFAULT '', change_id TEXT NOT NULL DEFAULT '');

CREATE TABLE audit_chains (
  chain INTEGER PRIMARY KEY,
  start_seq INTEGER NOT NULL,
  start_hash TEXT NOT NULL,
  end_seq INTEGER NOT NULL,
  end_hash TEXT NOT NULL,
  signature TEXT NOT NULL
);

CREATE INDEX audit_newest ON audit (id, resource, action, status, user_id, key_id, key_owner_id);

CREATE INDEX audit_object ON audit (resource_id, id);

CREATE TABLE cable_ends (
  port_id TEXT NOT NULL REFERENCES ports (id),
  side TEXT NOT NULL,
  cable_id TEXT NOT NULL REFERENCES cables (id),
  other_port_id TEXT NOT NULL,
  other_side TEXT NOT NULL,
  PRIMARY KEY (port_id, side)
);

CREATE INDEX cable_ends_cable ON cable_ends (cable_id);

CREATE TABLE cables (
  id TEXT PRIMARY KEY,
  a_port_id TEXT NOT NULL,
  a_side TEXT NOT NULL,
  b_port_id TEXT NOT NULL,
  b_side TEXT NOT NULL,
  type TEXT NOT NULL,
  label TEXT NOT NULL,
  label_key TEXT NOT NULL,
  color TEXT NOT NULL,
  length_m DOUBLE PRECISION,
  status TEXT NOT NULL,
  description TEXT NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  custom TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, label_order TEXT NOT NULL DEFAULT '');

CREATE INDEX cables_by_status ON cables (status, label_order, id) WHERE status <> 'connected';

CREATE INDEX cables_in_order ON cables (label_order, id);

CREATE INDEX cables_order ON cables (label_key, id);

CREATE INDEX cables_out_of_order ON cables (id) WHERE substr(label_order, -(length(label_key) + 1)) <> char(1) || label_key;

CREATE INDEX cables_owned ON cables (managed_by, label_order, id) WHERE managed_by <> '';

CREATE VIRTUAL TABLE cables_search USING fts5(id UNINDEXED, label_key, type, color, description, custom, content='cables', content_rowid='rowid', tokenize='trigram');

CREATE TRIGGER cables_search_delete AFTER DELETE ON cables BEGIN INSERT INTO cables_search (cables_search, rowid, label_key, type, color, description, custom) VALUES ('delete', old.rowid, old.label_key, old.type, old.color, old.description, old.custom); END;

CREATE TRIGGER cables_search_insert AFTER INSERT ON cables BEGIN INSERT INTO cables_search (rowid, label_key, type, color, description, custom) VALUES (new.rowid, new.label_key, new.type, new.color, new.description, new.custom); END;

CREATE TRIGGER cables_search_update AFTER UPDATE OF label_key, type, color, description, custom ON cables WHEN old.label_key IS NOT new.label_key OR old.type IS NOT new.type OR old.color IS NOT new.color OR old.description IS NOT new.description OR old.custom IS NOT new.custom BEGIN INSERT INTO cables_search (cables_search, rowid, label_key, type, color, description, custom) VALUES ('delete', old.rowid, old.label_key, old.type, old.color, old.description, old.custom); INSERT INTO cables_search (rowid, label_key, type, color, description, custom) VALUES (new.rowid, new.label_key, new.type, new.color, new.description, new.custom); END;

CREATE TABLE changes (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  operation TEXT NOT NULL,
  user_id TEXT NOT NULL,
  username TEXT NOT NULL,
  via TEXT NOT NULL,
  key_id TEXT NOT NULL,
  oauth_client TEXT NOT NULL,
  tool TEXT NOT NULL,
  ip_address TEXT NOT NULL,
  request_id TEXT NOT NULL,
  note TEXT NOT NULL,
  counts TEXT NOT NULL,
  undoes TEXT,
  undone_by TEXT,
  snapshot_xmax INTEGER NOT NULL
, proposal_id TEXT NOT NULL DEFAULT '');

CREATE INDEX changes_at ON changes (at, seq);

CREATE UNIQUE INDEX changes_id ON changes (id);

CREATE INDEX changes_undoes ON changes (undoes, seq) WHERE undoes IS NOT NULL;

CREATE TABLE conflict_members (
  conflict_id TEXT NOT NULL REFERENCES conflicts (id) ON DELETE CASCADE,
  member_id TEXT NOT NULL,
  PRIMARY KEY (conflict_id, member_id)
);

CREATE INDEX conflict_members_member ON conflict_members (member_id, conflict_id);

CREATE TABLE conflicts (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  cause TEXT NOT NULL,
  status TEXT NOT NULL,
  description TEXT NOT NULL,
  ip_address TEXT NOT NULL,
  device_ids TEXT NOT NULL,
  network_ids TEXT NOT NULL,
  subnets TEXT NOT NULL,
  detected_at TEXT NOT NULL,
  resolved_at TEXT,
  resolved_by TEXT NOT NULL,
  notes TEXT NOT NULL
, space_id TEXT);

CREATE INDEX conflicts_newest ON conflicts (id, type, status);

CREATE UNIQUE INDEX conflicts_open ON conflicts (cause) WHERE status <> 'resolved';

CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  type TEXT NOT NULL,
  username TEXT NOT NULL,
  auth_protocol TEXT NOT NULL,
  priv_protocol TEXT NOT NULL,
  secret TEXT,
  device_id TEXT REFERENCES devices (id),
  network_id TEXT REFERENCES networks (id),
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX credentials_device ON credentials (device_id);

CREATE INDEX credentials_in_order ON credentials (name_order, id);

CREATE INDEX credentials_name ON credentials (name_key, id);

CREATE INDEX credentials_network ON credentials (network_id);

CREATE INDEX credentials_out_of_order ON credentials (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE custom_fields (
  id TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  resource TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  label TEXT NOT NULL,
  type TEXT NOT NULL,
  multiple INTEGER NOT NULL,
  choices TEXT NOT NULL,
  reference_to TEXT,
  required INTEGER NOT NULL,
  "unique" INTEGER NOT NULL,
  "default" TEXT NOT NULL,
  pattern TEXT NOT NULL,
  minimum TEXT,
  maximum TEXT,
  searchable INTEGER NOT NULL,
  description TEXT NOT NULL,
  "group" TEXT NOT NULL,
  group_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '', only_for TEXT);

CREATE UNIQUE INDEX custom_fields_name ON custom_fields (resource, name);

CREATE UNIQUE INDEX custom_fields_number ON custom_fields (number);

CREATE INDEX custom_fields_out_of_order ON custom_fields (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE custom_values (
  field INTEGER NOT NULL,
  value TEXT NOT NULL,
  object_id TEXT NOT NULL,
  PRIMARY KEY (field, value, object_id)
) WITHOUT ROWID;

CREATE TABLE datacenters (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  location TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, managed_by TEXT NOT NULL DEFAULT '', refs TEXT NOT NULL DEFAULT '{}', custom TEXT, area INTEGER NOT NULL DEFAULT 0, name_order TEXT NOT NULL DEFAULT '', parent_id TEXT REFERENCES datacenters (id));

CREATE INDEX datacenters_in_area ON datacenters (area, name_order, id) WHERE area <> 0;

CREATE INDEX datacenters_in_order ON datacenters (name_order, id);

CREATE INDEX datacenters_name ON datacenters (name_key, id);

CREATE INDEX datacenters_out_of_order ON datacenters (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX datacenters_owned ON datacenters (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX datacenters_parent ON datacenters (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE device_codes (
  code_hash TEXT PRIMARY KEY,
  user_code TEXT NOT NULL,
  client TEXT NOT NULL,
  ip_address TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  polled_at TEXT NOT NULL,
  state TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER
);

CREATE INDEX device_codes_expires_at ON device_codes (expires_at);

CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code);

CREATE TABLE device_domains (
  device_id TEXT NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  domain TEXT NOT NULL,
  PRIMARY KEY (device_id, position)
);

CREATE INDEX device_domains_domain ON device_domains (domain);

CREATE INDEX device_domains_key ON device_domains (lower(domain));

CREATE TABLE device_tags (
  device_id TEXT NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (device_id, position)
);

CREATE INDEX device_tags_tag ON device_tags (tag, device_id);

CREATE TABLE device_types (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  manufacturer TEXT NOT NULL,
  model TEXT NOT NULL,
  natural_key TEXT NOT NULL,
  slug TEXT NOT NULL,
  part_number TEXT NOT NULL,
  height DOUBLE PRECISION NOT NULL,
  full_depth INTEGER NOT NULL,
  power_w INTEGER,
  description TEXT NOT NULL,
  ports TEXT NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX device_types_in_order ON device_types (name_order, id);

CREATE INDEX device_types_name ON device_types (name_key, id);

CREATE UNIQUE INDEX device_types_natural_key ON device_types (natural_key);

CREATE INDEX device_types_out_of_order ON device_types (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX device_types_owned ON device_types (managed_by, name_order, id) WHERE managed_by <> '';

CREATE TABLE devices (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  hostname_key TEXT NOT NULL,
  description TEXT NOT NULL,
  make_model TEXT NOT NULL,
  os TEXT NOT NULL,
  status TEXT NOT NULL,
  datacenter_id TEXT REFERENCES datacenters (id),
  username TEXT NOT NULL,
  location TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  search_text TEXT NOT NULL,
  doc TEXT NOT NULL
, managed_by TEXT NOT NULL DEFAULT '', rack_id TEXT, device_type_id TEXT, area INTEGER NOT NULL DEFAULT 0, name_order TEXT NOT NULL DEFAULT '', serial_key TEXT, asset_key TEXT, role_key TEXT);

CREATE UNIQUE INDEX devices_asset ON devices (asset_key) WHERE asset_key IS NOT NULL;

CREATE INDEX devices_hostname ON devices (hostname_key);

CREATE INDEX devices_in_area ON devices (area, name_order, id) WHERE area <> 0;

CREATE INDEX devices_in_datacenter ON devices (datacenter_id, name_order, id);

CREATE INDEX devices_in_order ON devices (name_order, id, status);

CREATE INDEX devices_in_rack ON devices (rack_id, name_order, id) WHERE rack_id IS NOT NULL;

CREATE INDEX devices_name ON devices (name_key, id, status);

CREATE INDEX devices_of_type ON devices (device_type_id, name_order, id) WHERE device_type_id IS NOT NULL;

CREATE INDEX devices_older_search ON devices (id) WHERE substr(search_text, 1, 1) <> '
';

CREATE INDEX devices_out_of_order ON devices (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX devices_owned ON devices (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX devices_role ON devices (role_key, name_order, id) WHERE role_key IS NOT NULL;

CREATE VIRTUAL TABLE devices_search USING fts5(search_text, content='devices', content_rowid='seq', tokenize='trigram case_sensitive 1');

CREATE TRIGGER devices_search_delete AFTER DELETE ON devices BEGIN
  INSERT INTO devices_search (devices_search, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
END;

CREATE TRIGGER devices_search_insert AFTER INSERT ON devices BEGIN
  INSERT INTO devices_search (rowid, search_text) VALUES (new.seq, new.search_text);
END;

CREATE TRIGGER devices_search_update AFTER UPDATE OF search_text ON devices WHEN old.search_text <> new.search_text BEGIN
  INSERT INTO devices_search (devices_search, rowid, search_text) VALUES ('delete', old.seq, old.search_text);
  INSERT INTO devices_search (rowid, search_text) VALUES (new.seq, new.search_text);
END;

CREATE INDEX devices_serial ON devices (serial_key, name_order, id) WHERE serial_key IS NOT NULL;

CREATE TABLE discovered_addresses (
  place TEXT PRIMARY KEY,
  ip_key TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  ip TEXT NOT NULL,
  status TEXT NOT NULL,
  first_seen TEXT NOT NULL,
  last_seen TEXT NOT NULL,
  last_scan_id TEXT NOT NULL,
  ports_scan_id TEXT NOT NULL,
  observation TEXT NOT NULL
, seen_mac TEXT NOT NULL DEFAULT '', ptr_label TEXT NOT NULL DEFAULT '', lease_end TEXT NOT NULL DEFAULT '', seen_names TEXT NOT NULL DEFAULT '', ptr_names TEXT NOT NULL DEFAULT '', lease_names TEXT NOT NULL DEFAULT '');

CREATE INDEX discovered_addresses_device ON discovered_addresses (device_id);

CREATE INDEX discovered_addresses_up ON discovered_addresses (ip_key) WHERE status = 'up';

CREATE TABLE discovered_certificates (
  device_id TEXT NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  ip TEXT NOT NULL,
  port INTEGER NOT NULL,
  subject TEXT NOT NULL,
  issuer TEXT NOT NULL,
  names TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  PRIMARY KEY (device_id, ip, port)
);

CREATE INDEX discovered_certificates_end ON discovered_certificates (expires_at);

CREATE TABLE discovered_devices (
  id TEXT PRIMARY KEY,
  network_id TEXT NOT NULL REFERENCES networks (id),
  ip_key TEXT NOT NULL,
  status TEXT NOT NULL,
  confidence INTEGER NOT NULL,
  last_seen TEXT NOT NULL,
  first_scan_id TEXT NOT NULL,
  last_scan_id TEXT NOT NULL,
  unseen_scan_id TEXT NOT NULL,
  returned_scan_id TEXT NOT NULL,
  baseline TEXT NOT NULL,
  is_changed INTEGER NOT NULL,
  promoted_to_device_id TEXT REFERENCES devices (id),
  matched_device_id TEXT REFERENCES devices (id),
  bucket TEXT NOT NULL,
  bucket_since TEXT NOT NULL,
  is_ignored INTEGER NOT NULL,
  ignored_findings TEXT NOT NULL,
  findings TEXT NOT NULL,
  conflicts TEXT NOT NULL,
  links TEXT NOT NULL,
  doc TEXT NOT NULL
, random_mac INTEGER NOT NULL DEFAULT 0, area INTEGER NOT NULL DEFAULT 0);

CREATE INDEX discovered_devices_area ON discovered_devices (area, network_id, ip_key, id) WHERE area <> 0;

CREATE INDEX discovered_devices_down ON discovered_devices (network_id, ip_key, id) WHERE status = 'down';

CREATE INDEX discovered_devices_first ON discovered_devices (first_scan_id, ip_key, id);

CREATE INDEX discovered_devices_inbox ON discovered_devices (is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> '';

CREATE INDEX discovered_devices_matched ON discovered_devices (matched_device_id) WHERE matched_device_id IS NOT NULL;

CREATE INDEX discovered_devices_matched_up ON discovered_devices (matched_device_id, id) WHERE status = 'up';

CREATE INDEX discovered_devices_network ON discovered_devices (network_id, ip_key, id);

CREATE INDEX discovered_devices_network_inbox
ON discovered_devices (network_id, is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> '';

CREATE INDEX discovered_devices_promoted ON discovered_devices (network_id, ip_key, id)
WHERE promoted_to_device_id IS NOT NULL;

CREATE INDEX discovered_devices_undocumented ON discovered_devices (ip_key) WHERE matched_device_id IS NULL;

CREATE TABLE discovered_identities (
  place TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  device_id TEXT REFERENCES discovered_devices (id) ON DELETE CASCADE
);

CREATE INDEX discovered_identities_device ON discovered_identities (device_id);

CREATE INDEX discovered_identities_key ON discovered_identities (key);

CREATE TABLE discovered_texts (
  device_id TEXT PRIMARY KEY REFERENCES discovered_devices (id) ON DELETE CASCADE,
  search_text TEXT NOT NULL
, mac_address TEXT NOT NULL DEFAULT '', hostname_key TEXT NOT NULL DEFAULT '');

CREATE INDEX discovered_texts_hostname ON discovered_texts (hostname_key) WHERE hostname_key <> '';

CREATE INDEX discovered_texts_mac ON discovered_texts (mac_address) WHERE mac_address <> '';

CREATE TABLE discovery_changes (
  scan_id TEXT NOT NULL REFERENCES discovery_scans (id) ON DELETE CASCADE,
  discovered_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ip TEXT NOT NULL,
  ip_key TEXT NOT NULL,
  hostname TEXT NOT NULL,
  mac_address TEXT NOT NULL,
  changes TEXT NOT NULL,
  PRIMARY KEY (scan_id, kind, discovered_id)
);

CREATE INDEX discovery_changes_order ON discovery_changes (scan_id, kind, ip_key, discovered_id);

CREATE TABLE discovery_host_keys (
  place TEXT PRIMARY KEY,
  network_id TEXT NOT NULL REFERENCES networks (id),
  ip_key TEXT NOT NULL,
  ip TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  pinned_at TEXT NOT NULL
);

CREATE INDEX discovery_host_keys_network ON discovery_host_keys (network_id);

CREATE TABLE discovery_links (
  device_id TEXT NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  other_id TEXT NOT NULL,
  PRIMARY KEY (device_id, other_id)
);

CREATE INDEX discovery_links_other ON discovery_links (other_id);

CREATE TABLE discovery_locks (
  device_id TEXT NOT NULL REFERENCES devices (id),
  field TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (device_id, field)
);

CREATE INDEX discovery_locks_created ON discovery_locks (created_at, device_id, field);

CREATE TABLE discovery_rules (
  id TEXT PRIMARY KEY,
  network_id TEXT NOT NULL UNIQUE REFERENCES networks (id),
  enabled INTEGER NOT NULL,
  scan_type TEXT NOT NULL,
  interval_hours INTEGER NOT NULL,
  exclude_ips TEXT NOT NULL,
  last_run_at TEXT,
  next_run_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, credential_user TEXT, listen INTEGER NOT NULL DEFAULT 0);

CREATE INDEX discovery_rules_due ON discovery_rules (next_run_at);

CREATE TABLE discovery_scan_states (
  scan_id TEXT PRIMARY KEY REFERENCES discovery_scans (id) ON DELETE CASCADE,
  privilege TEXT NOT NULL,
  log TEXT NOT NULL,
  checkpoint TEXT NOT NULL
, lease TEXT NOT NULL DEFAULT '', seq INTEGER NOT NULL DEFAULT 0);

CREATE TABLE discovery_scans (
  id TEXT PRIMARY KEY,
  network_id TEXT NOT NULL REFERENCES networks (id),
  status TEXT NOT NULL,
  scan_type TEXT NOT NULL,
  stage TEXT NOT NULL,
  total_hosts INTEGER NOT NULL,
  scanned_hosts INTEGER NOT NULL,
  found_hosts INTEGER NOT NULL,
  hosts_per_second DOUBLE PRECISION NOT NULL,
  exclude_ips TEXT NOT NULL,
  error_message TEXT NOT NULL,
  rule_id TEXT,
  created_by TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  holder TEXT NOT NULL,
  resumes INTEGER NOT NULL
, until_ms INTEGER NOT NULL DEFAULT 0, credential_user TEXT, scanner_id TEXT, scanner_name TEXT NOT NULL DEFAULT '', is_done INTEGER NOT NULL DEFAULT 0);

CREATE INDEX discovery_scans_completed ON discovery_scans (completed_at, id) WHERE completed_at IS NOT NULL;

CREATE INDEX discovery_scans_created ON discovery_scans (created_at, id);

CREATE INDEX discovery_scans_network ON discovery_scans (network_id, created_at, id);

CREATE INDEX discovery_scans_open ON discovery_scans (status, created_at, id) WHERE status IN ('pending', 'running');

CREATE UNIQUE INDEX discovery_scans_running ON discovery_scans (network_id) WHERE status = 'running';

CREATE INDEX discovery_scans_scanner ON discovery_scans (scanner_id) WHERE scanner_id IS NOT NULL;

CREATE TABLE dns_changes (
  zone_id TEXT NOT NULL,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (zone_id, id)
);

CREATE TABLE dns_providers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  type TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  tsig_name TEXT NOT NULL,
  tsig_algorithm TEXT NOT NULL,
  tsig_secret TEXT,
  timeout_seconds INTEGER NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX dns_providers_in_order ON dns_providers (name_order, id);

CREATE INDEX dns_providers_name_key ON dns_providers (name_key, id);

CREATE INDEX dns_providers_out_of_order ON dns_providers (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE dns_records (
  id TEXT PRIMARY KEY,
  zone_id TEXT NOT NULL REFERENCES dns_zones (id),
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  ttl INTEGER,
  value TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX dns_records_in_order ON dns_records (zone_id, name_order, type, id);

CREATE INDEX dns_records_name ON dns_records (zone_id, name, type, id);

CREATE INDEX dns_records_out_of_order ON dns_records (id) WHERE substr(name_order, -(length(name) + 1)) <> char(1) || name;

CREATE TABLE dns_reports (
  zone_id TEXT PRIMARY KEY,
  doc TEXT NOT NULL
);

CREATE TABLE dns_rrsets (
  zone_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  message TEXT NOT NULL,
  source TEXT NOT NULL,
  device_ids TEXT NOT NULL,
  record_ids TEXT NOT NULL,
  wanted TEXT,
  wanted_ttl INTEGER NOT NULL,
  published TEXT,
  published_ttl INTEGER NOT NULL,
  sending TEXT,
  PRIMARY KEY (zone_id, name, type)
);

CREATE INDEX dns_rrsets_state ON dns_rrsets (zone_id, state);

CREATE TABLE dns_zone_states (
  zone_id TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  until_ms INTEGER NOT NULL,
  serial INTEGER NOT NULL,
  head TEXT NOT NULL,
  server_serial INTEGER,
  compared_serial INTEGER,
  error TEXT NOT NULL,
  failures INTEGER NOT NULL,
  retry_ms INTEGER NOT NULL,
  held TEXT NOT NULL,
  drift_count INTEGER NOT NULL,
  check_ms INTEGER NOT NULL,
  last_synced_at TEXT,
  last_checked_at TEXT
, transfer_failures INTEGER NOT NULL DEFAULT 0, transfer_error TEXT NOT NULL DEFAULT '', delegations TEXT NOT NULL DEFAULT '[]');

CREATE TABLE dns_zones (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  subnet TEXT,
  kind TEXT NOT NULL,
  provider_id TEXT REFERENCES dns_providers (id),
  mode TEXT NOT NULL,
  ttl INTEGER NOT NULL,
  tags TEXT NOT NULL,
  datacenter_id TEXT,
  network_id TEXT,
  statuses TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  nameservers TEXT NOT NULL,
  admin_email TEXT NOT NULL,
  negative_ttl INTEGER NOT NULL,
  max_delete_percent INTEGER NOT NULL,
  check_interval_seconds INTEGER NOT NULL,
  repair INTEGER NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, space_id TEXT, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX dns_zones_in_order ON dns_zones (name_order, id);

CREATE UNIQUE INDEX dns_zones_name ON dns_zones
(name, COALESCE(provider_id, ''), (CASE WHEN provider_id IS NULL THEN COALESCE(space_id, '') ELSE '' END));

CREATE INDEX dns_zones_out_of_order ON dns_zones (id) WHERE substr(name_order, -(length(name) + 1)) <> char(1) || name;

CREATE TABLE ended_sessions (
  id TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
);

CREATE INDEX ended_sessions_expiry ON ended_sessions (expires_at);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  event TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  data TEXT NOT NULL,
  created_at TEXT NOT NULL
, change_id TEXT NOT NULL DEFAULT '');

CREATE TABLE factor_challenges (
  id TEXT PRIMARY KEY,
  challenge TEXT NOT NULL,
  purpose TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL
);

CREATE INDEX factor_challenges_expiry ON factor_challenges (expires_at);

CREATE INDEX factor_challenges_user ON factor_challenges (user_id);

CREATE TABLE factor_failures (
  user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  failures INTEGER NOT NULL,
  blocked_until TEXT
);

CREATE TABLE feeds (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  format TEXT NOT NULL,
  tags TEXT NOT NULL,
  datacenter_id TEXT,
  network_id TEXT,
  statuses TEXT NOT NULL,
  address_label TEXT NOT NULL,
  family TEXT NOT NULL,
  port INTEGER,
  zone_id TEXT,
  template TEXT NOT NULL,
  media_type TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, space_id TEXT, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX feeds_in_order ON feeds (name_order, id);

CREATE INDEX feeds_name_key ON feeds (name_key, id);

CREATE INDEX feeds_out_of_order ON feeds (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  role_id TEXT NOT NULL REFERENCES roles (id),
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  group_id TEXT REFERENCES groups (id) ON DELETE CASCADE,
  scope_id TEXT,
  created_at TEXT NOT NULL
);

CREATE UNIQUE INDEX grants_group ON grants (group_id, role_id, COALESCE(scope_id, '')) WHERE group_id IS NOT NULL;

CREATE INDEX grants_role ON grants (role_id);

CREATE UNIQUE INDEX grants_user ON grants (user_id, role_id, COALESCE(scope_id, '')) WHERE user_id IS NOT NULL;

CREATE TABLE group_members (
  group_id TEXT NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  source TEXT NOT NULL,
  PRIMARY KEY (group_id, user_id, source)
);

CREATE INDEX group_members_user ON group_members (user_id, group_id);

CREATE TABLE groups (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX groups_out_of_order ON groups (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE history (
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  sort_key TEXT,
  derived TEXT,
  child_id TEXT,
  before TEXT, order_key TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (kind, id, seq)
) WITHOUT ROWID;

CREATE INDEX history_child ON history (child_id, seq) WHERE child_id IS NOT NULL;

CREATE TABLE history_extent (
  id INTEGER PRIMARY KEY,
  begins_at INTEGER NOT NULL
);

CREATE INDEX history_in_order ON history (kind, order_key, id, seq) WHERE sort_key IS NOT NULL;

CREATE INDEX history_out_of_order ON history (kind, id, seq) WHERE substr(order_key, -(length(sort_key) + 1)) <> char(1) || sort_key;

CREATE INDEX history_seq ON history (seq, kind, id);

CREATE TABLE idempotency_keys (
  owner TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at TEXT NOT NULL, change_id TEXT,
  PRIMARY KEY (owner, operation, key)
);

CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

CREATE TABLE identities (
  id TEXT PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id),
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT NOT NULL,
  last_login_at TEXT NOT NULL
, logged_out_at TEXT, linked_by_email INTEGER);

CREATE UNIQUE INDEX identities_subject ON identities (provider_id, subject);

CREATE INDEX identities_user ON identities (user_id, id);

CREATE TABLE job_leases (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  fence INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  began_ms INTEGER NOT NULL
);

CREATE TABLE kinds (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  singular TEXT NOT NULL,
  description TEXT NOT NULL,
  icon TEXT NOT NULL,
  nested INTEGER NOT NULL,
  located INTEGER NOT NULL,
  unique_names INTEGER NOT NULL,
  navigation INTEGER NOT NULL,
  position INTEGER NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE UNIQUE INDEX kinds_name ON kinds (name_key);

CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL, floor TEXT NOT NULL DEFAULT '');

CREATE TABLE netbox_ids (
  kind TEXT NOT NULL,
  number INTEGER NOT NULL,
  key TEXT,
  attributes TEXT,
  PRIMARY KEY (kind, number),
  UNIQUE (kind, key)
);

CREATE TABLE network_addresses (
  network_id TEXT NOT NULL REFERENCES networks (id),
  ip_key TEXT NOT NULL,
  device_id TEXT NOT NULL REFERENCES devices (id),
  PRIMARY KEY (network_id, ip_key, device_id)
);

CREATE INDEX network_addresses_device ON network_addresses (device_id);

CREATE TABLE networks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  subnet TEXT NOT NULL,
  prefix INTEGER NOT NULL,
  first_key TEXT NOT NULL,
  last_key TEXT NOT NULL,
  vlan_id INTEGER,
  datacenter_id TEXT REFERENCES datacenters (id),
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, managed_by TEXT NOT NULL DEFAULT '', refs TEXT NOT NULL DEFAULT '{}', space_id TEXT, subnet_key TEXT NOT NULL DEFAULT '', custom TEXT, area INTEGER NOT NULL DEFAULT 0, name_order TEXT NOT NULL DEFAULT '', scanner TEXT NOT NULL DEFAULT '');

CREATE INDEX networks_datacenter ON networks (datacenter_id);

CREATE INDEX networks_first ON networks (first_key, prefix);

CREATE INDEX networks_in_area ON networks (area, name_order, id) WHERE area <> 0;

CREATE INDEX networks_in_order ON networks (name_order, id);

CREATE INDEX networks_name ON networks (name_key, id);

CREATE INDEX networks_out_of_order ON networks (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX networks_owned ON networks (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX networks_scanner ON networks (scanner) WHERE scanner <> '';

CREATE INDEX networks_space ON networks (space_id) WHERE space_id IS NOT NULL;

CREATE INDEX networks_subnet ON networks (subnet);

CREATE INDEX networks_subnet_key ON networks (subnet_key);

CREATE INDEX networks_vlan ON networks (vlan_id);

CREATE TABLE notification_entries (
  seq INTEGER PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  line TEXT NOT NULL,
  link TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE INDEX notification_entries_waiting ON notification_entries (webhook_id, seq);

CREATE TABLE notification_told (
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  resource_id TEXT NOT NULL,
  told_at TEXT NOT NULL,
  PRIMARY KEY (webhook_id, resource_id, told_at)
);

CREATE TABLE oauth_access_tokens (
  token_hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  expires_at TEXT NOT NULL
);

CREATE INDEX oauth_access_tokens_expiry ON oauth_access_tokens (expires_at);

CREATE INDEX oauth_access_tokens_grant ON oauth_access_tokens (grant_id);

CREATE TABLE oauth_client_uses (
  client_id TEXT PRIMARY KEY REFERENCES oauth_clients (id) ON DELETE CASCADE,
  last_used_at TEXT
);

CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  grant_types TEXT NOT NULL,
  response_types TEXT NOT NULL,
  auth_method TEXT NOT NULL,
  secret_hash TEXT,
  scope TEXT NOT NULL,
  created_at TEXT NOT NULL,
  consented_at TEXT
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX oauth_clients_idle ON oauth_clients (created_at, id) WHERE consented_at IS NULL;

CREATE INDEX oauth_clients_in_order ON oauth_clients (name_order, id);

CREATE INDEX oauth_clients_name ON oauth_clients (name_key, id);

CREATE INDEX oauth_clients_out_of_order ON oauth_clients (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE oauth_codes (
  code_hash TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  redirect_uri TEXT NOT NULL,
  code_challenge TEXT,
  scope TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  used_at TEXT,
  grant_id TEXT
);

CREATE INDEX oauth_codes_client ON oauth_codes (client_id);

CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at);

CREATE INDEX oauth_codes_user ON oauth_codes (user_id);

CREATE TABLE oauth_grant_uses (
  grant_id TEXT PRIMARY KEY REFERENCES oauth_grants (id) ON DELETE CASCADE,
  last_used_at TEXT,
  expires_at TEXT NOT NULL
);

CREATE INDEX oauth_grant_uses_expiry ON oauth_grant_uses (expires_at);

CREATE TABLE oauth_grants (
  id TEXT PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  scope TEXT NOT NULL,
  created_at TEXT NOT NULL
);

CREATE INDEX oauth_grants_client ON oauth_grants (client_id, id);

CREATE INDEX oauth_grants_user ON oauth_grants (user_id, id);

CREATE TABLE oauth_refresh_tokens (
  token_hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL,
  used_at TEXT
);

CREATE INDEX oauth_refresh_tokens_expiry ON oauth_refresh_tokens (expires_at);

CREATE INDEX oauth_refresh_tokens_grant ON oauth_refresh_tokens (grant_id);

CREATE TABLE objects (
  id TEXT PRIMARY KEY,
  kind_id TEXT NOT NULL REFERENCES kinds (id),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  parent_id TEXT REFERENCES objects (id),
  datacenter_id TEXT REFERENCES datacenters (id),
  description TEXT NOT NULL,
  custom TEXT,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  area INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX objects_area ON objects (area, name_order, id) WHERE area <> 0;

CREATE INDEX objects_datacenter ON objects (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX objects_kind_name ON objects (kind_id, name_key, id);

CREATE INDEX objects_kind_order ON objects (kind_id, name_order, id);

CREATE INDEX objects_managed_by ON objects (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX objects_name ON objects (name_key, id);

CREATE INDEX objects_order ON objects (name_order, id);

CREATE INDEX objects_parent ON objects (parent_id) WHERE parent_id IS NOT NULL;

CREATE VIRTUAL TABLE objects_search USING fts5(id UNINDEXED, name_key, description, custom, content='objects', content_rowid='rowid', tokenize='trigram');

CREATE TRIGGER objects_search_delete AFTER DELETE ON objects BEGIN INSERT INTO objects_search (objects_search, rowid, name_key, description, custom) VALUES ('delete', old.rowid, old.name_key, old.description, old.custom); END;

CREATE TRIGGER objects_search_insert AFTER INSERT ON objects BEGIN INSERT INTO objects_search (rowid, name_key, description, custom) VALUES (new.rowid, new.name_key, new.description, new.custom); END;

CREATE TRIGGER objects_search_update AFTER UPDATE OF name_key, description, custom ON objects WHEN old.name_key IS NOT new.name_key OR old.description IS NOT new.description OR old.custom IS NOT new.custom BEGIN INSERT INTO objects_search (objects_search, rowid, name_key, description, custom) VALUES ('delete', old.rowid, old.name_key, old.description, old.custom); INSERT INTO objects_search (rowid, name_key, description, custom) VALUES (new.rowid, new.name_key, new.description, new.custom); END;

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  is_synced INTEGER NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT
);

CREATE UNIQUE INDEX passkeys_name ON passkeys (user_id, name_key);

CREATE TABLE plans (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  client TEXT NOT NULL,
  operation TEXT NOT NULL,
  input TEXT NOT NULL,
  changes TEXT NOT NULL,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  applied_at TEXT
);

CREATE INDEX plans_expiry ON plans (expires_at);

CREATE INDEX plans_user ON plans (user_id, id);

CREATE TABLE policies (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  description TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  permissions TEXT NOT NULL,
  scope_id TEXT,
  min_objects INTEGER NOT NULL,
  approvals INTEGER NOT NULL,
  group_id TEXT,
  checks TEXT NOT NULL,
  protect INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE UNIQUE INDEX policies_name ON policies (name_key);

CREATE TABLE pool_alarms (
  pool_id TEXT PRIMARY KEY,
  raised_at TEXT NOT NULL
);

CREATE TABLE pool_tags (
  pool_id TEXT NOT NULL REFERENCES pools (id),
  position INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (pool_id, position)
);

CREATE INDEX pool_tags_tag ON pool_tags (tag, pool_id);

CREATE TABLE pools (
  id TEXT PRIMARY KEY,
  network_id TEXT NOT NULL REFERENCES networks (id),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  start_ip TEXT NOT NULL,
  end_ip TEXT NOT NULL,
  start_key TEXT NOT NULL,
  end_key TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, managed_by TEXT NOT NULL DEFAULT '', refs TEXT NOT NULL DEFAULT '{}', custom TEXT, area INTEGER NOT NULL DEFAULT 0, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX pools_in_area ON pools (area, name_order, id) WHERE area <> 0;

CREATE INDEX pools_in_network ON pools (network_id, name_order, id);

CREATE INDEX pools_in_order ON pools (name_order, id);

CREATE INDEX pools_name ON pools (name_key, id);

CREATE INDEX pools_out_of_order ON pools (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX pools_owned ON pools (managed_by, name_order, id) WHERE managed_by <> '';

CREATE TABLE ports (
  id TEXT PRIMARY KEY,
  device_id TEXT NOT NULL REFERENCES devices (id),
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  sort_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  type TEXT NOT NULL,
  speed_mbps INTEGER,
  mac_address TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  parent_id TEXT,
  pass_through INTEGER NOT NULL,
  vlan_id INTEGER,
  tagged_vlan_ids TEXT NOT NULL,
  description TEXT NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  custom TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE INDEX ports_kind ON ports (kind, device_id, sort_key, id) WHERE kind <> 'network';

CREATE INDEX ports_mac ON ports (mac_address) WHERE mac_address <> '';

CREATE INDEX ports_managed_by ON ports (managed_by, device_id, sort_key, id) WHERE managed_by <> '';

CREATE UNIQUE INDEX ports_name ON ports (device_id, name_key);

CREATE INDEX ports_names ON ports (name_key, id);

CREATE INDEX ports_order ON ports (device_id, sort_key, id);

CREATE INDEX ports_out_of_order ON ports (id) WHERE substr(sort_key, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX ports_parent ON ports (parent_id) WHERE parent_id IS NOT NULL;

CREATE VIRTUAL TABLE ports_search USING fts5(id UNINDEXED, name_key, mac_address, description, custom, content='ports', content_rowid='rowid', tokenize='trigram');

CREATE TRIGGER ports_search_delete AFTER DELETE ON ports BEGIN INSERT INTO ports_search (ports_search, rowid, name_key, mac_address, description, custom) VALUES ('delete', old.rowid, old.name_key, old.mac_address, old.description, old.custom); END;

CREATE TRIGGER ports_search_insert AFTER INSERT ON ports BEGIN INSERT INTO ports_search (rowid, name_key, mac_address, description, custom) VALUES (new.rowid, new.name_key, new.mac_address, new.description, new.custom); END;

CREATE TRIGGER ports_search_update AFTER UPDATE OF name_key, mac_address, description, custom ON ports WHEN old.name_key IS NOT new.name_key OR old.mac_address IS NOT new.mac_address OR old.description IS NOT new.description OR old.custom IS NOT new.custom BEGIN INSERT INTO ports_search (ports_search, rowid, name_key, mac_address, description, custom) VALUES ('delete', old.rowid, old.name_key, old.mac_address, old.description, old.custom); INSERT INTO ports_search (rowid, name_key, mac_address, description, custom) VALUES (new.rowid, new.name_key, new.mac_address, new.description, new.custom); END;

CREATE TABLE presence (
  id TEXT PRIMARY KEY,
  network_id TEXT NOT NULL,
  discovered_id TEXT NOT NULL,
  ip TEXT NOT NULL,
  mac_address TEXT NOT NULL,
  source TEXT NOT NULL,
  began_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  ended_at TEXT NOT NULL
);

CREATE INDEX presence_began ON presence (began_at);

CREATE INDEX presence_discovered ON presence (discovered_id, ended_at);

CREATE INDEX presence_ip ON presence (ip, ended_at);

CREATE INDEX presence_network ON presence (network_id, ended_at);

CREATE UNIQUE INDEX presence_open ON presence (network_id, ip, mac_address) WHERE ended_at = '9999-12-31T23:59:59.999Z';

CREATE TABLE proposal_checks (
  proposal INTEGER NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  summary TEXT NOT NULL,
  url TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  reported_by TEXT NOT NULL,
  reported_at TEXT NOT NULL,
  PRIMARY KEY (proposal, name)
);

CREATE TABLE proposal_effects (
  proposal INTEGER NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  position INTEGER NOT NULL,
  operation TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  change TEXT NOT NULL,
  before TEXT,
  document TEXT,
  sort_key TEXT,
  order_key TEXT NOT NULL DEFAULT '',
  derived TEXT,
  child_id TEXT,
  hash TEXT NOT NULL,
  places TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (proposal, kind, id)
) WITHOUT ROWID;

CREATE INDEX proposal_effects_object ON proposal_effects (kind, id);

CREATE INDEX proposal_effects_order ON proposal_effects (proposal, kind, order_key, id);

CREATE TABLE proposal_entries (
  proposal INTEGER NOT NULL,
  n INTEGER NOT NULL,
  id TEXT NOT NULL,
  at TEXT NOT NULL,
  user_id TEXT NOT NULL,
  username TEXT NOT NULL,
  type TEXT NOT NULL,
  text TEXT NOT NULL,
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  policies TEXT NOT NULL,
  PRIMARY KEY (proposal, n)
);

CREATE TABLE proposals (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  number INTEGER,
  state TEXT NOT NULL,
  client TEXT NOT NULL DEFAULT '',
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author TEXT NOT NULL,
  co_authors TEXT NOT NULL DEFAULT '[]',
  operations TEXT NOT NULL,
  input_bytes INTEGER NOT NULL DEFAULT 0,
  next_operation INTEGER NOT NULL DEFAULT 1,
  errors INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT NOT NULL DEFAULT '',
  counts TEXT NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL DEFAULT 0,
  base_seq INTEGER NOT NULL DEFAULT 0,
  scopes_revision TEXT NOT NULL DEFAULT '',
  previewed_at TEXT,
  close_reason TEXT NOT NULL DEFAULT '',
  closed_by TEXT NOT NULL DEFAULT '',
  change_id TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  opened_at TEXT,
  closed_at TEXT,
  touched_at TEXT NOT NULL,
  expires_at TEXT,
  applied_at TEXT
);

CREATE INDEX proposals_author ON proposals (author_id, state, number);

CREATE UNIQUE INDEX proposals_id ON proposals (id);

CREATE UNIQUE INDEX proposals_number ON proposals (number) WHERE number IS NOT NULL;

CREATE INDEX proposals_plans ON proposals (author_id, seq) WHERE state = 'plan';

CREATE INDEX proposals_state ON proposals (state, number);

CREATE TABLE racks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  datacenter_id TEXT REFERENCES datacenters (id),
  location TEXT NOT NULL,
  description TEXT NOT NULL,
  height INTEGER NOT NULL,
  first_unit INTEGER NOT NULL,
  numbering TEXT NOT NULL,
  max_power_w INTEGER,
  custom TEXT,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX racks_datacenter ON racks (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX racks_in_order ON racks (name_order, id);

CREATE INDEX racks_name ON racks (name_key, id);

CREATE INDEX racks_out_of_order ON racks (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX racks_owned ON racks (managed_by, name_order, id) WHERE managed_by <> '';

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT NOT NULL,
  salt TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE refs (
  resource TEXT NOT NULL,
  source TEXT NOT NULL,
  external_id TEXT NOT NULL,
  object_id TEXT NOT NULL,
  PRIMARY KEY (resource, source, external_id),
  UNIQUE (resource, object_id, source)
);

CREATE TABLE relationships (
  parent_id TEXT NOT NULL REFERENCES devices (id),
  child_id TEXT NOT NULL REFERENCES devices (id),
  type TEXT NOT NULL,
  notes TEXT NOT NULL,
  created_at TEXT NOT NULL, managed_by TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (parent_id, child_id, type)
);

CREATE INDEX relationships_child ON relationships (child_id);

CREATE INDEX relationships_created ON relationships (created_at, parent_id, child_id, type);

CREATE INDEX relationships_managed_by ON relationships (managed_by, created_at) WHERE managed_by <> '';

CREATE TABLE reservations (
  id TEXT PRIMARY KEY,
  pool_id TEXT NOT NULL REFERENCES pools (id),
  ip_address TEXT NOT NULL,
  ip_key TEXT NOT NULL UNIQUE,
  hostname TEXT NOT NULL,
  purpose TEXT NOT NULL,
  notes TEXT NOT NULL,
  expires_at TEXT,
  created_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, managed_by TEXT NOT NULL DEFAULT '', refs TEXT NOT NULL DEFAULT '{}', mac_address TEXT NOT NULL DEFAULT '', custom TEXT, area INTEGER NOT NULL DEFAULT 0);

CREATE INDEX reservations_area ON reservations (area, ip_key, id) WHERE area <> 0;

CREATE INDEX reservations_expiry ON reservations (expires_at, ip_key);

CREATE INDEX reservations_hostname ON reservations (lower(hostname));

CREATE INDEX reservations_mac_address ON reservations (mac_address) WHERE mac_address <> '';

CREATE INDEX reservations_managed_by ON reservations (managed_by, created_at) WHERE managed_by <> '';

CREATE INDEX reservations_pool ON reservations (pool_id, ip_key);

CREATE VIRTUAL TABLE reservations_search USING fts5(id UNINDEXED, ip_address, hostname, mac_address, purpose, notes, custom, content='reservations', content_rowid='rowid', tokenize='trigram');

CREATE TRIGGER reservations_search_delete AFTER DELETE ON reservations BEGIN INSERT INTO reservations_search (reservations_search, rowid, ip_address, hostname, mac_address, purpose, notes, custom) VALUES ('delete', old.rowid, old.ip_address, old.hostname, old.mac_address, old.purpose, old.notes, old.custom); END;

CREATE TRIGGER reservations_search_insert AFTER INSERT ON reservations BEGIN INSERT INTO reservations_search (rowid, ip_address, hostname, mac_address, purpose, notes, custom) VALUES (new.rowid, new.ip_address, new.hostname, new.mac_address, new.purpose, new.notes, new.custom); END;

CREATE TRIGGER reservations_search_update AFTER UPDATE OF ip_address, hostname, mac_address, purpose, notes, custom ON reservations WHEN old.ip_address IS NOT new.ip_address OR old.hostname IS NOT new.hostname OR old.mac_address IS NOT new.mac_address OR old.purpose IS NOT new.purpose OR old.notes IS NOT new.notes OR old.custom IS NOT new.custom BEGIN INSERT INTO reservations_search (reservations_search, rowid, ip_address, hostname, mac_address, purpose, notes, custom) VALUES ('delete', old.rowid, old.ip_address, old.hostname, old.mac_address, old.purpose, old.notes, old.custom); INSERT INTO reservations_search (rowid, ip_address, hostname, mac_address, purpose, notes, custom) VALUES (new.rowid, new.ip_address, new.hostname, new.mac_address, new.purpose, new.notes, new.custom); END;

CREATE TABLE revisions (name TEXT NOT NULL, shard INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (name, shard));

CREATE TABLE role_permissions (
  role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission TEXT NOT NULL,
  PRIMARY KEY (role_id, permission)
);

CREATE TABLE roles (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  is_system INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX roles_out_of_order ON roles (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE scanner_beats (scanner_id TEXT PRIMARY KEY, beat_ms INTEGER NOT NULL);

CREATE TABLE scanner_states (
  scanner_id TEXT PRIMARY KEY,
  enrolment_hash TEXT NOT NULL DEFAULT '',
  enrolment_expires_at TEXT,
  token_hash TEXT NOT NULL DEFAULT '',
  public_key TEXT NOT NULL DEFAULT '',
  is_online INTEGER NOT NULL DEFAULT 0,
  revoked_at TEXT,
  enrolled_at TEXT,
  last_seen_at TEXT,
  protocol INTEGER,
  version TEXT NOT NULL DEFAULT '',
  hostname TEXT NOT NULL DEFAULT '',
  capabilities TEXT NOT NULL DEFAULT '{"icmp":false,"arp":false,"neighbours":false,"listen":false}',
  links TEXT NOT NULL DEFAULT '[]',
  slots INTEGER NOT NULL DEFAULT 0,
  ip_address TEXT NOT NULL DEFAULT '',
  spooled_reports INTEGER NOT NULL DEFAULT 0,
  noted_at TEXT
);

CREATE UNIQUE INDEX scanner_states_enrolment ON scanner_states (enrolment_hash) WHERE enrolment_hash <> '';

CREATE UNIQUE INDEX scanner_states_token ON scanner_states (token_hash) WHERE token_hash <> '';

CREATE TABLE scanners (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  natural_key TEXT NOT NULL,
  description TEXT NOT NULL,
  tags TEXT NOT NULL,
  use_credentials INTEGER NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE INDEX scanners_managed_by ON scanners (managed_by, name_order, id) WHERE managed_by <> '';

CREATE UNIQUE INDEX scanners_natural_key ON scanners (natural_key);

CREATE INDEX scanners_order ON scanners (name_order, id);

CREATE TABLE scopes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  description TEXT NOT NULL,
  datacenter_ids TEXT NOT NULL,
  space_ids TEXT NOT NULL,
  subnets TEXT NOT NULL,
  tags TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, name_order TEXT NOT NULL DEFAULT '', kind_ids TEXT NOT NULL DEFAULT '[]');

CREATE INDEX scopes_out_of_order ON scopes (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE secret_checks (
  name TEXT PRIMARY KEY,
  sealed TEXT NOT NULL
);

CREATE TABLE session_expiries (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  renewed_at TEXT NOT NULL,
  expires_at TEXT NOT NULL
);

CREATE INDEX session_expiries_expiry ON session_expiries (expires_at);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  created_at TEXT NOT NULL
, ip_address TEXT NOT NULL DEFAULT '', user_agent TEXT NOT NULL DEFAULT '', ends_at TEXT, method TEXT NOT NULL DEFAULT 'password', provider_id TEXT);

CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE sign_in_keys (
  name TEXT PRIMARY KEY,
  key TEXT NOT NULL
);

CREATE TABLE source_objects (
  source_id TEXT NOT NULL,
  resource TEXT NOT NULL,
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  place TEXT NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  object_id TEXT,
  state TEXT NOT NULL,
  action TEXT NOT NULL,
  row TEXT NOT NULL,
  base TEXT,
  diff TEXT NOT NULL DEFAULT '{}',
  why TEXT NOT NULL DEFAULT '',
  because TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  facts TEXT NOT NULL DEFAULT '{}',
  macs TEXT NOT NULL DEFAULT '[]',
  is_stale INTEGER NOT NULL DEFAULT 0,
  missing_since TEXT,
  first_seen_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (source_id, resource, key)
);

CREATE INDEX source_objects_object ON source_objects (object_id) WHERE object_id IS NOT NULL;

CREATE INDEX source_objects_order ON source_objects (source_id, resource, name_order, key);

CREATE INDEX source_objects_stale ON source_objects (source_id) WHERE is_stale > 0;

CREATE INDEX source_objects_state ON source_objects (source_id, state, resource, name_order, key) WHERE state <> 'synced';

CREATE TABLE source_runs (
  id TEXT PRIMARY KEY,
  source_id TEXT NOT NULL,
  trigger TEXT NOT NULL,
  status TEXT NOT NULL,
  result TEXT NOT NULL DEFAULT '',
  product TEXT NOT NULL DEFAULT '',
  read TEXT NOT NULL DEFAULT '{}',
  counts TEXT NOT NULL DEFAULT '{}',
  left_over TEXT NOT NULL DEFAULT '[]',
  warnings TEXT NOT NULL DEFAULT '[]',
  log TEXT NOT NULL DEFAULT '[]',
  requests INTEGER NOT NULL DEFAULT 0,
  bytes INTEGER NOT NULL DEFAULT 0,
  error_code TEXT NOT NULL DEFAULT '',
  message TEXT NOT NULL DEFAULT '',
  change_id TEXT NOT NULL DEFAULT '',
  applies INTEGER NOT NULL DEFAULT 1,
  force INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL,
  started_at TEXT,
  completed_at TEXT
);

CREATE INDEX source_runs_open ON source_runs (source_id) WHERE status IN ('pending', 'running');

CREATE INDEX source_runs_source ON source_runs (source_id, created_at, id);

CREATE TABLE source_states (
  source_id TEXT PRIMARY KEY,
  status TEXT NOT NULL DEFAULT 'new',
  message TEXT NOT NULL DEFAULT '',
  is_held INTEGER NOT NULL DEFAULT 0,
  product TEXT NOT NULL DEFAULT '',
  snapshot_hash TEXT NOT NULL DEFAULT '',
  failures INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  next_run_ms INTEGER,
  last_run_at TEXT,
  last_success_at TEXT,
  holder TEXT NOT NULL DEFAULT '',
  until_ms INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  kind TEXT NOT NULL,
  url TEXT NOT NULL,
  options TEXT NOT NULL,
  secrets TEXT,
  secrets_set TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  mode TEXT NOT NULL,
  interval_minutes INTEGER NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  allow_private INTEGER NOT NULL,
  tls_ca TEXT NOT NULL,
  tls_fingerprint TEXT NOT NULL,
  include TEXT NOT NULL,
  exclude TEXT NOT NULL,
  datacenter_id TEXT,
  space_id TEXT,
  places TEXT NOT NULL,
  tags TEXT NOT NULL,
  custom TEXT NOT NULL,
  ref TEXT NOT NULL,
  when_gone TEXT NOT NULL,
  gone_after_hours INTEGER NOT NULL,
  max_gone_percent INTEGER NOT NULL,
  description TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE UNIQUE INDEX sources_name ON sources (name_key);

CREATE INDEX sources_order ON sources (name_order, id);

CREATE TABLE space_keys (
  space_id TEXT PRIMARY KEY,
  space_key TEXT NOT NULL
);

CREATE UNIQUE INDEX space_keys_key ON space_keys (space_key);

CREATE TABLE spaces (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  description TEXT NOT NULL,
  reachable INTEGER NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, custom TEXT, area INTEGER NOT NULL DEFAULT 0, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX spaces_in_order ON spaces (name_order, id);

CREATE UNIQUE INDEX spaces_name ON spaces (name_key);

CREATE INDEX spaces_out_of_order ON spaces (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE sso_providers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  client_secret TEXT,
  scopes TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  create_users INTEGER NOT NULL,
  link_by_email INTEGER NOT NULL,
  allowed_domains TEXT NOT NULL,
  username_claim TEXT NOT NULL,
  groups_claim TEXT NOT NULL,
  group_mappings TEXT NOT NULL,
  required_acr TEXT NOT NULL,
  max_session_hours INTEGER NOT NULL,
  credentials_max_idle_days INTEGER NOT NULL,
  allow_http INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, changed_by TEXT, name_order TEXT NOT NULL DEFAULT '');

CREATE UNIQUE INDEX sso_providers_name_key ON sso_providers (name_key);

CREATE INDEX sso_providers_out_of_order ON sso_providers (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE TABLE sso_seen (
  token_hash TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
);

CREATE INDEX sso_seen_expires_at ON sso_seen (expires_at);

CREATE TABLE sso_sessions (
  session_id TEXT PRIMARY KEY,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  subject TEXT NOT NULL,
  sid TEXT NOT NULL,
  id_token TEXT,
  expires_at TEXT NOT NULL
);

CREATE INDEX sso_sessions_expires_at ON sso_sessions (expires_at);

CREATE INDEX sso_sessions_sid ON sso_sessions (provider_id, sid);

CREATE INDEX sso_sessions_subject ON sso_sessions (provider_id, subject);

CREATE TABLE sso_states (
  state_hash TEXT PRIMARY KEY,
  browser_hash TEXT NOT NULL,
  provider_id TEXT NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  verifier TEXT NOT NULL,
  nonce TEXT NOT NULL,
  return_to TEXT NOT NULL,
  user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER,
  expires_at TEXT NOT NULL
);

CREATE INDEX sso_states_expires_at ON sso_states (expires_at);

CREATE TABLE totp (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT NOT NULL,
  last_step INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  confirmed_at TEXT,
  last_used_at TEXT
);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL,
  username_key TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  email_key TEXT UNIQUE,
  full_name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  is_active INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  last_login_at TEXT
, username_look TEXT, username_look_lower TEXT, username_look_upper TEXT, is_break_glass INTEGER NOT NULL DEFAULT 0, username_order TEXT NOT NULL DEFAULT '');

CREATE INDEX users_in_order ON users (username_order, id);

CREATE INDEX users_look ON users (username_look);

CREATE INDEX users_look_lower ON users (username_look_lower);

CREATE INDEX users_look_upper ON users (username_look_upper);

CREATE INDEX users_out_of_order ON users (id) WHERE substr(username_order, -(length(username_key) + 1)) <> char(1) || username_key;

CREATE TABLE utilization_samples (
  object_id TEXT NOT NULL,
  day TEXT NOT NULL,
  used INTEGER NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (object_id, day)
);

CREATE INDEX utilization_samples_day ON utilization_samples (day);

CREATE TABLE view_pins (
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  view_id TEXT NOT NULL REFERENCES views (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, view_id)
);

CREATE INDEX view_pins_view ON view_pins (view_id);

CREATE TABLE views (
  id TEXT PRIMARY KEY,
  owner_id TEXT REFERENCES users (id) ON DELETE SET NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name_order TEXT NOT NULL,
  path TEXT NOT NULL,
  search TEXT NOT NULL,
  is_shared INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);

CREATE UNIQUE INDEX views_owner ON views (owner_id, path, name_key);

CREATE INDEX views_shared ON views (is_shared) WHERE is_shared = 1;

CREATE TABLE vlans (
  id TEXT PRIMARY KEY,
  vlan_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  datacenter_id TEXT REFERENCES datacenters (id),
  "group" TEXT NOT NULL,
  group_key TEXT NOT NULL,
  natural_key TEXT NOT NULL,
  description TEXT NOT NULL,
  refs TEXT NOT NULL,
  managed_by TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, custom TEXT, name_order TEXT NOT NULL DEFAULT '');

CREATE INDEX vlans_by_number ON vlans (vlan_id, name_order, id);

CREATE INDEX vlans_datacenter ON vlans (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX vlans_in_order ON vlans (name_order, id);

CREATE INDEX vlans_name ON vlans (name_key, id);

CREATE UNIQUE INDEX vlans_natural_key ON vlans (natural_key);

CREATE INDEX vlans_out_of_order ON vlans (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;

CREATE INDEX vlans_owned ON vlans (managed_by, vlan_id, name_order, id) WHERE managed_by <> '';

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_number INTEGER NOT NULL,
  attempts_left INTEGER NOT NULL,
  response_code INTEGER,
  response_body TEXT NOT NULL,
  error TEXT NOT NULL,
  duration_ms INTEGER,
  attempts TEXT NOT NULL,
  next_retry TEXT,
  due_ms INTEGER,
  until_ms INTEGER NOT NULL,
  created_at TEXT NOT NULL
, holder TEXT NOT NULL DEFAULT '', change_id TEXT NOT NULL DEFAULT '', resource_id TEXT NOT NULL DEFAULT '', event_seq INTEGER NOT NULL DEFAULT 0);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_ms, id) WHERE due_ms IS NOT NULL;

CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, created_at) WHERE status = 'failed';

CREATE INDEX webhook_deliveries_held ON webhook_deliveries (webhook_id) WHERE holder <> '';

CREATE INDEX webhook_deliveries_history ON webhook_deliveries (webhook_id, id);

CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), event_seq, id, (due_ms + 0))
WHERE due_ms IS NOT NULL;

CREATE INDEX webhook_deliveries_open
ON webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), id)
WHERE due_ms IS NOT NULL;

CREATE TABLE webhook_purges (name TEXT PRIMARY KEY);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT,
  events TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  disabled_reason TEXT NOT NULL,
  description TEXT NOT NULL,
  headers TEXT NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
, sealed_headers TEXT, name_order TEXT NOT NULL DEFAULT '', format TEXT NOT NULL DEFAULT 'generic', filter TEXT NOT NULL DEFAULT '{}', group_seconds INTEGER NOT NULL DEFAULT 10, max_per_hour INTEGER NOT NULL DEFAULT 20, quiet_from TEXT NOT NULL DEFAULT '', quiet_to TEXT NOT NULL DEFAULT '', timezone TEXT NOT NULL DEFAULT 'UTC', digest TEXT NOT NULL DEFAULT '', digest_at TEXT NOT NULL DEFAULT '08:00', reports TEXT NOT NULL DEFAULT '[]', sealed_url TEXT);

CREATE INDEX webhooks_in_order ON webhooks (name_order, id);

CREATE INDEX webhooks_name ON webhooks (name_key, id);

CREATE INDEX webhooks_out_of_order ON webhooks (id) WHERE substr(name_order, -(length(name_key) + 1)) <> char(1) || name_key;
