/** Datacenters, networks, pools, reservations, devices and what connects them. */
import type { Migration } from '../migrate.ts'

export const inventory: Migration = {
  name: '0001-inventory',
  statements: (ddl) => {
    const { text, serial } = ddl
    return [
      `CREATE TABLE datacenters (
         id ${text} PRIMARY KEY,
         name ${text} NOT NULL,
         name_key ${text} NOT NULL,
         location ${text} NOT NULL,
         description ${text} NOT NULL,
         created_at ${text} NOT NULL,
         updated_at ${text} NOT NULL
       )`,
      'CREATE INDEX datacenters_name ON datacenters (name_key, id)',

      `CREATE TABLE networks (
         id ${text} PRIMARY KEY,
         name ${text} NOT NULL,
         name_key ${text} NOT NULL,
         subnet ${text} NOT NULL,
         prefix INTEGER NOT NULL,
         first_key ${text} NOT NULL,
         last_key ${text} NOT NULL,
         vlan_id INTEGER,
         datacenter_id ${text} REFERENCES datacenters (id),
         description ${text} NOT NULL,
         created_at ${text} NOT NULL,
         updated_at ${text} NOT NULL
       )`,
      'CREATE INDEX networks_name ON networks (name_key, id)',
      'CREATE INDEX networks_subnet ON networks (subnet)',
      'CREATE INDEX networks_first ON networks (first_key, prefix)',
      'CREATE INDEX networks_datacenter ON networks (datacenter_id)',
      'CREATE INDEX networks_vlan ON networks (vlan_id)',

      `CREATE TABLE pools (
         id ${text} PRIMARY KEY,
         network_id ${text} NOT NULL REFERENCES networks (id),
         name ${text} NOT NULL,
         name_key ${text} NOT NULL,
         start_ip ${text} NOT NULL,
         end_ip ${text} NOT NULL,
         start_key ${text} NOT NULL,
         end_key ${text} NOT NULL,
         description ${text} NOT NULL,
         created_at ${text} NOT NULL,
         updated_at ${text} NOT NULL
       )`,
      'CREATE INDEX pools_name ON pools (name_key, id)',
      'CREATE INDEX pools_network ON pools (network_id, name_key, id)',
      `CREATE TABLE pool_tags (
         pool_id ${text} NOT NULL REFERENCES pools (id),
         position INTEGER NOT NULL,
         tag ${text} NOT NULL,
         PRIMARY KEY (pool_id, position)
       )`,
      'CREATE INDEX pool_tags_tag ON pool_tags (tag, pool_id)',

      `CREATE TABLE reservations (
         id ${text} PRIMARY KEY,
         pool_id ${text} NOT NULL REFERENCES pools (id),
         ip_address ${text} NOT NULL,
         ip_key ${text} NOT NULL UNIQUE,
         hostname ${text} NOT NULL,
         purpose ${text} NOT NULL,
         notes ${text} NOT NULL,
         expires_at ${text},
         created_by ${text} NOT NULL,
         created_at ${text} NOT NULL,
         updated_at ${text} NOT NULL
       )`,
      'CREATE INDEX reservations_pool ON reservations (pool_id, ip_key)',
      'CREATE INDEX reservations_expiry ON reservations (expires_at, ip_key)',

      `CREATE TABLE devices (
         seq ${serial},
         id ${text} NOT NULL UNIQUE,
         name ${text} NOT NULL,
         name_key ${text} NOT NULL,
         hostname_key ${text} NOT NULL,
         description ${text} NOT NULL,
         make_model ${text} NOT NULL,
         os ${text} NOT NULL,
         status ${text} NOT NULL,
         datacenter_id ${text} REFERENCES datacenters (id),
         username ${text} NOT NULL,
         location ${text} NOT NULL,
         created_at ${text} NOT NULL,
         updated_at ${text} NOT NULL,
         search_text ${text} NOT NULL,
         doc ${text} NOT NULL
       )`,
      'CREATE INDEX devices_name ON devices (name_key, id)',
      'CREATE INDEX devices_hostname ON devices (hostname_key)',
      'CREATE INDEX devices_datacenter ON devices (datacenter_id)',
      ...ddl.substringIndex('devices'),
      `CREATE TABLE addresses (
         device_id ${text} NOT NULL REFERENCES devices (id),
         position INTEGER NOT NULL,
         ip ${text} NOT NULL,
         ip_key ${text} NOT NULL,
         network_id ${text} REFERENCES networks (id),
         pool_id ${text} REFERENCES pools (id),
         PRIMARY KEY (device_id, position)
       )`,
      'CREATE INDEX addresses_ip_key ON addresses (ip_key)',
      'CREATE INDEX addresses_ip ON addresses (ip)',
      'CREATE INDEX addresses_network ON addresses (network_id)',
      'CREATE INDEX addresses_pool ON addresses (pool_id, ip_key)',
      // Which addresses belong to which network, by the one rule for that; one row per device and address.
      `CREATE TABLE network_addresses (
         network_id ${text} NOT NULL REFERENCES networks (id),
         ip_key ${text} NOT NULL,
         device_id ${text} NOT NULL REFERENCES devices (id),
         PRIMARY KEY (network_id, ip_key, device_id)
       )`,
      'CREATE INDEX network_addresses_device ON network_addresses (device_id)',
      `CREATE TABLE device_tags (
         device_id ${text} NOT NULL REFERENCES devices (id),
         position INTEGER NOT NULL,
         tag ${text} NOT NULL,
         PRIMARY KEY (device_id, position)
       )`,
      'CREATE INDEX device_tags_tag ON device_tags (tag, device_id)',
      `CREATE TABLE device_domains (
         device_id ${text} NOT NULL REFERENCES devices (id),
         position INTEGER NOT NULL,
         domain ${text} NOT NULL,
         PRIMARY KEY (device_id, position)
       )`,
      'CREATE INDEX device_domains_domain ON device_domains (domain)',

      // Which addresses are taken by a device or a reservation: a bitmap per 256, so that free space is found without a walk.
      `CREATE TABLE address_blocks (
         block ${text} PRIMARY KEY,
         taken ${text} NOT NULL
       )`,

      `CREATE TABLE relationships (
         parent_id ${text} NOT NULL REFERENCES devices (id),
         child_id ${text} NOT NULL REFERENCES devices (id),
         type ${text} NOT NULL,
         notes ${text} NOT NULL,
         created_at ${text} NOT NULL,
         PRIMARY KEY (parent_id, child_id, type)
       )`,
      'CREATE INDEX relationships_child ON relationships (child_id)',
      'CREATE INDEX relationships_created ON relationships (created_at, parent_id, child_id, type)',

      `CREATE TABLE idempotency_keys (
         owner ${text} NOT NULL,
         operation ${text} NOT NULL,
         key ${text} NOT NULL,
         request_hash ${text} NOT NULL,
         answer ${text} NOT NULL,
         created_at ${text} NOT NULL,
         PRIMARY KEY (owner, operation, key)
       )`,
      'CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at)',
    ]
  },
}
