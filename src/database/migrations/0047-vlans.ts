/** VLANs. A network keeps its number alone: it belongs to the VLANs of that number by a rule. */
import type { Migration } from '../migrate.ts'

export const vlans: Migration = {
  name: '0047-vlans',
  statements: ({ text }) => [
    `CREATE TABLE vlans (
       id ${text} PRIMARY KEY,
       vlan_id INTEGER NOT NULL,
       name ${text} NOT NULL,
       name_key ${text} NOT NULL,
       datacenter_id ${text} REFERENCES datacenters (id),
       "group" ${text} NOT NULL,
       group_key ${text} NOT NULL,
       natural_key ${text} NOT NULL,
       description ${text} NOT NULL,
       refs ${text} NOT NULL,
       managed_by ${text} NOT NULL,
       created_at ${text} NOT NULL,
       updated_at ${text} NOT NULL
     )`,
    'CREATE UNIQUE INDEX vlans_natural_key ON vlans (natural_key)',
    'CREATE INDEX vlans_order ON vlans (vlan_id, name_key, id)',
    'CREATE INDEX vlans_name ON vlans (name_key, id)',
    'CREATE INDEX vlans_datacenter ON vlans (datacenter_id) WHERE datacenter_id IS NOT NULL',
    "CREATE INDEX vlans_managed_by ON vlans (managed_by, vlan_id, name_key, id) WHERE managed_by <> ''",
  ],
}
