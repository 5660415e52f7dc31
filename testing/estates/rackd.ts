/** A small database of rackd, with the tables of its newest version. */
import { Database } from 'bun:sqlite'

/** A text that no answer may hold. */
export const SECRET = 'rackd-s3cret'

const TABLES: Readonly<Record<string, string>> = {
  datacenters: 'id TEXT PRIMARY KEY, name TEXT NOT NULL, location TEXT, description TEXT, created_at TIMESTAMP',
  networks:
    'id TEXT PRIMARY KEY, name TEXT NOT NULL, subnet TEXT NOT NULL, vlan_id INTEGER, datacenter_id TEXT, description TEXT',
  network_pools:
    'id TEXT PRIMARY KEY, network_id TEXT NOT NULL, name TEXT NOT NULL, start_ip TEXT, end_ip TEXT, description TEXT',
  pool_tags: 'pool_id TEXT, tag TEXT, PRIMARY KEY (pool_id, tag)',
  devices:
    "id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, make_model TEXT, os TEXT, datacenter_id TEXT, username TEXT, location TEXT, created_at TIMESTAMP, hostname TEXT DEFAULT '', status TEXT NOT NULL DEFAULT 'active', decommission_date TIMESTAMP",
  addresses:
    'id TEXT PRIMARY KEY, device_id TEXT, ip TEXT, port INTEGER, type TEXT, label TEXT, network_id TEXT, switch_port TEXT, pool_id TEXT',
  tags: 'device_id TEXT, tag TEXT, PRIMARY KEY (device_id, tag)',
  domains: 'device_id TEXT, domain TEXT, PRIMARY KEY (device_id, domain)',
  device_relationships:
    "parent_id TEXT, child_id TEXT, type TEXT, created_at TIMESTAMP, notes TEXT DEFAULT '', PRIMARY KEY (parent_id, child_id, type)",
  reservations:
    "id TEXT PRIMARY KEY, pool_id TEXT, ip_address TEXT, hostname TEXT, purpose TEXT, reserved_by TEXT, reserved_at TIMESTAMP, expires_at TIMESTAMP, status TEXT DEFAULT 'active', notes TEXT",
  custom_field_definitions: 'id TEXT PRIMARY KEY, name TEXT, key TEXT, type TEXT, required INTEGER',
  custom_field_values:
    "id TEXT PRIMARY KEY, device_id TEXT, field_id TEXT, string_value TEXT DEFAULT '', number_value INTEGER, bool_value INTEGER",
  circuits:
    "id TEXT PRIMARY KEY, name TEXT, circuit_id TEXT, provider TEXT, type TEXT, status TEXT, capacity_mbps INTEGER, datacenter_a_id TEXT, datacenter_b_id TEXT, device_a_id TEXT, port_a TEXT, vlan_id INTEGER, description TEXT, install_date DATETIME, monthly_cost REAL, contract_number TEXT, tags TEXT DEFAULT '[]', created_at DATETIME",
  nat_mappings:
    "id TEXT PRIMARY KEY, name TEXT, external_ip TEXT, external_port INTEGER, internal_ip TEXT, internal_port INTEGER, protocol TEXT, device_id TEXT, description TEXT, enabled INTEGER, network_id TEXT, tags TEXT DEFAULT '[]'",
  dns_provider_configs: 'id TEXT PRIMARY KEY, name TEXT, token TEXT',
  users: 'id TEXT PRIMARY KEY, username TEXT, password_hash TEXT',
  api_keys: 'id TEXT PRIMARY KEY, name TEXT, key TEXT',
}

type Row = Readonly<Record<string, string | number | null>>

export const ROWS: Readonly<Record<string, readonly Row[]>> = {
  datacenters: [
    { id: 'dc1', name: 'Amsterdam', location: 'Street 1', description: 'mark-dc', created_at: '2025-01-02 03:04:05' },
  ],
  networks: [
    { id: 'n1', name: 'web', subnet: '10.40.1.0/24', vlan_id: 401, datacenter_id: 'dc1', description: 'mark-network' },
    { id: 'n2', name: 'mark-bad', subnet: 'nonsense' },
    { id: 'n3', name: 'v6', subnet: '2001:db8::/64', vlan_id: 0, datacenter_id: 'mark-gone' },
  ],
  network_pools: [
    {
      id: 'p1',
      network_id: 'n1',
      name: 'pool',
      start_ip: '10.40.1.20',
      end_ip: '10.40.1.99',
      description: 'mark-pool',
    },
    { id: 'p2', network_id: 'n1', name: 'mark-outside', start_ip: '10.41.0.1', end_ip: '10.41.0.9' },
  ],
  pool_tags: [{ pool_id: 'p1', tag: 'mark-pool-tag' }],
  devices: [
    {
      ...{
        id: 'd1',
        name: 'web-1',
        hostname: 'web-1.example.net',
        description: 'mark-device',
        make_model: 'Dell R750',
      },
      ...{ os: 'Debian 12', datacenter_id: 'dc1', username: 'root', location: 'R7', status: 'maintenance' },
      ...{ created_at: '2025-01-02 03:04:05', decommission_date: '2030-01-02 00:00:00+00:00' },
    },
    { id: 'd2', name: 'db-1', hostname: 'not_a host', status: 'mark-status' },
  ],
  addresses: [
    {
      ...{ id: 'a1', device_id: 'd1', ip: '10.40.1.21', port: 443, type: 'ipv4', label: 'eth0', network_id: 'n1' },
      ...{ switch_port: 'sw-1 Gi0/1', pool_id: 'p1' },
    },
    { id: 'a2', device_id: 'd1', ip: '10.99.0.1', port: 0, type: 'ipv4', network_id: 'n1' },
    { id: 'a3', device_id: 'd2', ip: 'mark-no-address' },
    { id: 'a4', device_id: 'mark-no-device', ip: '10.0.0.1' },
  ],
  tags: [
    { device_id: 'd1', tag: 'prod' },
    { device_id: 'd1', tag: 'web' },
  ],
  domains: [
    { device_id: 'd1', domain: 'www.example.net' },
    { device_id: 'd1', domain: 'mark bad domain' },
  ],
  device_relationships: [
    { parent_id: 'd1', child_id: 'd2', type: 'depends_on', notes: 'mark-relationship', created_at: '2025-01-02' },
    { parent_id: 'd1', child_id: 'd2', type: 'mark-type' },
  ],
  reservations: [
    {
      ...{ id: 'r1', pool_id: 'p1', ip_address: '10.40.1.30', hostname: 'new.example.net', purpose: 'migration' },
      ...{ reserved_by: 'mark-user', expires_at: '2030-01-02 03:04:05.123456789 +0000 UTC', notes: 'mark-notes' },
    },
    { id: 'r2', pool_id: 'p1', ip_address: '10.40.1.31', purpose: 'mark-expired', expires_at: '2020-01-02T03:04:05Z' },
    { id: 'r3', pool_id: 'p1', ip_address: '10.40.1.32', purpose: 'mark-released', status: 'released' },
    { id: 'r4', pool_id: 'p1', ip_address: '10.40.1.21', purpose: 'mark-taken' },
  ],
  custom_field_definitions: [
    { id: 'f1', name: 'Rack unit', key: 'rack_unit', type: 'number' },
    { id: 'f2', name: 'Backed up', key: 'backed_up', type: 'boolean' },
    { id: 'f3', name: 'IPMI password', key: 'ipmi', type: 'text' },
  ],
  custom_field_values: [
    { id: 'v1', device_id: 'd1', field_id: 'f1', number_value: 12 },
    { id: 'v2', device_id: 'd1', field_id: 'f2', bool_value: 0 },
    { id: 'v3', device_id: 'd1', field_id: 'f3', string_value: SECRET },
  ],
  circuits: [
    {
      ...{ id: 'c1', name: 'mark-circuit', circuit_id: 'C-1', provider: 'Carrier', type: 'fiber', status: 'down' },
      ...{ capacity_mbps: 1000, datacenter_a_id: 'dc1', datacenter_b_id: 'mark-gone', device_a_id: 'd1' },
      ...{ port_a: 'mark-port', vlan_id: 0, description: 'mark-line', install_date: '2025-01-02 00:00:00+00:00' },
      ...{ monthly_cost: 0, contract_number: 'mark-contract', tags: '["mark-tag"]', created_at: '2025-01-02' },
    },
    { id: 'second', name: 'plain', circuit_id: 'C-2', provider: 'CARRIER', status: 'active' },
  ],
  nat_mappings: [
    {
      ...{ id: 'x1', name: 'mark-nat', external_ip: '192.0.2.1', external_port: 443, internal_ip: '10.40.1.21' },
      ...{ internal_port: 8443, protocol: 'tcp', device_id: 'd1', description: 'mark-rule', enabled: 0 },
    },
  ],
  dns_provider_configs: [{ id: 'y1', name: 'mark-dns', token: SECRET }],
  users: [{ id: 'u1', username: 'admin', password_hash: SECRET }],
  api_keys: [{ id: 'k1', name: 'key', key: SECRET }],
}

/** @param alter runs SQL on the finished database */
export const rackdFile = (...alter: readonly string[]): Uint8Array => {
  const db = new Database(':memory:')
  for (const [table, columns] of Object.entries(TABLES)) db.run(`CREATE TABLE ${table} (${columns})`)
  for (const [table, rows] of Object.entries(ROWS))
    for (const row of rows) {
      const names = Object.keys(row)
      const values = Object.values(row)
      db.run(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`, values)
    }
  for (const sql of alter) db.run(sql)
  const bytes = db.serialize()
  db.close()
  return new Uint8Array(bytes)
}
