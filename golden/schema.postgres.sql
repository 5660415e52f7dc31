-- 0001-inventory

CREATE TABLE datacenters (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  location TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX datacenters_name ON datacenters (name_key, id);

CREATE TABLE networks (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  subnet TEXT COLLATE "C" NOT NULL,
  prefix INTEGER NOT NULL,
  first_key TEXT COLLATE "C" NOT NULL,
  last_key TEXT COLLATE "C" NOT NULL,
  vlan_id INTEGER,
  datacenter_id TEXT COLLATE "C" REFERENCES datacenters (id),
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX networks_name ON networks (name_key, id);

CREATE INDEX networks_subnet ON networks (subnet);

CREATE INDEX networks_first ON networks (first_key, prefix);

CREATE INDEX networks_datacenter ON networks (datacenter_id);

CREATE INDEX networks_vlan ON networks (vlan_id);

CREATE TABLE pools (
  id TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL REFERENCES networks (id),
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  start_ip TEXT COLLATE "C" NOT NULL,
  end_ip TEXT COLLATE "C" NOT NULL,
  start_key TEXT COLLATE "C" NOT NULL,
  end_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX pools_name ON pools (name_key, id);

CREATE INDEX pools_network ON pools (network_id, name_key, id);

CREATE TABLE pool_tags (
  pool_id TEXT COLLATE "C" NOT NULL REFERENCES pools (id),
  position INTEGER NOT NULL,
  tag TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (pool_id, position)
);

CREATE INDEX pool_tags_tag ON pool_tags (tag, pool_id);

CREATE TABLE reservations (
  id TEXT COLLATE "C" PRIMARY KEY,
  pool_id TEXT COLLATE "C" NOT NULL REFERENCES pools (id),
  ip_address TEXT COLLATE "C" NOT NULL,
  ip_key TEXT COLLATE "C" NOT NULL UNIQUE,
  hostname TEXT COLLATE "C" NOT NULL,
  purpose TEXT COLLATE "C" NOT NULL,
  notes TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  created_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX reservations_pool ON reservations (pool_id, ip_key);

CREATE INDEX reservations_expiry ON reservations (expires_at, ip_key);

CREATE TABLE devices (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  hostname_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  make_model TEXT COLLATE "C" NOT NULL,
  os TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C" REFERENCES datacenters (id),
  username TEXT COLLATE "C" NOT NULL,
  location TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  search_text TEXT COLLATE "C" NOT NULL,
  doc TEXT COLLATE "C" NOT NULL
);

CREATE INDEX devices_name ON devices (name_key, id);

CREATE INDEX devices_hostname ON devices (hostname_key);

CREATE INDEX devices_datacenter ON devices (datacenter_id);

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX devices_search ON devices USING gin (search_text gin_trgm_ops);

CREATE TABLE addresses (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  ip_key TEXT COLLATE "C" NOT NULL,
  network_id TEXT COLLATE "C" REFERENCES networks (id),
  pool_id TEXT COLLATE "C" REFERENCES pools (id),
  PRIMARY KEY (device_id, position)
);

CREATE INDEX addresses_ip_key ON addresses (ip_key);

CREATE INDEX addresses_ip ON addresses (ip);

CREATE INDEX addresses_network ON addresses (network_id);

CREATE INDEX addresses_pool ON addresses (pool_id, ip_key);

CREATE TABLE network_addresses (
  network_id TEXT COLLATE "C" NOT NULL REFERENCES networks (id),
  ip_key TEXT COLLATE "C" NOT NULL,
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  PRIMARY KEY (network_id, ip_key, device_id)
);

CREATE INDEX network_addresses_device ON network_addresses (device_id);

CREATE TABLE device_tags (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  tag TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (device_id, position)
);

CREATE INDEX device_tags_tag ON device_tags (tag, device_id);

CREATE TABLE device_domains (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  position INTEGER NOT NULL,
  domain TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (device_id, position)
);

CREATE INDEX device_domains_domain ON device_domains (domain);

CREATE TABLE address_blocks (
  block TEXT COLLATE "C" PRIMARY KEY,
  taken TEXT COLLATE "C" NOT NULL
);

CREATE TABLE relationships (
  parent_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  child_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  type TEXT COLLATE "C" NOT NULL,
  notes TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (parent_id, child_id, type)
);

CREATE INDEX relationships_child ON relationships (child_id);

CREATE INDEX relationships_created ON relationships (created_at, parent_id, child_id, type);

CREATE TABLE idempotency_keys (
  owner TEXT COLLATE "C" NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  request_hash TEXT COLLATE "C" NOT NULL,
  answer TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (owner, operation, key)
);

CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- 0002-access

CREATE TABLE roles (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL UNIQUE,
  description TEXT COLLATE "C" NOT NULL,
  is_system INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

INSERT INTO roles (id, name, name_key, description, is_system, created_at, updated_at)
VALUES ('role-admin', 'admin', 'admin', '', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');

INSERT INTO roles (id, name, name_key, description, is_system, created_at, updated_at)
VALUES ('role-operator', 'operator', 'operator', '', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');

INSERT INTO roles (id, name, name_key, description, is_system, created_at, updated_at)
VALUES ('role-viewer', 'viewer', 'viewer', '', 1, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');

CREATE TABLE role_permissions (
  role_id TEXT COLLATE "C" NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
  permission TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (role_id, permission)
);

CREATE TABLE users (
  id TEXT COLLATE "C" PRIMARY KEY,
  username TEXT COLLATE "C" NOT NULL,
  username_key TEXT COLLATE "C" NOT NULL UNIQUE,
  email TEXT COLLATE "C" NOT NULL,
  email_key TEXT COLLATE "C" UNIQUE,
  full_name TEXT COLLATE "C" NOT NULL,
  password_hash TEXT COLLATE "C" NOT NULL,
  is_active INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  last_login_at TEXT COLLATE "C"
);

CREATE TABLE user_roles (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role_id TEXT COLLATE "C" NOT NULL REFERENCES roles (id),
  PRIMARY KEY (user_id, role_id)
);

CREATE INDEX user_roles_role ON user_roles (role_id, user_id);

CREATE TABLE api_keys (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  key_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  prefix TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  UNIQUE (user_id, name_key)
);

CREATE INDEX api_keys_name ON api_keys (name_key, id);

CREATE TABLE api_key_uses (
  key_id TEXT COLLATE "C" PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  last_used_at TEXT COLLATE "C"
);

CREATE TABLE sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  token_hash TEXT COLLATE "C" NOT NULL UNIQUE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);

CREATE TABLE session_expiries (
  session_id TEXT COLLATE "C" PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
  renewed_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX session_expiries_expiry ON session_expiries (expires_at);

-- 0003-secrets

CREATE TABLE secret_checks (
  name TEXT COLLATE "C" PRIMARY KEY,
  sealed TEXT COLLATE "C" NOT NULL
);

CREATE TABLE credentials (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  username TEXT COLLATE "C" NOT NULL,
  auth_protocol TEXT COLLATE "C" NOT NULL,
  priv_protocol TEXT COLLATE "C" NOT NULL,
  secret TEXT COLLATE "C",
  device_id TEXT COLLATE "C" REFERENCES devices (id),
  network_id TEXT COLLATE "C" REFERENCES networks (id),
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX credentials_name ON credentials (name_key, id);

CREATE INDEX credentials_device ON credentials (device_id);

CREATE INDEX credentials_network ON credentials (network_id);

-- 0004-access-more

ALTER TABLE sessions ADD COLUMN ip_address TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE sessions ADD COLUMN user_agent TEXT COLLATE "C" NOT NULL DEFAULT '';

-- 0005-audit

CREATE TABLE audit_chains (
  chain INTEGER PRIMARY KEY,
  start_seq BIGINT NOT NULL,
  start_hash TEXT COLLATE "C" NOT NULL,
  end_seq BIGINT NOT NULL,
  end_hash TEXT COLLATE "C" NOT NULL,
  signature TEXT COLLATE "C" NOT NULL
);

INSERT INTO audit_chains (chain, start_seq, start_hash, end_seq, end_hash, signature) VALUES (0, 0, '', 0, '', ''), (1, 0, '', 0, '', ''), (2, 0, '', 0, '', ''), (3, 0, '', 0, '', ''), (4, 0, '', 0, '', ''), (5, 0, '', 0, '', ''), (6, 0, '', 0, '', ''), (7, 0, '', 0, '', ''), (8, 0, '', 0, '', ''), (9, 0, '', 0, '', ''), (10, 0, '', 0, '', ''), (11, 0, '', 0, '', ''), (12, 0, '', 0, '', ''), (13, 0, '', 0, '', ''), (14, 0, '', 0, '', ''), (15, 0, '', 0, '', ''), (16, 0, '', 0, '', ''), (17, 0, '', 0, '', ''), (18, 0, '', 0, '', ''), (19, 0, '', 0, '', ''), (20, 0, '', 0, '', ''), (21, 0, '', 0, '', ''), (22, 0, '', 0, '', ''), (23, 0, '', 0, '', ''), (24, 0, '', 0, '', ''), (25, 0, '', 0, '', ''), (26, 0, '', 0, '', ''), (27, 0, '', 0, '', ''), (28, 0, '', 0, '', ''), (29, 0, '', 0, '', ''), (30, 0, '', 0, '', ''), (31, 0, '', 0, '', '');

CREATE TABLE audit (
  id TEXT COLLATE "C" PRIMARY KEY,
  timestamp TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  resource TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  username TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  ip_address TEXT COLLATE "C" NOT NULL,
  changes TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  request_id TEXT COLLATE "C" NOT NULL,
  chain INTEGER NOT NULL,
  seq BIGINT NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX audit_chain ON audit (chain, seq);

CREATE INDEX audit_resource ON audit (resource_id, id);

CREATE INDEX audit_user ON audit (user_id, id);

CREATE INDEX audit_kind ON audit (resource, action, status, id);

-- 0006-audit-places

ALTER TABLE audit RENAME TO audit_before;

CREATE TABLE audit (
  place BIGINT PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  timestamp TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  resource TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  username TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  ip_address TEXT COLLATE "C" NOT NULL,
  changes TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  request_id TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL
);

INSERT INTO audit (place, id, timestamp, action, resource, resource_id, user_id, username, key_id, ip_address, changes, status, error, request_id, hash) SELECT chain * 1099511627776 + seq, id, timestamp, action, resource, resource_id, user_id, username, key_id, ip_address, changes, status, error, request_id, hash FROM audit_before;

DROP TABLE audit_before;

CREATE INDEX audit_object ON audit (resource_id, id);

CREATE INDEX audit_newest ON audit (id, resource, action, status, user_id);

-- 0007-device-order

DROP INDEX devices_name;

DROP INDEX devices_datacenter;

CREATE INDEX devices_name ON devices (name_key, id, status);

CREATE INDEX devices_datacenter ON devices (datacenter_id, name_key, id);

-- 0008-discovery

CREATE TABLE discovery_scans (
  id TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL REFERENCES networks (id),
  status TEXT COLLATE "C" NOT NULL,
  scan_type TEXT COLLATE "C" NOT NULL,
  stage TEXT COLLATE "C" NOT NULL,
  total_hosts INTEGER NOT NULL,
  scanned_hosts INTEGER NOT NULL,
  found_hosts INTEGER NOT NULL,
  hosts_per_second DOUBLE PRECISION NOT NULL,
  exclude_ips TEXT COLLATE "C" NOT NULL,
  error_message TEXT COLLATE "C" NOT NULL,
  rule_id TEXT COLLATE "C",
  created_by TEXT COLLATE "C" NOT NULL,
  started_at TEXT COLLATE "C",
  completed_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  runner TEXT COLLATE "C" NOT NULL,
  heartbeat_at TEXT COLLATE "C" NOT NULL,
  resumes INTEGER NOT NULL
);

CREATE INDEX discovery_scans_created ON discovery_scans (created_at, id);

CREATE INDEX discovery_scans_network ON discovery_scans (network_id, created_at, id);

CREATE INDEX discovery_scans_open ON discovery_scans (status, created_at, id) WHERE status IN ('pending', 'running');

CREATE UNIQUE INDEX discovery_scans_running ON discovery_scans (network_id) WHERE status = 'running';

CREATE TABLE discovery_scan_states (
  scan_id TEXT COLLATE "C" PRIMARY KEY REFERENCES discovery_scans (id) ON DELETE CASCADE,
  privilege TEXT COLLATE "C" NOT NULL,
  log TEXT COLLATE "C" NOT NULL,
  checkpoint TEXT COLLATE "C" NOT NULL
);

CREATE TABLE discovery_changes (
  scan_id TEXT COLLATE "C" NOT NULL REFERENCES discovery_scans (id) ON DELETE CASCADE,
  discovered_id TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  ip_key TEXT COLLATE "C" NOT NULL,
  hostname TEXT COLLATE "C" NOT NULL,
  mac_address TEXT COLLATE "C" NOT NULL,
  changes TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (scan_id, kind, discovered_id)
);

CREATE TABLE discovery_rules (
  id TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES networks (id),
  enabled INTEGER NOT NULL,
  scan_type TEXT COLLATE "C" NOT NULL,
  interval_hours INTEGER NOT NULL,
  exclude_ips TEXT COLLATE "C" NOT NULL,
  last_run_at TEXT COLLATE "C",
  next_run_at TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX discovery_rules_due ON discovery_rules (next_run_at);

CREATE TABLE discovered_devices (
  id TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL REFERENCES networks (id),
  ip_key TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  confidence INTEGER NOT NULL,
  last_seen TEXT COLLATE "C" NOT NULL,
  first_scan_id TEXT COLLATE "C" NOT NULL,
  last_scan_id TEXT COLLATE "C" NOT NULL,
  unseen_scan_id TEXT COLLATE "C" NOT NULL,
  returned_scan_id TEXT COLLATE "C" NOT NULL,
  baseline TEXT COLLATE "C" NOT NULL,
  is_changed INTEGER NOT NULL,
  promoted_to_device_id TEXT COLLATE "C" REFERENCES devices (id),
  matched_device_id TEXT COLLATE "C" REFERENCES devices (id),
  bucket TEXT COLLATE "C" NOT NULL,
  bucket_since TEXT COLLATE "C" NOT NULL,
  is_ignored INTEGER NOT NULL,
  ignored_findings TEXT COLLATE "C" NOT NULL,
  findings TEXT COLLATE "C" NOT NULL,
  conflicts TEXT COLLATE "C" NOT NULL,
  links TEXT COLLATE "C" NOT NULL,
  doc TEXT COLLATE "C" NOT NULL
);

CREATE INDEX discovered_devices_network ON discovered_devices (network_id, ip_key, id);

CREATE INDEX discovered_devices_matched ON discovered_devices (matched_device_id) WHERE matched_device_id IS NOT NULL;

CREATE INDEX discovered_devices_inbox ON discovered_devices (is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> '';

CREATE TABLE discovered_texts (
  device_id TEXT COLLATE "C" PRIMARY KEY REFERENCES discovered_devices (id) ON DELETE CASCADE,
  search_text TEXT COLLATE "C" NOT NULL
);

CREATE TABLE discovered_addresses (
  place TEXT COLLATE "C" PRIMARY KEY,
  ip_key TEXT COLLATE "C" NOT NULL,
  device_id TEXT COLLATE "C" NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  ip TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  first_seen TEXT COLLATE "C" NOT NULL,
  last_seen TEXT COLLATE "C" NOT NULL,
  last_scan_id TEXT COLLATE "C" NOT NULL,
  ports_scan_id TEXT COLLATE "C" NOT NULL,
  observation TEXT COLLATE "C" NOT NULL
);

CREATE INDEX discovered_addresses_device ON discovered_addresses (device_id);

CREATE TABLE discovered_identities (
  place TEXT COLLATE "C" PRIMARY KEY,
  key TEXT COLLATE "C" NOT NULL,
  device_id TEXT COLLATE "C" REFERENCES discovered_devices (id) ON DELETE CASCADE
);

CREATE INDEX discovered_identities_key ON discovered_identities (key);

CREATE INDEX discovered_identities_device ON discovered_identities (device_id);

CREATE TABLE discovery_host_keys (
  place TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL REFERENCES networks (id),
  ip_key TEXT COLLATE "C" NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  pinned_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX discovery_host_keys_network ON discovery_host_keys (network_id);

CREATE TABLE discovery_locks (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  field TEXT COLLATE "C" NOT NULL,
  created_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (device_id, field)
);

CREATE INDEX discovery_locks_created ON discovery_locks (created_at, device_id, field);

-- 0009-events

CREATE TABLE events (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  data TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE webhooks (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  secret TEXT COLLATE "C",
  events TEXT COLLATE "C" NOT NULL,
  enabled INTEGER NOT NULL,
  disabled_reason TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  headers TEXT COLLATE "C" NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  retry_count INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX webhooks_name ON webhooks (name_key, id);

CREATE TABLE webhook_deliveries (
  id TEXT COLLATE "C" PRIMARY KEY,
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT COLLATE "C" NOT NULL,
  body TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  attempt_number INTEGER NOT NULL,
  attempts_left INTEGER NOT NULL,
  response_code INTEGER,
  response_body TEXT COLLATE "C" NOT NULL,
  error TEXT COLLATE "C" NOT NULL,
  duration_ms INTEGER,
  attempts TEXT COLLATE "C" NOT NULL,
  next_retry TEXT COLLATE "C",
  due_ms BIGINT,
  lease_ms BIGINT NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX webhook_deliveries_history ON webhook_deliveries (webhook_id, id);

CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, created_at) WHERE status = 'failed';

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_ms, id) WHERE due_ms IS NOT NULL;

-- 0010-conflicts

CREATE TABLE conflicts (
  id TEXT COLLATE "C" PRIMARY KEY,
  type TEXT COLLATE "C" NOT NULL,
  cause TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  ip_address TEXT COLLATE "C" NOT NULL,
  device_ids TEXT COLLATE "C" NOT NULL,
  network_ids TEXT COLLATE "C" NOT NULL,
  subnets TEXT COLLATE "C" NOT NULL,
  detected_at TEXT COLLATE "C" NOT NULL,
  resolved_at TEXT COLLATE "C",
  resolved_by TEXT COLLATE "C" NOT NULL,
  notes TEXT COLLATE "C" NOT NULL
);

CREATE INDEX conflicts_newest ON conflicts (id, type, status);

CREATE UNIQUE INDEX conflicts_open ON conflicts (cause) WHERE status <> 'resolved';

CREATE TABLE conflict_members (
  conflict_id TEXT COLLATE "C" NOT NULL REFERENCES conflicts (id) ON DELETE CASCADE,
  member_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (conflict_id, member_id)
);

CREATE INDEX conflict_members_member ON conflict_members (member_id, conflict_id);

-- 0011-utilization

CREATE TABLE utilization_samples (
  object_id TEXT COLLATE "C" NOT NULL,
  day TEXT COLLATE "C" NOT NULL,
  used BIGINT NOT NULL,
  total BIGINT NOT NULL,
  PRIMARY KEY (object_id, day)
);

CREATE INDEX utilization_samples_day ON utilization_samples (day);

CREATE TABLE pool_alarms (
  pool_id TEXT COLLATE "C" PRIMARY KEY,
  raised_at TEXT COLLATE "C" NOT NULL
);

-- 0012-oauth

CREATE TABLE oauth_clients (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  redirect_uris TEXT COLLATE "C" NOT NULL,
  grant_types TEXT COLLATE "C" NOT NULL,
  response_types TEXT COLLATE "C" NOT NULL,
  auth_method TEXT COLLATE "C" NOT NULL,
  secret_hash TEXT COLLATE "C",
  scope TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  consented_at TEXT COLLATE "C"
);

CREATE INDEX oauth_clients_name ON oauth_clients (name_key, id);

CREATE INDEX oauth_clients_idle ON oauth_clients (created_at, id) WHERE consented_at IS NULL;

CREATE TABLE oauth_client_uses (
  client_id TEXT COLLATE "C" PRIMARY KEY REFERENCES oauth_clients (id) ON DELETE CASCADE,
  last_used_at TEXT COLLATE "C"
);

CREATE TABLE oauth_grants (
  id TEXT COLLATE "C" PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  scope TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX oauth_grants_client ON oauth_grants (client_id, id);

CREATE INDEX oauth_grants_user ON oauth_grants (user_id, id);

CREATE TABLE oauth_grant_uses (
  grant_id TEXT COLLATE "C" PRIMARY KEY REFERENCES oauth_grants (id) ON DELETE CASCADE,
  last_used_at TEXT COLLATE "C",
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX oauth_grant_uses_expiry ON oauth_grant_uses (expires_at);

CREATE TABLE oauth_codes (
  code_hash TEXT COLLATE "C" PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER NOT NULL,
  redirect_uri TEXT COLLATE "C" NOT NULL,
  code_challenge TEXT COLLATE "C",
  scope TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  used_at TEXT COLLATE "C",
  grant_id TEXT COLLATE "C"
);

CREATE INDEX oauth_codes_client ON oauth_codes (client_id);

CREATE INDEX oauth_codes_user ON oauth_codes (user_id);

CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at);

CREATE TABLE oauth_refresh_tokens (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  grant_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  expires_at TEXT COLLATE "C" NOT NULL,
  used_at TEXT COLLATE "C"
);

CREATE INDEX oauth_refresh_tokens_grant ON oauth_refresh_tokens (grant_id);

CREATE INDEX oauth_refresh_tokens_expiry ON oauth_refresh_tokens (expires_at);

CREATE TABLE oauth_access_tokens (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  grant_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
  scope TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX oauth_access_tokens_grant ON oauth_access_tokens (grant_id);

CREATE INDEX oauth_access_tokens_expiry ON oauth_access_tokens (expires_at);

-- 0013-plans

CREATE TABLE plans (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL,
  client TEXT COLLATE "C" NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  input TEXT COLLATE "C" NOT NULL,
  changes TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  applied_at TEXT COLLATE "C"
);

CREATE INDEX plans_user ON plans (user_id, id);

CREATE INDEX plans_expiry ON plans (expires_at);

ALTER TABLE audit ADD COLUMN oauth_client TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE audit ADD COLUMN tool TEXT COLLATE "C" NOT NULL DEFAULT '';

-- 0014-lookup

ALTER TABLE discovered_texts ADD COLUMN mac_address TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_texts ADD COLUMN hostname_key TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE discovered_texts SET
mac_address = coalesce((SELECT doc::json ->> 'mac_address' FROM discovered_devices WHERE discovered_devices.id = discovered_texts.device_id), ''),
hostname_key = coalesce((SELECT lower(doc::json ->> 'hostname') FROM discovered_devices WHERE discovered_devices.id = discovered_texts.device_id), '');

CREATE INDEX discovered_texts_mac ON discovered_texts (mac_address) WHERE mac_address <> '';

CREATE INDEX discovered_texts_hostname ON discovered_texts (hostname_key) WHERE hostname_key <> '';

CREATE INDEX device_domains_key ON device_domains (lower(domain));

CREATE INDEX reservations_hostname ON reservations (lower(hostname));

-- 0016-open-deliveries

CREATE INDEX webhook_deliveries_open
ON webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), id)
WHERE due_ms IS NOT NULL;

-- 0017-discovery-scale

CREATE INDEX discovered_devices_network_inbox
ON discovered_devices (network_id, is_ignored, bucket, bucket_since DESC, id DESC) WHERE bucket <> '';

CREATE INDEX discovered_devices_first ON discovered_devices (first_scan_id, ip_key, id);

CREATE INDEX discovered_devices_down ON discovered_devices (network_id, ip_key, id) WHERE status = 'down';

CREATE INDEX discovered_devices_promoted ON discovered_devices (network_id, ip_key, id)
WHERE promoted_to_device_id IS NOT NULL;

CREATE INDEX discovery_changes_order ON discovery_changes (scan_id, kind, ip_key, discovered_id);

CREATE TABLE discovery_links (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  other_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (device_id, other_id)
);

CREATE INDEX discovery_links_other ON discovery_links (other_id);

INSERT INTO discovery_links (device_id, other_id)
SELECT DISTINCT id, coalesce(value ->> 'sourceId', value ->> 'targetId')
FROM discovered_devices, json_array_elements(links::json) WHERE links <> '[]';

CREATE INDEX discovery_scans_completed ON discovery_scans (completed_at, id) WHERE completed_at IS NOT NULL;

-- 0018-instances

CREATE TABLE job_leases (
  name TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT NOT NULL,
  fence BIGINT NOT NULL,
  until_ms BIGINT NOT NULL,
  began_ms BIGINT NOT NULL
);

ALTER TABLE webhook_deliveries ADD COLUMN claim TEXT NOT NULL DEFAULT '';

ALTER TABLE discovery_scans ADD COLUMN beat_ms BIGINT NOT NULL DEFAULT 0;

-- 0020-lookup-found

CREATE INDEX discovered_devices_undocumented ON discovered_devices (ip_key) WHERE matched_device_id IS NULL;

-- 0021-search-across-dots

DROP INDEX devices_search;

CREATE INDEX devices_search ON devices USING gin (replace(replace(replace(search_text, '.', 'q'), ':', 'x'), '-', 'z') gin_trgm_ops);

-- 0022-key-makers

ALTER TABLE api_keys ADD COLUMN created_by TEXT COLLATE "C";

UPDATE api_keys SET created_by = (
  SELECT min(user_id) FROM audit
  WHERE audit.resource_id = api_keys.id AND audit.resource = 'key' AND audit.action = 'create' AND audit.status = 'success'
    AND audit.user_id <> '' AND audit.user_id NOT IN (SELECT id FROM api_keys)
);

-- 0023-user-looks

ALTER TABLE users ADD COLUMN username_look TEXT COLLATE "C";

ALTER TABLE users ADD COLUMN username_look_lower TEXT COLLATE "C";

CREATE INDEX users_look ON users (username_look);

CREATE INDEX users_look_lower ON users (username_look_lower);

-- 0025-sign-in-keys

CREATE TABLE sign_in_keys (
  name TEXT COLLATE "C" PRIMARY KEY,
  key TEXT NOT NULL
);

-- 0026-sealed-headers

ALTER TABLE webhooks ADD COLUMN sealed_headers TEXT;

CREATE TABLE webhook_purges (name TEXT COLLATE "C" PRIMARY KEY);

INSERT INTO webhook_purges (name) SELECT 'headers' WHERE EXISTS (SELECT 1 FROM webhooks WHERE headers <> '{}');

-- 0027-user-upper-looks

ALTER TABLE users ADD COLUMN username_look_upper TEXT COLLATE "C";

CREATE INDEX users_look_upper ON users (username_look_upper);

-- 0029-audit-key-owners

ALTER TABLE audit ADD COLUMN key_owner_id TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE audit ADD COLUMN key_owner TEXT COLLATE "C" NOT NULL DEFAULT '';

DROP INDEX audit_newest;

CREATE INDEX audit_newest ON audit (id, resource, action, status, user_id, key_id, key_owner_id);

-- 0030-random-macs

ALTER TABLE discovered_devices ADD COLUMN random_mac INTEGER NOT NULL DEFAULT 0;

UPDATE discovered_devices SET random_mac = 1
     WHERE id IN (SELECT device_id FROM discovered_texts WHERE length(mac_address) = 17 AND substr(mac_address, 2, 1) IN ('2', '6', 'a', 'e') AND NOT (mac_address LIKE '52:54:00:%' OR mac_address LIKE '02:42:%' OR mac_address LIKE '0a:58:%'
OR mac_address LIKE 'fa:16:3e:%' OR mac_address LIKE '02:bf:%'));

UPDATE discovered_devices SET doc = substr(doc, 1, length(doc) - 1) || CASE random_mac
WHEN 1 THEN ',"random_mac":true}' ELSE ',"random_mac":false}' END;

INSERT INTO discovered_identities (place, key, device_id)
SELECT network_id || ' mac:' || mac_address, 'mac:' || mac_address, CASE WHEN count(*) > 8 THEN NULL ELSE min(id) END
FROM discovered_devices JOIN discovered_texts ON device_id = id
WHERE length(mac_address) = 17 AND substr(mac_address, 2, 1) IN ('2', '6', 'a', 'e') AND mac_address NOT LIKE '02:bf:%' GROUP BY network_id, mac_address
ON CONFLICT (place) DO NOTHING;

-- 0031-leases

ALTER TABLE webhook_deliveries RENAME COLUMN claim TO holder;

ALTER TABLE webhook_deliveries RENAME COLUMN lease_ms TO until_ms;

UPDATE webhook_deliveries SET holder = '', until_ms = 0 WHERE holder <> '';

ALTER TABLE discovery_scans RENAME COLUMN runner TO holder;

ALTER TABLE discovery_scans RENAME COLUMN beat_ms TO until_ms;

ALTER TABLE discovery_scans DROP COLUMN heartbeat_at;

-- 0040-history

CREATE TABLE changes (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  at BIGINT NOT NULL,
  operation TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  username TEXT COLLATE "C" NOT NULL,
  via TEXT COLLATE "C" NOT NULL,
  key_id TEXT COLLATE "C" NOT NULL,
  oauth_client TEXT COLLATE "C" NOT NULL,
  tool TEXT COLLATE "C" NOT NULL,
  ip_address TEXT COLLATE "C" NOT NULL,
  request_id TEXT COLLATE "C" NOT NULL,
  note TEXT COLLATE "C" NOT NULL,
  counts TEXT COLLATE "C" NOT NULL,
  undoes TEXT COLLATE "C",
  undone_by TEXT COLLATE "C",
  snapshot_xmax BIGINT NOT NULL
);

CREATE UNIQUE INDEX changes_id ON changes (id);

CREATE INDEX changes_at ON changes (at, seq);

CREATE INDEX changes_undoes ON changes (undoes, seq) WHERE undoes IS NOT NULL;

CREATE TABLE history (
  kind TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  sort_key TEXT COLLATE "C",
  derived TEXT COLLATE "C",
  child_id TEXT COLLATE "C",
  before TEXT COLLATE "C",
  PRIMARY KEY (kind, id, seq)
);

CREATE INDEX history_seq ON history (seq, kind, id);

CREATE INDEX history_sort ON history (kind, sort_key, id, seq) WHERE sort_key IS NOT NULL;

CREATE INDEX history_child ON history (child_id, seq) WHERE child_id IS NOT NULL;

ALTER TABLE audit ADD COLUMN change_id TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE events ADD COLUMN change_id TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE TABLE history_extent (
  id INTEGER PRIMARY KEY,
  begins_at BIGINT NOT NULL
);

-- 0041-external-ids

ALTER TABLE datacenters ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX datacenters_managed_by ON datacenters (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE networks ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX networks_managed_by ON networks (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE pools ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX pools_managed_by ON pools (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE devices ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX devices_managed_by ON devices (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE reservations ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX reservations_managed_by ON reservations (managed_by, created_at) WHERE managed_by <> '';

ALTER TABLE relationships ADD COLUMN managed_by TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX relationships_managed_by ON relationships (managed_by, created_at) WHERE managed_by <> '';

ALTER TABLE datacenters ADD COLUMN refs TEXT COLLATE "C" NOT NULL DEFAULT '{}';

ALTER TABLE networks ADD COLUMN refs TEXT COLLATE "C" NOT NULL DEFAULT '{}';

ALTER TABLE pools ADD COLUMN refs TEXT COLLATE "C" NOT NULL DEFAULT '{}';

ALTER TABLE reservations ADD COLUMN refs TEXT COLLATE "C" NOT NULL DEFAULT '{}';

CREATE TABLE refs (
  resource TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  external_id TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (resource, source, external_id),
  UNIQUE (resource, object_id, source)
);

UPDATE devices SET doc = replace(doc, ',"created_at":"', ',"refs":{},"managed_by":"","created_at":"');

UPDATE history SET before = replace(before, ',"created_at":"', ',"refs":{},"managed_by":"","created_at":"') WHERE kind IN ('datacenter', 'network', 'pool', 'reservation', 'device');

UPDATE history SET before = replace(before, ',"created_at":"', ',"managed_by":"","created_at":"') WHERE kind = 'relationship';

-- 0042-address-names

ALTER TABLE addresses ADD COLUMN mac_address TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE addresses ADD COLUMN dns_name TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX addresses_mac_address ON addresses (mac_address) WHERE mac_address <> '';

CREATE INDEX addresses_dns_name ON addresses (dns_name) WHERE dns_name <> '';

UPDATE devices SET doc = replace(doc, '"pool_id":', '"mac_address":"","dns_name":"","pool_id":');

UPDATE history SET before = replace(before, '"pool_id":', '"mac_address":"","dns_name":"","pool_id":') WHERE kind = 'device';

-- 0043-feeds

CREATE TABLE feeds (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  format TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C",
  network_id TEXT COLLATE "C",
  statuses TEXT COLLATE "C" NOT NULL,
  address_label TEXT COLLATE "C" NOT NULL,
  family TEXT COLLATE "C" NOT NULL,
  port INTEGER,
  zone_id TEXT COLLATE "C",
  template TEXT COLLATE "C" NOT NULL,
  media_type TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX feeds_name_key ON feeds (name_key, id);

ALTER TABLE api_keys ADD COLUMN feed_id TEXT COLLATE "C";

CREATE INDEX api_keys_feed_id ON api_keys (feed_id) WHERE feed_id IS NOT NULL;

-- 0044-leases

UPDATE discovered_devices SET doc = substr(doc, 1, length(doc) - 1) || ',"lease_expires_at":null}';

-- 0045-dns

CREATE TABLE dns_providers (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  host TEXT COLLATE "C" NOT NULL,
  port INTEGER NOT NULL,
  tsig_name TEXT COLLATE "C" NOT NULL,
  tsig_algorithm TEXT COLLATE "C" NOT NULL,
  tsig_secret TEXT COLLATE "C",
  timeout_seconds INTEGER NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX dns_providers_name_key ON dns_providers (name_key, id);

CREATE TABLE dns_zones (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  subnet TEXT COLLATE "C",
  kind TEXT COLLATE "C" NOT NULL,
  provider_id TEXT COLLATE "C" REFERENCES dns_providers (id),
  mode TEXT COLLATE "C" NOT NULL,
  ttl INTEGER NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C",
  network_id TEXT COLLATE "C",
  statuses TEXT COLLATE "C" NOT NULL,
  is_default INTEGER NOT NULL,
  nameservers TEXT COLLATE "C" NOT NULL,
  admin_email TEXT COLLATE "C" NOT NULL,
  negative_ttl INTEGER NOT NULL,
  max_delete_percent INTEGER NOT NULL,
  check_interval_seconds INTEGER NOT NULL,
  repair INTEGER NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX dns_zones_name ON dns_zones (name, COALESCE(provider_id, ''));

CREATE TABLE dns_zone_states (
  zone_id TEXT COLLATE "C" PRIMARY KEY,
  holder TEXT COLLATE "C" NOT NULL,
  until_ms BIGINT NOT NULL,
  serial BIGINT NOT NULL,
  head TEXT COLLATE "C" NOT NULL,
  server_serial BIGINT,
  compared_serial BIGINT,
  error TEXT COLLATE "C" NOT NULL,
  failures INTEGER NOT NULL,
  retry_ms BIGINT NOT NULL,
  held TEXT COLLATE "C" NOT NULL,
  drift_count INTEGER NOT NULL,
  check_ms BIGINT NOT NULL,
  last_synced_at TEXT COLLATE "C",
  last_checked_at TEXT COLLATE "C"
);

CREATE TABLE dns_records (
  id TEXT COLLATE "C" PRIMARY KEY,
  zone_id TEXT COLLATE "C" NOT NULL REFERENCES dns_zones (id),
  name TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  ttl INTEGER,
  value TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX dns_records_name ON dns_records (zone_id, name, type, id);

CREATE TABLE dns_rrsets (
  zone_id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  message TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  device_ids TEXT COLLATE "C" NOT NULL,
  record_ids TEXT COLLATE "C" NOT NULL,
  wanted TEXT COLLATE "C",
  wanted_ttl INTEGER NOT NULL,
  published TEXT COLLATE "C",
  published_ttl INTEGER NOT NULL,
  sending TEXT COLLATE "C",
  PRIMARY KEY (zone_id, name, type)
);

CREATE INDEX dns_rrsets_state ON dns_rrsets (zone_id, state);

CREATE TABLE dns_changes (
  zone_id TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (zone_id, id)
);

CREATE TABLE dns_reports (
  zone_id TEXT COLLATE "C" PRIMARY KEY,
  doc TEXT COLLATE "C" NOT NULL
);

-- 0046-spaces

CREATE TABLE spaces (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  reachable INTEGER NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX spaces_name ON spaces (name_key);

CREATE TABLE space_keys (
  space_id TEXT COLLATE "C" PRIMARY KEY,
  space_key TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX space_keys_key ON space_keys (space_key);

ALTER TABLE networks ADD COLUMN space_id TEXT COLLATE "C";

ALTER TABLE networks ADD COLUMN subnet_key TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE networks SET subnet_key = subnet;

CREATE INDEX networks_subnet_key ON networks (subnet_key);

CREATE INDEX networks_space ON networks (space_id) WHERE space_id IS NOT NULL;

ALTER TABLE conflicts ADD COLUMN space_id TEXT COLLATE "C";

ALTER TABLE feeds ADD COLUMN space_id TEXT COLLATE "C";

ALTER TABLE dns_zones ADD COLUMN space_id TEXT COLLATE "C";

DROP INDEX dns_zones_name;

CREATE UNIQUE INDEX dns_zones_name ON dns_zones
(name, COALESCE(provider_id, ''), (CASE WHEN provider_id IS NULL THEN COALESCE(space_id, '') ELSE '' END));

-- 0047-vlans

CREATE TABLE vlans (
  id TEXT COLLATE "C" PRIMARY KEY,
  vlan_id INTEGER NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C" REFERENCES datacenters (id),
  "group" TEXT COLLATE "C" NOT NULL,
  group_key TEXT COLLATE "C" NOT NULL,
  natural_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX vlans_natural_key ON vlans (natural_key);

CREATE INDEX vlans_order ON vlans (vlan_id, name_key, id);

CREATE INDEX vlans_name ON vlans (name_key, id);

CREATE INDEX vlans_datacenter ON vlans (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX vlans_managed_by ON vlans (managed_by, vlan_id, name_key, id) WHERE managed_by <> '';

-- 0048-reservation-mac

ALTER TABLE reservations ADD COLUMN mac_address TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX reservations_mac_address ON reservations (mac_address) WHERE mac_address <> '';

-- 0049-custom-fields

CREATE TABLE custom_fields (
  id TEXT COLLATE "C" PRIMARY KEY,
  number INTEGER NOT NULL,
  resource TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  multiple INTEGER NOT NULL,
  choices TEXT COLLATE "C" NOT NULL,
  reference_to TEXT COLLATE "C",
  required INTEGER NOT NULL,
  "unique" INTEGER NOT NULL,
  "default" TEXT COLLATE "C" NOT NULL,
  pattern TEXT COLLATE "C" NOT NULL,
  minimum TEXT COLLATE "C",
  maximum TEXT COLLATE "C",
  searchable INTEGER NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  "group" TEXT COLLATE "C" NOT NULL,
  group_key TEXT COLLATE "C" NOT NULL,
  position INTEGER NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX custom_fields_name ON custom_fields (resource, name);

CREATE UNIQUE INDEX custom_fields_number ON custom_fields (number);

CREATE TABLE custom_values (
  field INTEGER NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (field, value, object_id)
);

ALTER TABLE spaces ADD COLUMN custom TEXT COLLATE "C";

ALTER TABLE datacenters ADD COLUMN custom TEXT COLLATE "C";

ALTER TABLE networks ADD COLUMN custom TEXT COLLATE "C";

ALTER TABLE vlans ADD COLUMN custom TEXT COLLATE "C";

ALTER TABLE pools ADD COLUMN custom TEXT COLLATE "C";

ALTER TABLE reservations ADD COLUMN custom TEXT COLLATE "C";

-- 0051-racks

CREATE TABLE racks (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C" REFERENCES datacenters (id),
  location TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  height INTEGER NOT NULL,
  first_unit INTEGER NOT NULL,
  numbering TEXT COLLATE "C" NOT NULL,
  max_power_w INTEGER,
  custom TEXT COLLATE "C",
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX racks_name ON racks (name_key, id);

CREATE INDEX racks_datacenter ON racks (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX racks_managed_by ON racks (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE devices ADD COLUMN rack_id TEXT COLLATE "C";

CREATE TABLE device_types (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  manufacturer TEXT COLLATE "C" NOT NULL,
  model TEXT COLLATE "C" NOT NULL,
  natural_key TEXT COLLATE "C" NOT NULL,
  slug TEXT COLLATE "C" NOT NULL,
  part_number TEXT COLLATE "C" NOT NULL,
  height DOUBLE PRECISION NOT NULL,
  full_depth INTEGER NOT NULL,
  power_w INTEGER,
  description TEXT COLLATE "C" NOT NULL,
  ports TEXT COLLATE "C" NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX device_types_natural_key ON device_types (natural_key);

CREATE INDEX device_types_name ON device_types (name_key, id);

CREATE INDEX device_types_managed_by ON device_types (managed_by, name_key, id) WHERE managed_by <> '';

ALTER TABLE devices ADD COLUMN device_type_id TEXT COLLATE "C";

CREATE INDEX devices_type ON devices (device_type_id, name_key, id) WHERE device_type_id IS NOT NULL;

CREATE INDEX devices_rack ON devices (rack_id, name_key, id) WHERE rack_id IS NOT NULL;

-- 0052-ports

CREATE TABLE ports (
  id TEXT COLLATE "C" PRIMARY KEY,
  device_id TEXT COLLATE "C" NOT NULL REFERENCES devices (id),
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  sort_key TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  speed_mbps INTEGER,
  mac_address TEXT COLLATE "C" NOT NULL,
  enabled INTEGER NOT NULL,
  parent_id TEXT COLLATE "C",
  pass_through INTEGER NOT NULL,
  vlan_id INTEGER,
  tagged_vlan_ids TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  custom TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX ports_name ON ports (device_id, name_key);

CREATE INDEX ports_order ON ports (device_id, sort_key, id);

CREATE INDEX ports_kind ON ports (kind, device_id, sort_key, id) WHERE kind <> 'network';

CREATE INDEX ports_mac ON ports (mac_address) WHERE mac_address <> '';

CREATE INDEX ports_parent ON ports (parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX ports_managed_by ON ports (managed_by, device_id, sort_key, id) WHERE managed_by <> '';

CREATE TABLE cables (
  id TEXT COLLATE "C" PRIMARY KEY,
  a_port_id TEXT COLLATE "C" NOT NULL,
  a_side TEXT COLLATE "C" NOT NULL,
  b_port_id TEXT COLLATE "C" NOT NULL,
  b_side TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  label TEXT COLLATE "C" NOT NULL,
  label_key TEXT COLLATE "C" NOT NULL,
  color TEXT COLLATE "C" NOT NULL,
  length_m DOUBLE PRECISION,
  status TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  custom TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX cables_order ON cables (label_key, id);

CREATE INDEX cables_status ON cables (status, label_key, id) WHERE status <> 'connected';

CREATE INDEX cables_managed_by ON cables (managed_by, label_key, id) WHERE managed_by <> '';

CREATE TABLE cable_ends (
  port_id TEXT COLLATE "C" NOT NULL REFERENCES ports (id),
  side TEXT COLLATE "C" NOT NULL,
  cable_id TEXT COLLATE "C" NOT NULL REFERENCES cables (id),
  other_port_id TEXT COLLATE "C" NOT NULL,
  other_side TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (port_id, side)
);

CREATE INDEX cable_ends_cable ON cable_ends (cable_id);

-- 0053-groups

CREATE TABLE groups (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL UNIQUE,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE group_members (
  group_id TEXT COLLATE "C" NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  source TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (group_id, user_id, source)
);

CREATE INDEX group_members_user ON group_members (user_id, group_id);

CREATE TABLE grants (
  id TEXT COLLATE "C" PRIMARY KEY,
  role_id TEXT COLLATE "C" NOT NULL REFERENCES roles (id),
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  group_id TEXT COLLATE "C" REFERENCES groups (id) ON DELETE CASCADE,
  scope_id TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX grants_user ON grants (user_id, role_id, COALESCE(scope_id, '')) WHERE user_id IS NOT NULL;

CREATE UNIQUE INDEX grants_group ON grants (group_id, role_id, COALESCE(scope_id, '')) WHERE group_id IS NOT NULL;

CREATE INDEX grants_role ON grants (role_id);

INSERT INTO grants (id, role_id, user_id, group_id, scope_id, created_at)
SELECT user_roles.user_id || '.' || user_roles.role_id, user_roles.role_id, user_roles.user_id, NULL, NULL, users.created_at
FROM user_roles JOIN users ON users.id = user_roles.user_id;

DROP TABLE user_roles;

-- 0054-sso

CREATE TABLE sso_providers (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  issuer TEXT COLLATE "C" NOT NULL,
  client_id TEXT COLLATE "C" NOT NULL,
  client_secret TEXT COLLATE "C",
  scopes TEXT COLLATE "C" NOT NULL,
  enabled INTEGER NOT NULL,
  create_users INTEGER NOT NULL,
  link_by_email INTEGER NOT NULL,
  allowed_domains TEXT COLLATE "C" NOT NULL,
  username_claim TEXT COLLATE "C" NOT NULL,
  groups_claim TEXT COLLATE "C" NOT NULL,
  group_mappings TEXT COLLATE "C" NOT NULL,
  required_acr TEXT COLLATE "C" NOT NULL,
  max_session_hours INTEGER NOT NULL,
  credentials_max_idle_days INTEGER NOT NULL,
  allow_http INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX sso_providers_name_key ON sso_providers (name_key);

CREATE TABLE identities (
  id TEXT COLLATE "C" PRIMARY KEY,
  provider_id TEXT COLLATE "C" NOT NULL REFERENCES sso_providers (id),
  subject TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at TEXT COLLATE "C" NOT NULL,
  last_login_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX identities_subject ON identities (provider_id, subject);

CREATE INDEX identities_user ON identities (user_id, id);

CREATE TABLE sso_states (
  state_hash TEXT COLLATE "C" PRIMARY KEY,
  browser_hash TEXT COLLATE "C" NOT NULL,
  provider_id TEXT COLLATE "C" NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  verifier TEXT COLLATE "C" NOT NULL,
  nonce TEXT COLLATE "C" NOT NULL,
  return_to TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sso_states_expires_at ON sso_states (expires_at);

CREATE TABLE sso_sessions (
  session_id TEXT COLLATE "C" PRIMARY KEY,
  provider_id TEXT COLLATE "C" NOT NULL REFERENCES sso_providers (id) ON DELETE CASCADE,
  subject TEXT COLLATE "C" NOT NULL,
  sid TEXT COLLATE "C" NOT NULL,
  id_token TEXT COLLATE "C",
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sso_sessions_subject ON sso_sessions (provider_id, subject);

CREATE INDEX sso_sessions_sid ON sso_sessions (provider_id, sid);

CREATE INDEX sso_sessions_expires_at ON sso_sessions (expires_at);

CREATE TABLE sso_seen (
  token_hash TEXT COLLATE "C" PRIMARY KEY,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX sso_seen_expires_at ON sso_seen (expires_at);

CREATE TABLE device_codes (
  code_hash TEXT COLLATE "C" PRIMARY KEY,
  user_code TEXT COLLATE "C" NOT NULL,
  client TEXT COLLATE "C" NOT NULL,
  ip_address TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  polled_at TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  user_generation INTEGER
);

CREATE UNIQUE INDEX device_codes_user_code ON device_codes (user_code);

CREATE INDEX device_codes_expires_at ON device_codes (expires_at);

ALTER TABLE users ADD COLUMN is_break_glass INTEGER NOT NULL DEFAULT 0;

ALTER TABLE sessions ADD COLUMN ends_at TEXT COLLATE "C";

-- 0055-second-factors

ALTER TABLE sessions ADD COLUMN method TEXT COLLATE "C" NOT NULL DEFAULT 'password';

ALTER TABLE sessions ADD COLUMN provider_id TEXT COLLATE "C";

CREATE TABLE totp (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
  secret TEXT COLLATE "C" NOT NULL,
  last_step INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  confirmed_at TEXT COLLATE "C",
  last_used_at TEXT COLLATE "C"
);

CREATE TABLE passkeys (
  id TEXT COLLATE "C" PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  credential_id TEXT COLLATE "C" NOT NULL UNIQUE,
  public_key TEXT COLLATE "C" NOT NULL,
  counter BIGINT NOT NULL,
  transports TEXT COLLATE "C" NOT NULL,
  is_synced INTEGER NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  last_used_at TEXT COLLATE "C"
);

CREATE UNIQUE INDEX passkeys_name ON passkeys (user_id, name_key);

CREATE TABLE recovery_codes (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  code_hash TEXT COLLATE "C" NOT NULL,
  salt TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

CREATE TABLE factor_failures (
  user_id TEXT COLLATE "C" PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  failures INTEGER NOT NULL,
  blocked_until TEXT COLLATE "C"
);

CREATE TABLE factor_challenges (
  id TEXT COLLATE "C" PRIMARY KEY,
  challenge TEXT COLLATE "C" NOT NULL,
  purpose TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE CASCADE,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX factor_challenges_expiry ON factor_challenges (expires_at);

CREATE INDEX factor_challenges_user ON factor_challenges (user_id);

-- 0056-narrow-keys

ALTER TABLE api_keys ADD COLUMN permissions TEXT COLLATE "C";

ALTER TABLE api_keys ADD COLUMN allowed_cidrs TEXT COLLATE "C";

ALTER TABLE api_keys ADD COLUMN rotated_at TEXT COLLATE "C";

ALTER TABLE api_keys ADD COLUMN previous_hash TEXT COLLATE "C";

ALTER TABLE api_keys ADD COLUMN previous_expires_at TEXT COLLATE "C";

CREATE UNIQUE INDEX api_keys_previous_hash ON api_keys (previous_hash) WHERE previous_hash IS NOT NULL;

ALTER TABLE api_key_uses ADD COLUMN last_used_ip TEXT COLLATE "C";

-- 0057-scopes

CREATE TABLE scopes (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL UNIQUE,
  description TEXT COLLATE "C" NOT NULL,
  datacenter_ids TEXT COLLATE "C" NOT NULL,
  space_ids TEXT COLLATE "C" NOT NULL,
  subnets TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE TABLE areas (
  id INTEGER PRIMARY KEY,
  scopes TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE area_scopes (
  scope_id TEXT COLLATE "C" NOT NULL,
  area_id INTEGER NOT NULL REFERENCES areas (id),
  PRIMARY KEY (scope_id, area_id)
);

ALTER TABLE api_keys ADD COLUMN scope_id TEXT COLLATE "C";

ALTER TABLE datacenters ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

CREATE INDEX datacenters_area ON datacenters (area, name_key, id) WHERE area <> 0;

ALTER TABLE networks ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

CREATE INDEX networks_area ON networks (area, name_key, id) WHERE area <> 0;

ALTER TABLE pools ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

CREATE INDEX pools_area ON pools (area, name_key, id) WHERE area <> 0;

ALTER TABLE reservations ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

CREATE INDEX reservations_area ON reservations (area, ip_key, id) WHERE area <> 0;

ALTER TABLE devices ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

CREATE INDEX devices_area ON devices (area, name_key, id) WHERE area <> 0;

-- 0058-areas-of-discovery

ALTER TABLE spaces ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

ALTER TABLE discovered_devices ADD COLUMN area INTEGER NOT NULL DEFAULT 0;

UPDATE discovered_devices SET area = (SELECT area FROM networks WHERE networks.id = network_id);

CREATE INDEX discovered_devices_area ON discovered_devices (area, network_id, ip_key, id) WHERE area <> 0;

-- 0059-search-buffer

-- 0060-credential-users

ALTER TABLE discovery_scans ADD COLUMN credential_user TEXT COLLATE "C";

ALTER TABLE discovery_rules ADD COLUMN credential_user TEXT COLLATE "C";

-- 0061-delivery-changes

ALTER TABLE webhook_deliveries ADD COLUMN change_id TEXT COLLATE "C" NOT NULL DEFAULT '';

-- 0064-provider-logouts

ALTER TABLE identities ADD COLUMN logged_out_at TEXT COLLATE "C";

ALTER TABLE identities ADD COLUMN linked_by_email INTEGER;

UPDATE identities SET linked_by_email = 0 WHERE created_at = (SELECT created_at FROM users WHERE users.id = identities.user_id);

UPDATE identities SET linked_by_email = 0 WHERE user_id IN (
  SELECT user_id FROM audit WHERE resource = 'identity' AND action = 'login' AND status = 'success'
    AND changes LIKE '%"method":"link"%'
);

UPDATE identities SET linked_by_email = 1 WHERE id IN (
  SELECT linked.id FROM audit
  JOIN identities AS linked ON linked.user_id = audit.user_id AND audit.changes LIKE '%' || linked.provider_id || '%'
  WHERE audit.resource = 'session' AND audit.action = 'login' AND audit.status = 'success'
    AND audit.changes LIKE '%"account":"linked"%'
);

-- 0065-provider-makers

ALTER TABLE sso_providers ADD COLUMN changed_by TEXT COLLATE "C";

UPDATE sso_providers SET changed_by = (
  SELECT COALESCE(NULLIF(key_owner_id, ''), NULLIF(user_id, '')) FROM audit
  WHERE audit.resource_id = sso_providers.id AND audit.resource = 'sso-provider'
    AND audit.action IN ('create', 'update') AND audit.status = 'success'
  ORDER BY id DESC LIMIT 1
);

-- 0067-zone-transfers

ALTER TABLE dns_zone_states ADD COLUMN transfer_failures INTEGER NOT NULL DEFAULT 0;

ALTER TABLE dns_zone_states ADD COLUMN transfer_error TEXT COLLATE "C" NOT NULL DEFAULT '';

-- 0070-ended-sessions

CREATE TABLE ended_sessions (
  id TEXT COLLATE "C" PRIMARY KEY,
  expires_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX ended_sessions_expiry ON ended_sessions (expires_at);

-- 0071-name-order

CREATE FUNCTION to_name_order(name_key TEXT) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
DECLARE
  letters TEXT COLLATE "C" := name_key;
  composed TEXT := name_key;
BEGIN
  IF letters ~ '[^ -~]' AND current_setting('server_encoding') = 'UTF8' THEN
    composed := normalize(name_key, NFC);
    letters := lower(normalize(name_key, NFKD) COLLATE "C");
    letters := regexp_replace(letters, '[\u0001-\u001f\u007f-\u009f\u00ad\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]', '', 'g');
    letters := translate(letters, U&'\00f8\0142\0111\00f0\0127\0131\014b\0167', 'olddhint');
    letters := replace(replace(replace(replace(letters, U&'\00df', 'ss'), U&'\00e6', 'ae'), U&'\0153', 'oe'), U&'\00fe', 'th');
    letters := translate(letters, U&'\+000660\+000661\+000662\+000663\+000664\+000665\+000666\+000667\+000668\+000669\+0006f0\+0006f1\+0006f2\+0006f3\+0006f4\+0006f5\+0006f6\+0006f7\+0006f8\+0006f9\+0007c0\+0007c1\+0007c2\+0007c3\+0007c4\+0007c5\+0007c6\+0007c7\+0007c8\+0007c9\+000966\+000967\+000968\+000969\+00096a\+00096b\+00096c\+00096d\+00096e\+00096f\+0009e6\+0009e7\+0009e8\+0009e9\+0009ea\+0009eb\+0009ec\+0009ed\+0009ee\+0009ef\+000a66\+000a67\+000a68\+000a69\+000a6a\+000a6b\+000a6c\+000a6d\+000a6e\+000a6f\+000ae6\+000ae7\+000ae8\+000ae9\+000aea\+000aeb\+000aec\+000aed\+000aee\+000aef\+000b66\+000b67\+000b68\+000b69\+000b6a\+000b6b\+000b6c\+000b6d\+000b6e\+000b6f\+000be6\+000be7\+000be8\+000be9\+000bea\+000beb\+000bec\+000bed\+000bee\+000bef\+000c66\+000c67\+000c68\+000c69\+000c6a\+000c6b\+000c6c\+000c6d\+000c6e\+000c6f\+000ce6\+000ce7\+000ce8\+000ce9\+000cea\+000ceb\+000cec\+000ced\+000cee\+000cef\+000d66\+000d67\+000d68\+000d69\+000d6a\+000d6b\+000d6c\+000d6d\+000d6e\+000d6f\+000de6\+000de7\+000de8\+000de9\+000dea\+000deb\+000dec\+000ded\+000dee\+000def\+000e50\+000e51\+000e52\+000e53\+000e54\+000e55\+000e56\+000e57\+000e58\+000e59\+000ed0\+000ed1\+000ed2\+000ed3\+000ed4\+000ed5\+000ed6\+000ed7\+000ed8\+000ed9\+000f20\+000f21\+000f22\+000f23\+000f24\+000f25\+000f26\+000f27\+000f28\+000f29\+001040\+001041\+001042\+001043\+001044\+001045\+001046\+001047\+001048\+001049\+001090\+001091\+001092\+001093\+001094\+001095\+001096\+001097\+001098\+001099\+0017e0\+0017e1\+0017e2\+0017e3\+0017e4\+0017e5\+0017e6\+0017e7\+0017e8\+0017e9\+001810\+001811\+001812\+001813\+001814\+001815\+001816\+001817\+001818\+001819\+001946\+001947\+001948\+001949\+00194a\+00194b\+00194c\+00194d\+00194e\+00194f\+0019d0\+0019d1\+0019d2\+0019d3\+0019d4\+0019d5\+0019d6\+0019d7\+0019d8\+0019d9\+001a80\+001a81\+001a82\+001a83\+001a84\+001a85\+001a86\+001a87\+001a88\+001a89\+001a90\+001a91\+001a92\+001a93\+001a94\+001a95\+001a96\+001a97\+001a98\+001a99\+001b50\+001b51\+001b52\+001b53\+001b54\+001b55\+001b56\+001b57\+001b58\+001b59\+001bb0\+001bb1\+001bb2\+001bb3\+001bb4\+001bb5\+001bb6\+001bb7\+001bb8\+001bb9\+001c40\+001c41\+001c42\+001c43\+001c44\+001c45\+001c46\+001c47\+001c48\+001c49\+001c50\+001c51\+001c52\+001c53\+001c54\+001c55\+001c56\+001c57\+001c58\+001c59\+00a620\+00a621\+00a622\+00a623\+00a624\+00a625\+00a626\+00a627\+00a628\+00a629\+00a8d0\+00a8d1\+00a8d2\+00a8d3\+00a8d4\+00a8d5\+00a8d6\+00a8d7\+00a8d8\+00a8d9\+00a900\+00a901\+00a902\+00a903\+00a904\+00a905\+00a906\+00a907\+00a908\+00a909\+00a9d0\+00a9d1\+00a9d2\+00a9d3\+00a9d4\+00a9d5\+00a9d6\+00a9d7\+00a9d8\+00a9d9\+00a9f0\+00a9f1\+00a9f2\+00a9f3\+00a9f4\+00a9f5\+00a9f6\+00a9f7\+00a9f8\+00a9f9\+00aa50\+00aa51\+00aa52\+00aa53\+00aa54\+00aa55\+00aa56\+00aa57\+00aa58\+00aa59\+00abf0\+00abf1\+00abf2\+00abf3\+00abf4\+00abf5\+00abf6\+00abf7\+00abf8\+00abf9\+0104a0\+0104a1\+0104a2\+0104a3\+0104a4\+0104a5\+0104a6\+0104a7\+0104a8\+0104a9\+010d30\+010d31\+010d32\+010d33\+010d34\+010d35\+010d36\+010d37\+010d38\+010d39\+010d40\+010d41\+010d42\+010d43\+010d44\+010d45\+010d46\+010d47\+010d48\+010d49\+011066\+011067\+011068\+011069\+01106a\+01106b\+01106c\+01106d\+01106e\+01106f\+0110f0\+0110f1\+0110f2\+0110f3\+0110f4\+0110f5\+0110f6\+0110f7\+0110f8\+0110f9\+011136\+011137\+011138\+011139\+01113a\+01113b\+01113c\+01113d\+01113e\+01113f\+0111d0\+0111d1\+0111d2\+0111d3\+0111d4\+0111d5\+0111d6\+0111d7\+0111d8\+0111d9\+0112f0\+0112f1\+0112f2\+0112f3\+0112f4\+0112f5\+0112f6\+0112f7\+0112f8\+0112f9\+011450\+011451\+011452\+011453\+011454\+011455\+011456\+011457\+011458\+011459\+0114d0\+0114d1\+0114d2\+0114d3\+0114d4\+0114d5\+0114d6\+0114d7\+0114d8\+0114d9\+011650\+011651\+011652\+011653\+011654\+011655\+011656\+011657\+011658\+011659\+0116c0\+0116c1\+0116c2\+0116c3\+0116c4\+0116c5\+0116c6\+0116c7\+0116c8\+0116c9\+0116d0\+0116d1\+0116d2\+0116d3\+0116d4\+0116d5\+0116d6\+0116d7\+0116d8\+0116d9\+0116da\+0116db\+0116dc\+0116dd\+0116de\+0116df\+0116e0\+0116e1\+0116e2\+0116e3\+011730\+011731\+011732\+011733\+011734\+011735\+011736\+011737\+011738\+011739\+0118e0\+0118e1\+0118e2\+0118e3\+0118e4\+0118e5\+0118e6\+0118e7\+0118e8\+0118e9\+011950\+011951\+011952\+011953\+011954\+011955\+011956\+011957\+011958\+011959\+011bf0\+011bf1\+011bf2\+011bf3\+011bf4\+011bf5\+011bf6\+011bf7\+011bf8\+011bf9\+011c50\+011c51\+011c52\+011c53\+011c54\+011c55\+011c56\+011c57\+011c58\+011c59\+011d50\+011d51\+011d52\+011d53\+011d54\+011d55\+011d56\+011d57\+011d58\+011d59\+011da0\+011da1\+011da2\+011da3\+011da4\+011da5\+011da6\+011da7\+011da8\+011da9\+011de0\+011de1\+011de2\+011de3\+011de4\+011de5\+011de6\+011de7\+011de8\+011de9\+011f50\+011f51\+011f52\+011f53\+011f54\+011f55\+011f56\+011f57\+011f58\+011f59\+016130\+016131\+016132\+016133\+016134\+016135\+016136\+016137\+016138\+016139\+016a60\+016a61\+016a62\+016a63\+016a64\+016a65\+016a66\+016a67\+016a68\+016a69\+016ac0\+016ac1\+016ac2\+016ac3\+016ac4\+016ac5\+016ac6\+016ac7\+016ac8\+016ac9\+016b50\+016b51\+016b52\+016b53\+016b54\+016b55\+016b56\+016b57\+016b58\+016b59\+016d70\+016d71\+016d72\+016d73\+016d74\+016d75\+016d76\+016d77\+016d78\+016d79\+01e140\+01e141\+01e142\+01e143\+01e144\+01e145\+01e146\+01e147\+01e148\+01e149\+01e2f0\+01e2f1\+01e2f2\+01e2f3\+01e2f4\+01e2f5\+01e2f6\+01e2f7\+01e2f8\+01e2f9\+01e4f0\+01e4f1\+01e4f2\+01e4f3\+01e4f4\+01e4f5\+01e4f6\+01e4f7\+01e4f8\+01e4f9\+01e5f1\+01e5f2\+01e5f3\+01e5f4\+01e5f5\+01e5f6\+01e5f7\+01e5f8\+01e5f9\+01e5fa\+01e950\+01e951\+01e952\+01e953\+01e954\+01e955\+01e956\+01e957\+01e958\+01e959', repeat('0123456789', 68));
  END IF;
  IF letters ~ '[0-9]' THEN
    SELECT string_agg(
      CASE WHEN part !~ '^[0-9]' THEN part
        WHEN length(ltrim(part, '0')) < 9 THEN length(ltrim(part, '0'))::text || ltrim(part, '0')
        ELSE '9' || lpad(length(ltrim(part, '0'))::text, 4, '0') || ltrim(part, '0') END, '' ORDER BY place)
    INTO letters
    FROM (SELECT matched[1] AS part, place
      FROM regexp_matches(letters, '[0-9]+|[^0-9]+', 'g') WITH ORDINALITY AS matches (matched, place)) AS parts;
  END IF;
  RETURN left(letters, 300) || chr(1) || composed;
END $$;

ALTER TABLE roles ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE groups ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE scopes ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE users ADD COLUMN username_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE api_keys ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE oauth_clients ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE sso_providers ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE credentials ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE webhooks ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE feeds ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE dns_providers ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE dns_zones ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE dns_records ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE spaces ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE custom_fields ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE datacenters ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE device_types ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE racks ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE vlans ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE networks ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE pools ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE cables ADD COLUMN label_order TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE FUNCTION set_name_key_to_name_order() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.name_order := to_name_order(NEW.name_key);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_username_key_to_username_order() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.username_order := to_name_order(NEW.username_key);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_name_key_to_name_order_composed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.name_order := to_name_order(NEW.name_key);
  NEW.name_key := substr(NEW.name_order, position(chr(1) IN NEW.name_order) + 1);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_name_to_name_order_composed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.name_order := to_name_order(NEW.name);
  NEW.name := substr(NEW.name_order, position(chr(1) IN NEW.name_order) + 1);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_name_key_to_sort_key() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.sort_key := to_name_order(NEW.name_key);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_label_key_to_label_order_composed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.label_order := to_name_order(NEW.label_key);
  NEW.label_key := substr(NEW.label_order, position(chr(1) IN NEW.label_order) + 1);
  RETURN NEW;
END $$;

CREATE TRIGGER roles_name_order BEFORE INSERT OR UPDATE ON roles FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER groups_name_order BEFORE INSERT OR UPDATE ON groups FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER scopes_name_order BEFORE INSERT OR UPDATE ON scopes FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER users_name_order BEFORE INSERT OR UPDATE ON users FOR EACH ROW
WHEN (right(NEW.username_order, length(NEW.username_key) + 1) <> chr(1) || NEW.username_key) EXECUTE FUNCTION set_username_key_to_username_order();

CREATE TRIGGER api_keys_name_order BEFORE INSERT OR UPDATE ON api_keys FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER oauth_clients_name_order BEFORE INSERT OR UPDATE ON oauth_clients FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER sso_providers_name_order BEFORE INSERT OR UPDATE ON sso_providers FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER credentials_name_order BEFORE INSERT OR UPDATE ON credentials FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER webhooks_name_order BEFORE INSERT OR UPDATE ON webhooks FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER feeds_name_order BEFORE INSERT OR UPDATE ON feeds FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER dns_providers_name_order BEFORE INSERT OR UPDATE ON dns_providers FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER dns_zones_name_order BEFORE INSERT OR UPDATE ON dns_zones FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name) + 1) <> chr(1) || NEW.name) EXECUTE FUNCTION set_name_to_name_order_composed();

CREATE TRIGGER dns_records_name_order BEFORE INSERT OR UPDATE ON dns_records FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name) + 1) <> chr(1) || NEW.name) EXECUTE FUNCTION set_name_to_name_order_composed();

CREATE TRIGGER spaces_name_order BEFORE INSERT OR UPDATE ON spaces FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER custom_fields_name_order BEFORE INSERT OR UPDATE ON custom_fields FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order();

CREATE TRIGGER datacenters_name_order BEFORE INSERT OR UPDATE ON datacenters FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER device_types_name_order BEFORE INSERT OR UPDATE ON device_types FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER racks_name_order BEFORE INSERT OR UPDATE ON racks FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER vlans_name_order BEFORE INSERT OR UPDATE ON vlans FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER networks_name_order BEFORE INSERT OR UPDATE ON networks FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER pools_name_order BEFORE INSERT OR UPDATE ON pools FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER ports_name_order BEFORE INSERT OR UPDATE ON ports FOR EACH ROW
WHEN (right(NEW.sort_key, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_sort_key();

CREATE TRIGGER cables_name_order BEFORE INSERT OR UPDATE ON cables FOR EACH ROW
WHEN (right(NEW.label_order, length(NEW.label_key) + 1) <> chr(1) || NEW.label_key) EXECUTE FUNCTION set_label_key_to_label_order_composed();

UPDATE roles SET name_order = name_key || chr(1) || name_key WHERE is_system = 1;

CREATE INDEX CONCURRENTLY roles_out_of_order ON roles (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY groups_out_of_order ON groups (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY scopes_out_of_order ON scopes (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY users_in_order ON users (username_order, id);

CREATE INDEX CONCURRENTLY users_out_of_order ON users (id) WHERE right(username_order, length(username_key) + 1) <> chr(1) || username_key;

CREATE INDEX CONCURRENTLY api_keys_in_order ON api_keys (name_order, id);

CREATE INDEX CONCURRENTLY api_keys_out_of_order ON api_keys (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY oauth_clients_in_order ON oauth_clients (name_order, id);

CREATE INDEX CONCURRENTLY oauth_clients_out_of_order ON oauth_clients (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY sso_providers_out_of_order ON sso_providers (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY credentials_in_order ON credentials (name_order, id);

CREATE INDEX CONCURRENTLY credentials_out_of_order ON credentials (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY webhooks_in_order ON webhooks (name_order, id);

CREATE INDEX CONCURRENTLY webhooks_out_of_order ON webhooks (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY feeds_in_order ON feeds (name_order, id);

CREATE INDEX CONCURRENTLY feeds_out_of_order ON feeds (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY dns_providers_in_order ON dns_providers (name_order, id);

CREATE INDEX CONCURRENTLY dns_providers_out_of_order ON dns_providers (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY dns_zones_in_order ON dns_zones (name_order, id);

CREATE INDEX CONCURRENTLY dns_zones_out_of_order ON dns_zones (id) WHERE right(name_order, length(name) + 1) <> chr(1) || name;

CREATE INDEX CONCURRENTLY dns_records_in_order ON dns_records (zone_id, name_order, type, id);

CREATE INDEX CONCURRENTLY dns_records_out_of_order ON dns_records (id) WHERE right(name_order, length(name) + 1) <> chr(1) || name;

CREATE INDEX CONCURRENTLY spaces_in_order ON spaces (name_order, id);

CREATE INDEX CONCURRENTLY spaces_out_of_order ON spaces (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY custom_fields_out_of_order ON custom_fields (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY datacenters_in_order ON datacenters (name_order, id);

CREATE INDEX CONCURRENTLY datacenters_owned ON datacenters (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY datacenters_in_area ON datacenters (area, name_order, id) WHERE area <> 0;

CREATE INDEX CONCURRENTLY datacenters_out_of_order ON datacenters (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY device_types_in_order ON device_types (name_order, id);

CREATE INDEX CONCURRENTLY device_types_owned ON device_types (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY device_types_out_of_order ON device_types (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY racks_in_order ON racks (name_order, id);

CREATE INDEX CONCURRENTLY racks_owned ON racks (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY racks_out_of_order ON racks (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY vlans_in_order ON vlans (name_order, id);

CREATE INDEX CONCURRENTLY vlans_by_number ON vlans (vlan_id, name_order, id);

CREATE INDEX CONCURRENTLY vlans_owned ON vlans (managed_by, vlan_id, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY vlans_out_of_order ON vlans (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY networks_in_order ON networks (name_order, id);

CREATE INDEX CONCURRENTLY networks_owned ON networks (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY networks_in_area ON networks (area, name_order, id) WHERE area <> 0;

CREATE INDEX CONCURRENTLY networks_out_of_order ON networks (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY pools_in_order ON pools (name_order, id);

CREATE INDEX CONCURRENTLY pools_in_network ON pools (network_id, name_order, id);

CREATE INDEX CONCURRENTLY pools_owned ON pools (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY pools_in_area ON pools (area, name_order, id) WHERE area <> 0;

CREATE INDEX CONCURRENTLY pools_out_of_order ON pools (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY ports_out_of_order ON ports (id) WHERE right(sort_key, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY cables_in_order ON cables (label_order, id);

CREATE INDEX CONCURRENTLY cables_by_status ON cables (status, label_order, id) WHERE status <> 'connected';

CREATE INDEX CONCURRENTLY cables_owned ON cables (managed_by, label_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY cables_out_of_order ON cables (id) WHERE right(label_order, length(label_key) + 1) <> chr(1) || label_key;

-- 0073-search

CREATE INDEX CONCURRENTLY ports_search ON ports USING gin (replace(replace(replace(lower((coalesce(name_key, '') || '
' || coalesce(mac_address, '') || '
' || coalesce(description, '') || '
' || coalesce(custom, '')) COLLATE "default"), '.', 'q'), ':', 'x'), '-', 'z') gin_trgm_ops);

CREATE INDEX CONCURRENTLY cables_search ON cables USING gin (replace(replace(replace(lower((coalesce(label_key, '') || '
' || coalesce(type, '') || '
' || coalesce(color, '') || '
' || coalesce(description, '') || '
' || coalesce(custom, '')) COLLATE "default"), '.', 'q'), ':', 'x'), '-', 'z') gin_trgm_ops);

CREATE INDEX CONCURRENTLY reservations_search ON reservations USING gin (replace(replace(replace(lower((coalesce(ip_address, '') || '
' || coalesce(hostname, '') || '
' || coalesce(mac_address, '') || '
' || coalesce(purpose, '') || '
' || coalesce(notes, '') || '
' || coalesce(custom, '')) COLLATE "default"), '.', 'q'), ':', 'x'), '-', 'z') gin_trgm_ops);

CREATE INDEX CONCURRENTLY ports_names ON ports (name_key, id);

CREATE INDEX CONCURRENTLY devices_older_search ON devices (id) WHERE substr(search_text, 1, 1) <> '
';

-- 0074-device-name-order

ALTER TABLE devices ADD COLUMN name_order TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE history ADD COLUMN order_key TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE FUNCTION set_name_key_to_name_order_composed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.name_order := to_name_order(NEW.name_key);
  NEW.name_key := substr(NEW.name_order, position(chr(1) IN NEW.name_order) + 1);
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION set_sort_key_to_order_key_composed() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  NEW.order_key := to_name_order(NEW.sort_key);
  NEW.sort_key := substr(NEW.order_key, position(chr(1) IN NEW.order_key) + 1);
  RETURN NEW;
END $$;

CREATE TRIGGER devices_name_order BEFORE INSERT OR UPDATE ON devices FOR EACH ROW
WHEN (right(NEW.name_order, length(NEW.name_key) + 1) <> chr(1) || NEW.name_key) EXECUTE FUNCTION set_name_key_to_name_order_composed();

CREATE TRIGGER history_name_order BEFORE INSERT OR UPDATE ON history FOR EACH ROW
WHEN (right(NEW.order_key, length(NEW.sort_key) + 1) <> chr(1) || NEW.sort_key) EXECUTE FUNCTION set_sort_key_to_order_key_composed();

CREATE INDEX CONCURRENTLY devices_in_order ON devices (name_order, id, status);

CREATE INDEX CONCURRENTLY devices_in_datacenter ON devices (datacenter_id, name_order, id);

CREATE INDEX CONCURRENTLY devices_of_type ON devices (device_type_id, name_order, id) WHERE device_type_id IS NOT NULL;

CREATE INDEX CONCURRENTLY devices_in_rack ON devices (rack_id, name_order, id) WHERE rack_id IS NOT NULL;

CREATE INDEX CONCURRENTLY devices_owned ON devices (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX CONCURRENTLY devices_in_area ON devices (area, name_order, id) WHERE area <> 0;

CREATE INDEX CONCURRENTLY devices_out_of_order ON devices (id) WHERE right(name_order, length(name_key) + 1) <> chr(1) || name_key;

CREATE INDEX CONCURRENTLY history_in_order ON history (kind, order_key, id, seq) WHERE sort_key IS NOT NULL;

CREATE INDEX CONCURRENTLY history_out_of_order ON history (kind, id, seq) WHERE right(order_key, length(sort_key) + 1) <> chr(1) || sort_key;

-- 0075-dns-delegations

ALTER TABLE dns_zone_states ADD COLUMN delegations TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- 0076-idempotency-changes

ALTER TABLE idempotency_keys ADD COLUMN change_id TEXT COLLATE "C";

-- 0077-delivery-order

ALTER TABLE webhook_deliveries ADD COLUMN resource_id TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE webhook_deliveries ADD COLUMN event_seq BIGINT NOT NULL DEFAULT 0;

CREATE INDEX CONCURRENTLY webhook_deliveries_in_order ON webhook_deliveries (webhook_id, (CASE WHEN due_ms IS NULL THEN 0 ELSE 1 END), event_seq, id, (due_ms + 0))
        WHERE due_ms IS NOT NULL;

CREATE INDEX CONCURRENTLY webhook_deliveries_held ON webhook_deliveries (webhook_id) WHERE holder <> '';

-- 0080-views

CREATE TABLE views (
  id TEXT COLLATE "C" PRIMARY KEY,
  owner_id TEXT COLLATE "C" REFERENCES users (id) ON DELETE SET NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  path TEXT COLLATE "C" NOT NULL,
  search TEXT COLLATE "C" NOT NULL,
  is_shared INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX views_owner ON views (owner_id, path, name_key);

CREATE INDEX views_shared ON views (is_shared) WHERE is_shared = 1;

CREATE TABLE view_pins (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  view_id TEXT COLLATE "C" NOT NULL REFERENCES views (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, view_id)
);

CREATE INDEX view_pins_view ON view_pins (view_id);

-- 0084-datacenter-tree

ALTER TABLE datacenters ADD COLUMN parent_id TEXT COLLATE "C" REFERENCES datacenters (id);

CREATE INDEX datacenters_parent ON datacenters (parent_id) WHERE parent_id IS NOT NULL;

-- 0085-device-identity

ALTER TABLE devices ADD COLUMN serial_key TEXT COLLATE "C";

ALTER TABLE devices ADD COLUMN asset_key TEXT COLLATE "C";

ALTER TABLE devices ADD COLUMN role_key TEXT COLLATE "C";

CREATE INDEX devices_serial ON devices (serial_key, name_order, id) WHERE serial_key IS NOT NULL;

CREATE UNIQUE INDEX devices_asset ON devices (asset_key) WHERE asset_key IS NOT NULL;

CREATE INDEX devices_role ON devices (role_key, name_order, id) WHERE role_key IS NOT NULL;

ALTER TABLE addresses ADD COLUMN is_shared INTEGER NOT NULL DEFAULT 0;

-- 0086-custom-conditions

ALTER TABLE custom_fields ADD COLUMN only_for TEXT COLLATE "C";

-- 0087-kinds

CREATE TABLE kinds (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  singular TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  icon TEXT COLLATE "C" NOT NULL,
  nested INTEGER NOT NULL,
  located INTEGER NOT NULL,
  unique_names INTEGER NOT NULL,
  navigation INTEGER NOT NULL,
  position INTEGER NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX kinds_name ON kinds (name_key);

CREATE TABLE objects (
  id TEXT COLLATE "C" PRIMARY KEY,
  kind_id TEXT COLLATE "C" NOT NULL REFERENCES kinds (id),
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  parent_id TEXT COLLATE "C" REFERENCES objects (id),
  datacenter_id TEXT COLLATE "C" REFERENCES datacenters (id),
  description TEXT COLLATE "C" NOT NULL,
  custom TEXT COLLATE "C",
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  area INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX objects_name ON objects (name_key, id);

CREATE INDEX objects_order ON objects (name_order, id);

CREATE INDEX objects_kind_name ON objects (kind_id, name_key, id);

CREATE INDEX objects_kind_order ON objects (kind_id, name_order, id);

CREATE INDEX objects_parent ON objects (parent_id) WHERE parent_id IS NOT NULL;

CREATE INDEX objects_datacenter ON objects (datacenter_id) WHERE datacenter_id IS NOT NULL;

CREATE INDEX objects_managed_by ON objects (managed_by, name_order, id) WHERE managed_by <> '';

CREATE INDEX objects_area ON objects (area, name_order, id) WHERE area <> 0;

ALTER TABLE scopes ADD COLUMN kind_ids TEXT COLLATE "C" NOT NULL DEFAULT '[]';

CREATE INDEX CONCURRENTLY objects_search ON objects USING gin (replace(replace(replace(lower((coalesce(name_key, '') || '
' || coalesce(description, '') || '
' || coalesce(custom, '')) COLLATE "default"), '.', 'q'), ':', 'x'), '-', 'z') gin_trgm_ops);

-- 0088-certificates

CREATE TABLE discovered_certificates (
  device_id TEXT COLLATE "C" NOT NULL REFERENCES discovered_devices (id) ON DELETE CASCADE,
  ip TEXT COLLATE "C" NOT NULL,
  port INTEGER NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  issuer TEXT COLLATE "C" NOT NULL,
  names TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (device_id, ip, port)
);

CREATE INDEX discovered_certificates_end ON discovered_certificates (expires_at);

ALTER TABLE discovered_addresses ADD COLUMN seen_mac TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_addresses ADD COLUMN ptr_label TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_addresses ADD COLUMN lease_end TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_addresses ADD COLUMN seen_names TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_addresses ADD COLUMN ptr_names TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovered_addresses ADD COLUMN lease_names TEXT COLLATE "C" NOT NULL DEFAULT '';

UPDATE discovered_addresses SET seen_names = coalesce((SELECT string_agg(lower(n.value ->> 'name'), ' ')
FROM json_array_elements(observation::json -> 'names') AS n(value) WHERE n.value ->> 'source' NOT IN ('ptr', 'dhcp') AND n.value ->> 'name' NOT LIKE '% %'
 AND n.value ->> 'name' NOT LIKE '%*%'), ''), ptr_names = coalesce((SELECT string_agg(lower(n.value ->> 'name'), ' ')
FROM json_array_elements(observation::json -> 'names') AS n(value) WHERE n.value ->> 'source' = 'ptr' AND n.value ->> 'name' NOT LIKE '% %'
 AND n.value ->> 'name' NOT LIKE '%*%'), ''), lease_names = coalesce((SELECT string_agg(lower(n.value ->> 'name'), ' ')
FROM json_array_elements(observation::json -> 'names') AS n(value) WHERE n.value ->> 'source' = 'dhcp' AND n.value ->> 'name' NOT LIKE '% %'
 AND n.value ->> 'name' NOT LIKE '%*%'), ''),
seen_mac = CASE WHEN observation::json ->> 'macSource' = 'dhcp' THEN '' ELSE coalesce(observation::json ->> 'mac', '') END,
lease_end = coalesce(observation::json ->> 'leaseExpiresAt', '');

UPDATE discovered_addresses SET ptr_label = CASE WHEN ptr_names LIKE '% %' THEN ' ' ELSE split_part(ptr_names, '.', 1) END;

CREATE INDEX CONCURRENTLY discovered_addresses_up ON discovered_addresses (ip_key) WHERE status = 'up';

CREATE INDEX CONCURRENTLY discovered_devices_matched_up ON discovered_devices (matched_device_id, id) WHERE status = 'up';

-- 0089-notifications

ALTER TABLE webhooks ADD COLUMN format TEXT COLLATE "C" NOT NULL DEFAULT 'generic';

ALTER TABLE webhooks ADD COLUMN filter TEXT COLLATE "C" NOT NULL DEFAULT '{}';

ALTER TABLE webhooks ADD COLUMN group_seconds INTEGER NOT NULL DEFAULT 10;

ALTER TABLE webhooks ADD COLUMN max_per_hour INTEGER NOT NULL DEFAULT 20;

ALTER TABLE webhooks ADD COLUMN quiet_from TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE webhooks ADD COLUMN quiet_to TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE webhooks ADD COLUMN timezone TEXT COLLATE "C" NOT NULL DEFAULT 'UTC';

ALTER TABLE webhooks ADD COLUMN digest TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE webhooks ADD COLUMN digest_at TEXT COLLATE "C" NOT NULL DEFAULT '08:00';

ALTER TABLE webhooks ADD COLUMN reports TEXT COLLATE "C" NOT NULL DEFAULT '[]';

ALTER TABLE webhooks ADD COLUMN sealed_url TEXT COLLATE "C";

CREATE TABLE notification_entries (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT COLLATE "C" NOT NULL,
  resource_id TEXT COLLATE "C" NOT NULL,
  line TEXT COLLATE "C" NOT NULL,
  link TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL
);

CREATE INDEX notification_entries_waiting ON notification_entries (webhook_id, seq);

CREATE TABLE notification_told (
  webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  resource_id TEXT COLLATE "C" NOT NULL,
  told_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (webhook_id, resource_id, told_at)
);

-- 0090-netbox-ids

CREATE TABLE netbox_ids (
  kind TEXT COLLATE "C" NOT NULL,
  number INTEGER NOT NULL,
  key TEXT COLLATE "C",
  attributes TEXT COLLATE "C",
  PRIMARY KEY (kind, number),
  UNIQUE (kind, key)
);

-- 0091-scanners

CREATE TABLE scanners (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  natural_key TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  use_credentials INTEGER NOT NULL,
  refs TEXT COLLATE "C" NOT NULL,
  managed_by TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX scanners_natural_key ON scanners (natural_key);

CREATE INDEX scanners_order ON scanners (name_order, id);

CREATE INDEX scanners_managed_by ON scanners (managed_by, name_order, id) WHERE managed_by <> '';

CREATE TABLE scanner_states (
  scanner_id TEXT COLLATE "C" PRIMARY KEY,
  enrolment_hash TEXT COLLATE "C" NOT NULL DEFAULT '',
  enrolment_expires_at TEXT COLLATE "C",
  token_hash TEXT COLLATE "C" NOT NULL DEFAULT '',
  public_key TEXT COLLATE "C" NOT NULL DEFAULT '',
  is_online INTEGER NOT NULL DEFAULT 0,
  revoked_at TEXT COLLATE "C",
  enrolled_at TEXT COLLATE "C",
  last_seen_at TEXT COLLATE "C",
  protocol INTEGER,
  version TEXT COLLATE "C" NOT NULL DEFAULT '',
  hostname TEXT COLLATE "C" NOT NULL DEFAULT '',
  capabilities TEXT COLLATE "C" NOT NULL DEFAULT '{"icmp":false,"arp":false,"neighbours":false,"listen":false}',
  links TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  slots INTEGER NOT NULL DEFAULT 0,
  ip_address TEXT COLLATE "C" NOT NULL DEFAULT '',
  spooled_reports INTEGER NOT NULL DEFAULT 0,
  noted_at TEXT COLLATE "C"
);

CREATE UNIQUE INDEX scanner_states_token ON scanner_states (token_hash) WHERE token_hash <> '';

CREATE UNIQUE INDEX scanner_states_enrolment ON scanner_states (enrolment_hash) WHERE enrolment_hash <> '';

CREATE TABLE scanner_beats (scanner_id TEXT COLLATE "C" PRIMARY KEY, beat_ms BIGINT NOT NULL);

ALTER TABLE networks ADD COLUMN scanner TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovery_scans ADD COLUMN scanner_id TEXT COLLATE "C";

ALTER TABLE discovery_scans ADD COLUMN scanner_name TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovery_scans ADD COLUMN is_done INTEGER NOT NULL DEFAULT 0;

ALTER TABLE discovery_scan_states ADD COLUMN lease TEXT COLLATE "C" NOT NULL DEFAULT '';

ALTER TABLE discovery_scan_states ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;

ALTER TABLE discovery_rules ADD COLUMN listen INTEGER NOT NULL DEFAULT 0;

CREATE INDEX networks_scanner ON networks (scanner) WHERE scanner <> '';

CREATE INDEX discovery_scans_scanner ON discovery_scans (scanner_id) WHERE scanner_id IS NOT NULL;

-- 0092-presence

CREATE TABLE presence (
  id TEXT COLLATE "C" PRIMARY KEY,
  network_id TEXT COLLATE "C" NOT NULL,
  discovered_id TEXT COLLATE "C" NOT NULL,
  ip TEXT COLLATE "C" NOT NULL,
  mac_address TEXT COLLATE "C" NOT NULL,
  source TEXT COLLATE "C" NOT NULL,
  began_at TEXT COLLATE "C" NOT NULL,
  seen_at TEXT COLLATE "C" NOT NULL,
  ended_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX presence_open ON presence (network_id, ip, mac_address) WHERE ended_at = '9999-12-31T23:59:59.999Z';

CREATE INDEX presence_ip ON presence (ip, ended_at);

CREATE INDEX presence_discovered ON presence (discovered_id, ended_at);

CREATE INDEX presence_began ON presence (began_at);

CREATE INDEX presence_network ON presence (network_id, ended_at);

-- 0093-sources

CREATE TABLE sources (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  options TEXT COLLATE "C" NOT NULL,
  secrets TEXT COLLATE "C",
  secrets_set TEXT COLLATE "C" NOT NULL,
  enabled INTEGER NOT NULL,
  mode TEXT COLLATE "C" NOT NULL,
  interval_minutes INTEGER NOT NULL,
  timeout_seconds INTEGER NOT NULL,
  allow_private INTEGER NOT NULL,
  tls_ca TEXT COLLATE "C" NOT NULL,
  tls_fingerprint TEXT COLLATE "C" NOT NULL,
  include TEXT COLLATE "C" NOT NULL,
  exclude TEXT COLLATE "C" NOT NULL,
  datacenter_id TEXT COLLATE "C",
  space_id TEXT COLLATE "C",
  places TEXT COLLATE "C" NOT NULL,
  tags TEXT COLLATE "C" NOT NULL,
  custom TEXT COLLATE "C" NOT NULL,
  ref TEXT COLLATE "C" NOT NULL,
  when_gone TEXT COLLATE "C" NOT NULL,
  gone_after_hours INTEGER NOT NULL,
  max_gone_percent INTEGER NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX sources_name ON sources (name_key);

CREATE INDEX sources_order ON sources (name_order, id);

CREATE TABLE source_states (
  source_id TEXT COLLATE "C" PRIMARY KEY,
  status TEXT COLLATE "C" NOT NULL DEFAULT 'new',
  message TEXT COLLATE "C" NOT NULL DEFAULT '',
  is_held INTEGER NOT NULL DEFAULT 0,
  product TEXT COLLATE "C" NOT NULL DEFAULT '',
  snapshot_hash TEXT COLLATE "C" NOT NULL DEFAULT '',
  failures INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  next_run_ms BIGINT,
  last_run_at TEXT COLLATE "C",
  last_success_at TEXT COLLATE "C",
  holder TEXT COLLATE "C" NOT NULL DEFAULT '',
  until_ms BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE source_runs (
  id TEXT COLLATE "C" PRIMARY KEY,
  source_id TEXT COLLATE "C" NOT NULL,
  trigger TEXT COLLATE "C" NOT NULL,
  status TEXT COLLATE "C" NOT NULL,
  result TEXT COLLATE "C" NOT NULL DEFAULT '',
  product TEXT COLLATE "C" NOT NULL DEFAULT '',
  read TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  counts TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  left_over TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  warnings TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  log TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  requests BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0,
  error_code TEXT COLLATE "C" NOT NULL DEFAULT '',
  message TEXT COLLATE "C" NOT NULL DEFAULT '',
  change_id TEXT COLLATE "C" NOT NULL DEFAULT '',
  applies INTEGER NOT NULL DEFAULT 1,
  force INTEGER NOT NULL DEFAULT 0,
  created_at TEXT COLLATE "C" NOT NULL,
  started_at TEXT COLLATE "C",
  completed_at TEXT COLLATE "C"
);

CREATE INDEX source_runs_source ON source_runs (source_id, created_at, id);

CREATE INDEX source_runs_open ON source_runs (source_id) WHERE status IN ('pending', 'running');

CREATE TABLE source_objects (
  source_id TEXT COLLATE "C" NOT NULL,
  resource TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  place TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C",
  state TEXT COLLATE "C" NOT NULL,
  action TEXT COLLATE "C" NOT NULL,
  row TEXT COLLATE "C" NOT NULL,
  base TEXT COLLATE "C",
  diff TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  why TEXT COLLATE "C" NOT NULL DEFAULT '',
  because TEXT COLLATE "C" NOT NULL DEFAULT '',
  message TEXT COLLATE "C" NOT NULL DEFAULT '',
  facts TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  macs TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  is_stale INTEGER NOT NULL DEFAULT 0,
  missing_since TEXT COLLATE "C",
  first_seen_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (source_id, resource, key)
);

CREATE INDEX source_objects_object ON source_objects (object_id) WHERE object_id IS NOT NULL;

CREATE INDEX source_objects_state ON source_objects (source_id, state, resource, name_order, key) WHERE state <> 'synced';

CREATE INDEX source_objects_order ON source_objects (source_id, resource, name_order, key);

CREATE INDEX source_objects_stale ON source_objects (source_id) WHERE is_stale > 0;

-- 0094-proposals

CREATE TABLE proposals (
  seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL,
  number INTEGER,
  state TEXT COLLATE "C" NOT NULL,
  client TEXT COLLATE "C" NOT NULL DEFAULT '',
  title TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  author_id TEXT COLLATE "C" NOT NULL,
  author TEXT COLLATE "C" NOT NULL,
  co_authors TEXT COLLATE "C" NOT NULL DEFAULT '[]',
  operations TEXT COLLATE "C" NOT NULL,
  input_bytes BIGINT NOT NULL DEFAULT 0,
  next_operation INTEGER NOT NULL DEFAULT 1,
  errors INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT COLLATE "C" NOT NULL DEFAULT '',
  counts TEXT COLLATE "C" NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL DEFAULT 0,
  base_seq BIGINT NOT NULL DEFAULT 0,
  scopes_revision TEXT COLLATE "C" NOT NULL DEFAULT '',
  previewed_at TEXT COLLATE "C",
  close_reason TEXT COLLATE "C" NOT NULL DEFAULT '',
  closed_by TEXT COLLATE "C" NOT NULL DEFAULT '',
  change_id TEXT COLLATE "C",
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL,
  opened_at TEXT COLLATE "C",
  closed_at TEXT COLLATE "C",
  touched_at TEXT COLLATE "C" NOT NULL,
  expires_at TEXT COLLATE "C",
  applied_at TEXT COLLATE "C"
);

CREATE UNIQUE INDEX proposals_id ON proposals (id);

CREATE UNIQUE INDEX proposals_number ON proposals (number) WHERE number IS NOT NULL;

CREATE INDEX proposals_state ON proposals (state, number);

CREATE INDEX proposals_author ON proposals (author_id, state, number);

CREATE INDEX proposals_plans ON proposals (author_id, seq) WHERE state = 'plan';

CREATE TABLE proposal_effects (
  proposal BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  position INTEGER NOT NULL,
  operation TEXT COLLATE "C" NOT NULL DEFAULT '',
  name TEXT COLLATE "C" NOT NULL,
  change TEXT COLLATE "C" NOT NULL,
  before TEXT COLLATE "C",
  document TEXT COLLATE "C",
  sort_key TEXT COLLATE "C",
  order_key TEXT COLLATE "C" NOT NULL DEFAULT '',
  derived TEXT COLLATE "C",
  child_id TEXT COLLATE "C",
  hash TEXT COLLATE "C" NOT NULL,
  places TEXT COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (proposal, kind, id)
);

CREATE INDEX proposal_effects_order ON proposal_effects (proposal, kind, order_key, id);

CREATE INDEX proposal_effects_object ON proposal_effects (kind, id);

CREATE TABLE proposal_entries (
  proposal BIGINT NOT NULL,
  n INTEGER NOT NULL,
  id TEXT COLLATE "C" NOT NULL,
  at TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  username TEXT COLLATE "C" NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  text TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  policies TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (proposal, n)
);

CREATE TABLE proposal_checks (
  proposal BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  summary TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  fingerprint TEXT COLLATE "C" NOT NULL,
  reported_by TEXT COLLATE "C" NOT NULL,
  reported_at TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (proposal, name)
);

CREATE TABLE policies (
  id TEXT COLLATE "C" PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL,
  name_key TEXT COLLATE "C" NOT NULL,
  name_order TEXT COLLATE "C" NOT NULL,
  description TEXT COLLATE "C" NOT NULL,
  enabled INTEGER NOT NULL,
  permissions TEXT COLLATE "C" NOT NULL,
  scope_id TEXT COLLATE "C",
  min_objects INTEGER NOT NULL,
  approvals INTEGER NOT NULL,
  group_id TEXT COLLATE "C",
  checks TEXT COLLATE "C" NOT NULL,
  protect INTEGER NOT NULL,
  created_at TEXT COLLATE "C" NOT NULL,
  updated_at TEXT COLLATE "C" NOT NULL
);

CREATE UNIQUE INDEX policies_name ON policies (name_key);

ALTER TABLE changes ADD COLUMN proposal_id TEXT COLLATE "C" NOT NULL DEFAULT '';
